/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_ALIGN_H
#define TFS_REWRITE_ALIGN_H

#include <stdint.h>

struct tfs_dat;
struct tfs_err;
struct tfs_image;

/**
 * tfs_align_to() - add what makes other programs show a recording's times by another one's clock
 * @image: of @dat; gets the option TIME_SHIFT
 * @other: the recording with the time line
 * @bound: how far the times are from the truth at the most, in ns
 *
 * By the clock that both were compared with, or by CLOCK_REALTIME, whichever is better: as reports
 * do. Return: 0; -EINVAL when it cannot be, with the reason; -ENOMEM.
 */
int tfs_align_to(struct tfs_image *image, struct tfs_dat *dat, struct tfs_dat *other,
		 uint64_t *bound, struct tfs_err *err);

#endif
