/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DATA_DAT_WRITE_H
#define TFS_DATA_DAT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "data/compress.h"
#include "data/dat-format.h"

struct tfs_err;

/**
 * struct tfs_chunks - the ring-buffer data of one CPU on their way into a file
 *
 * Sub-buffers are collected ten at a time (TFS_DAT_CHUNK_PAGES), compressed and appended to a
 * temporary file as { u32 compressed size, u32 size, bytes }; without compression they are
 * appended as they are. One thread at a time; one per CPU.
 */
struct tfs_chunks;

/**
 * tfs_chunks_new() - begin a CPU's data
 * @fd: temporary file, written from its present position; borrowed
 * @codec: borrowed, used by one thread; TFS_CODEC_NONE writes raw pages
 */
int tfs_chunks_new(int fd, struct tfs_codec *codec, uint32_t page_size, struct tfs_chunks **out);
void tfs_chunks_free(struct tfs_chunks *c);
/**
 * tfs_chunks_room() - where the next sub-buffer is to be read to: page_size writable bytes
 * Follow with tfs_chunks_commit() once it holds a sub-buffer, or ask again to reuse it.
 */
void *tfs_chunks_room(struct tfs_chunks *c);
/** tfs_chunks_commit() - the sub-buffer is complete; a full chunk is compressed and written. -errno of write(2) */
int tfs_chunks_commit(struct tfs_chunks *c);
/** tfs_chunks_spliced() - @bytes of whole sub-buffers went into the file by splice (no compression only) */
void tfs_chunks_spliced(struct tfs_chunks *c, uint64_t bytes);
/** tfs_chunks_flush() - write what is left as a shorter chunk */
int tfs_chunks_flush(struct tfs_chunks *c);
/** Totals so far, for the file and for people. */
uint64_t tfs_chunks_bytes(const struct tfs_chunks *c);   /* in the temporary file */
uint64_t tfs_chunks_raw_bytes(const struct tfs_chunks *c); /* sub-buffers before compression */
uint32_t tfs_chunks_count(const struct tfs_chunks *c);

/**
 * struct tfs_dat_writer - a trace.dat version 7 being made
 *
 * Order of calls: sections 16 to 20, options, tfs_dat_writer_head() (what a killed recorder leaves
 * can then be opened), the CMDLINES section and more options, buffers, tfs_dat_writer_finish().
 * The second OPTIONS section, which describes the data, is written before the data, so that a file
 * cut short loses only data. Host byte order. One thread at a time.
 */
struct tfs_dat_writer;

/**
 * tfs_dat_writer_new() - write the initial bytes to @fd
 * @fd: empty, seekable, writable; borrowed
 * @codec: compresses sections; borrowed
 * @page_size: sub-buffer size of the first buffer
 */
int tfs_dat_writer_new(int fd, struct tfs_codec *codec, uint32_t page_size,
		       struct tfs_dat_writer **out, struct tfs_err *err);
void tfs_dat_writer_free(struct tfs_dat_writer *w);

/** tfs_dat_writer_section() - a section 16 to 21 with its payload as version 6 stores it, and its option */
int tfs_dat_writer_section(struct tfs_dat_writer *w, enum tfs_dat_id id, const void *data,
			   size_t size, struct tfs_err *err);
/** tfs_dat_writer_option() - an option for the next OPTIONS section; bytes are copied */
int tfs_dat_writer_option(struct tfs_dat_writer *w, uint16_t id, const void *data, size_t size);
/** tfs_dat_writer_head() - write the first OPTIONS section and make the header point at it */
int tfs_dat_writer_head(struct tfs_dat_writer *w, struct tfs_err *err);

/** struct tfs_dat_writer_cpu - one CPU's finished temporary file */
struct tfs_dat_writer_cpu {
	unsigned int cpu;
	int fd;          /* borrowed; read from offset 0 */
	uint64_t bytes;
	uint32_t chunks; /* 0 when not compressed */
	bool consume;    /* give @fd's blocks back as they are copied, a MiB at a time */
};

/**
 * struct tfs_dat_lost - one CPU's entry of the option TFS_DAT_PRIVATE_LOST
 *
 * The option's payload: u32 0x01020304 (in the file's byte order, as is all that follows), u32 size
 * of an entry (48, more in files of later versions: fields are only ever added at the end), then an
 * entry for each CPU: these fields in this order. A CPU's events that are not in the file are the
 * sum of the last four.
 */
struct tfs_dat_lost {
	uint32_t cpu;
	uint32_t zero;
	uint64_t events;         /* in the file */
	uint64_t overrun;        /* overwritten before they were read */
	uint64_t commit_overrun; /* no room while other events were being written */
	uint64_t dropped;        /* the buffer was full (no-overwrite mode) */
	uint64_t unread;         /* left in the kernel's buffer when the recording was given up */
};

/**
 * tfs_dat_writer_buffer() - announce a buffer; its data are copied by tfs_dat_writer_finish()
 * @name: "" for the buffer that reports show without a prefix
 */
int tfs_dat_writer_buffer(struct tfs_dat_writer *w, const char *name, const char *clock,
			  uint32_t page_size, const struct tfs_dat_writer_cpu *cpus, size_t n);
/**
 * tfs_dat_writer_finish() - options, then data; on failure what was written stays readable
 *
 * With @consume, joining a CPU's data needs room for one piece only: a piece is copied, then its
 * blocks in the temporary file are punched out (where the file system can), so that a recording
 * that filled the disk can still be finished.
 */
int tfs_dat_writer_finish(struct tfs_dat_writer *w, struct tfs_err *err);

#endif
