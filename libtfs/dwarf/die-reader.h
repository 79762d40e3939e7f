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
 * struct tfs_unit_part - a unit's own part of a section, in which things have numbers
 * @off: where it begins; UINT64_MAX if it has none or that is not known
 */
struct tfs_unit_part {
	struct tfs_section in;
	uint64_t off;
};

/**
 * struct tfs_die_reader - the unit that is being read, and the last table; a zeroed one has none
 * @dw: of the unit
 * @info, @abbrev, @ranges, @rnglists, @str: sections of @dw; empty those it is without, and @str
 *         without the bytes after its last string
 * @strings: offsets in @str; @addresses; @lists: offsets in @rnglists, from where they are
 * @abbrev_off: where the table is
 * @begin, @end: of the unit
 * @unit: its DIE; @cu: what libdw has of it
 * @language: DW_LANG_*, -1 if the unit does not say or it is left to libdw
 * @has_base: it is known what ranges of the unit count from, @base
 */
struct tfs_die_reader {
	Dwarf *dw;
	struct tfs_section info;
	struct tfs_section abbrev;
	struct tfs_section ranges;
	struct tfs_section rnglists;
	struct tfs_section str;
	struct tfs_unit_part strings;
	struct tfs_unit_part addresses;
	struct tfs_unit_part lists;
	uint64_t abbrev_off;
	bool has_table;
	bool big;
	struct tfs_abbrev_table table;
	const unsigned char *begin;
	const unsigned char *end;
	const unsigned char *unit;
	Dwarf_CU *cu;
	int language;
	bool has_base;
	uint64_t base;
};

void tfs_die_reader_release(struct tfs_die_reader *reader);

/**
 * struct tfs_raw_attr - the bytes of an attribute
 * @constant: the value itself if @form is DW_FORM_implicit_const, see struct tfs_abbrev_step
 */
struct tfs_raw_attr {
	const unsigned char *at;
	uint16_t form;
	uint32_t constant;
};

/**
 * struct tfs_raw_die - a DIE
 * @at: its first byte
 * @next: the byte after its attributes
 * @has: 1 << enum tfs_die_attr of those in @value
 * @value: tfs_raw_attr() of each kind
 */
struct tfs_raw_die {
	const struct tfs_abbrev *abbrev;
	const unsigned char *at;
	const unsigned char *next;
	unsigned int has;
	struct tfs_raw_attr value[TFS_DIE_ATTRS];
};

/** tfs_raw_attr() - of an attribute; NULL if none of the kind is there, or looked at */
static inline const struct tfs_raw_attr *tfs_raw_attr(const struct tfs_raw_die *die,
						      enum tfs_die_attr kind)
{
	return die->has & 1u << kind ? &die->value[kind] : NULL;
}

/**
 * tfs_die_reader_open() - begin with a unit
 * Return: 0; -ENOTSUP if it cannot be read this way; -ENOMEM.
 */
int tfs_die_reader_open(struct tfs_die_reader *reader, Dwarf_Die *unit, bool big);

/** tfs_raw_die_read() - read the DIE at @at; false at the end of siblings, and if it is damaged */
bool tfs_raw_die_read(const struct tfs_die_reader *reader, const unsigned char *at,
		      struct tfs_raw_die *die);

/**
 * tfs_raw_die_skip() - the first DIE that may be of interest, or the end of siblings
 *
 * In the header because nine of ten are not, and all that is done is to step over them.
 */
static inline const unsigned char *tfs_raw_die_skip(const struct tfs_die_reader *reader,
						    const unsigned char *at)
{
	while (at < reader->end) {
		size_t left = (size_t)(reader->end - at), number = *at, more = 0;
		unsigned int size;

		if (number >= 0x80) {
			if (left < 2 || at[1] >= 0x80)
				break;
			number = (number & 0x7f) | (size_t)at[1] << 7;
			more = 1;
		}
		size = number < reader->table.n ? reader->table.abbrev[number].plain : 0;
		if (!size || size + more > left)
			break;
		at += size + more;
	}
	return at;
}

/** tfs_raw_die_after() - the byte after a DIE and all that is in it; NULL if it is damaged */
const unsigned char *tfs_raw_die_after(const struct tfs_die_reader *reader,
				       const struct tfs_raw_die *die);

/**
 * struct tfs_raw_die_names - what a DIE is called, and where it is declared, or its origin if it
 * does not say so itself
 * @name, @linkage: NULL if it has none
 * @decl_line: 0 if it is not given; UINT64_MAX if it is left to libdw
 */
struct tfs_raw_die_names {
	const char *name;
	const char *linkage;
	uint64_t decl_line;
};

/** tfs_raw_die_names() - false if it is left to libdw */
bool tfs_raw_die_names(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       struct tfs_raw_die_names *out);

/** tfs_raw_attr_number() - the value of a number; false if it is not one, or is left to libdw */
bool tfs_raw_attr_number(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
			 uint64_t *out);

/** tfs_raw_attr_address() - the value of an address; false if it is left to libdw */
bool tfs_raw_attr_address(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
			  uint64_t *out);

/** tfs_raw_address_at_index() - the same by the number of an address of the unit */
bool tfs_raw_address_at_index(const struct tfs_die_reader *reader, uint64_t number, uint64_t *out);

/** tfs_raw_attr_list() - where in the section of lists a DIE's is; false if it is left to libdw */
bool tfs_raw_attr_list(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
		       uint64_t *off);

/** tfs_die_reader_load() - a number of 4 or 8 bytes, which are there */
uint64_t tfs_die_reader_load(const struct tfs_die_reader *reader, const unsigned char *at,
			     unsigned int size);

/** tfs_raw_die_origin() - the first byte of a DIE's origin; NULL without, or if it is elsewhere */
const unsigned char *tfs_raw_die_origin(const struct tfs_die_reader *reader,
					const struct tfs_raw_die *die);

/** tfs_die_reader_libdw_die() - as libdw knows it */
void tfs_die_reader_libdw_die(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
			      Dwarf_Die *out);

#endif
