/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/blocks.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"
#include "tracedat/follow.h"

#define RAW_BLOCK 32768u

struct tfs_stream {
	struct tfs_dat *dat;
	struct tfs_dat *from;      /* where bytes are read: @dat, or a segment of what grows */
	struct tfs_follow *follow; /* NULL: nothing grows */
	size_t follow_buffer;
	size_t follow_cpu;
	uint64_t done; /* bytes of what grows that were read */
	const char *buffer;
	unsigned int cpu;
	uint32_t page_size;
	bool compressed;
	bool counted; /* the chunk count was read */
	bool cut;     /* the file ends before the data do */
	uint32_t chunks_left;
	uint64_t pos, end;     /* of what is still to be read from the file */
	uint64_t block_off;    /* where @cur came from */
	uint64_t page_off;     /* for messages */
	struct tfs_block *cur; /* holds the page last returned; NULL: none was read */
	size_t len;            /* of what is in it, in whole pages */
	size_t size;           /* of that, what the file has */
	size_t next;           /* offset of the next page in @cur */
	struct tfs_blocks *retired;
};

int tfs_stream_new(struct tfs_dat *dat, size_t buffer, size_t cpu_index, struct tfs_stream **out,
		   struct tfs_err *err)
{
	const struct tfs_dat_buffer *buf = tfs_dat_buffer(dat, buffer);
	const struct tfs_dat_cpu *cpu = &buf->cpus[cpu_index];
	struct tfs_stream *s = calloc(1, sizeof(*s));
	uint64_t file = dat->info.file_size;

	if (!s)
		return tfs_err_set(err, -ENOMEM, "cannot read CPU %u of buffer '%s'", cpu->cpu,
				   buf->name);
	s->dat = dat;
	s->from = dat;
	s->buffer = buf->name;
	s->cpu = cpu->cpu;
	s->page_size = buf->page_size;
	s->compressed = buf->compressed;
	s->pos = cpu->offset < file ? cpu->offset : file;
	s->page_off = s->pos;
	/*
	 * The size of compressed data is not to be believed: trace-cmd 3.1 stores 4 too few
	 * (tests/unit/tracedat/test_dat_traps.c: T1). The chunk table knows.
	 */
	if (!cpu->size)
		s->end = s->pos;
	else if (s->compressed || cpu->size > file - s->pos)
		s->end = file;
	else
		s->end = s->pos + cpu->size;
	s->cut = !s->compressed && cpu->size > s->end - s->pos;
	s->counted = !s->compressed || !cpu->size;
	*out = s;
	return 0;
}

/* Done with @cur: others may still use it, when they said so. */
static void drop_block(struct tfs_stream *s)
{
	struct tfs_block *b = s->cur;

	if (!b)
		return;
	s->cur = NULL;
	s->dat->stream_bytes -= b->cap;
	if (s->retired) {
		tfs_blocks_add(s->retired, b);
	} else {
		free(b);
	}
}

void tfs_stream_free(struct tfs_stream *s)
{
	if (!s)
		return;
	s->retired = NULL;
	drop_block(s);
	free(s);
}

void tfs_stream_start(struct tfs_stream *s, uint64_t offset, uint32_t chunks)
{
	s->pos = offset;
	s->chunks_left = chunks;
	s->counted = true;
	s->len = 0;
	s->next = 0;
}

void tfs_stream_follow(struct tfs_stream *s, struct tfs_follow *follow, size_t buffer,
		       size_t cpu_index)
{
	s->follow = follow;
	s->follow_buffer = buffer;
	s->follow_cpu = cpu_index;
}

bool tfs_stream_is_stable(const struct tfs_stream *s)
{
	return !s->follow ||
	       tfs_follow_is_stable(s->follow, s->follow_buffer, s->follow_cpu, s->done);
}

void tfs_stream_retire_to(struct tfs_stream *s, struct tfs_blocks *blocks)
{
	s->retired = blocks;
}

void tfs_stream_retire(struct tfs_stream *s)
{
	drop_block(s);
	s->len = 0;
	s->next = 0;
}

const void *tfs_stream_limit(const struct tfs_stream *s)
{
	return s->cur->mem + s->len;
}

const void *tfs_stream_end(const struct tfs_stream *s)
{
	return s->cur->mem + s->size;
}

uint64_t tfs_stream_position(const struct tfs_stream *s)
{
	return s->pos;
}

uint64_t tfs_stream_offset(const struct tfs_stream *s)
{
	return s->page_off;
}

