/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_INTERNAL_H
#define TFS_DWARF_LINE_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_debuginfo;
struct tfs_line_map;

/**
 * tfs_line_none() - say that a line has no code
 * @saw_file: the file has some
 * @next: the next line that has, 0 if none
 *
 * Return: -ENOENT.
 */
int tfs_line_none(struct tfs_debuginfo *dbg, const char *file, unsigned int line, bool saw_file,
		  unsigned int next, struct tfs_err *err);

/** tfs_line_map_add() - a line has code; 0, also for one that is not believed, or -ENOMEM */
int tfs_line_map_add(struct tfs_line_map *map, unsigned int line);

/**
 * struct tfs_line_row - a row of the line table at which a statement begins
 */
struct tfs_line_row {
	Dwarf_Addr addr;
	const char *file;
	unsigned int line;
	bool prologue_end;
};

/** tfs_line_row_get() - row @i; false if no statement begins there, or it says no line */
bool tfs_line_row_get(Dwarf_Lines *lines, size_t i, struct tfs_line_row *row);
/** tfs_line_row_from() - index of the first row at or after an address, @n if there is none */
size_t tfs_line_row_from(Dwarf_Lines *lines, size_t n, Dwarf_Addr addr);

/**
 * tfs_units_of_file() - call for each unit whose line table may have a file: those named so, and
 * all if @saw is still false then
 * @visit: returns 0 to go on; anything else ends it and is returned
 */
int tfs_units_of_file(struct tfs_debuginfo *dbg, const char *file, const bool *saw,
		      int (*visit)(void *ctx, Dwarf_Die *unit), void *ctx);

/** tfs_line_owner() - the copy in @func whose source a row is of */
void tfs_line_owner(struct tfs_debuginfo *dbg, Dwarf_Die *func, const struct tfs_line_row *row,
		    Dwarf_Die *copy);

/** tfs_unit_is_gcc() - gcc has compiled it */
bool tfs_unit_is_gcc(Dwarf_Die *unit);
/** tfs_unit_is_unoptimised() - gcc has, and says that it did not optimise */
bool tfs_unit_is_unoptimised(Dwarf_Die *unit);

#endif
