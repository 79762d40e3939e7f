/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DIE_READER_H
#define TFS_DWARF_DIE_READER_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dso/section.h"
#include "dwarf/die-reader-table.h"

/*
 * Reading units for one thing only: where functions and inlined copies are, and what they are
 * called. libdw reads each DIE for whatever may be asked of it; here what is of no interest is
 * stepped over, which takes a fifth of the time.
 */

/**
 * struct tfs_scan_part - a unit's own part of a section, in which things have numbers
 * @off: where it begins; UINT64_MAX if it has none or that is not known
 */
struct tfs_scan_part {
	struct tfs_section in;
	uint64_t off;
};

/**
 * struct tfs_scan - the unit that is being read, and the last table; a zeroed one has none
 * @dw: of the unit
 * @info, @abbrev, @ranges, @rnglists, @str: sections of @dw; empty those it is without, and @str
 *         without what is behind its last string
 * @strings: offsets in @str; @addresses; @lists: offsets in @rnglists, from where they are
 * @abbrev_off: where the table is
 * @begin, @end: of the unit
 * @unit: its DIE; @cu: what libdw has of it
 * @language: DW_LANG_*, -1 if the unit does not say or only libdw can tell
 * @has_base: it is known what ranges of the unit count from, @base
 */
struct tfs_scan {
	Dwarf *dw;
	struct tfs_section info;
	struct tfs_section abbrev;
	struct tfs_section ranges;
	struct tfs_section rnglists;
	struct tfs_section str;
	struct tfs_scan_part strings;
	struct tfs_scan_part addresses;
	struct tfs_scan_part lists;
	uint64_t abbrev_off;
	bool has_table;
	bool big;
	struct tfs_scan_table table;
	const unsigned char *begin;
	const unsigned char *end;
	const unsigned char *unit;
	Dwarf_CU *cu;
	int language;
	bool has_base;
	uint64_t base;
};

void tfs_scan_release(struct tfs_scan *scan);

/**
 * struct tfs_scan_value - the bytes of an attribute
 * @constant: the value itself if @form is DW_FORM_implicit_const, see struct tfs_scan_step
 */
struct tfs_scan_value {
	const unsigned char *at;
	uint16_t form;
	uint32_t constant;
};

/**
 * struct tfs_scan_die - a DIE
 * @at: its first byte
 * @next: the byte after its attributes
 * @has: 1 << enum tfs_scan_kind of those in @value
 * @value: tfs_scan_value() of each kind
 */
struct tfs_scan_die {
	const struct tfs_scan_abbrev *abbrev;
	const unsigned char *at;
	const unsigned char *next;
	unsigned int has;
	struct tfs_scan_value value[TFS_SCAN_KINDS];
};

/** tfs_scan_value() - of an attribute; NULL if none of the kind is there, or looked at */
static inline const struct tfs_scan_value *tfs_scan_value(const struct tfs_scan_die *die,
							  enum tfs_scan_kind kind)
{
	return die->has & 1u << kind ? &die->value[kind] : NULL;
}

/**
 * tfs_scan_open() - begin with a unit
 * Return: 0; -ENOTSUP if it cannot be read this way; -ENOMEM.
 */
int tfs_scan_open(struct tfs_scan *scan, Dwarf_Die *unit, bool big);

/** tfs_scan_read() - the DIE at a place; false at the end of siblings, and for what is damaged */
bool tfs_scan_read(const struct tfs_scan *scan, const unsigned char *at, struct tfs_scan_die *die);

/**
 * tfs_scan_over() - the first DIE that may be of interest, or the end of siblings
 *
 * In the header because nine of ten are not, and all that is done is to step over them.
 */
static inline const unsigned char *tfs_scan_over(const struct tfs_scan *scan,
						 const unsigned char *at)
{
	while (at < scan->end) {
		size_t left = (size_t)(scan->end - at), number = *at, more = 0;
		unsigned int size;

		if (number >= 0x80) {
			if (left < 2 || at[1] >= 0x80)
				break;
			number = (number & 0x7f) | (size_t)at[1] << 7;
			more = 1;
		}
		size = number < scan->table.n ? scan->table.abbrev[number].plain : 0;
		if (!size || size + more > left)
			break;
		at += size + more;
	}
	return at;
}

/** tfs_scan_after() - the byte after a DIE and all that is in it; NULL if it is damaged */
const unsigned char *tfs_scan_after(const struct tfs_scan *scan, const struct tfs_scan_die *die);

/**
 * struct tfs_scan_names - what a DIE is called, and where it is declared, or its origin if it is
 * not told of itself
 * @name, @linkage: NULL if it has none
 * @decl_line: 0 if that is not told; UINT64_MAX if only libdw can tell
 */
struct tfs_scan_names {
	const char *name;
	const char *linkage;
	uint64_t decl_line;
};

/** tfs_scan_names() - false if only libdw can tell */
bool tfs_scan_names(const struct tfs_scan *scan, const struct tfs_scan_die *die,
		    struct tfs_scan_names *out);

/** tfs_scan_number() - the value of a number; false if it is none, or only libdw can tell */
bool tfs_scan_number(const struct tfs_scan *scan, const struct tfs_scan_value *value,
		     uint64_t *out);

/** tfs_scan_address() - the value of an address; false if only libdw can tell */
bool tfs_scan_address(const struct tfs_scan *scan, const struct tfs_scan_value *value,
		      uint64_t *out);

/** tfs_scan_address_numbered() - the same by the number of an address of the unit */
bool tfs_scan_address_numbered(const struct tfs_scan *scan, uint64_t number, uint64_t *out);

/** tfs_scan_list() - where in the section of lists a DIE's is; false if only libdw can tell */
bool tfs_scan_list(const struct tfs_scan *scan, const struct tfs_scan_value *value, uint64_t *off);

/** tfs_scan_load() - a number of 4 or 8 bytes, which are there */
uint64_t tfs_scan_load(const struct tfs_scan *scan, const unsigned char *at, unsigned int size);

/** tfs_scan_origin() - the first byte of a DIE's origin; NULL without, or if it is elsewhere */
const unsigned char *tfs_scan_origin(const struct tfs_scan *scan, const struct tfs_scan_die *die);

/** tfs_scan_die_of() - as libdw knows it */
void tfs_scan_die_of(const struct tfs_scan *scan, const struct tfs_scan_die *die, Dwarf_Die *out);

#endif
