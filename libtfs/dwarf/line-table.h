/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_TABLE_H
#define TFS_DWARF_LINE_TABLE_H

#include <elfutils/libdw.h>
#include <stddef.h>

struct tfs_debuginfo;

/*
 * libdw makes a hundred bytes of each row of a line table, and a row may be one byte of the file:
 * what is not a table of a compiler's size is not given to it. All that asks libdw for rows or
 * files of a unit does it here.
 */

/** tfs_unit_lines() - as dwarf_getsrclines(); 0, or -1 for none and for what is not believed */
int tfs_unit_lines(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Lines **lines, size_t *n);
/** tfs_unit_files() - as dwarf_getsrcfiles() */
int tfs_unit_files(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Files **files, size_t *n);
/** tfs_unit_line_at() - as dwarf_getsrc_die(): the row that an address belongs to, NULL if none */
Dwarf_Line *tfs_unit_line_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr);

/**
 * struct tfs_line_use - tables read one after the other; a zeroed one has read none
 * @bytes: of those tables
 */
struct tfs_line_use {
	size_t bytes;
};

/**
 * tfs_line_use_add() - one more table
 * Return: 0; -EBADMSG if the tables have more bytes than the file has of them: they overlap, and to
 * read all of them would have no end.
 */
int tfs_line_use_add(struct tfs_debuginfo *dbg, struct tfs_line_use *use, Dwarf_Die *unit);

/**
 * tfs_block_last_line() - the highest line of @file in the code of a block, 0 if it has none
 *
 * An empty range of the block stands for the lines that share its address with others.
 */
unsigned int tfs_block_last_line(struct tfs_debuginfo *dbg, Dwarf_Die *block, const char *file);

#endif
