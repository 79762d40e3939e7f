/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_DAT_OUT_H
#define TFS_REWRITE_DAT_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "tracedat/compress.h"

struct tfs_err;
struct tfs_image;

/**
 * struct tfs_dat_form - how a recording is stored
 * @version: 6 or 7; @codec, @level: of version 7
 */
struct tfs_dat_form {
	int version;
	enum tfs_codec_id codec;
	int level;
};

/**
 * struct tfs_dat_out - a trace file of either version and byte order that is made from an image
 *
 * For recordings that exist; a recorder writes with tracedat/dat-write.h, which needs no seeking
 * between a CPU's data and survives a kill. Order of calls: for each buffer of the image
 * tfs_dat_out_buffer(), for each of its CPUs, in ascending order, tfs_dat_out_cpu() and its
 * sub-buffers; tfs_dat_out_end(). CPUs without sub-buffers may be left out. One thread at a time.
 */
struct tfs_dat_out;

/**
 * tfs_dat_out_check() - can a recording be stored like this?
 *
 * Return: 0; -EOPNOTSUPP when version 6 has no place for its buffers.
 */
int tfs_dat_out_check(const struct tfs_image *image, const struct tfs_dat_form *form,
		      struct tfs_err *err);
/**
 * tfs_dat_out_new() - write the head of a file
 * @fd: empty, seekable, writable; borrowed
 * @image: borrowed until the end
 *
 * Return: 0; as tfs_dat_out_check(); the errno of a write.
 */
int tfs_dat_out_new(int fd, const struct tfs_image *image, const struct tfs_dat_form *form,
		    struct tfs_dat_out **out, struct tfs_err *err);
void tfs_dat_out_free(struct tfs_dat_out *out);

/** tfs_dat_out_buffer() - begin the next buffer of the image */
int tfs_dat_out_buffer(struct tfs_dat_out *out, struct tfs_err *err);
/** tfs_dat_out_cpu() - begin the next CPU of the buffer */
int tfs_dat_out_cpu(struct tfs_dat_out *out, unsigned int cpu, struct tfs_err *err);
/** tfs_dat_out_page() - a sub-buffer of the buffer's page size */
int tfs_dat_out_page(struct tfs_dat_out *out, const void *page, struct tfs_err *err);
/** tfs_dat_out_text() - all of a buffer whose @text is set */
int tfs_dat_out_text(struct tfs_dat_out *out, const void *text, size_t size, struct tfs_err *err);
/** tfs_dat_out_end() - complete the file */
int tfs_dat_out_end(struct tfs_dat_out *out, struct tfs_err *err);

/** tfs_dat_out_bytes() - ring-buffer data so far, before compression */
uint64_t tfs_dat_out_bytes(const struct tfs_dat_out *out);

/** tfs_dat_out_drops() - sections of the image that have no place in this form */
size_t tfs_dat_out_drops(const struct tfs_image *image, const struct tfs_dat_form *form);

#endif
