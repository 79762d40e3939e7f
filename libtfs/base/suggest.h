/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_SUGGEST_H
#define TFS_BASE_SUGGEST_H

#include <stddef.h>

struct tfs_err;
struct tfs_strvec;

/**
 * tfs_suggest_names() - the names most like what was typed, best first
 * @typed: what the user wrote
 * @names: what exists
 * @max: how many to give at most
 * @out: copies are appended; nothing when no name is near (optimal string alignment distance,
 *       at most a third of the length, a substring counting as near)
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_suggest_names(const char *typed, const struct tfs_strvec *names, size_t max,
		      struct tfs_strvec *out);

/** tfs_suggest_hint() - hint "did you mean 'a', 'b'?", or @otherwise when no name is near */
void tfs_suggest_hint(struct tfs_err *err, const char *typed, const struct tfs_strvec *names,
		      const char *otherwise);

#endif
