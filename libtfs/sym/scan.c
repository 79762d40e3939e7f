/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/scan.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "sym/scan-leb.h"

/* An abstract origin's specification's ...: more there are not. */
#define ORIGINS_MAX 16

void tfs_scan_release(struct tfs_scan *scan)
{
	tfs_scan_table_release(&scan->table);
	*scan = (struct tfs_scan){ 0 };
}

static int find_sections(struct tfs_scan *scan, Dwarf *dw)
{
	Elf *elf = dwarf_getelf(dw);

	if (scan->dw == dw)
		return 0;
	scan->dw = NULL;
	scan->has_table = false;
	if (!elf)
		return -ENOTSUP;
	if (!tfs_section_find(elf, ".debug_info", &scan->info) &&
	    !tfs_section_find(elf, ".debug_info.dwo", &scan->info))
		return -ENOTSUP;
	if (!tfs_section_find(elf, ".debug_abbrev", &scan->abbrev) &&
	    !tfs_section_find(elf, ".debug_abbrev.dwo", &scan->abbrev))
		return -ENOTSUP;
	if (!tfs_section_find(elf, ".debug_str_offsets", &scan->str_offsets))
		scan->str_offsets = (struct tfs_section){ NULL, 0 };
	scan->dw = dw;
	return 0;
}

/* Where the unit's part of .debug_str_offsets begins; there is none in split units. */
static uint64_t strings_of(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	Dwarf_Word base;

	if (!dwarf_attr(unit, DW_AT_str_offsets_base, &attr) || dwarf_formudata(&attr, &base))
		return UINT64_MAX;
	return base;
}

/* Of what units it is has been told. */
static int find_table(struct tfs_scan *scan, uint64_t off)
{
	struct tfs_section from;
	int rc;

	if (scan->has_table && scan->abbrev_off == off && scan->table.n)
		return 0;
	scan->has_table = false;
	if (off >= scan->abbrev.len)
		return -ENOTSUP;
	from = (struct tfs_section){ scan->abbrev.s + off, scan->abbrev.len - off };
	rc = tfs_scan_table_read(&scan->table, &from);
	scan->has_table = !rc;
	scan->abbrev_off = off;
	return rc;
}

/* Bytes of an attribute whose size depends on what is in it. @at may be beyond @end then. */
static bool variable_size(const struct tfs_scan *scan, uint16_t form, const unsigned char *at,
			  uint64_t *size)
{
	const unsigned char *from = at;
	size_t left = (size_t)(scan->end - at), head = 0;
	uint64_t n = 0;

	switch (form) {
	case DW_FORM_string:
		*size = strnlen((const char *)at, left) + 1;
		return true;
	case DW_FORM_block1:
		head = 1;
		n = left >= head ? *at : 0;
		break;
	case DW_FORM_block2:
		head = 2;
		n = left >= head ? tfs_load_u16(at, scan->big) : 0;
		break;
	case DW_FORM_block4:
		head = 4;
		n = left >= head ? tfs_load_u32(at, scan->big) : 0;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		if (!tfs_scan_uleb(&at, scan->end, &n))
			return false;
		head = (size_t)(at - from);
		break;
	default:
		if (!tfs_scan_uleb(&at, scan->end, &n))
			return false;
		*size = (uint64_t)(at - from);
		return true;
	}
	*size = head + n;
	return n <= left;
}

/* Bytes of an attribute that is looked at. */
static bool value_size(const struct tfs_scan *scan, uint16_t form, const unsigned char *at,
		       uint64_t *size)
{
	switch (form) {
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt:
		*size = scan->table.off_size;
		return true;
	case DW_FORM_ref_addr:
		*size = scan->table.version < 3 ? scan->table.addr_size : scan->table.off_size;
		return true;
	case DW_FORM_data1:
	case DW_FORM_strx1:
	case DW_FORM_ref1:
		*size = 1;
		return true;
	case DW_FORM_data2:
	case DW_FORM_strx2:
	case DW_FORM_ref2:
		*size = 2;
		return true;
	case DW_FORM_strx3:
		*size = 3;
		return true;
	case DW_FORM_strx4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
		*size = 4;
		return true;
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		*size = 8;
		return true;
	case DW_FORM_string:
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_ref_udata:
		return variable_size(scan, form, at, size);
	default:
		/* no name, no reference and no language is of such a form */
		return false;
	}
}

/* Bytes of the attribute of a step, which all are there. */
static inline bool step_size(const struct tfs_scan *scan, const struct tfs_scan_step *step,
			     const unsigned char *at, uint64_t *size)
{
	bool ok = true;

	if (!step->form)
		*size = step->size;
	else if (step->kind == TFS_SCAN_SKIP)
		ok = variable_size(scan, step->form, at, size);
	else
		ok = value_size(scan, step->form, at, size);
	return ok && *size <= (uint64_t)(scan->end - at);
}

