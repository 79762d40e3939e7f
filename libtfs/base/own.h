/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OWN_H
#define TFS_BASE_OWN_H

#include <stdbool.h>

struct stat;

/*
 * Files and directories that nobody but this user (and root) can have put there or changed. Only
 * such are believed: journals, links to probed files, notes about probes.
 */

/** tfs_is_own() - owned by the effective user, and writable for nobody else */
bool tfs_is_own(const struct stat *st);

/** tfs_own_mkdir() - make a directory of mode 0700, or leave the one there is; 0 or -errno */
int tfs_own_mkdir(const char *dir);

/** tfs_own_mkdir_both() - the same for the directory above it, and then for @dir */
int tfs_own_mkdir_both(const char *dir);

#endif
