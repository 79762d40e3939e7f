/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/page-build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "rewrite/bytes.h"
#include "rewrite/dat-out.h"
#include "rewrite/image.h"
#include "tracedat/page.h"

/* include/linux/ring_buffer.h: enum ring_buffer_type */
#define TYPE_TIME_EXTEND 30u
#define DELTA_BITS 27
#define DELTA_MASK ((1u << DELTA_BITS) - 1)
#define EXTEND_MAX (1ull << 59)

/* kernel/trace/ring_buffer.c: RB_MISSED_EVENTS, RB_MISSED_STORED */
#define COMMIT_MISSED (1ull << 31)
#define COMMIT_STORED (1ull << 30)

int tfs_page_build_init(struct tfs_page_build *b, struct tfs_dat_out *out,
			const struct tfs_image *image, unsigned int cpu, size_t size)
{
	*b = (struct tfs_page_build){
		.out = out,
		.cpu = cpu,
		.big = image->big,
		.long_size = image->kernel_long_size,
		.data_offset = image->page_data_offset,
		.page = calloc(1, size),
		.size = size,
	};
	return b->page ? 0 : -ENOMEM;
}

void tfs_page_build_release(struct tfs_page_build *b)
{
	free(b->page);
	b->page = NULL;
}

static int put_page(struct tfs_page_build *b, const void *page, struct tfs_err *err)
{
	int rc = b->began ? 0 : tfs_dat_out_cpu(b->out, b->cpu, err);

	b->began = true;
	return rc ? rc : tfs_dat_out_page(b->out, page, err);
}

static void put_long(const struct tfs_page_build *b, unsigned char *p, uint64_t n)
{
	if (b->long_size == 8)
		tfs_store_u64(p, n, b->big);
	else
		tfs_store_u32(p, (uint32_t)n, b->big);
}

int tfs_page_build_flush(struct tfs_page_build *b, struct tfs_err *err)
{
	uint64_t commit;
	int rc;

	if (!b->used)
		return 0;
	commit = b->used - b->data_offset;
	if (b->lost)
		commit |= COMMIT_MISSED;
	/* A number goes after the last entry, if there is room. */
	if (b->lost > 0 && b->size - b->used >= b->long_size) {
		commit |= COMMIT_STORED;
		put_long(b, b->page + b->used, (uint64_t)b->lost);
	}
	/* The kernel adds the flags as a negative int. */
	if (b->lost && b->long_size == 8)
		commit |= 0xffffffffull << 32;
	put_long(b, b->page + 8, commit);
	rc = put_page(b, b->page, err);
	memset(b->page, 0, b->size);
	b->used = 0;
	b->lost = 0;
	return rc;
}

int tfs_page_build_copy(struct tfs_page_build *b, const void *page, struct tfs_err *err)
{
	int rc = tfs_page_build_flush(b, err);

	return rc ? rc : put_page(b, page, err);
}

static void put_word(struct tfs_page_build *b, uint32_t type, uint32_t delta)
{
	const uint32_t word = b->big ? type << DELTA_BITS | delta : delta << 5 | type;

	tfs_store_u32(b->page + b->used, word, b->big);
	b->used += 4;
}

/* Up to 112 bytes that are whole words need no length of their own. */
static bool is_short(const struct tfs_record *rec)
{
	return rec->size && rec->size <= TFS_PAGE_DATA_MAX && !(rec->size & 3);
}

static size_t entry_size(const struct tfs_record *rec)
{
	return is_short(rec) ? 4 + (size_t)rec->size : 8 + (((size_t)rec->size + 3) & ~(size_t)3);
}

static void put_record(struct tfs_page_build *b, const struct tfs_record *rec, uint32_t delta)
{
	put_word(b, is_short(rec) ? rec->size / 4 : 0, delta);
	if (!is_short(rec)) {
		tfs_store_u32(b->page + b->used, rec->size + 4, b->big);
		b->used += 4;
	}
	memcpy(b->page + b->used, rec->data, rec->size);
	b->used += (rec->size + 3) & ~3u;
}

/* A number of lost events needs its room kept free. */
static size_t room(const struct tfs_page_build *b)
{
	return b->size - (b->lost > 0 ? b->long_size : 0);
}

int tfs_page_build_add(struct tfs_page_build *b, const struct tfs_record *rec, struct tfs_err *err)
{
	const size_t size = entry_size(rec);
	uint64_t delta = rec->ts - b->ts;
	size_t need = size + (delta > DELTA_MASK ? 8 : 0);
	int rc = 0;

	if (size > b->size - b->data_offset)
		return tfs_err_say(err, -EMSGSIZE,
				   "a record of %u bytes does not fit into a "
				   "sub-buffer of %zu",
				   rec->size, b->size);
	/* Each sub-buffer has a whole time stamp of its own. */
	if (b->used &&
	    (rec->lost || rec->ts < b->ts || delta >= EXTEND_MAX || b->used + need > room(b)))
		rc = tfs_page_build_flush(b, err);
	if (rc)
		return rc;
	if (!b->used) {
		tfs_store_u64(b->page, rec->ts, b->big);
		b->used = b->data_offset;
		b->lost = rec->lost;
		delta = 0;
	} else if (delta > DELTA_MASK) {
		put_word(b, TYPE_TIME_EXTEND, (uint32_t)(delta & DELTA_MASK));
		tfs_store_u32(b->page + b->used, (uint32_t)(delta >> DELTA_BITS), b->big);
		b->used += 4;
		delta = 0;
	}
	put_record(b, rec, (uint32_t)delta);
	b->ts = rec->ts;
	return 0;
}