static inline const struct tfs_scan_abbrev *read_number(const struct tfs_scan *scan,
							const unsigned char **at)
{
	const struct tfs_scan_abbrev *abbrev;
	uint64_t number;

	if (!tfs_scan_uleb(at, scan->end, &number) || !number || number >= scan->table.n)
		return NULL;
	abbrev = &scan->table.abbrev[number];
	return abbrev->steps ? abbrev : NULL;
}

/* Where a reference into the same unit leads to; NULL for all others. */
static const unsigned char *referred(const struct tfs_scan *scan, uint16_t form,
				     const unsigned char *at)
{
	uint64_t off = 0;

	switch (form) {
	case DW_FORM_ref1:
		off = *at;
		break;
	case DW_FORM_ref2:
		off = tfs_load_u16(at, scan->big);
		break;
	case DW_FORM_ref4:
		off = tfs_load_u32(at, scan->big);
		break;
	case DW_FORM_ref8:
		off = tfs_load_u64(at, scan->big);
		break;
	case DW_FORM_ref_udata:
		if (!tfs_scan_uleb(&at, scan->end, &off))
			return NULL;
		break;
	default:
		return NULL;
	}
	return off < (uint64_t)(scan->end - scan->begin) && scan->begin + off >= scan->unit ?
		       scan->begin + off :
		       NULL;
}

static uint64_t load_offset(const struct tfs_scan *scan, const unsigned char *at)
{
	return scan->table.off_size == 8 ? tfs_load_u64(at, scan->big) :
					   tfs_load_u32(at, scan->big);
}

/* The number of a string among those of the unit, as clang writes it; false for other forms. */
static bool string_number(const struct tfs_scan *scan, const struct tfs_scan_value *value,
			  uint64_t *number)
{
	const unsigned char *at = value->at;

	switch (value->form) {
	case DW_FORM_strx1:
		*number = *at;
		return true;
	case DW_FORM_strx2:
		*number = tfs_load_u16(at, scan->big);
		return true;
	case DW_FORM_strx3:
		*number = scan->big ? (uint64_t)at[0] << 16 | tfs_load_u16(at + 1, true) :
				      (uint64_t)at[2] << 16 | tfs_load_u16(at, false);
		return true;
	case DW_FORM_strx4:
		*number = tfs_load_u32(at, scan->big);
		return true;
	case DW_FORM_strx:
		return tfs_scan_uleb(&at, scan->end, number);
	default:
		return false;
	}
}

/* Where in .debug_str the name is; false if only libdw can tell. */
static bool string_offset(const struct tfs_scan *scan, const struct tfs_scan_value *value,
			  uint64_t *off)
{
	uint64_t number, room;

	if (value->form == DW_FORM_strp) {
		*off = load_offset(scan, value->at);
		return true;
	}
	if (!string_number(scan, value, &number) || scan->strings > scan->str_offsets.len)
		return false;
	room = (scan->str_offsets.len - scan->strings) / scan->table.off_size;
	if (number >= room)
		return false;
	*off = load_offset(scan,
			   scan->str_offsets.s + scan->strings + number * scan->table.off_size);
	return true;
}

/* False if it is not told in this file, or in a way that only libdw can make sense of. */
static bool text(const struct tfs_scan *scan, const struct tfs_scan_value *value, const char **out)
{
	uint64_t off;
	size_t len;

	if (value->form == DW_FORM_string) {
		*out = (const char *)value->at;
		return true;
	}
	if (!string_offset(scan, value, &off))
		return false;
	*out = dwarf_getstring(scan->dw, off, &len);
	return *out != NULL;
}

/* One attribute that is of interest; its bytes are there. */
static void take_value(const struct tfs_scan *scan, const struct tfs_scan_step *step,
		       const unsigned char *at, struct tfs_scan_die *die)
{
	const struct tfs_scan_value value = { at, step->form };

	switch ((enum tfs_scan_kind)step->kind) {
	case TFS_SCAN_NAME:
		die->name = value;
		break;
	case TFS_SCAN_LINKAGE_NAME:
		die->linkage = value;
		break;
	case TFS_SCAN_ORIGIN:
		die->origin = value;
		break;
	case TFS_SCAN_SIBLING:
		die->sibling = referred(scan, step->form, at);
		break;
	case TFS_SCAN_SKIP:
	case TFS_SCAN_LANGUAGE:
	case TFS_SCAN_CODE:
	case TFS_SCAN_INLINE:
		break;
	}
}

bool tfs_scan_read(const struct tfs_scan *scan, const unsigned char *at, struct tfs_scan_die *die)
{
	const struct tfs_scan_step *step;
	uint64_t size;

	*die = (struct tfs_scan_die){ .at = at };
	die->abbrev = read_number(scan, &at);
	if (!die->abbrev)
		return false;
	step = &scan->table.step[die->abbrev->steps];
	for (uint32_t i = 0; i < die->abbrev->n_steps; i++, step++) {
		if (!step_size(scan, step, at, &size))
			return false;
		if (step->kind != TFS_SCAN_SKIP)
			take_value(scan, step, at, die);
		at += size;
	}
	die->next = at;
	return true;
}

