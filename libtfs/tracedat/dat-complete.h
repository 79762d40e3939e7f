/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_COMPLETE_H
#define TFS_TRACEDAT_DAT_COMPLETE_H

/** TFS_DAT_FLEET_JOURNAL - after a file's name: more of it is to come from the host that has it */
#define TFS_DAT_FLEET_JOURNAL ".stream"
/** TFS_DAT_FLEET_TABLE - of a run, in the folder above those of the hosts */
#define TFS_DAT_FLEET_TABLE "fleet.tab"

/**
 * tfs_dat_fleet_folder() - the folder of a run of tc-fleet, which has not brought all of a file
 *
 * A file that something else receives, or that was taken out of its run, is not one of these.
 * Return: free(); NULL when it is none.
 */
char *tfs_dat_fleet_folder(const char *path);

/** tfs_dat_completes() - the command that completes a file whose recorder was killed; free() */
char *tfs_dat_completes(const char *path);

#endif
