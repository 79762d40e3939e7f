/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/unit.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cursor.h"
#include "dso/dso-elf.h"
#include "dso/section.h"
#include "dwarf/debuginfo-internal.h"

/*
 * Which unit an address belongs to. libdw's own look-up (dwarf_addrdie()) makes a list with an
 * allocation for each range, and reads the header of each unit for it: a third of the time it takes
 * to look one function of a kernel up, and most of the memory.
 */

/* Ranges may nest where a unit says only its lowest and highest address: so many are looked at. */
#define NESTED_MAX 64

static int by_start(const void *a, const void *b)
{
	const struct tfs_unit_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int add_range(struct tfs_unit_ranges *r, Dwarf_Addr from, Dwarf_Addr to,
		     const Dwarf_Die *unit)
{
	if (from >= to)
		return 0;
	if (tfs_grow(&r->v, &r->cap, r->n + 1))
		return -ENOMEM;
	r->v[r->n++] = (struct tfs_unit_range){ from, to, *unit };
	return 0;
}

static int add_ranges(struct tfs_unit_ranges *r, Dwarf_Die *unit)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	int rc = 0;

	while (!rc && (at = dwarf_ranges(unit, at, &base, &from, &to)) > 0)
		rc = add_range(r, from, to, unit);
	return rc;
}

/* The beginning of a set: its unit, and how long its addresses are. */
static int read_header(struct tfs_cursor *c, uint64_t *unit, uint8_t *addr_size)
{
	uint16_t version = 0;
	uint8_t segment_size = 0;
	uint32_t off = 0;
	bool is_64 = false;
	uint32_t len = 0;
	uint64_t long_len;
	int rc = tfs_cursor_u32(c, &len);

	if (!rc && len == UINT32_MAX) {
		is_64 = true;
		rc = tfs_cursor_u64(c, &long_len);
	}
	if (!rc)
		rc = tfs_cursor_u16(c, &version);
	if (!rc && is_64) {
		rc = tfs_cursor_u64(c, unit);
	} else if (!rc) {
		rc = tfs_cursor_u32(c, &off);
		*unit = off;
	}
	if (!rc)
		rc = tfs_cursor_u8(c, addr_size);
	if (!rc)
		rc = tfs_cursor_u8(c, &segment_size);
	if (rc || version != 2 || segment_size || (*addr_size != 4 && *addr_size != 8))
		return -EBADMSG;
	return 0;
}

static int read_address(struct tfs_cursor *c, uint8_t size, uint64_t *out)
{
	uint32_t small = 0;
	int rc = size == 8 ? tfs_cursor_u64(c, out) : tfs_cursor_u32(c, &small);

	if (size != 8)
		*out = small;
	return rc;
}

/* All units, in the order of the file; what is in them is not read. */
static int list_units(Dwarf *dw, struct tfs_unit_ranges *units)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	int rc = 0;

	while (!rc && !dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, NULL))
		rc = add_range(units, dwarf_dieoffset(&unit), UINT64_MAX, &unit);
	return rc;
}

/* Index of the first that begins after @at, r->n if none does. */
static size_t first_after(const struct tfs_unit_ranges *r, uint64_t at)
{
	return tfs_bisect(i, r->n, r->v[i].from <= at);
}

/* The unit whose header is at @off: its DIE is the first after it. */
static const Dwarf_Die *unit_from(const struct tfs_unit_ranges *units, Dwarf_Off off)
{
	size_t i = first_after(units, off);

	return i < units->n ? &units->v[i].unit : NULL;
}

/* One set; @c is at its beginning, and holds nothing after it. */
static int read_set(struct tfs_debuginfo *dbg, const struct tfs_unit_ranges *units,
		    struct tfs_cursor *c)
{
	uint64_t off, from, len;
	const Dwarf_Die *unit;
	uint8_t size;
	int rc = 0;

	if (read_header(c, &off, &size) || !(unit = unit_from(units, off)))
		return 0;
	/* pairs begin at a multiple of their size */
	c->off += (2u * size - c->off % (2u * size)) % (2u * size);
	while (!rc && c->off < c->size && !read_address(c, size, &from) &&
	       !read_address(c, size, &len) && (from || len))
		rc = from + len < from ? 0 : add_range(&dbg->listed, from, from + len, unit);
	return rc;
}

