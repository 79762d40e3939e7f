/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/page.h"

#include <errno.h>

#include "base/cursor.h"

/* include/linux/ring_buffer.h: enum ring_buffer_type; from 1 to 28 data of that many words. */
#define TYPE_DATA_LONG 0
#define TYPE_PADDING 29
#define TYPE_TIME_EXTEND 30

#define TS_SHIFT 27
#define TS_MASK ((1u << TS_SHIFT) - 1)
/* An absolute stamp has 59 bits; the 5 above come from the time so far (clock tai needs them). */
#define TS_ABS_HIGH (0xf8ull << 56)

/* kernel/trace/ring_buffer.c: RB_MISSED_EVENTS, RB_MISSED_STORED, and the length below them. */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_STORED (1u << 30)
#define COMMIT_LENGTH ((1u << 27) - 1)

/* Loads for the one place where they are counted in nanoseconds. */
static inline uint32_t load_word(const unsigned char *p, bool big)
{
	if (big)
		return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static int64_t stored_count(const unsigned char *p, unsigned int long_size, bool big)
{
	uint64_t n = long_size == 8 ? tfs_load_u64(p, big) : tfs_load_u32(p, big);

	return n > INT64_MAX ? TFS_LOST_UNKNOWN : (int64_t)n;
}

int tfs_page_init(struct tfs_page *pg, const void *page, size_t size, unsigned int long_size,
		  unsigned int data_offset, bool big)
{
	const unsigned char *base = page;
	uint32_t commit, len;

	if (size < data_offset || data_offset < 8 + long_size)
		return -EBADMSG;
	/*
	 * The kernel adds the flags as a negative int, so a 64-bit word has its upper half set to
	 * ones: only the low 32 bits count.
	 */
	commit = tfs_load_u32(base + 8 + (big && long_size == 8 ? 4 : 0), big);
	len = commit & COMMIT_LENGTH;
	if (len > size - data_offset)
		return -EBADMSG;
	pg->big = big;
	pg->ts = tfs_load_u64(base, big);
	pg->p = base + data_offset;
	pg->end = pg->p + len;
	pg->lost = 0;
	if (commit & COMMIT_MISSED) {
		pg->lost = TFS_LOST_UNKNOWN;
		if ((commit & COMMIT_STORED) && size - data_offset - len >= long_size)
			pg->lost = stored_count(pg->end, long_size, big);
	}
	return 0;
}

/* An entry longer than 28 words: its length follows the first word and counts itself. */
static int long_entry(struct tfs_page *pg, size_t left, struct tfs_record *rec)
{
	uint32_t len;

	if (left < 8)
		return -EBADMSG;
	len = load_word(pg->p + 4, pg->big);
	if (len < 4 || len > left - 4)
		return -EBADMSG;
	rec->data = pg->p + 8;
	rec->size = len - 4;
	len = (len + 3) & ~3u;
	if (len > left - 4)
		return -EBADMSG;
	pg->p += 4 + len;
	return 0;
}

/* Padding in the middle of a page is a discarded entry; its time counts. */
static int skip_padding(struct tfs_page *pg, uint32_t delta, size_t left)
{
	uint32_t len;

	if (!delta) {
		pg->p = pg->end;
		return 0;
	}
	if (left < 8)
		return -EBADMSG;
	len = load_word(pg->p + 4, pg->big);
	if (len < 4 || (len & 3) || len > left - 4)
		return -EBADMSG;
	pg->ts += delta;
	pg->p += 4 + len;
	return 0;
}

static int take_stamp(struct tfs_page *pg, uint32_t type, uint32_t delta, size_t left)
{
	uint64_t high;

	if (left < 8)
		return -EBADMSG;
	high = (uint64_t)load_word(pg->p + 4, pg->big) << TS_SHIFT;
	if (type == TYPE_TIME_EXTEND)
		pg->ts += high + delta;
	else
		pg->ts = (pg->ts & TS_ABS_HIGH) | (high + delta);
	pg->p += 8;
	return 0;
}

static inline int give(struct tfs_page *pg, uint32_t delta, struct tfs_record *rec)
{
	pg->ts += delta;
	rec->ts = pg->ts;
	rec->lost = pg->lost;
	pg->lost = 0;
	return 1;
}

int tfs_page_next_any(struct tfs_page *pg, struct tfs_record *rec)
{
	while (pg->p < pg->end) {
		size_t left = (size_t)(pg->end - pg->p);
		uint32_t word, type, delta;
		int rc;

		if (left < 4)
			return -EBADMSG;
		word = load_word(pg->p, pg->big);
		type = pg->big ? word >> TS_SHIFT : word & 31;
		delta = pg->big ? word & TS_MASK : word >> 5;
		if (type - 1 < TFS_PAGE_DATA_MAX / 4) {
			if (left < 4 + 4 * type)
				return -EBADMSG;
			rec->data = pg->p + 4;
			rec->size = 4 * type;
			pg->p += 4 + 4 * type;
			return give(pg, delta, rec);
		}
		if (type == TYPE_DATA_LONG) {
			rc = long_entry(pg, left, rec);
			return rc ? rc : give(pg, delta, rec);
		}
		rc = type == TYPE_PADDING ? skip_padding(pg, delta, left) :
					    take_stamp(pg, type, delta, left);
		if (rc)
			return rc;
	}
	return 0;
}
