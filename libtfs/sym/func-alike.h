/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYM_FUNC_ALIKE_H
#define TFS_SYM_FUNC_ALIKE_H

#include <stdbool.h>

struct tfs_image;
struct tfs_strvec;

/**
 * tfs_func_is_alike() - do two names differ in nothing but leading underscores, the prefix that an
 * architecture puts before its system calls (__x64_), and what a compiler appends (.isra.0)? Pure.
 */
bool tfs_func_is_alike(const char *a, const char *b);

/**
 * tfs_func_alike() - functions that are called like @name but for that, each once
 * @out: names are appended, sorted by address. Parts of functions (.cold, .part.N) are among them
 *	only if nothing else is
 *
 * By the symbols. Return: 0 or -ENOMEM.
 */
int tfs_func_alike(struct tfs_image *img, const char *name, struct tfs_strvec *out);

#endif
