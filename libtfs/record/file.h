/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_FILE_H
#define TFS_RECORD_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/buffer.h"
#include "record/clock-pairs.h"
#include "record/output.h"
#include "record/symbol-needs.h"

struct tfs_codec;
struct tfs_dat_writer;
struct tfs_err;
struct tfs_names;
struct tfs_record_sink;
struct tfs_root;
struct tfs_session_cpu;
struct tfs_session_opts;
struct tfs_session_totals;

/**
 * struct tfs_record_set - the ring buffers that are recorded
 * @codec: of the sections of the file; the readers have their own
 * @needs: the types that make symbols necessary; empty: none
 * @names: what gives user addresses their names
 * @clocks: the trace clock beside CLOCK_REALTIME
 * @sink: takes the data instead of temporary files; NULL: none
 * @is_limited: the size of the file was asked for
 * @n_cpus: of all buffers together
 */
struct tfs_record_set {
	const struct tfs_root *root;
	struct tfs_codec *codec;
	struct tfs_record_buffer *buffers;
	size_t n_buffers;
	size_t n_cpus;
	struct tfs_symbol_needs needs;
	struct tfs_names *names;
	struct tfs_clock_pairs clocks;
	const struct tfs_record_sink *sink;
	bool is_limited;
};

/**
 * struct tfs_record_file - a trace file that they are recorded into
 * @head_bytes: size of the head
 * @symbols_wait: the head has no symbols; they are written last if one of the set's needs occurred
 * @size: that was asked for, if the symbols may have no room in it; 0: they have
 */
struct tfs_record_file {
	struct tfs_output output;
	struct tfs_dat_writer *writer;
	uint64_t head_bytes;
	bool symbols_wait;
	uint64_t size;
};

/**
 * TFS_RECORD_ROOM - zeros in metadata for another machine, before those that are known at the end
 *
 * One of them now and then shows a listener that waits for metadata that the sender is there.
 */
#define TFS_RECORD_ROOM 65536u

#define TFS_RECORD_FILE_INIT ((struct tfs_record_file){ .output = TFS_OUTPUT_INIT })

/**
 * tfs_record_file_head() - write all metadata that are known before the recording
 * @opts: what the session was made with
 *
 * Reserves the room that completing it takes at least.
 */
int tfs_record_file_head(struct tfs_record_file *f, struct tfs_record_set *set,
			 const struct tfs_session_opts *opts, struct tfs_err *err);
/** tfs_record_file_same_head() - the same from another file that is not complete */
int tfs_record_file_same_head(struct tfs_record_file *f, const struct tfs_record_set *set,
			      const struct tfs_record_file *from, struct tfs_err *err);
/** tfs_record_file_release() - close it; the temporary files stay */
void tfs_record_file_release(struct tfs_record_file *f);

/**
 * tfs_record_file_overhead() - what a file takes besides ring-buffer data, at the most
 *
 * The head and an estimate of the rest, which depends on the number of task names.
 */
uint64_t tfs_record_file_overhead(const struct tfs_record_file *f,
				  const struct tfs_record_set *set);

/**
 * enum tfs_record_rest - what becomes of the events that are in the ring buffers now
 * @TFS_REST_LOST: they were given up
 * @TFS_REST_LEFT: the file has the size that was asked for; they come after its end
 * @TFS_REST_FOLLOWS: the next file has them
 */
enum tfs_record_rest { TFS_REST_LOST, TFS_REST_LEFT, TFS_REST_FOLLOWS };

/**
 * struct tfs_record_end - how a file ends
 * @cpus: room for the set's n_cpus entries, which become those of @totals
 * @totals: zeroed; set also on failure, but for its duration
 */
struct tfs_record_end {
	enum tfs_record_rest rest;
	struct tfs_session_cpu *cpus;
	struct tfs_session_totals *totals;
};

/**
 * tfs_record_file_complete() - join what the buffers have as @data, and remove the temporary files
 *
 * On failure the file is readable as far as it was written, and temporary files that were not yet
 * joined stay. -ESTALE: it is complete, but its name stands for another one.
 */
int tfs_record_file_complete(struct tfs_record_file *f, struct tfs_record_set *set,
			     const struct tfs_record_end *end, struct tfs_err *err);

#endif
