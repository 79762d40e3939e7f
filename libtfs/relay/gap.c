/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "relay/gap.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf-core.h"
#include "tracedat/compress.h"
#include "tracedat/dat-read.h"

/* kernel/trace/ring_buffer.c: RB_MISSED_EVENTS, RB_MISSED_STORED, and the length below them */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_STORED (1u << 30)
#define COMMIT_LENGTH ((1u << 27) - 1)
#define COMMIT_AT 8u
#define CHUNK_HEAD 8u

static void store(unsigned char *p, uint64_t n, unsigned int bytes, bool big)
{
	for (unsigned int i = 0; i < bytes; i++)
		p[big ? bytes - 1 - i : i] = (unsigned char)(n >> (8 * i));
}

static uint64_t load(const unsigned char *p, unsigned int bytes, bool big)
{
	return bytes == sizeof(uint64_t) ? tfs_load_u64(p, big) : tfs_load_u32(p, big);
}

/* Marks a sub-buffer. Return: 0 or -EBADMSG */
static int mark(const struct tfs_dat_info *info, unsigned char *page, size_t size, uint64_t lost)
{
	const unsigned int width = info->kernel_long_size, data = info->page_data_offset;
	const bool big = info->big_endian;
	unsigned char *const low = page + COMMIT_AT + (big && width == sizeof(uint64_t) ? 4 : 0);
	uint32_t commit, len;

	if ((width != 4 && width != 8) || data < COMMIT_AT + width || size < data)
		return -EBADMSG;
	commit = tfs_load_u32(low, big);
	len = commit & COMMIT_LENGTH;
	if (len > size - data)
		return -EBADMSG;
	if ((commit & COMMIT_MISSED) && !(commit & COMMIT_STORED))
		lost = 0; /* the kernel did not count its own */
	else if (commit & COMMIT_STORED)
		lost = lost && size - data - len >= width ?
			       lost + load(page + data + len, width, big) :
			       0;
	commit = (commit & ~COMMIT_STORED) | COMMIT_MISSED;
	if (lost && size - data - len >= width) {
		store(page + data + len, lost, width, big);
		commit |= COMMIT_STORED;
	}
	store(low, commit, sizeof(commit), big);
	return 0;
}

static int unpack(const struct tfs_dat_info *info, struct tfs_codec *codec,
		  const struct tfs_relay_gap *gap, unsigned char *pages)
{
	const unsigned char *data = gap->data;

	if (tfs_codec_id(codec) == TFS_CODEC_NONE) {
		if (gap->size != gap->raw)
			return -EBADMSG;
		memcpy(pages, data, gap->raw);
		return 0;
	}
	if (gap->size < CHUNK_HEAD ||
	    tfs_load_u32(data, info->big_endian) != gap->size - CHUNK_HEAD ||
	    tfs_load_u32(data + 4, info->big_endian) != gap->raw)
		return -EBADMSG;
	return tfs_codec_expand(codec, data + CHUNK_HEAD, gap->size - CHUNK_HEAD, pages, gap->raw);
}

static int pack(const struct tfs_dat_info *info, struct tfs_codec *codec,
		const unsigned char *pages, size_t raw, struct tfs_strbuf *out)
{
	const size_t bound = tfs_codec_bound(codec, raw);
	unsigned char head[CHUNK_HEAD], *packed;
	size_t len;
	int rc;

	if (tfs_codec_id(codec) == TFS_CODEC_NONE)
		return tfs_strbuf_add(out, pages, raw);
	packed = malloc(bound);
	if (!packed)
		return -ENOMEM;
	rc = tfs_codec_compress(codec, pages, raw, packed, bound, &len);
	if (!rc) {
		store(head, len, 4, info->big_endian);
		store(head + 4, raw, 4, info->big_endian);
		rc = tfs_strbuf_add(out, head, sizeof(head));
	}
	if (!rc)
		rc = tfs_strbuf_add(out, packed, len);
	free(packed);
	return rc;
}

int tfs_relay_mark_gap(const struct tfs_dat_info *info, struct tfs_codec *codec,
		       const struct tfs_relay_gap *gap, struct tfs_strbuf *out)
{
	unsigned char *pages;
	int rc;

	if (gap->raw < gap->page_size)
		return -EBADMSG;
	pages = malloc(gap->raw);
	if (!pages)
		return -ENOMEM;
	rc = unpack(info, codec, gap, pages);
	if (!rc)
		rc = mark(info, pages, gap->page_size, gap->lost);
	if (!rc)
		rc = pack(info, codec, pages, gap->raw, out);
	free(pages);
	return rc;
}
