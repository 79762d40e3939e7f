/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/die-reader-table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "dso/section.h"
#include "dwarf/die-reader-leb.h"

/* Compilers number abbreviations from 1; a number far beyond what was seen is damage. */
#define NUMBER_MAX (1u << 20)

void tfs_abbrev_table_release(struct tfs_abbrev_table *t)
{
	free(t->abbrev);
	free(t->step);
	*t = (struct tfs_abbrev_table){ 0 };
}

/* Sizes of forms that are not a number of bytes; the value of the last one is in the table. */
enum {
	DEPENDS = -1,
	UNKNOWN = -2,
	IMPLICIT = -3,
};

/* Bytes of a form that are always as many. */
static int fixed_size(const struct tfs_abbrev_table *t, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
		return 0;
	case DW_FORM_implicit_const:
		return IMPLICIT;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return (int)t->addr_size;
	case DW_FORM_ref_addr:
		return (int)(t->version < 3 ? t->addr_size : t->off_size);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (int)t->off_size;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
	case DW_FORM_string:
		return DEPENDS;
	default:
		return UNKNOWN;
	}
}

void tfs_abbrev_table_set_units(struct tfs_abbrev_table *t, unsigned int addr_size,
				unsigned int off_size, unsigned int version)
{
	if (t->addr_size == addr_size && t->off_size == off_size && t->version == version)
		return;
	t->n = 0;
	t->addr_size = addr_size;
	t->off_size = off_size;
	t->version = version;
	/* Millions of attributes are read, of few names and forms: sizes are looked up. */
	for (unsigned int form = 0; form < TFS_DIE_SHORT_CODE; form++)
		t->size[form] = (signed char)fixed_size(t, form);
}

/* The kind of an attribute of a function or inlined copy. */
static const unsigned char of_function[TFS_DIE_SHORT_CODE] = {
	[DW_AT_sibling] = TFS_DIE_SIBLING,           [DW_AT_name] = TFS_DIE_NAME,
	[DW_AT_linkage_name] = TFS_DIE_LINKAGE_NAME, [DW_AT_abstract_origin] = TFS_DIE_ORIGIN,
	[DW_AT_specification] = TFS_DIE_ORIGIN,      [DW_AT_low_pc] = TFS_DIE_LOW_PC,
	[DW_AT_high_pc] = TFS_DIE_HIGH_PC,           [DW_AT_ranges] = TFS_DIE_RANGES,
	[DW_AT_entry_pc] = TFS_DIE_ENTRY_PC,         [DW_AT_decl_line] = TFS_DIE_DECL_LINE,
	[DW_AT_call_line] = TFS_DIE_CALL_LINE,       [DW_AT_inline] = TFS_DIE_INLINE,
};

/* Its language, what ranges count from, and what numbers are looked up in. */
static const unsigned char of_unit[TFS_DIE_SHORT_CODE] = {
	[DW_AT_language] = TFS_DIE_LANGUAGE,   [DW_AT_low_pc] = TFS_DIE_LOW_PC,
	[DW_AT_entry_pc] = TFS_DIE_ENTRY_PC,   [DW_AT_str_offsets_base] = TFS_DIE_STRINGS,
	[DW_AT_addr_base] = TFS_DIE_ADDRESSES, [DW_AT_rnglists_base] = TFS_DIE_LISTS,
};

static const unsigned char of_others[TFS_DIE_SHORT_CODE] = {
	[DW_AT_sibling] = TFS_DIE_SIBLING,
};

static const unsigned char *kinds_of(const struct tfs_abbrev *a)
{
	switch (a->tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		return of_function;
	case DW_TAG_compile_unit:
		return of_unit;
	default:
		return of_others;
	}
}

/* The abbreviation of a number, which it must not have yet. */
static int new_abbrev(struct tfs_abbrev_table *t, uint64_t number, struct tfs_abbrev **out)
{
	if (number >= NUMBER_MAX)
		return -ENOTSUP;
	if (tfs_grow(&t->abbrev, &t->cap, number + 1))
		return -ENOMEM;
	if (number >= t->n) {
		for (size_t i = t->n; i <= number; i++)
			t->abbrev[i] = (struct tfs_abbrev){ 0 };
		t->n = number + 1;
	}
	*out = &t->abbrev[number];
	return (*out)->steps ? -ENOTSUP : 0;
}

static int add_step(struct tfs_abbrev_table *t, struct tfs_abbrev *a, struct tfs_abbrev_step step)
{
	if (tfs_grow(&t->step, &t->steps_cap, t->n_steps + 1))
		return -ENOMEM;
	t->step[t->n_steps++] = step;
	a->n_steps++;
	return 0;
}

/**
 * struct attribute - of an abbreviation
 * @kind: enum tfs_die_attr
 * @size: bytes of its value, or DEPENDS
 * @value: of DW_FORM_implicit_const
 */
