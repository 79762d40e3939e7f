/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_LINE_HEAD_H
#define TFS_DWARF_LINE_HEAD_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cursor.h"
#include "dso/section.h"

struct tfs_debuginfo;

/**
 * struct tfs_line_head - the beginning of a unit's line table (DWARF 5, 6.2.4)
 * @c: the table from its first byte on, with what is before it in the section left out
 * @section: bytes of all tables
 * @dwarf64: offsets have 8 bytes
 * @version: of the table, which need not be the unit's
 * @base: number of the first operation that is not a standard one
 * @operands: what standard operations have, by their number
 * @files: where in @c the directories and files are listed
 * @program: where in @c the program begins
 */
struct tfs_line_head {
	struct tfs_cursor c;
	size_t section;
	bool dwarf64;
	uint16_t version;
	uint8_t base;
	uint8_t operands[256];
	size_t files;
	size_t program;
};

/**
 * struct tfs_line_sections - where a file has line tables; a zeroed one is of none
 * @elf: the file that was asked for last
 * @lines, @strings: .debug_line, .debug_line_str; empty without
 */
struct tfs_line_sections {
	Elf *elf;
	bool big;
	struct tfs_section lines;
	struct tfs_section strings;
};

/**
 * tfs_line_head_find() - where a unit's table is; false if there is none that ends
 * @sections: to be found again where many units are asked for; NULL for one
 */
bool tfs_line_head_find(struct tfs_debuginfo *dbg, Dwarf_Die *unit,
			struct tfs_line_sections *sections, struct tfs_line_head *head);

/** tfs_line_head_read() - what is after its length; false if it is damaged */
bool tfs_line_head_read(struct tfs_line_head *head);

#endif
