/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_SEEK_H
#define TFS_TRACEDAT_SEEK_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_dat_time;
struct tfs_err;
struct tfs_stream;

/*
 * Finding moments in one CPU's data without reading all of them: its sub-buffers follow each other
 * in time, so bisection finds the place. In compressed data it reads the heads of the chunks, and
 * some twenty chunks. Memory does not grow with the file.
 */

/**
 * tfs_seek_time() - let a stream begin shortly before a moment
 * @stream: new, of the same CPU; afterwards it yields what may hold records from @ts on: at most
 *          one sub-buffer or chunk of earlier ones is in front
 * @ts: a time stamp as @time corrects it
 *
 * Where damage hides the place, @stream begins earlier. Return: 0 or -ENOMEM.
 */
int tfs_seek_time(struct tfs_dat *dat, size_t buffer, size_t cpu_index,
		  const struct tfs_dat_time *time, uint64_t ts, struct tfs_stream *stream);

/** struct tfs_bounds - time stamps of the first and the last record, corrected */
struct tfs_bounds {
	uint64_t first, last;
};

/**
 * tfs_seek_bounds() - when one CPU's records begin and end
 * @out: set when there is a record
 *
 * Unreadable data is left out without a message. Return: 1, 0 without records, -ENOMEM.
 */
int tfs_seek_bounds(struct tfs_dat *dat, size_t buffer, size_t cpu_index,
		    const struct tfs_dat_time *time, struct tfs_bounds *out, struct tfs_err *err);

/** tfs_seek_all_bounds() - the same over all CPUs of all buffers */
int tfs_seek_all_bounds(struct tfs_dat *dat, const struct tfs_dat_time *time,
			struct tfs_bounds *out, struct tfs_err *err);

#endif
