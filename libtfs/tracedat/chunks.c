/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-write.h"
#include "tracedat/segment.h"

#define CHUNK_HEAD 8u
/* Groups of a capped file: as one is dropped at a time, all but one are used at least. */
#define GROUPS 8
/* One that is being filled, and those that are whole. */
#define GROUPS_MAX (GROUPS + 1)

/* Chunks that are dropped together. */
struct group {
	uint64_t raw_bytes;
	uint32_t count;
};

struct tfs_chunks {
	int fd;
	int failed; /* the errno that ended writing, negative; 0 while all is well */
	struct tfs_codec *codec;
	bool swapped;
	uint32_t page_size;
	unsigned int n_pages; /* in @pages */
	unsigned char *pages;
	unsigned char *packed; /* head and compressed bytes; NULL without compression */
	size_t packed_size;
	uint64_t bytes, raw_bytes, dropped;
	uint32_t count;
	/* Takes the chunks instead of the file; NULL: none does */
	int (*add)(void *to, const void *data, size_t size, size_t raw);
	void *to;
	/* For a capped file; the last group is being filled. */
	uint64_t cap;
	struct tfs_dat_writer_extent places[GROUPS_MAX];
	struct group groups[GROUPS_MAX];
	size_t n_groups;
};

int tfs_chunks_new(int fd, struct tfs_codec *codec, uint32_t page_size, struct tfs_chunks **out)
{
	size_t size = (size_t)page_size * TFS_DAT_CHUNK_PAGES;
	struct tfs_chunks *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->fd = fd;
	c->codec = codec;
	c->page_size = page_size;
	c->pages = malloc(size);
	if (tfs_codec_id(codec) != TFS_CODEC_NONE) {
		c->packed_size = CHUNK_HEAD + tfs_codec_bound(codec, size);
		c->packed = malloc(c->packed_size);
	}
	if (!c->pages || (c->packed_size && !c->packed)) {
		tfs_chunks_free(c);
		return -ENOMEM;
	}
	*out = c;
	return 0;
}

void tfs_chunks_divert(struct tfs_chunks *c,
		       int (*add)(void *to, const void *data, size_t size, size_t raw), void *to)
{
	c->add = add;
	c->to = to;
}

void tfs_chunks_free(struct tfs_chunks *c)
{
	if (!c)
		return;
	free(c->pages);
	free(c->packed);
	free(c);
}

int tfs_chunks_cap(struct tfs_chunks *c, uint64_t cap)
{
	if (fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		      TFS_SEGMENT_GROUP_ALIGN))
		return errno == EINTR ? 0 : -errno;
	c->cap = cap;
	c->n_groups = 1;
	return 0;
}

void tfs_chunks_swap(struct tfs_chunks *c)
{
	c->swapped = true;
}

/* The oldest group goes, up to where the next begins. */
static int drop_group(struct tfs_chunks *c)
{
	const struct tfs_dat_writer_extent *place = &c->places[0];
	const off_t from = (off_t)place->off, len = (off_t)(place[1].off - place->off);

	while (fallocate(c->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, len))
		if (errno != EINTR)
			return -errno;
	c->bytes -= place->bytes;
	c->count -= c->groups[0].count;
	c->dropped += c->groups[0].raw_bytes;
	c->n_groups--;
	memmove(c->places, c->places + 1, c->n_groups * sizeof(c->places[0]));
	memmove(c->groups, c->groups + 1, c->n_groups * sizeof(c->groups[0]));
	return 0;
}

static int begin_group(struct tfs_chunks *c)
{
	const struct tfs_dat_writer_extent *last = &c->places[c->n_groups - 1];
	uint64_t at = last->off + last->bytes;
	int rc = 0;

	at = (at + TFS_SEGMENT_GROUP_ALIGN - 1) / TFS_SEGMENT_GROUP_ALIGN * TFS_SEGMENT_GROUP_ALIGN;
	if (lseek(c->fd, (off_t)at, SEEK_SET) < 0)
		return -errno;
	c->places[c->n_groups] = (struct tfs_dat_writer_extent){ .off = at };
	c->groups[c->n_groups++] = (struct group){ 0 };
	while (!rc && c->n_groups > 1 &&
	       (c->n_groups == GROUPS_MAX || c->bytes + c->cap / GROUPS > c->cap))
		rc = drop_group(c);
	return rc;
}

