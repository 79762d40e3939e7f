/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYM_SDT_H
#define TFS_SYM_SDT_H

#include <stdint.h>

#include "sym/var.h"

struct tfs_err;
struct tfs_image;
struct tfs_points;
struct tfs_strvec;

/**
 * struct tfs_marker - a place that a program's author named (<sys/sdt.h>)
 * @provider: usually the program; @name: what happens there
 * @counter: file offset of the counter that must not be 0 for the program to pass the marker; 0 if
 *	it has none
 * @args: what the author hands over: arg1, arg2 ...
 *
 * Notes of type 3 and owner "stapsdt" describe them; https://sourceware.org/systemtap/wiki has
 * their format.
 */
struct tfs_marker {
	char *provider;
	char *name;
	uint64_t counter;
	struct tfs_fetch_list args;
};

void tfs_marker_free(struct tfs_marker *marker);

/**
 * tfs_sdt_find() - places of a marker
 * @name: "PROVIDER:NAME", or "NAME" of any provider; either may be a glob
 * @out: points are appended, each with its marker
 *
 * Return: 0, -ENOENT with the markers there are as the hint, -ENOMEM.
 */
int tfs_sdt_find(struct tfs_image *img, const char *name, struct tfs_points *out,
		 struct tfs_err *err);

#endif
