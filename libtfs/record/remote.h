/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_REMOTE_H
#define TFS_RECORD_REMOTE_H

#include <stddef.h>
#include <stdint.h>

struct tfs_clock_sample;
struct tfs_err;

/**
 * struct tfs_record_head - metadata that are known when a recording begins
 * @fd: file in memory, which gets all metadata
 * @size: bytes of it that are ready and stay as they are
 * @room: from @size to here it has zeros, which may be sent at any time before the end
 * @cpus: greatest CPU number + 1
 * @page_size: of a sub-buffer
 */
struct tfs_record_head {
	int fd;
	uint64_t size, room;
	uint32_t cpus;
	uint32_t page_size;
};

/**
 * struct tfs_record_remote - who takes a recording in place of a file
 *
 * All return 0 or -errno with the error set. Called on the session's thread.
 *
 * @begin: the first metadata are to be sent
 * @open_cpu: *@fd: a blocking descriptor for the sub-buffers of a CPU, to be closed by the caller
 * @compare: compare a clock of this machine with the other side's, *@name, which is borrowed; or
 *	-errno without an error set
 * @finish: the metadata have @size bytes, and nothing more is written to @fds
 */
struct tfs_record_remote {
	void *context;
	int (*begin)(void *context, const struct tfs_record_head *head, struct tfs_err *err);
	int (*open_cpu)(void *context, unsigned int cpu, int *fd, struct tfs_err *err);
	int (*compare)(void *context, const char *clock, struct tfs_clock_sample *out,
		       const char **name);
	int (*finish)(void *context, uint64_t size, const int *fds, size_t n, struct tfs_err *err);
};

#endif
