/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DIE_READER_TABLE_H
#define TFS_DWARF_DIE_READER_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_section;

/**
 * enum tfs_die_attr - what is to be done at an attribute
 * @TFS_DIE_SKIP: nothing; several of a fixed size make one step
 * @TFS_DIE_LANGUAGE: of a unit
 * @TFS_DIE_STRINGS, @TFS_DIE_ADDRESSES, @TFS_DIE_LISTS: of a unit, where its tables are
 * @TFS_DIE_ATTRS: as many have a value
 * @TFS_DIE_INLINE: known of the abbreviation; no step has it
 */
enum tfs_die_attr {
	TFS_DIE_SKIP,
	TFS_DIE_NAME,
	TFS_DIE_LINKAGE_NAME,
	TFS_DIE_ORIGIN,
	TFS_DIE_SIBLING,
	TFS_DIE_LANGUAGE,
	TFS_DIE_LOW_PC,
	TFS_DIE_HIGH_PC,
	TFS_DIE_RANGES,
	TFS_DIE_ENTRY_PC,
	TFS_DIE_DECL_LINE,
	TFS_DIE_CALL_LINE,
	TFS_DIE_STRINGS,
	TFS_DIE_ADDRESSES,
	TFS_DIE_LISTS,
	TFS_DIE_ATTRS,
	TFS_DIE_INLINE = TFS_DIE_ATTRS,
};

#define TFS_DIE_SIZE_VARIES UINT32_MAX

/**
 * struct tfs_abbrev_step - one attribute, or several to be stepped over
 * @form: DW_FORM_*, 0 if there are several
 * @size: bytes; TFS_DIE_SIZE_VARIES if that is in them. The value itself if @form is
 *        DW_FORM_implicit_const, TFS_DIE_SIZE_VARIES for one that is not of 31 bits
 */
struct tfs_abbrev_step {
	uint16_t kind;
	uint16_t form;
	uint32_t size;
};

/**
 * struct tfs_abbrev - what DIEs of one kind look like
 * @code: of a unit, function or inlined copy that has DW_AT_low_pc or DW_AT_ranges
 * @inlined: of one that has DW_AT_inline, whatever it says
 * @plain: bytes, with a number of one byte, of an uninteresting DIE without children; 0 if it is
 *         interesting, has children or varies in size
 * @steps: index of the first step; 0 for a number that is not used
 */
struct tfs_abbrev {
	uint16_t tag;
	bool children;
	bool code;
	bool inlined;
	uint16_t plain;
	uint32_t steps;
	uint32_t n_steps;
};

/* Names and forms below it take one byte; all forms of the standard, and what is looked at, do. */
#define TFS_DIE_SHORT_CODE 0x80

/**
 * struct tfs_abbrev_table - a table of abbreviations, by number; a zeroed one is empty
 * @addr_size, @off_size, @version: of the units it was read for, which sizes depend on
 * @size: bytes of each form; negative if that depends, or if it is not known
 */
struct tfs_abbrev_table {
	struct tfs_abbrev *abbrev;
	size_t n;
	size_t cap;
	struct tfs_abbrev_step *step;
	size_t n_steps;
	size_t steps_cap;
	unsigned int addr_size;
	unsigned int off_size;
	unsigned int version;
	signed char size[TFS_DIE_SHORT_CODE];
};

/** tfs_abbrev_table_set_units() - the kind of units to read tables for; emptied if new */
void tfs_abbrev_table_set_units(struct tfs_abbrev_table *t, unsigned int addr_size,
				unsigned int off_size, unsigned int version);

/**
 * tfs_abbrev_table_read() - read a table
 * @t: after tfs_abbrev_table_set_units(); what it had before is replaced
 * @from: the table's beginning, and what is left of the section
 *
 * Return: 0; -ENOTSUP for what only libdw can make sense of; -ENOMEM.
 */
int tfs_abbrev_table_read(struct tfs_abbrev_table *t, const struct tfs_section *from);
void tfs_abbrev_table_release(struct tfs_abbrev_table *t);

#endif
