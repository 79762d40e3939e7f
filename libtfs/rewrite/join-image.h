/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_JOIN_IMAGE_H
#define TFS_REWRITE_JOIN_IMAGE_H

#include <stddef.h>

struct tfs_dat;
struct tfs_err;
struct tfs_image;
struct tfs_join_notes;

/**
 * tfs_join_image() - add what a recording holds besides its data to the image of another one
 * @image: of recordings that come before
 * @first: the first of them, for messages
 * @dat: read as @more
 *
 * Return: 0; -EINVAL if they do not belong together; -ENOMEM.
 */
int tfs_join_image(struct tfs_image *image, const struct tfs_dat *first, const struct tfs_dat *dat,
		   const struct tfs_image *more, struct tfs_join_notes *notes, struct tfs_err *err);

#endif
