/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_WRITE_H
#define TFS_TRACEDAT_DAT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tracedat/chunks.h"
#include "tracedat/compress.h"
#include "tracedat/dat-format.h"

struct tfs_err;

/**
 * struct tfs_dat_writer - a trace.dat version 7 being made
 *
 * Order of calls: sections 16 to 20, options, tfs_dat_writer_head() (what a killed recorder leaves
 * can then be opened), the CMDLINES section and more options, buffers, tfs_dat_writer_finish().
 * The second OPTIONS section, which describes the data, is written before the data, so that a file
 * cut short loses only data. Host byte order, unless a file of the other one is gone on with: then
 * payloads of sections and options are the caller's to have in its order. One thread at a time.
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

/**
 * struct tfs_dat_resume_point - where a trace file that has its head goes on
 * @link: offset of the u64 that is to name the next OPTIONS section
 * @end: where that is to be written
 * @swapped: the file has the other byte order than this machine
 */
struct tfs_dat_resume_point {
	uint64_t link, end;
	bool swapped;
};

/** tfs_dat_writer_resume() - go on after tfs_dat_writer_head(); what follows is replaced */
int tfs_dat_writer_resume(int fd, struct tfs_codec *codec, const struct tfs_dat_resume_point *place,
			  struct tfs_dat_writer **out, struct tfs_err *err);
/** tfs_dat_resume_point() - what tfs_dat_writer_resume() needs, after tfs_dat_writer_head() */
void tfs_dat_writer_resume_point(const struct tfs_dat_writer *w,
				 struct tfs_dat_resume_point *place);

/**
 * tfs_dat_writer_section() - a section 16 to 21 and the option that leads to it
 *
 * The payload is what version 6 stores.
 *
 * Return: 0; -EINVAL for another id (23 and 25 make trace-cmd 3.4 refuse a file without
 * compression); -EFBIG above 4 GiB; -errno of the write.
 */
int tfs_dat_writer_section(struct tfs_dat_writer *w, enum tfs_dat_id id, const void *data,
			   size_t size, struct tfs_err *err);
/** tfs_dat_writer_option() - an option for the next OPTIONS section; bytes are copied */
int tfs_dat_writer_option(struct tfs_dat_writer *w, uint16_t id, const void *data, size_t size);
/** tfs_dat_writer_head() - write the first OPTIONS section and make the header point at it */
int tfs_dat_writer_head(struct tfs_dat_writer *w, struct tfs_err *err);

/**
 * tfs_dat_writer_room() - leave out @bytes, which read as a section that is skipped, after the head
 * @from: set to the offset of these bytes
 *
 * The OPTIONS section after them is named by the head: it is the one that the next OPTIONS section
 * is chained to. So all bytes up to @from are final before anything else is known.
 */
int tfs_dat_writer_room(struct tfs_dat_writer *w, uint64_t bytes, uint64_t *from,
			struct tfs_err *err);
/** tfs_dat_writer_size() - bytes written so far */
uint64_t tfs_dat_writer_size(const struct tfs_dat_writer *w);

/** struct tfs_dat_writer_extent - a piece of a temporary file */
struct tfs_dat_writer_extent {
	uint64_t off, bytes;
};

/** struct tfs_dat_writer_cpu - one CPU's finished temporary file: the totals of its tfs_chunks */
struct tfs_dat_writer_cpu {
	unsigned int cpu;
	int fd;          /* borrowed; read from offset 0 */
	uint64_t bytes;  /* to copy; the file may be longer. CPUs without any are left out */
	uint32_t chunks; /* 0 when not compressed */
	bool consume;    /* give @fd's blocks back as they are copied, piece by piece */
	/*
	 * Not NULL: what to copy instead of the first @bytes, which is their sum. Borrowed until
	 * the end; not with @consume.
	 */
	const struct tfs_dat_writer_extent *extents;
	size_t n_extents;
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
