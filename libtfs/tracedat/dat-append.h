/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_APPEND_H
#define TFS_TRACEDAT_DAT_APPEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracedat/compress.h"

struct tfs_dat;
struct tfs_dat_writer_cpu;
struct tfs_err;

/*
 * Ring-buffer data for metadata that somebody else wrote, maybe on a machine of the other byte
 * order: what a listener makes of what it received.
 */

/** struct tfs_dat_head - the initial bytes of a trace file */
struct tfs_dat_head {
	int version;
	bool big_endian;
	bool swapped;           /* it has the other byte order than this machine */
	unsigned int long_size; /* of the recording user space: 4 or 8 */
	enum tfs_codec_id codec;
};

/** TFS_DAT_HEAD_MAX - the initial bytes have no more than this */
#define TFS_DAT_HEAD_MAX 128u

/**
 * tfs_dat_head_parse() - read the initial bytes; pure
 *
 * Return: 1; 0 when @data has only a part of them; -EBADMSG when it is not a trace file;
 * -EOPNOTSUPP for a version or a compression that is not known.
 */
int tfs_dat_head_parse(const void *data, size_t size, struct tfs_dat_head *out,
		       struct tfs_err *err);

/**
 * struct tfs_dat_append_opts - what to append
 * @page_size: size of the sub-buffers
 * @n_cpus: of the machine, with and without data
 * @cpus: those with data, compressed as the file's head says, in its byte order
 * @n_data: number of @cpus
 * @add_cpu_count: version 6 without what comes after the names of tasks, CPU count and options, and
 *	maybe without those names
 * @trace_id: for option TRACEID, unless the file has one
 */
struct tfs_dat_append_opts {
	uint32_t page_size;
	uint32_t n_cpus;
	const struct tfs_dat_writer_cpu *cpus;
	size_t n_data;
	bool add_cpu_count;
	uint64_t trace_id;
};

/**
 * tfs_dat_append() - complete a file of metadata
 * @fd: open for reading and writing; borrowed
 * @name: of the file, for messages
 *
 * Metadata of version 7 may end anywhere: what is whole is made reachable. Return: 0; -EBADMSG
 * when the metadata have no use; -errno of the write.
 */
int tfs_dat_append(int fd, const char *name, const struct tfs_dat_append_opts *opts,
		   struct tfs_err *err);

/**
 * tfs_dat_append_options() - add options to a complete file of version 7
 * @fd: of the file, open for reading and writing; borrowed
 * @options: u16 id, u32 size and the bytes of each, in the byte order of the file
 *
 * They become an OPTIONS section at the end of the file, on which the last one's place for the next
 * is set when it is on the disk: a kill or a power failure leaves the file with or without
 * them. Return: 0; -EOPNOTSUPP where this cannot be done (version 6), and nothing was; -EBUSY when
 * the file has grown since it was opened; the errno of a read or write, after which the file is as
 * before.
 */
int tfs_dat_append_options(int fd, const struct tfs_dat *dat, const void *options, size_t size,
			   struct tfs_err *err);

#endif
