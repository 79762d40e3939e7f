/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_HEADLESS_H
#define TFS_RECORD_HEADLESS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_root;

/**
 * struct tfs_headless - data of a recorder that had not begun its trace file
 * @clock: that the first buffer is taken to have; free()
 * @n_buffers: with data
 * @deleted: buffers of instances that are not there any more: their clock is not known
 * @earlier: they were written before this boot
 */
struct tfs_headless {
	char *clock;
	size_t n_buffers, deleted;
	bool earlier;
};

/**
 * tfs_headless_begin() - make the metadata of the data that are beside a trace file to be
 * @path: of the trace file, which does not exist
 *
 * trace-cmd record begins its file when it ends: if it is killed, PATH.cpuN and PATH.BUFFER.cpuN
 * are all that is there. The metadata are those of the running kernel, and name these files, so
 * that tfs_dat_recover() completes them.
 *
 * Return: 0; -ENOENT when there are no such files, and no file was made; -EEXIST; -errno.
 */
int tfs_headless_begin(const char *path, const struct tfs_root *root, struct tfs_headless *out,
		       struct tfs_err *err);

#endif
