/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/scan-table.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/scan-leb.h"
#include "sym/section.h"

/* Compilers number abbreviations from 1; a number far beyond what was seen is damage. */
#define NUMBER_MAX (1u << 20)

void tfs_scan_table_release(struct tfs_scan_table *t)
{
	free(t->abbrev);
	free(t->step);
	*t = (struct tfs_scan_table){ 0 };
}

/* Bytes of a form that are always as many; -1 if that depends, -2 if the form is not known. */
static int fixed_size(const struct tfs_scan_table *t, uint64_t form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
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
		return -1;
	default:
		return -2;
	}
}

static enum tfs_scan_kind kind_of(const struct tfs_scan_abbrev *a, uint64_t name)
{
	if (name == DW_AT_sibling && a->children)
		return TFS_SCAN_SIBLING;
	if (a->tag != DW_TAG_subprogram && a->tag != DW_TAG_inlined_subroutine)
		return TFS_SCAN_SKIP;
	switch (name) {
	case DW_AT_name:
		return TFS_SCAN_NAME;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		return TFS_SCAN_LINKAGE_NAME;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		return TFS_SCAN_ORIGIN;
	default:
		return TFS_SCAN_SKIP;
	}
}

static int add_step(struct tfs_scan_table *t, const struct tfs_scan_step *step)
{
	if (!t->step || t->n_steps == t->steps_cap) {
		size_t cap = t->steps_cap ? 2 * t->steps_cap : 1024;
		struct tfs_scan_step *v = reallocarray(t->step, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		t->step = v;
		t->steps_cap = cap;
	}
	t->step[t->n_steps++] = *step;
	return 0;
}

/* The abbreviation of a number, which it must not have yet. */
static int new_abbrev(struct tfs_scan_table *t, uint64_t number, struct tfs_scan_abbrev **out)
{
	if (number >= NUMBER_MAX)
		return -ENOTSUP;
	if (number >= t->cap) {
		size_t cap = t->cap ? t->cap : 256;
		struct tfs_scan_abbrev *v;

		while (cap <= number)
			cap *= 2;
		v = reallocarray(t->abbrev, cap, sizeof(*v));
		if (!v)
			return -ENOMEM;
		t->abbrev = v;
		t->cap = cap;
	}
	if (number >= t->n) {
		memset(t->abbrev + t->n, 0, (number + 1 - t->n) * sizeof(*t->abbrev));
		t->n = number + 1;
	}
	*out = &t->abbrev[number];
	return (*out)->steps ? -ENOTSUP : 0;
}

static int add_attribute(struct tfs_scan_table *t, struct tfs_scan_abbrev *a, uint64_t name,
			 uint64_t form)
{
	struct tfs_scan_step step = { .kind = (uint16_t)kind_of(a, name), .form = (uint16_t)form };
	struct tfs_scan_step *last = a->n_steps ? &t->step[t->n_steps - 1] : NULL;
	int size = fixed_size(t, form);

	if (size < -1)
		return -ENOTSUP;
	a->code = a->code || name == DW_AT_low_pc || name == DW_AT_ranges;
	a->inlined = a->inlined || name == DW_AT_inline;
	if (step.kind == TFS_SCAN_SKIP && size >= 0) {
		step.form = 0;
		step.size = (uint32_t)size;
		if (last && last->kind == TFS_SCAN_SKIP && !last->form) {
			last->size += step.size;
			return 0;
		}
	}
	a->n_steps++;
	return add_step(t, &step);
}

static int read_attributes(struct tfs_scan_table *t, struct tfs_scan_abbrev *a,
			   const unsigned char **at, const unsigned char *end)
{
	uint64_t name, form, ignored;
	int rc = 0;

	a->steps = (uint32_t)t->n_steps;
	while (!rc) {
		if (!tfs_scan_uleb(at, end, &name) || !tfs_scan_uleb(at, end, &form))
			return -ENOTSUP;
		if (!name && !form)
			break;
		/* its value is here, signed; as many bytes as if it were not */
		if (form == DW_FORM_implicit_const && !tfs_scan_uleb(at, end, &ignored))
			return -ENOTSUP;
		rc = add_attribute(t, a, name, form);
	}
	return rc;
}

int tfs_scan_table_read(struct tfs_scan_table *t, const struct tfs_section *from)
{
	static const struct tfs_scan_step none = { 0 };
	const unsigned char *at = from->s, *end = from->s + from->len;
	uint64_t number, tag;
	int rc;

	t->n = 0;
	t->n_steps = 0;
	/* so that 0 is no abbreviation's first */
	rc = add_step(t, &none);
	while (!rc) {
		struct tfs_scan_abbrev *a;

		if (!tfs_scan_uleb(&at, end, &number))
			return -ENOTSUP;
		if (!number)
			break;
		if (!tfs_scan_uleb(&at, end, &tag) || at == end)
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
