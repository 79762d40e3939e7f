/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_ROOT_H
#define TFS_TRACEFS_ROOT_H

struct tfs_err;
struct tfs_root;

/**
 * TFS_ROOT_ENV - environment variable that names the tracefs to use when the caller names none
 *
 * For captured trees and for tracefs mounted in unusual places; ignored by set-uid programs.
 */
#define TFS_ROOT_ENV "TRACECRAFT_TRACEFS"

/**
 * tfs_root_open() - find a mounted tracefs, or take @path as one
 * @path: directory to use (a captured tree in tests); NULL: what TFS_ROOT_ENV names, else
 *        /sys/kernel/tracing, /sys/kernel/debug/tracing, or what /proc/self/mounts names
 * @out: set on success only; release with tfs_root_free()
 *
 * Never mounts anything. Return: 0; -ENOENT if no tracefs is mounted (the hint says how to mount
 * it); -EACCES or -EPERM with the file that refused and what would make it work (root, group,
 * lockdown); -ENOMEM.
 */
int tfs_root_open(const char *path, struct tfs_root **out, struct tfs_err *err);
void tfs_root_free(struct tfs_root *root);

/** tfs_root_path() - absolute path, no trailing slash; borrowed, lives as long as @root */
const char *tfs_root_path(const struct tfs_root *root);
/** tfs_root_fd() - O_PATH descriptor of the directory; borrowed */
int tfs_root_fd(const struct tfs_root *root);

#endif
