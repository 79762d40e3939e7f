/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/die-reader.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "dso/section.h"
#include "dwarf/die-reader-leb.h"

/* An abstract origin's specification's ...: more there are not. */
#define ORIGINS_MAX 16

void tfs_die_reader_release(struct tfs_die_reader *reader)
{
	tfs_abbrev_table_release(&reader->table);
	*reader = (struct tfs_die_reader){ 0 };
}

/* Empty if there is none. */
static void find_other(Elf *elf, const char *name, struct tfs_section *out)
{
	if (!tfs_section_find(elf, name, out))
		*out = (struct tfs_section){ NULL, 0 };
}

static int find_sections(struct tfs_die_reader *reader, Dwarf *dw)
{
	Elf *elf = dwarf_getelf(dw);

	if (reader->dw == dw)
		return 0;
	reader->dw = NULL;
	reader->has_table = false;
	if (!elf)
		return -ENOTSUP;
	if (!tfs_section_find(elf, ".debug_info", &reader->info) &&
	    !tfs_section_find(elf, ".debug_info.dwo", &reader->info))
		return -ENOTSUP;
	if (!tfs_section_find(elf, ".debug_abbrev", &reader->abbrev) &&
	    !tfs_section_find(elf, ".debug_abbrev.dwo", &reader->abbrev))
		return -ENOTSUP;
	find_other(elf, ".debug_str_offsets", &reader->strings.in);
	find_other(elf, ".debug_addr", &reader->addresses.in);
	find_other(elf, ".debug_ranges", &reader->ranges);
	find_other(elf, ".debug_rnglists", &reader->rnglists);
	reader->lists.in = reader->rnglists;
	find_other(elf, ".debug_str", &reader->str);
	/* each ends before the section does: libdw would look for the end, each time */
	while (reader->str.len && reader->str.s[reader->str.len - 1])
		reader->str.len--;
	reader->dw = dw;
	return 0;
}

/* The table is keyed by address size, offset size and version. */
static int find_table(struct tfs_die_reader *reader, uint64_t off)
{
	struct tfs_section from;
	int rc;

	if (reader->has_table && reader->abbrev_off == off && reader->table.n)
		return 0;
	reader->has_table = false;
	if (off >= reader->abbrev.len)
		return -ENOTSUP;
	from = (struct tfs_section){ reader->abbrev.s + off, reader->abbrev.len - off };
	rc = tfs_abbrev_table_read(&reader->table, &from);
	reader->has_table = !rc;
	reader->abbrev_off = off;
	return rc;
}

/* Bytes of an attribute whose size depends on what is in it. @at may be beyond @end then. */
static bool variable_size(const struct tfs_die_reader *reader, uint16_t form,
			  const unsigned char *at, uint64_t *size)
{
	const unsigned char *from = at;
	size_t left = (size_t)(reader->end - at), head = 0;
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
		n = left >= head ? tfs_load_u16(at, reader->big) : 0;
		break;
	case DW_FORM_block4:
		head = 4;
		n = left >= head ? tfs_load_u32(at, reader->big) : 0;
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		if (!tfs_read_uleb128(&at, reader->end, &n))
			return false;
		head = (size_t)(at - from);
		break;
	default:
		if (!tfs_read_uleb128(&at, reader->end, &n))
			return false;
		*size = (uint64_t)(at - from);
		return true;
	}
	*size = head + n;
	return n <= left;
}

/* Where a reference into the same unit leads to; NULL for all others. */
static const unsigned char *referred(const struct tfs_die_reader *reader, uint16_t form,
				     const unsigned char *at)
{
	uint64_t off = 0;

	switch (form) {
	case DW_FORM_ref1:
		off = *at;
		break;
	case DW_FORM_ref2:
		off = tfs_load_u16(at, reader->big);
		break;
	case DW_FORM_ref4:
		off = tfs_load_u32(at, reader->big);
		break;
	case DW_FORM_ref8:
		off = tfs_load_u64(at, reader->big);
		break;
	case DW_FORM_ref_udata:
		if (!tfs_read_uleb128(&at, reader->end, &off))
			return NULL;
		break;
	default:
		return NULL;
	}
	return off < (uint64_t)(reader->end - reader->begin) &&
			       reader->begin + off >= reader->unit ?
		       reader->begin + off :
		       NULL;
}