struct attribute {
	uint16_t form;
	unsigned char kind;
	int size;
	uint32_t value;
};

/* An attribute whose name or form is not of one byte, or whose value is here; 0 or -ENOTSUP. */
static int read_long(const struct tfs_abbrev_table *t, const unsigned char **at,
		     const unsigned char *end, const unsigned char *kinds, struct attribute *out)
{
	const unsigned char *last;
	uint64_t name, form, value;

	if (!tfs_read_uleb128(at, end, &name) || !tfs_read_uleb128(at, end, &form))
		return -ENOTSUP;
	out->kind = name < TFS_DIE_SHORT_CODE ? kinds[name] : TFS_DIE_SKIP;
	if (name == DW_AT_MIPS_linkage_name && kinds == of_function)
		out->kind = TFS_DIE_LINKAGE_NAME;
	out->form = (uint16_t)form;
	out->size = fixed_size(t, form);
	out->value = 0;
	if (out->size != IMPLICIT)
		return out->size == UNKNOWN ? -ENOTSUP : 0;
	/* signed, which takes as many bytes as if it were not */
	out->size = 0;
	if (!tfs_read_uleb128(at, end, &value))
		return -ENOTSUP;
	last = *at - 1;
	out->value = value > INT32_MAX || *last & 0x40 ? TFS_DIE_SIZE_VARIES : (uint32_t)value;
	return 0;
}

/* @skip: bytes of uninteresting attributes before it. */
static int add_attribute(struct tfs_abbrev_table *t, struct tfs_abbrev *a,
			 const struct attribute *attr, uint32_t *skip)
{
	struct tfs_abbrev_step step = { attr->kind, attr->form, (uint32_t)attr->size };
	int rc = 0;

	a->code = a->code || attr->kind == TFS_DIE_LOW_PC || attr->kind == TFS_DIE_RANGES;
	a->inlined = a->inlined || attr->kind == TFS_DIE_INLINE;
	if (attr->kind == TFS_DIE_INLINE || (attr->kind == TFS_DIE_SIBLING && !a->children))
		step.kind = TFS_DIE_SKIP;
	if (step.kind == TFS_DIE_SKIP && attr->size >= 0) {
		*skip += step.size;
		return 0;
	}
	if (attr->size == DEPENDS)
		step.size = TFS_DIE_SIZE_VARIES;
	else if (attr->form == DW_FORM_implicit_const)
		step.size = attr->value;
	if (*skip)
		rc = add_step(t, a, (struct tfs_abbrev_step){ .size = *skip });
	*skip = 0;
	return rc ? rc : add_step(t, a, step);
}

static int read_attributes(struct tfs_abbrev_table *t, struct tfs_abbrev *a,
			   const unsigned char **at, const unsigned char *end)
{
	const unsigned char *kinds = kinds_of(a), *p = *at;
	struct attribute attr;
	uint32_t skip = 0;
	int rc = 0;

	a->steps = (uint32_t)t->n_steps;
	while (!rc) {
		if (end - p < 2)
			return -ENOTSUP;
		if (!(p[0] | p[1]))
			break;
		if ((p[0] | p[1]) >= TFS_DIE_SHORT_CODE || t->size[p[1]] < DEPENDS) {
			rc = read_long(t, &p, end, kinds, &attr);
			if (rc)
				break;
		} else {
			attr = (struct attribute){ p[1], kinds[p[0]], t->size[p[1]], 0 };
			p += 2;
		}
		if (attr.kind == TFS_DIE_SKIP && attr.size >= 0)
			skip += (uint32_t)attr.size;
		else
			rc = add_attribute(t, a, &attr, &skip);
	}
	*at = p + 2;
	if (!a->n_steps && !a->children && kinds != of_function && skip < UINT16_MAX)
		a->plain = (uint16_t)(skip + 1);
	return !rc && skip ? add_step(t, a, (struct tfs_abbrev_step){ .size = skip }) : rc;
}

int tfs_abbrev_table_read(struct tfs_abbrev_table *t, const struct tfs_section *from)
{
	const unsigned char *at = from->s, *end = from->s + from->len;
	uint64_t number, tag;
	int rc;

	rc = tfs_grow(&t->step, &t->steps_cap, 1);
	if (rc)
		return rc;
	t->n = 0;
	/* reserved: no abbreviation starts at 0 */
	t->step[0] = (struct tfs_abbrev_step){ 0 };
	t->n_steps = 1;
	while (!rc) {
		struct tfs_abbrev *a;

		if (!tfs_read_uleb128(&at, end, &number))
			return -ENOTSUP;
		if (!number)
			break;
		if (!tfs_read_uleb128(&at, end, &tag) || at == end)
			return -ENOTSUP;
		rc = new_abbrev(t, number, &a);
		if (rc)
			break;
		a->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
		a->children = *at++ != 0;
		rc = read_attributes(t, a, &at, end);
	}
	return rc;
}
