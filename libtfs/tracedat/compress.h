/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_COMPRESS_H
#define TFS_TRACEDAT_COMPRESS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_strbuf;

/** enum tfs_codec_id - compressions of trace.dat, by the names it stores */
enum tfs_codec_id { TFS_CODEC_NONE, TFS_CODEC_ZLIB, TFS_CODEC_ZSTD };

/**
 * struct tfs_codec - one compressor or decompressor with its working memory
 *
 * One thread at a time; make one per thread.
 */
struct tfs_codec;

/**
 * tfs_codec_parse() - "zstd", "zlib" or "none", optionally ":LEVEL"
 * @level: set to the level asked for, 0 for the default (zstd 1, zlib 4)
 *
 * Return: 0; -EINVAL for another name or a malformed level; -ERANGE for a level out of range;
 * -EOPNOTSUPP for zstd when it is not built in.
 */
int tfs_codec_parse(const char *s, enum tfs_codec_id *id, int *level, struct tfs_err *err);
/** tfs_codec_default() - zstd where it is built in, else zlib */
enum tfs_codec_id tfs_codec_default(void);
/** tfs_codec_name() / tfs_codec_version() - as written into a file's header; static strings */
const char *tfs_codec_name(enum tfs_codec_id id);
const char *tfs_codec_version(enum tfs_codec_id id);

int tfs_codec_new(enum tfs_codec_id id, int level, struct tfs_codec **out, struct tfs_err *err);
void tfs_codec_free(struct tfs_codec *codec);
enum tfs_codec_id tfs_codec_id(const struct tfs_codec *codec);

/** tfs_codec_bound() - the most bytes that compressing @size can give */
size_t tfs_codec_bound(const struct tfs_codec *codec, size_t size);
/** tfs_codec_compress() - @dst holds at least the bound; *@out_size is what was written */
int tfs_codec_compress(struct tfs_codec *codec, const void *src, size_t size, void *dst,
		       size_t dst_size, size_t *out_size);
/**
 * tfs_codec_expand() - decompress to exactly @dst_size bytes
 * Return: 0; -EBADMSG when the data are corrupt or of another length.
 */
int tfs_codec_expand(struct tfs_codec *codec, const void *src, size_t size, void *dst,
		     size_t dst_size);

/**
 * tfs_gunzip() - what a gzip file holds (/proc/config.gz)
 * @out: appended to; at most 64 MiB
 *
 * Return: 0; -EBADMSG when the data are corrupt or more than that; -ENOMEM.
 */
int tfs_gunzip(const void *src, size_t size, struct tfs_strbuf *out);

#endif
