/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SINK_H
#define TFS_RECORD_SINK_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_record_chunk - sub-buffers of a CPU, ready to be stored
 * @source: number of the CPU, counted over all buffers in the order of the head's segments
 *          (tracedat/dat-segments.h)
 * @data: as in a trace file: compressed, after the chunk's head, or the sub-buffers themselves
 * @size: bytes at @data
 * @raw: bytes of the sub-buffers
 * @events: in them
 */
struct tfs_record_chunk {
	uint32_t source;
	const void *data;
	uint32_t size;
	uint32_t raw;
	uint32_t events;
};

/**
 * struct tfs_record_sink - where a recording goes instead of into temporary files
 *
 * The session makes a trace file without events in struct tfs_session_opts.output: its head when it
 * begins, what is known at the end when it ends. Functions return 0 or -errno.
 * @to: for the functions
 * @begin: chunks of @sources CPUs will come; the first @len bytes of @fd are the head
 * @chunk: events; by any reader thread. It must not wait. 1: they were refused, and count as lost
 * @refused: events of a CPU that were refused, or dropped later
 * @tail: bytes of @fd from @off that were added after the events, or replaced
 */
struct tfs_record_sink {
	void *to;
	int (*begin)(void *to, size_t sources, int fd, uint64_t len);
	int (*chunk)(void *to, const struct tfs_record_chunk *chunk);
	uint64_t (*refused)(void *to, uint32_t source);
	int (*tail)(void *to, int fd, uint64_t off, uint64_t len);
};

#endif
