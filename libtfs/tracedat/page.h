/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_PAGE_H
#define TFS_TRACEDAT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** TFS_PAGE_DATA_MAX - bytes of data that an entry without a length of its own has at most */
#define TFS_PAGE_DATA_MAX (4 * 28)

/** TFS_LOST_UNKNOWN - events were lost, the kernel did not count how many */
#define TFS_LOST_UNKNOWN (-1)

/**
 * struct tfs_record - one ring-buffer entry
 * @ts: time stamp in units of the trace clock, corrected unless raw time was asked for
 * @data: payload, begins with common_type; aligned to 4 bytes
 * @size: bytes at @data
 * @room: bytes that may be read at @data, what follows in memory included: some formats name
 *        arrays in full of which the kernel stores a part (kernel_stack). Set by tfs_merge_next()
 * @cpu: where it was recorded
 * @buffer: index of its buffer in the file
 * @lost: events lost just before it on its CPU: 0, a count, or TFS_LOST_UNKNOWN
 * @offset: file offset of the sub-buffer or chunk it came from
 */
struct tfs_record {
	uint64_t ts;
	const void *data;
	uint32_t size;
	uint32_t room;
	uint32_t cpu;
	uint32_t buffer;
	int64_t lost;
	uint64_t offset;
};

/** tfs_record_room() - bytes that may be read at @rec's data: never less than are the record's */
static inline uint32_t tfs_record_room(const struct tfs_record *rec)
{
	return rec->room > rec->size ? rec->room : rec->size;
}

/**
 * struct tfs_page - walk of one sub-buffer (include/linux/ring_buffer.h)
 *
 * Initialised by tfs_page_init(), advanced by tfs_page_next(); fields are private to page.c.
 */
struct tfs_page {
	const unsigned char *p;
	const unsigned char *end;
	uint64_t ts;
	int64_t lost;
	bool big;
};

/**
 * tfs_page_init() - begin walking a sub-buffer
 * @size: bytes at @page, header included
 * @long_size: kernel long: 4 or 8; @data_offset: where events begin (header_page)
 *
 * Return: 0, -EBADMSG when the commit length exceeds the page.
 */
int tfs_page_init(struct tfs_page *pg, const void *page, size_t size, unsigned int long_size,
		  unsigned int data_offset, bool big);
/** tfs_page_next_any() - tfs_page_next() for entries of every kind */
int tfs_page_next_any(struct tfs_page *pg, struct tfs_record *rec);

/** tfs_page_take_fast() - tfs_page_next_fast() where it is known that there is one */
static inline void tfs_page_take_fast(struct tfs_page *pg, struct tfs_record *rec)
{
	uint32_t word, size;

	memcpy(&word, pg->p, sizeof(word));
	size = 4 * (word & 31);
	pg->ts += word >> 5;
	rec->ts = pg->ts;
	rec->data = pg->p + 4;
	rec->size = size;
	pg->p += 4 + size;
}

/**
 * tfs_page_next_fast() - the next entry's ts, data and size, when it is a few words in this
 * machine's byte order, as almost every entry is, and without a loss
 *
 * Here for the one place where loads are counted in nanoseconds. Return: false when
 * tfs_page_next_any() has to look; nothing was done.
 */
static inline bool tfs_page_next_fast(struct tfs_page *pg, struct tfs_record *rec)
{
	size_t left = (size_t)(pg->end - pg->p);
	uint32_t word, size;

	if (left < 4 || pg->big || pg->lost || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return false;
	memcpy(&word, pg->p, sizeof(word));
	size = 4 * (word & 31);
	if (size - 4 >= TFS_PAGE_DATA_MAX || left < 4 + size)
		return false;
	tfs_page_take_fast(pg, rec);
	return true;
}

/**
 * tfs_page_next() - the next entry's ts, data, size and lost (cpu, buffer, offset are left alone)
 * Return: 1, 0 at the end, -EBADMSG when an entry does not fit.
 */
static inline int tfs_page_next(struct tfs_page *pg, struct tfs_record *rec)
{
	if (!tfs_page_next_fast(pg, rec))
		return tfs_page_next_any(pg, rec);
	rec->lost = 0;
	return 1;
}

#endif
