/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_COMMS_H
#define TFS_REPORT_COMMS_H

struct tep_handle;

/**
 * tfs_comms_load() - the names of tasks in the lines of saved_cmdlines: "PID COMM"
 *
 * The same names as by tep_parse_saved_cmdlines(), up to the first line of another form; without
 * its sscanf(), for a recording may hold ten thousands. Return: 0 or -ENOMEM.
 */
int tfs_comms_load(struct tep_handle *tep, const char *text);

#endif
