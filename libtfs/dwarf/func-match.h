/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_FUNC_MATCH_H
#define TFS_DWARF_FUNC_MATCH_H

struct tfs_dso;
struct tfs_strvec;

/**
 * tfs_func_matches() - functions that are called like @name (base/name-match.h), each once
 * @out: names are appended, sorted by address. Parts of functions (.cold, .part.N) are among them
 *	only if nothing else is
 *
 * By the symbols. Return: 0 or -ENOMEM.
 */
int tfs_func_matches(struct tfs_dso *dso, const char *name, struct tfs_strvec *out);

#endif
