/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "data/chunks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "data/compress.h"
#include "data/dat-format.h"

#define CHUNK_HEAD 8u

struct tfs_chunks {
	int fd;
	int failed; /* the errno that ended writing, negative; 0 while all is well */
	struct tfs_codec *codec;
	uint32_t page_size;
	unsigned int n_pages; /* in @pages */
	unsigned char *pages;
	unsigned char *packed; /* head and compressed bytes; NULL without compression */
	size_t packed_size;
	uint64_t bytes, raw_bytes;
	uint32_t count;
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

void tfs_chunks_free(struct tfs_chunks *c)
{
	if (!c)
		return;
	free(c->pages);
	free(c->packed);
	free(c);
}

void *tfs_chunks_room(struct tfs_chunks *c)
{
	return c->pages + (size_t)c->n_pages * c->page_size;
}

static int write_packed(struct tfs_chunks *c, size_t size, size_t *written)
{
	uint32_t head[2];
	size_t packed;
	int rc = tfs_codec_compress(c->codec, c->pages, size, c->packed + CHUNK_HEAD,
				    c->packed_size - CHUNK_HEAD, &packed);

	if (rc)
		return rc;
	head[0] = (uint32_t)packed;
	head[1] = (uint32_t)size;
	memcpy(c->packed, head, CHUNK_HEAD);
	*written = CHUNK_HEAD + packed;
	return tfs_write_all(c->fd, c->packed, *written);
}

int tfs_chunks_flush(struct tfs_chunks *c)
{
	size_t size = (size_t)c->n_pages * c->page_size, written = size;
	int rc;

	if (c->failed || !c->n_pages)
		return c->failed;
	rc = c->packed ? write_packed(c, size, &written) : tfs_write_all(c->fd, c->pages, size);
	c->n_pages = 0;
	if (rc) {
		c->failed = rc;
		c->raw_bytes -= size;
		return rc;
	}
	c->bytes += written;
	if (c->packed)
		c->count++;
	return 0;
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
	c->bytes += bytes;
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
