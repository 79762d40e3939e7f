/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SYM_SCAN_TABLE_H
#define TFS_SYM_SCAN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_section;

/**
 * enum tfs_scan_kind - what is to be done at an attribute
 * @TFS_SCAN_SKIP: nothing; several of a fixed size make one step
 */
enum tfs_scan_kind {
	TFS_SCAN_SKIP,
	TFS_SCAN_NAME,
	TFS_SCAN_LINKAGE_NAME,
	TFS_SCAN_ORIGIN,
	TFS_SCAN_SIBLING,
};

/**
 * struct tfs_scan_step - one attribute, or several to be stepped over
 * @form: DW_FORM_*, 0 if @size is all there is to know
 * @size: bytes, if @form is 0
 */
struct tfs_scan_step {
	uint16_t kind;
	uint16_t form;
	uint32_t size;
};

/**
 * struct tfs_scan_abbrev - what DIEs of one kind look like
 * @code: has DW_AT_low_pc or DW_AT_ranges
 * @inlined: has DW_AT_inline, whatever it says
 * @steps: index of the first step; 0 for a number that is not used
 */
struct tfs_scan_abbrev {
	uint16_t tag;
	bool children;
	bool code;
	bool inlined;
	uint32_t steps;
	uint32_t n_steps;
};

/**
 * struct tfs_scan_table - a table of abbreviations, by number; a zeroed one is empty
 * @addr_size, @off_size, @version: of the units it was read for, which sizes depend on
 */
struct tfs_scan_table {
	struct tfs_scan_abbrev *abbrev;
	size_t n;
	size_t cap;
	struct tfs_scan_step *step;
	size_t n_steps;
	size_t steps_cap;
	unsigned int addr_size;
	unsigned int off_size;
	unsigned int version;
};

/**
 * tfs_scan_table_read() - read a table
 * @t: sizes and version are set; what it had before is replaced
 * @from: the table's beginning, and what is left of the section
 *
 * Return: 0; -ENOTSUP for what only libdw can make sense of; -ENOMEM.
 */
int tfs_scan_table_read(struct tfs_scan_table *t, const struct tfs_section *from);
void tfs_scan_table_release(struct tfs_scan_table *t);

#endif