uint64_t tfs_die_reader_load(const struct tfs_die_reader *reader, const unsigned char *at,
			     unsigned int size)
{
	return size == 8 ? tfs_load_u64(at, reader->big) : tfs_load_u32(at, reader->big);
}

static uint64_t load_offset(const struct tfs_die_reader *reader, const unsigned char *at)
{
	return tfs_die_reader_load(reader, at, reader->table.off_size);
}

/* Index into the unit's strings, addresses or lists, as clang writes it; false for other forms. */
static bool number_of(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
		      uint64_t *number)
{
	const unsigned char *at = value->at;

	switch (value->form) {
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		*number = *at;
		return true;
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		*number = tfs_load_u16(at, reader->big);
		return true;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		*number = reader->big ? (uint64_t)at[0] << 16 | tfs_load_u16(at + 1, true) :
					(uint64_t)at[2] << 16 | tfs_load_u16(at, false);
		return true;
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		*number = tfs_load_u32(at, reader->big);
		return true;
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_rnglistx:
		return tfs_read_uleb128(&at, reader->end, number);
	default:
		return false;
	}
}

static bool is_string_number(uint16_t form)
{
	return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4);
}

static bool is_address_number(uint16_t form)
{
	return form == DW_FORM_addrx || (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4);
}

/* Entry @number of a table whose entries have @size bytes; NULL if it is out of range. */
static const unsigned char *numbered(const struct tfs_unit_part *part, uint64_t number,
				     unsigned int size)
{
	if (!size || part->off > part->in.len || number >= (part->in.len - part->off) / size)
		return NULL;
	return part->in.s + part->off + number * size;
}

/* Offset of the name in .debug_str; false if this takes libdw. */
static bool string_offset(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
			  uint64_t *off)
{
	const unsigned char *at = value->at;
	uint64_t number;

	if (value->form != DW_FORM_strp) {
		if (!is_string_number(value->form) || !number_of(reader, value, &number))
			return false;
		at = numbered(&reader->strings, number, reader->table.off_size);
	}
	if (at)
		*off = load_offset(reader, at);
	return at != NULL;
}

bool tfs_raw_attr_list(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
		       uint64_t *off)
{
	const unsigned char *at;
	uint64_t number;

	if (value->form == DW_FORM_sec_offset) {
		*off = load_offset(reader, value->at);
		return true;
	}
	if (value->form != DW_FORM_rnglistx || !number_of(reader, value, &number))
		return false;
	at = numbered(&reader->lists, number, reader->table.off_size);
	if (at)
		*off = reader->lists.off + load_offset(reader, at);
	return at != NULL;
}

/* False if it is not in this file, or its form is left to libdw. */
static bool text(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
		 const char **out)
{
	uint64_t off;
	size_t len;

	if (value->form == DW_FORM_string) {
		*out = (const char *)value->at;
		return true;
	}
	if (!string_offset(reader, value, &off))
		return false;
	if (off < reader->str.len) {
		*out = (const char *)reader->str.s + off;
		return true;
	}
	*out = dwarf_getstring(reader->dw, off, &len);
	return *out != NULL;
}

bool tfs_raw_die_read(const struct tfs_die_reader *reader, const unsigned char *at,
		      struct tfs_raw_die *die)
{
	const struct tfs_abbrev_step *step, *end;
	uint64_t number, size;

	die->at = at;
	die->has = 0;
	if (!tfs_read_uleb128(&at, reader->end, &number) || !number || number >= reader->table.n)
		return false;
	die->abbrev = &reader->table.abbrev[number];
	if (!die->abbrev->steps)
		return false;
	step = &reader->table.step[die->abbrev->steps];
	for (end = step + die->abbrev->n_steps; step < end; step++) {
		size = step->size;
		if (step->kind != TFS_DIE_SKIP) {
			die->has |= 1u << step->kind;
			die->value[step->kind] =
				(struct tfs_raw_attr){ at, step->form, step->size };
			if (step->form == DW_FORM_implicit_const)
				continue;
		}
		if (size == TFS_DIE_SIZE_VARIES && !variable_size(reader, step->form, at, &size))
			return false;
		if (size > (uint64_t)(reader->end - at))
			return false;
		at += size;
	}
	die->next = at;
	return true;
}

