/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_CHUNKS_H
#define TFS_TRACEDAT_CHUNKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_codec;
struct tfs_dat_writer_extent;

/**
 * struct tfs_chunks - the ring-buffer data of one CPU on their way into a file
 *
 * Sub-buffers are collected ten at a time (TFS_DAT_CHUNK_PAGES), compressed and appended to a
 * temporary file as { u32 compressed size, u32 size, bytes }; without compression they are
 * appended as they are. One thread at a time; one per CPU.
 *
 * After a write has failed, every call that could write returns that error again, and the totals
 * stay those of the complete data in the file: bytes of a truncated chunk lie after them.
 */
struct tfs_chunks;

/**
 * tfs_chunks_new() - begin a CPU's data
 * @fd: temporary file, written from its present position; borrowed
 * @codec: borrowed, used by one thread; TFS_CODEC_NONE writes raw pages
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_chunks_new(int fd, struct tfs_codec *codec, uint32_t page_size, struct tfs_chunks **out);
/**
 * tfs_chunks_cap() - keep the newest data only; before the first
 * @cap: bytes in the file at most, TFS_CHUNKS_CAP_MIN or more
 *
 * Chunks are written in groups of an eighth of @cap, which begin at multiples of
 * TFS_SEGMENT_GROUP_ALIGN. The oldest group is dropped for a new one: its blocks are given back.
 * Return: 0; -EOPNOTSUPP where the file system cannot do that.
 */
#define TFS_CHUNKS_CAP_MIN 262144u
int tfs_chunks_cap(struct tfs_chunks *c, uint64_t cap);
/** tfs_chunks_swap() - the file has the other byte order than this machine; before the first */
void tfs_chunks_swap(struct tfs_chunks *c);
/**
 * tfs_chunks_divert() - give chunks to @add instead of writing them; before the first
 * @add: as stored (@data, @size bytes), of @raw bytes of sub-buffers. Return: 0; 1 when they were
 *	refused, which counts as dropped; -errno
 */
void tfs_chunks_divert(struct tfs_chunks *c,
		       int (*add)(void *to, const void *data, size_t size, size_t raw), void *to);
/** tfs_chunks_free() - what was not flushed is lost */
void tfs_chunks_free(struct tfs_chunks *c);
/**
 * tfs_chunks_room() - where the next sub-buffer is to be read to: page_size writable bytes
 * Follow with tfs_chunks_commit() once it holds a sub-buffer, or ask again to reuse it.
 */
void *tfs_chunks_room(struct tfs_chunks *c);
/** tfs_chunks_is_last() - with the next sub-buffer the chunk is full */
bool tfs_chunks_is_last(const struct tfs_chunks *c);
/**
 * tfs_chunks_commit() - the sub-buffer is complete; a full chunk is compressed and written
 * Return: 0 or the errno of the write.
 */
int tfs_chunks_commit(struct tfs_chunks *c);
/** tfs_chunks_begin() - make room for sub-buffers that will be spliced; 0 or the errno */
int tfs_chunks_begin(struct tfs_chunks *c);
/**
 * tfs_chunks_spliced() - @bytes of whole sub-buffers went into the file by splice
 * No compression only; whoever splices flushes first, else sub-buffers change places.
 */
void tfs_chunks_spliced(struct tfs_chunks *c, uint64_t bytes);
/** tfs_chunks_flush() - write what is left as a shorter chunk */
int tfs_chunks_flush(struct tfs_chunks *c);
/** Totals so far, for the file and for people. */
uint64_t tfs_chunks_bytes(const struct tfs_chunks *c);     /* in the temporary file */
uint64_t tfs_chunks_raw_bytes(const struct tfs_chunks *c); /* sub-buffers before compression */
uint32_t tfs_chunks_count(const struct tfs_chunks *c);     /* 0 without compression */
uint64_t tfs_chunks_dropped(const struct tfs_chunks *c);   /* of the raw bytes; by the cap */
/**
 * tfs_chunks_extents() - where in the file the data are, in order; NULL without a cap: all of it
 * @v: borrowed until the next call
 */
size_t tfs_chunks_extents(struct tfs_chunks *c, const struct tfs_dat_writer_extent **v);

#endif
