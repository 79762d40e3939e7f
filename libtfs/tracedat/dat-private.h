/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_PRIVATE_H
#define TFS_TRACEDAT_DAT_PRIVATE_H

#include <stdbool.h>

struct tfs_cursor;
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

#endif
