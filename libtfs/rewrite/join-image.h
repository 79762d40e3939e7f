/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_JOIN_IMAGE_H
#define TFS_REWRITE_JOIN_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;
struct tfs_image;
struct tfs_join_notes;

/**
 * struct tfs_join_ids - numbers that events of a recording have in the joined one
 * @to: by their own, 0 to TFS_EVENT_ID_MAX; NULL: the same. Yours, free()
 */
struct tfs_join_ids {
	uint16_t *to;
};

/**
 * struct tfs_join_more - a recording that is added to others
 * @image: of @dat
 * @ids: empty; set
 */
struct tfs_join_more {
	const struct tfs_dat *dat;
	const struct tfs_image *image;
	struct tfs_join_ids *ids;
};

/**
 * tfs_join_image() - add what a recording holds besides its data to the image of another one
 * @image: of recordings that come before
 * @first: the first of them, for messages
 *
 * An event that has another number in each, as a probe that was defined again, keeps that of the
 * first. Where one number is that of two events, the later one gets a free number.
 *
 * Return: 0; -EINVAL if they do not belong together; -ENOMEM.
 */
int tfs_join_image(struct tfs_image *image, const struct tfs_dat *first,
		   const struct tfs_join_more *more, struct tfs_join_notes *notes,
		   struct tfs_err *err);

#endif
