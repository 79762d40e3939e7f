/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "tracedat/compress.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

#define HEAD_SIZE (sizeof(uint16_t) + sizeof(uint32_t))
/* Smaller ones are not worth the head of a packed record. */
#define PACK_MIN 256

int tfs_dat_put_u32(struct tfs_strbuf *sb, uint32_t v)
{
	return tfs_strbuf_add(sb, &v, sizeof(v));
}

int tfs_dat_put_u64(struct tfs_strbuf *sb, uint64_t v)
{
	return tfs_strbuf_add(sb, &v, sizeof(v));
}

int tfs_dat_put_strz(struct tfs_strbuf *sb, const char *s)
{
	return tfs_strbuf_add(sb, s, strlen(s) + 1);
}

int tfs_dat_record_begin(struct tfs_strbuf *payload, uint16_t type, size_t *at)
{
	int rc = tfs_strbuf_add(payload, &type, sizeof(type));

	*at = payload->len;
	return rc ? rc : tfs_dat_put_u32(payload, 0);
}

int tfs_dat_record_end(struct tfs_strbuf *payload, size_t at)
{
	size_t size = payload->len - at - sizeof(uint32_t);
	uint32_t stored = (uint32_t)size;

	if (size != stored)
		return -EOVERFLOW;
	memcpy(payload->s + at, &stored, sizeof(stored));
	return 0;
}

static int compress(struct tfs_codec *codec, const char *data, size_t size, struct tfs_strbuf *out)
{
	size_t bound = tfs_codec_bound(codec, size), used;
	int rc = tfs_strbuf_grow(out, bound);

	if (!rc)
		rc = tfs_codec_compress(codec, data, size, out->s + out->len, bound, &used);
	if (!rc) {
		out->len += used;
		out->s[out->len] = '\0';
	}
	return rc;
}

int tfs_dat_records_pack(struct tfs_strbuf *payload)
{
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	size_t head = sizeof(uint32_t), size, at;
	struct tfs_codec *codec = NULL;
	int rc;

	if (payload->len < head + PACK_MIN || payload->len > UINT32_MAX)
		return 0;
	size = payload->len - head;
	rc = tfs_codec_new(TFS_CODEC_ZLIB, 0, &codec, NULL);
	if (!rc)
		rc = tfs_dat_private_begin(&out);
	if (!rc)
		rc = tfs_dat_record_begin(&out, TFS_DAT_RECORD_PACKED, &at);
	if (!rc)
		rc = tfs_dat_put_u32(&out, TFS_CODEC_ZLIB);
	if (!rc)
		rc = tfs_dat_put_u32(&out, (uint32_t)size);
	if (!rc)
		rc = compress(codec, payload->s + head, size, &out);
	if (!rc)
		rc = tfs_dat_record_end(&out, at);
	if (!rc && out.len < payload->len) {
		tfs_strbuf_release(payload);
		*payload = out;
		tfs_strbuf_init(&out);
	}
	tfs_strbuf_release(&out);
	tfs_codec_free(codec);
	return rc;
}

void tfs_dat_records_init(struct tfs_dat_records *r, const struct tfs_dat *dat, uint16_t id)
{
	*r = (struct tfs_dat_records){ .dat = dat, .id = id };
}

/* Bytes of the cursor; 0: none are left, or they are damaged, and then none are left from now. */
static int next_of(struct tfs_cursor *c, uint16_t *type, struct tfs_cursor *payload)
{
	const void *bytes;
	uint32_t size;

	if (tfs_cursor_u16(c, type) || tfs_cursor_u32(c, &size) ||
	    tfs_cursor_bytes(c, size, &bytes)) {
		c->off = c->size;
		return 0;
	}
	tfs_cursor_init(payload, bytes, size, c->big);
	return 1;
}

int tfs_dat_records_take(struct tfs_dat_records *r, size_t bytes)
{
	int rc = tfs_dat_private_take(r->dat, bytes);

	if (!rc) {
		r->taken += bytes;
		return 0;
	}
	r->inner.off = r->inner.size;
	r->outer.off = r->outer.size;
	r->next = tfs_dat_n_options(r->dat);
	return rc;
}

/* Records that cannot be read are left out, like records of an unknown type. */
static int expand(struct tfs_cursor *c, char *dst, uint32_t id, uint32_t size)
{
	size_t left = tfs_cursor_left(c);
	struct tfs_codec *codec;
	const void *src;
	int rc;

	if ((id != TFS_CODEC_ZLIB && id != TFS_CODEC_ZSTD) || tfs_cursor_bytes(c, left, &src))
		return -EBADMSG;
	rc = tfs_codec_new((enum tfs_codec_id)id, 0, &codec, NULL);
	if (rc)
		return rc;
	rc = tfs_codec_expand(codec, src, left, dst, size);
	tfs_codec_free(codec);
	return rc;
}

static int unpack(struct tfs_dat_records *r, struct tfs_cursor *c)
{
	uint32_t id, size;
	char *data;
	int rc;

	if (tfs_cursor_u32(c, &id) || tfs_cursor_u32(c, &size) ||
	    size / 1100 > tfs_cursor_left(c) || tfs_dat_records_take(r, (size_t)size + 1))
		return 0;
	if (tfs_grow_one(&r->kept, r->n_kept))
		return -ENOMEM;
	data = malloc((size_t)size + 1);
	if (!data)
		return -ENOMEM;
	rc = expand(c, data, id, size);
	if (rc) {
		free(data);
		return rc == -ENOMEM ? rc : 0;
	}
	r->kept[r->n_kept++] = data;
	tfs_cursor_init(&r->inner, data, size, c->big);
	return 0;
}

/* The next option of the id; 0: there is none. */
static int next_option(struct tfs_dat_records *r)
{
	const struct tfs_dat_option *o;

	while (r->next < tfs_dat_n_options(r->dat)) {
		r->option = r->next;
		o = tfs_dat_option(r->dat, r->next++);
		if (o->id == r->id &&
		    !tfs_dat_private_cursor(o, tfs_dat_info(r->dat)->big_endian, &r->outer))
			return 1;
	}
	return 0;
}

int tfs_dat_records_next(struct tfs_dat_records *r, uint16_t *type, struct tfs_cursor *payload)
{
	int rc;

	for (;;) {
		if (next_of(&r->inner, type, payload)) {
			/* One level is enough for anybody. */
			if (*type != TFS_DAT_RECORD_PACKED)
				return 1;
		} else if (next_of(&r->outer, type, payload)) {
			if (*type != TFS_DAT_RECORD_PACKED)
				return 1;
			rc = unpack(r, payload);
			if (rc)
				return rc;
		} else if (!next_option(r)) {
			return 0;
		}
	}
}

void tfs_dat_records_release(struct tfs_dat_records *r)
{
	for (size_t i = 0; i < r->n_kept; i++)
		free(r->kept[i]);
	free(r->kept);
	if (r->taken)
		tfs_dat_private_give(r->dat, r->taken);
	*r = (struct tfs_dat_records){ .id = 0 };
}
