/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DEBUGINFO_H
#define TFS_DWARF_DEBUGINFO_H

#include <stdbool.h>

struct tfs_dso;
struct tfs_err;

/**
 * struct tfs_debuginfo - the debug information of a dso, wherever it is
 *
 * Nothing is read before it is needed. All addresses are virtual addresses of the dso, whatever
 * file supplied the debug information. One thread at a time.
 */
struct tfs_debuginfo;

/**
 * tfs_debuginfo_new() - for @dso, which is borrowed and must be freed later
 * Return: NULL without memory; free with tfs_debuginfo_free().
 */
struct tfs_debuginfo *tfs_debuginfo_new(struct tfs_dso *dso);
void tfs_debuginfo_free(struct tfs_debuginfo *dbg);

/** tfs_debuginfo_dso() - what it was made for; NULL for NULL */
struct tfs_dso *tfs_debuginfo_dso(const struct tfs_debuginfo *dbg);

/** tfs_debuginfo_available() - there is debug information; searches for it when first called */
bool tfs_debuginfo_available(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_path() - the file debug information came from, NULL if there is none */
const char *tfs_debuginfo_path(struct tfs_debuginfo *dbg);
/**
 * tfs_debuginfo_missing() - report why there is no debug information: build-id, which paths were
 * tried, what would supply it
 * Return: -ENODATA, for `return tfs_debuginfo_missing(dbg, err);`
 */
int tfs_debuginfo_missing(struct tfs_debuginfo *dbg, struct tfs_err *err);
/**
 * tfs_debuginfo_refused() - what is wrong with a debug file that was found, "" if nothing, or if
 * nothing asked for debug information yet
 */
const char *tfs_debuginfo_refused(const struct tfs_debuginfo *dbg);
/**
 * tfs_debuginfo_incomplete() - whether a part of the debug information that was read is in a file
 *	that is not here: what dwz moved to one for several programs, or a .dwo
 * @err: says which, and what to do
 */
bool tfs_debuginfo_incomplete(const struct tfs_debuginfo *dbg, struct tfs_err *err);
/** tfs_debuginfo_shared_missing() - what dwz moved is not here: the name of the file, or NULL */
const char *tfs_debuginfo_shared_missing(const struct tfs_debuginfo *dbg);
/**
 * tfs_debuginfo_split_missing() - where the .dwo of a unit that was read should be, NULL if none is
 * missing so far
 */
const char *tfs_debuginfo_split_missing(const struct tfs_debuginfo *dbg);

/**
 * tfs_debuginfo_drop_pages() - give back the memory that a large debug file is mapped into
 *
 * Pages that are needed again are read again.
 */
void tfs_debuginfo_drop_pages(struct tfs_debuginfo *dbg);

#endif
