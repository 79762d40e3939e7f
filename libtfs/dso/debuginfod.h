/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DEBUGINFOD_H
#define TFS_DSO_DEBUGINFOD_H

/**
 * tfs_debuginfod_find() - ask the servers of DEBUGINFOD_URLS
 * @build_id: lower-case hexadecimal
 * @source: absolute path of a source file; NULL for debug information
 *
 * By libdebuginfod, which keeps what it was given below the user's cache directory; loaded when
 * first asked.
 *
 * Return: a descriptor, yours; -ENOENT without servers, library or answer; another negative errno.
 */
int tfs_debuginfod_find(const char *build_id, const char *source);

#endif
