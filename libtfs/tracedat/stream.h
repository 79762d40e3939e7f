/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_STREAM_H
#define TFS_TRACEDAT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_blocks;
struct tfs_dat;
struct tfs_err;
struct tfs_follow;

/**
 * struct tfs_stream - the sub-buffers of one CPU, in file order
 *
 * Holds one inflated chunk (or a block of raw sub-buffers) at a time, so memory does not grow with
 * the file. One thread at a time; several streams of one file are independent.
 */
struct tfs_stream;

/** tfs_stream_new() - @dat is borrowed; @cpu_index is the index into the buffer's cpus */
int tfs_stream_new(struct tfs_dat *dat, size_t buffer, size_t cpu_index, struct tfs_stream **out,
		   struct tfs_err *err);
void tfs_stream_free(struct tfs_stream *stream);

/**
 * tfs_stream_start() - go on from another place of the same CPU's data
 * @offset: in the file, of a sub-buffer or of a chunk
 * @chunks: from there to the end; of no meaning without compression
 */
void tfs_stream_start(struct tfs_stream *stream, uint64_t offset, uint32_t chunks);

/**
 * tfs_stream_follow() - read what grows instead, from its start
 * @follow: borrowed; outlives the stream
 * @buffer: of what is followed
 * @cpu_index: of its buffer's cpus
 *
 * Then 0 says that there is no whole sub-buffer more now.
 */
void tfs_stream_follow(struct tfs_stream *stream, struct tfs_follow *follow, size_t buffer,
		       size_t cpu_index);
/** tfs_stream_is_stable() - was the last page there some time ago? See tfs_follow_is_stable() */
bool tfs_stream_is_stable(const struct tfs_stream *stream);

/**
 * tfs_stream_next() - the next sub-buffer
 * @page: page_size bytes (a short last one is padded with zeros), valid until the next call
 *
 * Return: 1, 0 at the end, -EBADMSG or the errno of the read when the rest cannot be read (@err
 * says where), -ENOMEM.
 */
int tfs_stream_next(struct tfs_stream *stream, const void **page, struct tfs_err *err);
/**
 * tfs_stream_retire_to() - keep pages that were returned, while going on
 * @blocks: borrowed, may be shared by streams; gets the memory that this stream is done with. NULL:
 *          it is used again, as from the start
 *
 * Pages stay valid until the block they lie in was retired and tfs_blocks_free() called for it.
 */
void tfs_stream_retire_to(struct tfs_stream *stream, struct tfs_blocks *blocks);
/** tfs_stream_retire() - retire also the memory of the page last returned; nothing comes after */
void tfs_stream_retire(struct tfs_stream *stream);
/** tfs_stream_limit() - end of the memory that the page last returned lies in */
const void *tfs_stream_limit(const struct tfs_stream *stream);
/** tfs_stream_end() - end of what the file has of it; up to the limit there are zeros */
const void *tfs_stream_end(const struct tfs_stream *stream);
/** tfs_stream_position() - file offset of what was not read yet */
uint64_t tfs_stream_position(const struct tfs_stream *stream);
/** tfs_stream_offset() - file offset of the chunk or sub-buffer last returned, for messages */
uint64_t tfs_stream_offset(const struct tfs_stream *stream);

#endif
