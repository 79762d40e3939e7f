/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_PRIVATE_H
#define TFS_TRACEDAT_DAT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_cursor;
struct tfs_dat;
struct tfs_dat_option;
struct tfs_strbuf;

/** TFS_DAT_PRIVATE_MARK - begins private options and shows their byte order */
#define TFS_DAT_PRIVATE_MARK 0x01020304U

/** tfs_dat_private_begin() - append the mark, in host byte order, to a payload; 0 or -ENOMEM */
int tfs_dat_private_begin(struct tfs_strbuf *payload);
/**
 * tfs_dat_private_cursor() - @c reads the data after the mark of a private option
 * @big: the file's byte order; an option that was copied from another file may have the other
 *
 * Return: 0, or -EBADMSG when there is no mark.
 */
int tfs_dat_private_cursor(const struct tfs_dat_option *o, bool big, struct tfs_cursor *c);

/**
 * TFS_DAT_PRIVATE_BYTES_MAX - what is kept of all private options of a file, at any time
 *
 * A small file can hold options that are large when they are unpacked, and short records that
 * become longer rows. So all of them share one limit, and what counts is memory: options as they
 * are in the file, unpacked records, and the rows that are made of records. The largest that the
 * recorders write are a million maps, or 64 MiB of descriptors; either takes 0.1 GiB.
 */
#define TFS_DAT_PRIVATE_BYTES_MAX ((size_t)192 << 20)
/** TFS_DAT_PRIVATE_BLOCK - what a block of malloc() takes at least */
#define TFS_DAT_PRIVATE_BLOCK 32

/**
 * tfs_dat_private_take() - before @bytes more are kept of a private option; any thread
 * Return: 0, or -E2BIG when that would be above the limit.
 */
int tfs_dat_private_take(const struct tfs_dat *dat, size_t bytes);
/** tfs_dat_private_give() - as many are kept no longer */
void tfs_dat_private_give(const struct tfs_dat *dat, size_t bytes);

#endif
