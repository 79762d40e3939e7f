/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_PAGE_BUILD_H
#define TFS_REWRITE_PAGE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat_out;
struct tfs_err;
struct tfs_image;
struct tfs_record;

/**
 * struct tfs_page_build - sub-buffers of one CPU, made of single records
 *
 * A record keeps its bytes and its time stamp; only how the time is stored may change. A loss
 * before a record begins a sub-buffer, since it can be stored nowhere else. Initialise with
 * tfs_page_build_init(); fields are private.
 */
struct tfs_page_build {
	struct tfs_dat_out *out;
	unsigned int cpu;
	bool began; /* the CPU, in @out */
	bool big;
	unsigned int long_size, data_offset;
	unsigned char *page;
	size_t size, used;
	uint64_t ts;
	int64_t lost;
};

/**
 * tfs_page_build_init() - begin a CPU, which is begun in @out with its first sub-buffer
 * @image: decides byte order and layout
 * @size: of a sub-buffer
 *
 * Return: 0 or -ENOMEM. tfs_page_build_release() in any case
 */
int tfs_page_build_init(struct tfs_page_build *b, struct tfs_dat_out *out,
			const struct tfs_image *image, unsigned int cpu, size_t size);
void tfs_page_build_release(struct tfs_page_build *b);

/**
 * tfs_page_build_add() - append a record
 * @rec: its time stamp as recorded; @lost: events lost before it, also before records left out
 *
 * Return: 0; -EMSGSIZE if it is larger than a sub-buffer; -ENOMEM; the errno of a write.
 */
int tfs_page_build_add(struct tfs_page_build *b, const struct tfs_record *rec, struct tfs_err *err);
/** tfs_page_build_copy() - append a whole sub-buffer as it is */
int tfs_page_build_copy(struct tfs_page_build *b, const void *page, struct tfs_err *err);
/** tfs_page_build_flush() - write what was collected */
int tfs_page_build_flush(struct tfs_page_build *b, struct tfs_err *err);

#endif
