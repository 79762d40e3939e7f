/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_CONVERT_H
#define TFS_REWRITE_CONVERT_H

#include <stddef.h>

struct tfs_dat;
struct tfs_dat_out;
struct tfs_err;

/**
 * tfs_convert_data() - copy the data of all buffers as they are
 * @out: begun with an image of @dat whose buffers are those of @dat
 *
 * Bytes between the records are kept, too. Damage is noted in @dat, and what comes after it on
 * that CPU is left out. Return: 0; -ENOMEM; the errno of a write.
 */
int tfs_convert_data(struct tfs_dat *dat, struct tfs_dat_out *out, struct tfs_err *err);

#endif