int tfs_chunks_begin(struct tfs_chunks *c)
{
	if (c->failed || !c->cap || c->places[c->n_groups - 1].bytes < c->cap / GROUPS)
		return c->failed;
	c->failed = begin_group(c);
	return c->failed;
}

/* Counts what was added to the file. */
static void account(struct tfs_chunks *c, uint64_t bytes, uint64_t raw_bytes, uint32_t count)
{
	c->bytes += bytes;
	c->count += count;
	if (!c->cap)
		return;
	c->places[c->n_groups - 1].bytes += bytes;
	c->groups[c->n_groups - 1].raw_bytes += raw_bytes;
	c->groups[c->n_groups - 1].count += count;
}

void *tfs_chunks_room(struct tfs_chunks *c)
{
	return c->pages + (size_t)c->n_pages * c->page_size;
}

static int put(struct tfs_chunks *c, const void *data, size_t len, size_t size)
{
	return c->add ? c->add(c->to, data, len, size) : tfs_write_all(c->fd, data, len);
}

static int write_packed(struct tfs_chunks *c, size_t size, size_t *written)
{
	uint32_t head[2];
	size_t packed;
	int rc = tfs_codec_compress(c->codec, c->pages, size, c->packed + CHUNK_HEAD,
				    c->packed_size - CHUNK_HEAD, &packed);

	if (rc)
		return rc;
	head[0] = c->swapped ? __builtin_bswap32((uint32_t)packed) : (uint32_t)packed;
	head[1] = c->swapped ? __builtin_bswap32((uint32_t)size) : (uint32_t)size;
	memcpy(c->packed, head, CHUNK_HEAD);
	*written = CHUNK_HEAD + packed;
	return put(c, c->packed, *written, size);
}

int tfs_chunks_flush(struct tfs_chunks *c)
{
	size_t size = (size_t)c->n_pages * c->page_size, written = size;
	int rc;

	if (c->failed || !c->n_pages)
		return c->failed;
	rc = tfs_chunks_begin(c);
	if (!rc && c->packed)
		rc = write_packed(c, size, &written);
	else if (!rc)
		rc = put(c, c->pages, size, size);
	c->n_pages = 0;
	if (rc > 0) {
		c->dropped += size;
		return 0;
	}
	if (rc) {
		c->failed = rc;
		c->raw_bytes -= size;
		return rc;
	}
	account(c, written, size, c->packed != NULL);
	return 0;
}

bool tfs_chunks_is_last(const struct tfs_chunks *c)
{
	return c->n_pages + 1 == TFS_DAT_CHUNK_PAGES;
}

int tfs_chunks_commit(struct tfs_chunks *c)
{
	if (c->failed)
		return c->failed;
	c->raw_bytes += c->page_size;
	if (++c->n_pages < TFS_DAT_CHUNK_PAGES)
		return 0;
	return tfs_chunks_flush(c);
}

void tfs_chunks_spliced(struct tfs_chunks *c, uint64_t bytes)
{
	account(c, bytes, bytes, 0);
	c->raw_bytes += bytes;
}

uint64_t tfs_chunks_bytes(const struct tfs_chunks *c)
{
	return c->bytes;
}

uint64_t tfs_chunks_raw_bytes(const struct tfs_chunks *c)
{
	return c->raw_bytes;
}

uint32_t tfs_chunks_count(const struct tfs_chunks *c)
{
	return c->count;
}

uint64_t tfs_chunks_dropped(const struct tfs_chunks *c)
{
	return c->dropped;
}

size_t tfs_chunks_extents(struct tfs_chunks *c, const struct tfs_dat_writer_extent **v)
{
	*v = c->cap ? c->places : NULL;
	return c->cap ? c->n_groups : 0;
}
