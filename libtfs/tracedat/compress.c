/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/compress.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/err.h"
#include "base/inflate.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "tracedat/compress-zstd.h"

/* Far above what a configuration or a table of symbols takes */
#define GUNZIP_MAX (64U << 20)

struct tfs_codec {
	enum tfs_codec_id id;
	int level;
	struct tfs_zstd *zstd;
	z_stream deflater;
	bool deflating; /* the stream above is initialised */
	struct tfs_inflater *inflater;
};

struct codec_kind {
	const char *name;
	int default_level;
	int max_level; /* 0: takes none */
};

static const struct codec_kind kinds[] = {
	[TFS_CODEC_NONE] = { "none", 0, 0 },
	[TFS_CODEC_ZLIB] = { "zlib", 4, 9 },
	[TFS_CODEC_ZSTD] = { "zstd", 1, TFS_ZSTD_LEVEL_MAX },
};

#define N_KINDS ARRAY_SIZE(kinds)

static int no_zstd(struct tfs_err *err)
{
	int rc = tfs_err_say(err, -EOPNOTSUPP, "zstd compression is not built in");

	tfs_err_hint(err, "build with libzstd, or use zlib or none");
	return rc;
}

static int parse_level(const char *s, const struct codec_kind *kind, int *level,
		       struct tfs_err *err)
{
	uint64_t n;
	int rc;

	if (!kind->max_level)
		return tfs_err_say(err, -EINVAL, "compression '%s' takes no level", kind->name);
	rc = tfs_parse_u64(s, 1, (uint64_t)kind->max_level, &n, err);
	if (rc) {
		tfs_err_prefix(err, "level of %s", kind->name);
		return rc;
	}
	*level = (int)n;
	return 0;
}

int tfs_codec_parse(const char *s, enum tfs_codec_id *id, int *level, struct tfs_err *err)
{
	size_t len = strcspn(s, ":");
	int lvl = 0, rc;
	size_t i;

	for (i = 0; i < N_KINDS; i++)
		if (strlen(kinds[i].name) == len && !memcmp(s, kinds[i].name, len))
			break;
	if (i == N_KINDS) {
		rc = tfs_err_say(err, -EINVAL, "unknown compression '%s'", s);
		tfs_err_hint(err, "zstd, zlib or none, with :LEVEL if wanted");
		return rc;
	}
	if (s[len]) {
		rc = parse_level(s + len + 1, &kinds[i], &lvl, err);
		if (rc)
			return rc;
	}
	if (i == TFS_CODEC_ZSTD && !tfs_zstd_is_built_in())
		return no_zstd(err);
	*id = (enum tfs_codec_id)i;
	*level = lvl;
	return 0;
}

enum tfs_codec_id tfs_codec_default(void)
{
	return tfs_zstd_is_built_in() ? TFS_CODEC_ZSTD : TFS_CODEC_ZLIB;
}

const char *tfs_codec_name(enum tfs_codec_id id)
{
	return kinds[id].name;
}

const char *tfs_codec_version(enum tfs_codec_id id)
{
	switch (id) {
	case TFS_CODEC_ZLIB:
		return zlibVersion();
	case TFS_CODEC_ZSTD:
		return tfs_zstd_version();
	case TFS_CODEC_NONE:
		break;
	}
	return "";
}

int tfs_codec_new(enum tfs_codec_id id, int level, struct tfs_codec **out, struct tfs_err *err)
{
	struct tfs_codec *codec = calloc(1, sizeof(*codec));
	int rc = 0;

	if (!codec)
		return tfs_err_set(err, -ENOMEM, "cannot set up %s", kinds[id].name);
	codec->id = id;
	codec->level = level ? level : kinds[id].default_level;
	if (id == TFS_CODEC_ZSTD)
		rc = tfs_zstd_new(codec->level, &codec->zstd);
	if (rc) {
		free(codec);
		return rc == -EOPNOTSUPP ? no_zstd(err) :
					   tfs_err_set(err, rc, "cannot set up zstd");
	}
	*out = codec;
	return 0;
}

