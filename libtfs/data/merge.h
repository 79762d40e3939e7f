/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DATA_MERGE_H
#define TFS_DATA_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpus.h"
#include "data/page.h"

struct tfs_blocks;
struct tfs_dat;
struct tfs_err;
struct tfs_tail;

/**
 * struct tfs_merge_opts - which records to merge and how to count their time
 * @cpus: only these CPUs; NULL: all
 * @raw_ts: time stamps as recorded: no offset, no tsc2nsec, no guest shift
 * @no_date: leave out the DATE option's correction
 * @unit: nanoseconds that a unit of the clock takes, as far as the user knows; 0: not
 * @from: leave out what is before this time stamp (corrected); 0: nothing. Cheap: the data
 *        before are not read
 * @tail: the recording is still being made (data/tail.h); borrowed. NULL: it is not
 */
struct tfs_merge_opts {
	const struct tfs_cpus *cpus;
	bool raw_ts;
	bool no_date;
	double unit;
	uint64_t from;
	struct tfs_tail *tail;
};

/**
 * struct tfs_merge - all records of a file's ring buffers in order of time
 *
 * Equal stamps come in the order trace-cmd report prints them (buffer, then CPU as stored).
 * Bounded memory: one chunk per CPU. One thread at a time.
 */
struct tfs_merge;

int tfs_merge_new(struct tfs_dat *dat, const struct tfs_merge_opts *opts, struct tfs_merge **out,
		  struct tfs_err *err);
void tfs_merge_free(struct tfs_merge *m);

/**
 * tfs_merge_keep() - keep records that were given, while going on
 * @blocks: borrowed; gets the memory that their data lie in as it is done with
 *
 * From here on a record is valid until the blocks that came when it was given, or later, are freed.
 * May be called again: then others get what comes from now on.
 */
void tfs_merge_keep(struct tfs_merge *m, struct tfs_blocks *blocks);

/** tfs_merge_retire() - hand over the rest of that memory as well, before tfs_merge_free() */
void tfs_merge_retire(struct tfs_merge *m);

/**
 * tfs_merge_next() - the next record
 * @rec: its data are valid until the next call, or longer: tfs_merge_keep()
 *
 * Damage in one CPU's data ends that CPU only: it is noted with tfs_dat_note_damage() and the
 * others go on. Of a recording that is still being made, a record is held back until every CPU has
 * one, or has had time to write one: -EAGAIN then; look again later (tfs_tail_look()).
 * Return: 1, 0 at the end, -ENOMEM, -EAGAIN.
 */
int tfs_merge_next(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err);

/**
 * tfs_merge_progress() - how much of the file's ring-buffer data was read
 * @done, @total: bytes in the file, to which this is added
 */
void tfs_merge_progress(const struct tfs_merge *m, uint64_t *done, uint64_t *total);

/**
 * tfs_merge_peek() - the record that follows the current one on the same CPU of the same buffer
 * @rec: valid until the next tfs_merge_next(); the current record stays valid too
 *
 * Return: 1, 0 if there is none, -errno.
 */
int tfs_merge_peek(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err);

/**
 * tfs_merge_peek_buffer() - the record that follows the current one in its buffer, on any CPU
 *
 * What graph output needs to tell a leaf function as trace-cmd does. As tfs_merge_peek() else.
 */
int tfs_merge_peek_buffer(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err);

#endif