/* Make @cur a block of @size bytes. */
static int get_block(struct tfs_stream *s, size_t size, struct tfs_err *err)
{
	if (s->cur && s->cur->cap >= size && !s->retired)
		return 0;
	drop_block(s);
	if (s->dat->stream_bytes + size > TFS_DAT_STREAM_BUDGET) {
		tfs_err_say(err, -EBADMSG,
			    "chunk at offset %#" PRIx64 ": too large for the number of CPUs",
			    s->pos);
		return -EBADMSG;
	}
	s->cur = tfs_block_new(s->retired, size);
	if (!s->cur) {
		tfs_err_set(err, -ENOMEM, "cannot read CPU %u of buffer '%s'", s->cpu, s->buffer);
		return -ENOMEM;
	}
	s->dat->stream_bytes += s->cur->cap;
	return 0;
}

static size_t whole_pages(const struct tfs_stream *s, size_t size)
{
	return (size + s->page_size - 1) / s->page_size * s->page_size;
}

/* Zeros after a short last page: they end its entries and are not taken for one. */
static void pad_block(struct tfs_stream *s, size_t size, size_t padded)
{
	memset(s->cur->mem + size, 0, padded - size);
	s->len = padded;
	s->size = size;
	s->next = 0;
}

static int load_raw(struct tfs_stream *s, struct tfs_err *err)
{
	uint64_t left = s->end - s->pos;
	size_t size = s->page_size > RAW_BLOCK ? s->page_size :
						 RAW_BLOCK / s->page_size * s->page_size;
	int rc;

	if (size > left)
		size = (size_t)left;
	rc = get_block(s, whole_pages(s, size), err);
	if (!rc)
		rc = tfs_dat_pread(s->from, s->cur->mem, size, s->pos, "ring-buffer data", err);
	if (rc)
		return rc;
	pad_block(s, size, whole_pages(s, size));
	s->block_off = s->pos;
	s->pos += size;
	return 1;
}

static int load_chunk(struct tfs_stream *s, struct tfs_err *err)
{
	struct tfs_dat_chunk chunk;
	size_t size;
	int rc;

	rc = tfs_dat_chunk_at(s->from, s->pos, &chunk, err);
	if (rc)
		return rc;
	size = whole_pages(s, chunk.size);
	rc = size ? get_block(s, size, err) : 0;
	if (!rc && size)
		rc = tfs_dat_chunk_expand(s->from, s->pos, &chunk, s->cur->mem, err);
	if (rc)
		return rc;
	if (size)
		pad_block(s, chunk.size, size);
	s->block_off = s->pos;
	s->pos += 8 + (uint64_t)chunk.packed;
	s->chunks_left--;
	return 1;
}

static int read_count(struct tfs_stream *s, struct tfs_err *err)
{
	unsigned char b[4];
	int rc = tfs_dat_pread(s->dat, b, sizeof(b), s->pos, "number of chunks", err);

	if (rc)
		return rc;
	s->chunks_left = tfs_load_u32(b, s->dat->info.big_endian);
	s->pos += sizeof(b);
	s->counted = true;
	return 0;
}

/* Data read while a temporary file is being emptied counts as not read. */
static int load_grown(struct tfs_stream *s, struct tfs_err *err)
{
	struct tfs_follow_place place;
	int rc;

	if (!tfs_follow_more(s->follow, s->follow_buffer, s->follow_cpu, &s->done, &place))
		return 0;
	s->from = place.dat;
	s->pos = place.base + s->done;
	s->end = place.end;
	rc = s->compressed ? load_chunk(s, err) : load_raw(s, err);
	if (!tfs_follow_intact(s->follow)) {
		s->len = 0;
		return 0;
	}
	if (rc > 0)
		s->done = s->pos - place.base;
	return rc;
}

static int load_block(struct tfs_stream *s, struct tfs_err *err)
{
	int rc;

	s->len = 0;
	s->next = 0;
	if (s->follow)
		return load_grown(s, err);
	if (!s->counted) {
		rc = read_count(s, err);
		if (rc)
			return rc;
	}
	if (s->compressed)
		return s->chunks_left ? load_chunk(s, err) : 0;
	if (s->pos < s->end)
		return load_raw(s, err);
	if (!s->cut)
		return 0;
	s->cut = false;
	return tfs_err_say(err, -EBADMSG,
			   "the data go beyond the end of the file at offset %#" PRIx64,
			   s->dat->info.file_size);
}

int tfs_stream_next(struct tfs_stream *s, const void **page, struct tfs_err *err)
{
	int rc;

	while (s->next >= s->len) {
		rc = load_block(s, err);
		if (rc < 0 && rc != -ENOMEM) {
			/* Nothing after a fault can be found again. */
			s->follow = NULL;
			s->counted = true;
			s->chunks_left = 0;
			s->pos = s->end;
			tfs_err_prefix(err, "CPU %u of buffer '%s'", s->cpu, s->buffer);
		}
		if (rc <= 0)
			return rc;
	}
	*page = s->cur->mem + s->next;
	s->page_off = s->compressed ? s->block_off : s->block_off + s->next;
	s->next += s->page_size;
	return 1;
}
