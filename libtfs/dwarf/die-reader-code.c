/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/die-reader-code.h"

#include <dwarf.h>
#include <stddef.h>

#include "dwarf/die-reader-leb.h"
#include "dwarf/die-reader.h"

/*
 * Where code is: that of two functions or copies of three is in one range, others have a list, in
 * .debug_ranges before DWARF 5 (2.17.3 of DWARF 4), since then in .debug_rnglists (2.17.3 and 7.25
 * of DWARF 5).
 */

/* The one range of a DIE that has a highest address, which may count from the lowest. */
static bool one_range(const struct tfs_die_reader *reader, const struct tfs_raw_attr *low,
		      const struct tfs_raw_attr *high, struct tfs_raw_ranges *it)
{
	uint64_t size;

	if (!low || !tfs_raw_attr_address(reader, low, &it->low))
		return false;
	if (high->form == DW_FORM_addr)
		return tfs_raw_attr_address(reader, high, &it->high);
	if (!tfs_raw_attr_number(reader, high, &size))
		return false;
	it->high = it->low + size;
	return true;
}

bool tfs_raw_ranges(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		    struct tfs_raw_ranges *it)
{
	const struct tfs_raw_attr *high = tfs_raw_attr(die, TFS_DIE_HIGH_PC);
	const struct tfs_raw_attr *list = tfs_raw_attr(die, TFS_DIE_RANGES);
	const struct tfs_section *s;
	uint64_t off;

	*it = (struct tfs_raw_ranges){ .reader = reader, .base = reader->base };
	if (high)
		return one_range(reader, tfs_raw_attr(die, TFS_DIE_LOW_PC), high, it);
	s = reader->table.version < 5 ? &reader->ranges : &reader->rnglists;
	if (!list || !reader->has_base || !tfs_raw_attr_list(reader, list, &off) || off >= s->len)
		return false;
	it->at = s->s + off;
	it->end = s->s + s->len;
	return true;
}

static bool read_address(struct tfs_raw_ranges *it, uint64_t *out)
{
	unsigned int size = it->reader->table.addr_size;

	if ((size != 4 && size != 8) || (size_t)(it->end - it->at) < size)
		return false;
	*out = tfs_die_reader_load(it->reader, it->at, size);
	it->at += size;
	return true;
}

/* Pairs; the greatest address in place of the first is another base. */
static int next_pair(struct tfs_raw_ranges *it, uint64_t *from, uint64_t *to)
{
	const uint64_t all_ones = it->reader->table.addr_size == 4 ? UINT32_MAX : UINT64_MAX;

	while (read_address(it, from) && read_address(it, to)) {
		if (*from == all_ones) {
			it->base = *to;
			continue;
		}
		if (!*from && !*to)
			return 0;
		*from += it->base;
		*to += it->base;
		return 1;
	}
	return -1;
}

/* An address that is given by its index. */
static bool read_number(struct tfs_raw_ranges *it, uint64_t *out)
{
	uint64_t number;

	return tfs_read_uleb128(&it->at, it->end, &number) &&
	       tfs_raw_address_at_index(it->reader, number, out);
}

/* Two numbers, each counted from @base. */
static bool read_pair(struct tfs_raw_ranges *it, uint64_t base, uint64_t *from, uint64_t *to)
{
	if (!tfs_read_uleb128(&it->at, it->end, from) || !tfs_read_uleb128(&it->at, it->end, to))
		return false;
	*from += base;
	*to += base;
	return true;
}

/* How long it is, from the address before. */
static bool read_length(struct tfs_raw_ranges *it, const uint64_t *from, uint64_t *to)
{
	if (!tfs_read_uleb128(&it->at, it->end, to))
		return false;
	*to += *from;
	return true;
}

/* The bounds of an entry of a range list, after its kind. */
static bool read_bounds(struct tfs_raw_ranges *it, unsigned int kind, uint64_t *from, uint64_t *to)
{
	switch (kind) {
	case DW_RLE_offset_pair:
		return read_pair(it, it->base, from, to);
	case DW_RLE_start_end:
		return read_address(it, from) && read_address(it, to);
	case DW_RLE_startx_endx:
		return read_number(it, from) && read_number(it, to);
	case DW_RLE_start_length:
		return read_address(it, from) && read_length(it, from, to);
	case DW_RLE_startx_length:
		return read_number(it, from) && read_length(it, from, to);
	default:
		return false;
	}
}

static int next_entry(struct tfs_raw_ranges *it, uint64_t *from, uint64_t *to)
{
	while (it->at < it->end) {
		unsigned int kind = *it->at++;
		bool ok;

		if (kind == DW_RLE_end_of_list)
			return 0;
		if (kind != DW_RLE_base_address && kind != DW_RLE_base_addressx)
			return read_bounds(it, kind, from, to) ? 1 : -1;
		ok = kind == DW_RLE_base_address ? read_address(it, &it->base) :
						   read_number(it, &it->base);
		if (!ok)
			return -1;
	}
	return -1;
}

int tfs_raw_ranges_next(struct tfs_raw_ranges *it, uint64_t *from, uint64_t *to)
{
	if (it->at)
		return it->reader->table.version < 5 ? next_pair(it, from, to) :
						       next_entry(it, from, to);
	if (it->done)
		return 0;
	it->done = true;
	*from = it->low;
	*to = it->high;
	return 1;
}

/* It is entered where it says, else at its lowest address or, with neither, in its first range. */
static bool find_entry(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       const struct tfs_raw_ranges *ranges, uint64_t *entry)
{
	const struct tfs_raw_attr *low = tfs_raw_attr(die, TFS_DIE_LOW_PC);
	const struct tfs_raw_attr *pc = tfs_raw_attr(die, TFS_DIE_ENTRY_PC);
	struct tfs_raw_ranges first = *ranges;
	uint64_t offset = 0, end;

	if (pc && tfs_raw_attr_address(reader, pc, entry))
		return true;
	if (!pc && !low)
		return tfs_raw_ranges_next(&first, entry, &end) > 0;
	/* a constant counts from the lowest */
	if ((pc && !tfs_raw_attr_number(reader, pc, &offset)) || !low ||
	    !tfs_raw_attr_address(reader, low, entry))
		return false;
	*entry += offset;
	return true;
}

bool tfs_raw_die_entry(const struct tfs_die_reader *reader, const struct tfs_raw_die *die,
		       uint64_t *entry, uint64_t *end)
{
	struct tfs_raw_ranges it;
	uint64_t from, to;
	int more;

	if (!tfs_raw_ranges(reader, die, &it) || !find_entry(reader, die, &it, entry))
		return false;
	*end = *entry;
	while ((more = tfs_raw_ranges_next(&it, &from, &to)) > 0) {
		if (*entry >= from && *entry < to) {
			*end = to;
			return true;
		}
	}
	return !more;
}