void tfs_codec_free(struct tfs_codec *codec)
{
	if (!codec)
		return;
	if (codec->deflating)
		deflateEnd(&codec->deflater);
	tfs_inflater_free(codec->inflater);
	tfs_zstd_free(codec->zstd);
	free(codec);
}

enum tfs_codec_id tfs_codec_id(const struct tfs_codec *codec)
{
	return codec->id;
}

size_t tfs_codec_bound(const struct tfs_codec *codec, size_t size)
{
	switch (codec->id) {
	case TFS_CODEC_ZLIB:
		return compressBound(size);
	case TFS_CODEC_ZSTD:
		return tfs_zstd_bound(size);
	case TFS_CODEC_NONE:
		break;
	}
	return size;
}

static int zlib_compress(struct tfs_codec *codec, const void *src, size_t size, void *dst,
			 size_t dst_size, size_t *out_size)
{
	z_stream *z = &codec->deflater;
	int rc;

	rc = codec->deflating ? deflateReset(z) : deflateInit(z, codec->level);
	if (rc != Z_OK)
		return -ENOMEM;
	codec->deflating = true;
	z->next_in = (z_const Bytef *)src;
	z->avail_in = (uInt)size;
	z->next_out = dst;
	z->avail_out = (uInt)dst_size;
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		return -EIO;
	*out_size = dst_size - z->avail_out;
	return 0;
}

int tfs_codec_compress(struct tfs_codec *codec, const void *src, size_t size, void *dst,
		       size_t dst_size, size_t *out_size)
{
	if (size > UINT_MAX || dst_size > UINT_MAX)
		return -EFBIG; /* sizes are stored in 32 bits */
	switch (codec->id) {
	case TFS_CODEC_ZLIB:
		return zlib_compress(codec, src, size, dst, dst_size, out_size);
	case TFS_CODEC_ZSTD:
		return tfs_zstd_compress(codec->zstd, src, size, dst, dst_size, out_size);
	case TFS_CODEC_NONE:
		break;
	}
	if (dst_size < size)
		return -EIO;
	memcpy(dst, src, size);
	*out_size = size;
	return 0;
}

static int zlib_expand(struct tfs_codec *codec, const void *src, size_t size, void *dst,
		       size_t dst_size)
{
	if (!codec->inflater)
		codec->inflater = tfs_inflater_new();
	if (!codec->inflater)
		return -ENOMEM;
	return tfs_inflate(codec->inflater, src, size, dst, dst_size);
}

int tfs_codec_expand(struct tfs_codec *codec, const void *src, size_t size, void *dst,
		     size_t dst_size)
{
	if (size > UINT_MAX || dst_size > UINT_MAX)
		return -EBADMSG;
	switch (codec->id) {
	case TFS_CODEC_ZLIB:
		return zlib_expand(codec, src, size, dst, dst_size);
	case TFS_CODEC_ZSTD:
		return tfs_zstd_expand(codec->zstd, src, size, dst, dst_size);
	case TFS_CODEC_NONE:
		break;
	}
	if (size != dst_size)
		return -EBADMSG;
	memcpy(dst, src, size);
	return 0;
}

int tfs_gunzip(const void *src, size_t size, struct tfs_strbuf *out)
{
	/* 16: gzip's header and no other */
	z_stream z = { .next_in = (z_const Bytef *)src, .avail_in = (uInt)size };
	unsigned char chunk[16384];
	int rc, status = 0;

	if (size > UINT_MAX)
		return -EBADMSG;
	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -ENOMEM;
	do {
		z.next_out = chunk;
		z.avail_out = sizeof(chunk);
		rc = inflate(&z, Z_NO_FLUSH);
		if (rc == Z_MEM_ERROR)
			status = -ENOMEM;
		else if ((rc != Z_OK && rc != Z_STREAM_END) || out->len > GUNZIP_MAX)
			status = -EBADMSG;
		else
			status = tfs_strbuf_add(out, chunk, sizeof(chunk) - z.avail_out);
	} while (!status && rc != Z_STREAM_END);
	inflateEnd(&z);
	return status;
}