/* The DIE after one with others in it, as it says itself; NULL if it does not. */
static const unsigned char *sibling(const struct tfs_die_reader *reader,
				    const struct tfs_raw_die *die)
{
	const struct tfs_raw_attr *value = tfs_raw_attr(die, TFS_DIE_SIBLING);
	const unsigned char *at = value ? referred(reader, value->form, value->at) : NULL;

	/* back would be for ever */
	return at > die->next ? at : NULL;
}

const unsigned char *tfs_raw_die_after(const struct tfs_die_reader *reader,
				       const struct tfs_raw_die *die)
{
	const unsigned char *at = die->next, *after;
	struct tfs_raw_die inner;
	size_t depth = 1;

	if (!die->abbrev->children)
		return at;
	after = sibling(reader, die);
	if (after)
		return after;
	while (depth) {
		at = tfs_raw_die_skip(reader, at);
		if (at >= reader->end)
			return NULL;
		if (!*at) {
			depth--;
			at++;
			continue;
		}
		if (!tfs_raw_die_read(reader, at, &inner))
			return NULL;
		at = inner.next;
		if (!inner.abbrev->children)
			continue;
		after = sibling(reader, &inner);
		if (after)
			at = after;
		else
			depth++;
	}
	return at;
}

const unsigned char *tfs_raw_die_origin(const struct tfs_die_reader *reader,
					const struct tfs_raw_die *die)
{
	const struct tfs_raw_attr *value = tfs_raw_attr(die, TFS_DIE_ORIGIN);

	return value ? referred(reader, value->form, value->at) : NULL;
}

bool tfs_raw_attr_number(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
			 uint64_t *out)
{
	const unsigned char *at = value->at;

	switch (value->form) {
	case DW_FORM_data1:
		*out = *at;
		return true;
	case DW_FORM_data2:
		*out = tfs_load_u16(at, reader->big);
		return true;
	case DW_FORM_data4:
		*out = tfs_load_u32(at, reader->big);
		return true;
	case DW_FORM_data8:
		*out = tfs_load_u64(at, reader->big);
		return true;
	case DW_FORM_udata:
		return tfs_read_uleb128(&at, reader->end, out);
	case DW_FORM_implicit_const:
		*out = value->constant;
		return value->constant != TFS_DIE_SIZE_VARIES;
	default:
		return false;
	}
}

bool tfs_raw_address_at_index(const struct tfs_die_reader *reader, uint64_t number, uint64_t *out)
{
	unsigned int size = reader->table.addr_size;
	const unsigned char *at = numbered(&reader->addresses, number, size);

	if (!at || (size != 4 && size != 8))
		return false;
	*out = tfs_die_reader_load(reader, at, size);
	return true;
}

bool tfs_raw_attr_address(const struct tfs_die_reader *reader, const struct tfs_raw_attr *value,
			  uint64_t *out)
{
	unsigned int size = reader->table.addr_size;
	uint64_t number;

	if (is_address_number(value->form))
		return number_of(reader, value, &number) &&
		       tfs_raw_address_at_index(reader, number, out);
	if (value->form != DW_FORM_addr || (size != 4 && size != 8))
		return false;
	*out = tfs_die_reader_load(reader, value->at, size);
	return true;
}

