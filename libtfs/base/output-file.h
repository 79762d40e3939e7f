/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_OUTPUT_FILE_H
#define TFS_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct tfs_err;

/*
 * Files that are written under a name the user gave, in a directory where others may have put
 * something under that name.
 */

/**
 * struct tfs_output_place - where a file is to be
 * @path: as it is called in messages; borrowed
 * @name: the last part of @path, within it
 * @dir: O_PATH descriptor of its directory; the caller's
 * @shared: another user may put files there
 */
struct tfs_output_place {
	const char *path, *name;
	int dir;
	bool shared;
};

/**
 * tfs_output_place_open() - find the directory of @path as tfs_output_dir_open() does
 * Return: 0; -ELOOP for a link that somebody else may have put there; -errno, with @err set.
 */
int tfs_output_place_open(const char *path, struct tfs_output_place *place, struct tfs_err *err);

/**
 * tfs_output_file_open() - open a file for writing, or create it
 * @flags: O_TRUNC or O_APPEND
 * @mode: of a new file; the umask applies
 * @fd: the caller's
 *
 * Where other users may put files into the directory, no symbolic link is followed, and a file that
 * is another user's, or that has more names, is not written: O_TRUNC replaces it by a new one,
 * O_APPEND refuses it. Elsewhere links are followed, but not to a file of another user, unless it
 * is this process's standard output or error.
 * Return: 0; -ELOOP; -EPERM; -errno, with @err set.
 */
int tfs_output_file_open(const char *path, int flags, mode_t mode, int *fd, struct tfs_err *err);
/** tfs_output_file_open_at() - the same, in a place that is open */
int tfs_output_file_open_at(const struct tfs_output_place *place, int flags, mode_t mode, int *fd,
			    struct tfs_err *err);

#endif
