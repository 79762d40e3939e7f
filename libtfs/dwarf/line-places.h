/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_PLACES_H
#define TFS_DWARF_LINE_PLACES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_debuginfo;

/* As many places of a line in one function as are told apart. */
#define TFS_LINE_PLACES_MAX 64

/**
 * struct tfs_line_places - where control comes to a line from another one, in one copy
 * @addr: @n addresses, ascending
 * @left_out: code of the line goes on after a place, or after others, where a loop that was
 *	unrolled would look the same
 */
struct tfs_line_places {
	uint64_t addr[TFS_LINE_PLACES_MAX];
	size_t n;
	bool left_out;
};

/**
 * struct tfs_line_query - a line of a function or inlined copy
 * @func: the out-of-line function around @copy, which may be the same
 * @first: where the line begins in it; the only place if control flow cannot be followed
 * @entry: it is the copy's first line, and where control comes to the copy is wanted
 */
struct tfs_line_query {
	Dwarf_Die func;
	Dwarf_Die copy;
	const char *file;
	unsigned int line;
	uint64_t first;
	bool entry;
};

/**
 * tfs_line_places() - all places of a line
 *
 * Whoever comes to the line (to the copy) comes to one of the places, and to one only before
 * leaving it again; a statement that is written on several lines counts where it begins.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_line_places(struct tfs_debuginfo *dbg, const struct tfs_line_query *q,
		    struct tfs_line_places *out);

/**
 * tfs_copy_places() - where control comes to an inlined copy
 * @func, @copy: as in struct tfs_line_query; @first: where it begins
 */
int tfs_copy_places(struct tfs_debuginfo *dbg, Dwarf_Die *func, Dwarf_Die *copy, uint64_t first,
		    struct tfs_line_places *out);

#endif
