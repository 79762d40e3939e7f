/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_FILES_H
#define TFS_DWARF_LINE_FILES_H

#include <elfutils/libdw.h>
#include <stddef.h>

#include "dwarf/line-head.h"

struct tfs_debuginfo;

/**
 * struct tfs_line_file - a file that a unit has code or declarations of
 * @dir: that @name counts from, NULL if it says all
 * @path: both, once it was asked for
 */
struct tfs_line_file {
	const char *dir;
	const char *name;
	const char *path;
};

/**
 * struct tfs_line_files - of the unit that was asked for last
 * @unit: the unit's Dwarf_CU
 * @base: number of the first: 1 before DWARF 5, where there is none with 0
 */
struct tfs_line_files {
	struct tfs_line_sections sections;
	const void *unit;
	size_t base;
	struct tfs_line_file *v;
	size_t n;
	size_t cap;
};

/**
 * tfs_unit_file() - path of a file by its number in a unit, as dwarf_filesrc() has it
 *
 * libdw runs a line table's whole program for that, and keeps what comes of it: with all units of a
 * kernel, hundreds of megabytes. Here only the head of the table is read, where that is of the
 * kind compilers make.
 *
 * Return: the dso's, NULL if there is no such file.
 */
const char *tfs_unit_file(struct tfs_debuginfo *dbg, Dwarf_Die *unit, size_t number);

#endif
