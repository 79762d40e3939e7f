/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OUTPUT_DIR_H
#define TFS_BASE_OUTPUT_DIR_H

#include <stdbool.h>

/**
 * tfs_output_dir_open() - open the directory that @path is in
 * @path: of a file that may not exist yet
 * @fd: O_PATH descriptor, the caller's
 * @shared: another user may put files there: root and this process's user do not count
 *
 * On the way, a symbolic link is followed only where nobody else could have put it.
 * Return: 0; -ELOOP for a link that is not followed; -errno.
 */
int tfs_output_dir_open(const char *path, int *fd, bool *shared);

/** tfs_output_dir_name() - the last part of @path, within it */
const char *tfs_output_dir_name(const char *path);

#endif
