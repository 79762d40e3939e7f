/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_FUNC_TABLE_H
#define TFS_DWARF_FUNC_TABLE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_func_info;
struct tfs_debuginfo;
struct tfs_die_reader;
struct tfs_raw_die;

/**
 * struct tfs_func_range - code of a function
 * @die: address of its DIE
 * @known, @entry, @end, @name: of struct tfs_func_info
 */
struct tfs_func_range {
	uint64_t from;
	uint64_t to;
	void *die;
	uint64_t entry;
	uint64_t end;
	const char *name;
	bool known;
};

/**
 * struct tfs_func_table - code of a unit's functions
 * @unit: address of the unit's DIE, NULL if there is no table
 * @flat: tfs_unit_is_flat() of it
 * @n_sorted: of those at its top, which come first and are sorted
 * @all: those within others follow, in the order of the file with all once more
 */
struct tfs_func_table {
	const void *unit;
	struct tfs_func_range *v;
	size_t n_sorted;
	size_t n;
	size_t cap;
	bool flat;
	bool all;
};

/**
 * tfs_func_table_begin() - a table to be filled by a walk; NULL if the unit has one, or without
 * memory
 *
 * Valid until the next one is begun or looked into.
 */
struct tfs_func_table *tfs_func_table_begin(struct tfs_debuginfo *dbg, const Dwarf_Die *unit);
/** tfs_func_table_end() - the walk is over; @rc: how, 0 if it came to the unit's end */
void tfs_func_table_end(struct tfs_debuginfo *dbg, struct tfs_func_table *table,
			const Dwarf_Die *unit, int rc);

/**
 * tfs_func_table_add() - each range of a function's code; for walks
 * @die: as @reader read it; NULL if it takes libdw to read it
 *
 * Return: 0, -ENOMEM.
 */
int tfs_func_table_add(struct tfs_func_table *table, const struct tfs_func_info *info,
		       const struct tfs_die_reader *reader, const struct tfs_raw_die *die);

/**
 * tfs_func_info_at() - tfs_func_at(), with what is known of it
 * @info: its unit is @unit, which is borrowed
 */
int tfs_func_info_at(struct tfs_debuginfo *dbg, Dwarf_Die *unit, Dwarf_Addr addr,
		     struct tfs_func_info *info);

#endif