static int read_listed(struct tfs_debuginfo *dbg)
{
	struct tfs_unit_ranges units = { 0 };
	struct tfs_section s;
	size_t at = 0;
	int rc;

	if (!tfs_section_find(dwarf_getelf(dbg->dw), ".debug_aranges", &s))
		return 0;
	rc = list_units(dbg->dw, &units);
	while (!rc && s.len - at >= 12) {
		struct tfs_cursor c;
		uint64_t len = tfs_load_u32(s.s + at, tfs_dso_is_big_endian(dbg->dso)), head = 4;

		if (len == UINT32_MAX) {
			len = tfs_load_u64(s.s + at + 4, tfs_dso_is_big_endian(dbg->dso));
			head = 12;
		}
		if (len > s.len - at - head)
			break;
		tfs_cursor_init(&c, s.s + at, (size_t)(head + len),
				tfs_dso_is_big_endian(dbg->dso));
		rc = read_set(dbg, &units, &c);
		at += (size_t)(head + len);
	}
	free(units.v);
	return rc;
}

int tfs_units_next(struct tfs_debuginfo *dbg, struct tfs_units *it, Dwarf_Die *unit)
{
	Dwarf *dw = tfs_debuginfo_dwarf(dbg);
	uint8_t type = 0;
	Dwarf_Die split;

	if (!dw)
		return -ENODATA;
	do {
		int rc = dwarf_get_units(dw, it->cu, &it->cu, NULL, &type, unit, &split);

		if (rc)
			return rc == 1 ? 0 : -EBADMSG;
	} while (type == DW_UT_type || type == DW_UT_split_type);
	tfs_debuginfo_read_on(dbg, unit->addr);
	if (type == DW_UT_skeleton && split.addr)
		*unit = split;
	else if (type == DW_UT_skeleton)
		tfs_debuginfo_note_split(dbg, unit);
	return 1;
}

bool tfs_unit_is_bare(Dwarf_Die *unit)
{
	uint8_t type = 0;

	return !dwarf_cu_info(unit->cu, NULL, &type, NULL, NULL, NULL, NULL, NULL) &&
	       type == DW_UT_skeleton;
}

static int read_units(struct tfs_debuginfo *dbg)
{
	struct tfs_units it = { NULL };
	Dwarf_Die unit;
	int rc = 0;

	while (!rc && tfs_units_next(dbg, &it, &unit) > 0)
		rc = add_ranges(&dbg->ranges, &unit);
	return rc;
}

/* Fills @r when it is first asked. */
static int know(struct tfs_debuginfo *dbg, struct tfs_unit_ranges *r,
		int (*read)(struct tfs_debuginfo *dbg))
{
	int rc;

	if (r->known)
		return 0;
	r->known = true;
	rc = read(dbg);
	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_start);
	return rc;
}

static bool look_up(const struct tfs_unit_ranges *r, Dwarf_Addr addr, Dwarf_Die *unit)
{
	size_t after = first_after(r, addr);

	for (size_t i = after; i > 0 && after - i < NESTED_MAX; i--) {
		if (addr < r->v[i - 1].to) {
			*unit = r->v[i - 1].unit;
			return true;
		}
	}
	return false;
}

/* The unit itself may be a skeleton, whose children are in a .dwo. */
static void unsplit(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	Dwarf_Die split;
	uint8_t type = 0;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) ||
	    type != DW_UT_skeleton)
		return;
	if (split.addr)
		*unit = split;
	else
		tfs_debuginfo_note_split(dbg, unit);
}

int tfs_unit_at(struct tfs_debuginfo *dbg, Dwarf_Addr addr, Dwarf_Die *unit)
{
	Dwarf *dw = tfs_debuginfo_dwarf(dbg);
	bool found;
	int rc;

	if (!dw)
		return -ENODATA;
	/* sections of a relocatable file: only libdw knows where they are */
	rc = tfs_dso_is_relocatable(dbg->dso) ? 0 : know(dbg, &dbg->listed, read_listed);
	if (rc)
		return rc;
	found = tfs_dso_is_relocatable(dbg->dso) ? dwarf_addrdie(dw, addr, unit) != NULL :
						   look_up(&dbg->listed, addr, unit);
	if (found) {
		unsplit(dbg, unit);
		return 0;
	}
	/* .debug_aranges is optional, and some compilers leave it out: unit DIEs have the same */
	rc = know(dbg, &dbg->ranges, read_units);
	if (rc)
		return rc;
	return look_up(&dbg->ranges, addr, unit) ? 0 : -ENOENT;
}
