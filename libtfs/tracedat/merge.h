/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_MERGE_H
#define TFS_TRACEDAT_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tracedat/page.h"

struct tfs_blocks;
struct tfs_clock_map;
struct tfs_cpus;
struct tfs_dat;
struct tfs_err;
struct tfs_event_source;
struct tfs_record_run;

/** TFS_MERGE_MISSING - tfs_merge_next() found that the rest of a CPU's records is missing */
#define TFS_MERGE_MISSING 2

/**
 * struct tfs_merge_opts - which records to merge and how to count their time
 * @cpus: only these CPUs; NULL: all
 * @raw_ts: time stamps as recorded: no offset, no tsc2nsec, no guest shift
 * @no_date: leave out the DATE option's correction
 * @unit: nanoseconds that a unit of the clock takes, as far as the user knows; 0: not
 * @map, @map_offset: to another host's time line, as in struct tfs_dat_time_opts
 * @from: leave out what is before this time stamp (corrected); 0: nothing. Cheap: the data
 *        before are not read
 * @missing: tfs_merge_next() says where the rest of a CPU's records is missing
 * @source: where the sub-buffers come from (tracedat/event-source.h); borrowed, outlives the merge.
 *          NULL: from @dat, which is complete
 */
struct tfs_merge_opts {
	const struct tfs_cpus *cpus;
	bool raw_ts;
	bool no_date;
	bool missing;
	double unit;
	const struct tfs_clock_map *map;
	uint64_t map_offset;
	uint64_t from;
	struct tfs_event_source *source;
};

/**
 * struct tfs_merge - all records of a file's ring buffers in order of time
 *
 * Equal stamps come in the order trace-cmd report prints them (buffer, then CPU as stored).
 * Bounded memory: one chunk per CPU. One thread at a time.
 */
struct tfs_merge;

/**
 * struct tfs_merge_cpu - the records of one CPU of one buffer, as far as the fast path needs them
 * @rec: the next one to give, or being given; while @lazy only its time stamp is there, and it is
 *       the page's next entry
 * @fast_end: where tfs_merge_next_fast() has to stop in @page; NULL: it is not to begin
 * @limit: end of the memory after the page
 * @order: among all; decides between equal stamps
 *
 * Fields of this one and the next are private to merge.c, but for one function that is in line.
 */
struct tfs_merge_cpu {
	struct tfs_record rec;
	struct tfs_page page;
	const unsigned char *fast_end;
	const unsigned char *limit;
	size_t order;
	bool lazy;
};

/**
 * struct tfs_merge_front - what a struct tfs_merge begins with
 * @given: whose record the caller has; NULL: nobody's
 * @second: whose record comes when live[0] is done; NULL: nobody's
 * @live: @n_live with a record left; live[0] is the first of all
 */
struct tfs_merge_front {
	struct tfs_merge_cpu *given, *second;
	uint64_t offset;
	struct tfs_merge_cpu **live;
	size_t n_live;
};

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
 * others go on. From a growing source a record comes once no other CPU can have an earlier one:
 * -EAGAIN until then; update the source and ask again.
 *
 * Where damage or the end of an incomplete recording (struct tfs_dat_cpu) ends a CPU, and
 * tfs_merge_opts asks for it, TFS_MERGE_MISSING comes once, directly after the CPU's last record,
 * or first of all if it has none: @rec then has its cpu and buffer, no data, @lost
 * TFS_LOST_UNKNOWN, and as @ts the time up to which the CPU could be read, or that of the first
 * record if it has none.
 * Return: 1, TFS_MERGE_MISSING, 0 at the end, -ENOMEM, -EAGAIN.
 */
int tfs_merge_next(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err);

/**
 * tfs_merge_run() - the next records, as far as they come one after the other on one CPU
 *
 * For who needs little of many records: tfs_record_run_next() takes them, all of them, before the
 * next call of a function here. They are valid until then. Return: as tfs_merge_next(). With
 * TFS_MERGE_MISSING there are none, and @run->first says whose rest is missing.
 */
int tfs_merge_run(struct tfs_merge *m, struct tfs_record_run *run, struct tfs_err *err);

/** tfs_merge_take() - take @c's next entry, one for the fast path, as the record @rec; private */
static inline void tfs_merge_take(const struct tfs_merge_front *f, struct tfs_merge_cpu *c,
				  struct tfs_record *rec)
{
	tfs_page_take_fast(&c->page, rec);
	rec->ts += f->offset;
	rec->room = (uint32_t)(c->limit - (const unsigned char *)rec->data);
	rec->cpu = c->rec.cpu;
	rec->buffer = c->rec.buffer;
	rec->lost = 0;
	rec->offset = c->rec.offset;
}

/** tfs_merge_go_over() - the CPU whose record is first, when live[0] has a later one; private */
struct tfs_merge_cpu *tfs_merge_go_over(struct tfs_merge *m);

/**
 * tfs_merge_next_fast() - the fast path of tfs_merge_next(), inline as it runs for every record
 *
 * Simple is that the CPU that gave the last record has one more on the same page, an entry of a few
 * words. If another's comes first, nothing more is found out about it. A record goes straight to
 * where the caller wants it: what was just stored in pieces is not to be had as a whole at once.
 *
 * Return: false when tfs_merge_next() has to be asked; nothing was done.
 */
static inline __attribute__((always_inline)) bool tfs_merge_next_fast(struct tfs_merge *m,
								      struct tfs_record *rec)
{
	struct tfs_merge_front *f = (struct tfs_merge_front *)m;
	struct tfs_merge_cpu *c = f->given, *second = f->second;
	uint32_t word, size;
	uint64_t ts;

	if (!c || c->page.p >= c->fast_end)
		return false;
	memcpy(&word, c->page.p, sizeof(word));
	size = 4 * (word & 31);
	if (size - 4 >= TFS_PAGE_DATA_MAX || size + 4 > (size_t)(c->fast_end - c->page.p))
		return false;
	ts = c->page.ts + (word >> 5) + f->offset;
	if (second && (ts > second->rec.ts || (ts == second->rec.ts && c->order > second->order))) {
		c->rec.ts = ts;
		c->lazy = true;
		if (f->n_live == 2) {
			f->live[0] = second;
			f->live[1] = f->second = c;
			c = second;
		} else {
			c = tfs_merge_go_over(m);
		}
		f->given = c;
		if (!c->lazy) {
			*rec = c->rec;
			return true;
		}
		c->lazy = false;
	}
	tfs_merge_take(f, c, rec);
	return true;
}

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
 * Graph output needs this to recognise a leaf function as trace-cmd does. Else as tfs_merge_peek().
 */
int tfs_merge_peek_buffer(struct tfs_merge *m, struct tfs_record *rec, struct tfs_err *err);

#endif
