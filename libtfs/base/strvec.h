/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_STRVEC_H
#define TFS_BASE_STRVEC_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct tfs_strvec - growing vector of owned strings
 * @v: @n strings, then NULL; NULL itself while empty
 */
struct tfs_strvec {
	char **v;
	size_t n;
	size_t cap;
};

#define TFS_STRVEC_INIT    \
	{                  \
		NULL, 0, 0 \
	}

void tfs_strvec_init(struct tfs_strvec *sv);
void tfs_strvec_release(struct tfs_strvec *sv);
/** tfs_strvec_push() - append a copy of @s; 0 or -ENOMEM */
int tfs_strvec_push(struct tfs_strvec *sv, const char *s);
/** tfs_strvec_pushn() - append a copy of the first @len bytes of @s; 0 or -ENOMEM */
int tfs_strvec_pushn(struct tfs_strvec *sv, const char *s, size_t len);
int tfs_strvec_pushf(struct tfs_strvec *sv, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** tfs_strvec_remove() - without the string at @i */
void tfs_strvec_remove(struct tfs_strvec *sv, size_t i);
/** tfs_strvec_sort() - byte order (strcmp) */
void tfs_strvec_sort(struct tfs_strvec *sv);
/** tfs_strvec_has() - linear search for an equal string */
bool tfs_strvec_has(const struct tfs_strvec *sv, const char *s);
/** tfs_strvec_split() - append the pieces of @s between any of @seps; empty pieces are left out */
int tfs_strvec_split(struct tfs_strvec *sv, const char *s, const char *seps);

#endif
