/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OPEN_IN_H
#define TFS_BASE_OPEN_IN_H

#include <stdint.h>

struct tfs_strbuf;

/*
 * Files whose name or place somebody else chose: a program's author, by what its debug information
 * names; a container, by what is below its root. Everything of that kind is opened here.
 *
 * A file is looked up once, by a descriptor that does not open it (O_PATH), and judged by that:
 * only regular files on a real file system are opened, so that no FIFO is waited for, no device
 * is started and nothing of /proc is consumed (reading /proc/kmsg takes the messages away). Then
 * that very descriptor is opened, not the name once more, with O_NONBLOCK.
 *
 * Below another root nothing leads out: openat2(2) with RESOLVE_IN_ROOT, and where the kernel
 * (before 5.6) or a filter of system calls refuses that, the same step by step.
 */

/** TFS_NO_ROOT - for / itself, where a descriptor of a root is asked for */
#define TFS_NO_ROOT (-1)

/** TFS_NO_LIMIT - of any size */
#define TFS_NO_LIMIT UINT64_MAX

/**
 * tfs_open_root() - open a directory that will stand for /
 * @root: a directory, /proc/PID/root among others; NULL or "": none
 * @fd: a descriptor, yours; TFS_NO_ROOT if @root names none, or on failure
 *
 * Return: 0 or negative errno.
 */
int tfs_open_root(const char *root, int *fd);

/**
 * tfs_open_path_in() - look a file up, without opening it
 * @root: of tfs_open_root(), TFS_NO_ROOT for /; borrowed
 * @path: below @root, whether or not it begins with '/'; with TFS_NO_ROOT as open(2) takes it
 *
 * Return: a descriptor (O_PATH), yours; negative errno.
 */
int tfs_open_path_in(int root, const char *path);

/**
 * tfs_open_found() - open what a descriptor of tfs_open_path_in() found, for reading
 * @found: borrowed
 * @max: bytes; what is larger is refused
 *
 * Return: a descriptor, yours; -EISDIR; -EINVAL for what is not a regular file, or only looks like
 * one (/proc, /sys and so on); -EFBIG; another negative errno.
 */
int tfs_open_found(int found, uint64_t max);

/** tfs_open_in() - both */
int tfs_open_in(int root, const char *path, uint64_t max);

/**
 * tfs_open_dir_in() - open a directory, for fdopendir(3)
 * Return: a descriptor, yours; -ENOTDIR; another negative errno.
 */
int tfs_open_dir_in(int root, const char *path);

/**
 * tfs_read_in() - append a whole file to @sb
 * @max: bytes; -EFBIG if there are more, also if it grows meanwhile
 *
 * Return: 0 or negative errno, as tfs_open_found(); nothing is appended then.
 */
int tfs_read_in(int root, const char *path, uint64_t max, struct tfs_strbuf *sb);

/** tfs_read_fd_max() - append what is left of an open file, if it is no more than @max bytes */
int tfs_read_fd_max(int fd, uint64_t max, struct tfs_strbuf *sb);

/** tfs_open_refused() - why, for -EISDIR, -EINVAL and -EFBIG of tfs_open_found(); else NULL */
const char *tfs_open_refused(int code);

#endif