/* Fill in the names that a DIE has itself and that are not known yet; false: left to libdw. */
static bool take_names(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       struct tfs_raw_die_names *out)
{
	const struct tfs_raw_attr *v;

	v = out->name ? NULL : tfs_raw_attr(die, TFS_DIE_NAME);
	if (v && !text(reader, v, &out->name))
		return false;
	v = out->linkage ? NULL : tfs_raw_attr(die, TFS_DIE_LINKAGE_NAME);
	if (v && !text(reader, v, &out->linkage))
		return false;
	v = out->decl_line ? NULL : tfs_raw_attr(die, TFS_DIE_DECL_LINE);
	if (v && !tfs_raw_attr_number(reader, v, &out->decl_line))
		out->decl_line = UINT64_MAX;
	return true;
}

bool tfs_raw_die_names(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       struct tfs_raw_die_names *out)
{
	const struct tfs_raw_die *from = die;
	struct tfs_raw_die at;

	*out = (struct tfs_raw_die_names){ NULL, NULL, 0 };
	for (unsigned int i = 0; i < ORIGINS_MAX; i++) {
		const unsigned char *origin;

		if (!take_names(reader, from, out))
			return false;
		if (!tfs_raw_attr(from, TFS_DIE_ORIGIN))
			return true;
		origin = tfs_raw_die_origin(reader, from);
		if (!origin || !tfs_raw_die_read(reader, origin, &at))
			return false;
		from = &at;
	}
	return false;
}

/* Where the unit's part of a section begins; units of a .dwo do not say. */
static uint64_t part_of(const struct tfs_die_reader *reader, const struct tfs_raw_die *unit,
			enum tfs_die_attr kind)
{
	const struct tfs_raw_attr *v = tfs_raw_attr(unit, kind);

	return v && v->form == DW_FORM_sec_offset ? load_offset(reader, v->at) : UINT64_MAX;
}

/* Read the unit's own DIE here: libdw would read all abbreviations for it. */
static void read_unit(struct tfs_die_reader *reader)
{
	const struct tfs_raw_attr *v;
	struct tfs_raw_die die;
	uint64_t language;

	/* of a partial unit, say, all that is left to libdw */
	if (!tfs_raw_die_read(reader, reader->unit, &die) || die.abbrev->tag != DW_TAG_compile_unit)
		die.has = 0;
	reader->strings.off = part_of(reader, &die, TFS_DIE_STRINGS);
	reader->addresses.off = part_of(reader, &die, TFS_DIE_ADDRESSES);
	reader->lists.off = part_of(reader, &die, TFS_DIE_LISTS);
	v = tfs_raw_attr(&die, TFS_DIE_LANGUAGE);
	reader->language = v && tfs_raw_attr_number(reader, v, &language) &&
					   language <= UINT16_MAX ?
				   (int)language :
				   -1;
	v = tfs_raw_attr(&die, TFS_DIE_LOW_PC);
	reader->base = 0;
	reader->has_base = die.has && (v ? tfs_raw_attr_address(reader, v, &reader->base) :
					   !tfs_raw_attr(&die, TFS_DIE_ENTRY_PC));
}

int tfs_die_reader_open(struct tfs_die_reader *reader, Dwarf_Die *unit, bool big)
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
	rc = find_sections(reader, dwarf_cu_getdwarf(unit->cu));
	if (rc)
		return rc;
	/* what libdw reads, and nothing else */
	reader->unit = unit->addr;
	reader->cu = unit->cu;
	if (off >= reader->info.len || reader->unit != reader->info.s + off || in_unit < 11)
		return -ENOTSUP;
	reader->big = big;
	reader->begin = reader->unit - in_unit;
	len = off_size == 8 ? tfs_load_u64(reader->begin + 4, big) :
			      tfs_load_u32(reader->begin, big);
	len += off_size == 8 ? 12 : 4;
	if (len > reader->info.len - (off - in_unit))
		return -ENOTSUP;
	reader->end = reader->begin + len;
	tfs_abbrev_table_set_units(&reader->table, addr_size, off_size, version);
	rc = find_table(reader, abbrev);
	if (!rc)
		read_unit(reader);
	return rc;
}

/* dwarf_offdie() would look for the unit among all, each time. */
void tfs_die_reader_libdw_die(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
			      Dwarf_Die *out)
{
	*out = (Dwarf_Die){ .addr = (void *)(uintptr_t)die->at, .cu = reader->cu };
}
