/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DIE_READER_CODE_H
#define TFS_DWARF_DIE_READER_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_die_reader;
struct tfs_raw_die;

/**
 * struct tfs_raw_ranges - the code of a function or inlined copy, range by range
 * @at, @end: what is left of its list; NULL where it says its lowest and highest address
 * @base: what the list counts from
 */
struct tfs_raw_ranges {
	const struct tfs_die_reader *reader;
	const unsigned char *at;
	const unsigned char *end;
	uint64_t base;
	uint64_t low;
	uint64_t high;
	bool done;
};

/** tfs_raw_ranges() - begin with the first; false if it is left to libdw */
bool tfs_raw_ranges(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		    struct tfs_raw_ranges *it);

/**
 * tfs_raw_ranges_next() - as dwarf_ranges() gives them, which may be empty
 * Return: 1; 0 after the last; -1 if it is left to libdw.
 */
int tfs_raw_ranges_next(struct tfs_raw_ranges *it, uint64_t *from, uint64_t *to);

/**
 * tfs_raw_die_entry() - where a function or inlined copy is entered
 * @entry: see tfs_die_entry()
 * @end: end of the range that holds @entry, @entry if none does
 *
 * Return: false if it has none, or it is left to libdw.
 */
bool tfs_raw_die_entry(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       uint64_t *entry, uint64_t *end);

#endif