/* Of the unit: reading all of a DIE is for what each has. */
static int language_of(const struct tfs_scan *scan)
{
	const unsigned char *at = scan->unit;
	const struct tfs_scan_abbrev *abbrev = read_number(scan, &at);
	const struct tfs_scan_step *step = abbrev ? &scan->table.step[abbrev->steps] : NULL;
	uint64_t size;

	for (uint32_t i = 0; step && i < abbrev->n_steps; i++, step++) {
		if (!step_size(scan, step, at, &size))
			break;
		if (step->kind == TFS_SCAN_LANGUAGE && step->form == DW_FORM_data1)
			return *at;
		if (step->kind == TFS_SCAN_LANGUAGE && step->form == DW_FORM_data2)
			return tfs_load_u16(at, scan->big);
		at += size;
	}
	return -1;
}

int tfs_scan_open(struct tfs_scan *scan, Dwarf_Die *unit, bool big)
{
	Dwarf_Off off = dwarf_dieoffset(unit), in_unit = dwarf_cuoffset(unit), abbrev;
	uint8_t addr_size, off_size;
	Dwarf_Half version;
	Dwarf_Die die;
	uint64_t len;
	int rc;

	if (!unit->cu || off == (Dwarf_Off)-1 || in_unit > off ||
	    !dwarf_cu_die(unit->cu, &die, &version, &abbrev, &addr_size, &off_size, NULL, NULL))
		return -ENOTSUP;
	rc = find_sections(scan, dwarf_cu_getdwarf(unit->cu));
	if (rc)
		return rc;
	/* what libdw reads, and nothing else */
	scan->unit = unit->addr;
	scan->cu = unit->cu;
	if (off >= scan->info.len || scan->unit != scan->info.s + off || in_unit < 11)
		return -ENOTSUP;
	scan->big = big;
	scan->begin = scan->unit - in_unit;
	len = off_size == 8 ? tfs_load_u64(scan->begin + 4, big) : tfs_load_u32(scan->begin, big);
	len += off_size == 8 ? 12 : 4;
	if (len > scan->info.len - (off - in_unit))
		return -ENOTSUP;
	scan->end = scan->begin + len;
	/* libdw may have to read the unit's abbreviations to answer */
	scan->strings = scan->str_offsets.s ? strings_of(unit) : UINT64_MAX;
	tfs_scan_table_units(&scan->table, addr_size, off_size, version);
	rc = find_table(scan, abbrev);
	scan->language = rc ? -1 : language_of(scan);
	return rc;
}

const unsigned char *tfs_scan_after(const struct tfs_scan *scan, const struct tfs_scan_die *die)
{
	const unsigned char *at = die->next;
	struct tfs_scan_die inner;
	size_t depth = 1;

	if (!die->abbrev->children)
		return at;
	if (die->sibling && die->sibling > at)
		return die->sibling;
	while (depth) {
		if (at >= scan->end)
			return NULL;
		if (!*at) {
			depth--;
			at++;
			continue;
		}
		if (!tfs_scan_read(scan, at, &inner))
			return NULL;
		at = inner.next;
		if (!inner.abbrev->children)
			continue;
		if (inner.sibling && inner.sibling > at)
			at = inner.sibling;
		else
			depth++;
	}
	return at;
}

const unsigned char *tfs_scan_origin(const struct tfs_scan *scan, const struct tfs_scan_die *die)
{
	return die->origin.form ? referred(scan, die->origin.form, die->origin.at) : NULL;
}

bool tfs_scan_names(const struct tfs_scan *scan, const struct tfs_scan_die *die, const char **name,
		    const char **linkage)
{
	struct tfs_scan_die at = *die;

	*name = NULL;
	*linkage = NULL;
	for (unsigned int i = 0; i < ORIGINS_MAX; i++) {
		const unsigned char *origin;

		if (!*name && at.name.form && !text(scan, &at.name, name))
			return false;
		if (!*linkage && at.linkage.form && !text(scan, &at.linkage, linkage))
			return false;
		if (!at.origin.form)
			return true;
		origin = tfs_scan_origin(scan, &at);
		if (!origin || !tfs_scan_read(scan, origin, &at))
			return false;
	}
	return false;
}

/* dwarf_offdie() would look for the unit among all, each time. */
void tfs_scan_die_of(const struct tfs_scan *scan, const struct tfs_scan_die *die, Dwarf_Die *out)
{
	*out = (Dwarf_Die){ .addr = (void *)(uintptr_t)die->at, .cu = scan->cu };
}
