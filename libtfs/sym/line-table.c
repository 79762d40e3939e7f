/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/line-table.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "sym/scan-leb.h"
#include "sym/section.h"

/* Rows that libdw may be asked for at once: some 400 MB. The largest programs have half of it. */
#define ROWS_MAX 4000000
/* Units share a table now and then. */
#define SHARED 65536

/* The bytes of a unit's table from its first on, with what is before it in the section left out. */
struct table {
	struct tfs_cursor c;
	size_t section;
	bool dwarf64;
};

/* A split unit's rows are those of the unit that it was split off. */
static void whole_unit(Dwarf_Die *unit, Dwarf_Die *out)
{
	Dwarf_Die other = { .addr = NULL };
	uint8_t type = 0;

	*out = *unit;
	if (!dwarf_cu_info(unit->cu, NULL, &type, NULL, &other, NULL, NULL, NULL) &&
	    type == DW_UT_split_compile && other.addr)
		*out = other;
}

/* Return: false if there is no table, or none that can be told the size of. */
static bool find_table(Dwarf_Die *unit, struct table *t)
{
	struct tfs_section section;
	Dwarf_Attribute attr;
	Dwarf_Word at = 0;
	Dwarf_Die whole;
	uint64_t len;
	uint32_t word;
	GElf_Ehdr ehdr;
	Elf *elf;

	whole_unit(unit, &whole);
	elf = dwarf_getelf(dwarf_cu_getdwarf(whole.cu));
	if (!elf || !gelf_getehdr(elf, &ehdr) || !dwarf_attr(&whole, DW_AT_stmt_list, &attr) ||
	    dwarf_formudata(&attr, &at) ||
	    (!tfs_section_find(elf, ".debug_line", &section) &&
	     !tfs_section_find(elf, ".zdebug_line", &section)) ||
	    at > section.len)
		return false;
	tfs_cursor_init(&t->c, section.s + at, section.len - at,
			ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
	t->section = section.len;
	if (tfs_cursor_u32(&t->c, &word))
		return false;
	len = word;
	t->dwarf64 = word == UINT32_MAX;
	if (t->dwarf64 && tfs_cursor_u64(&t->c, &len))
		return false;
	if (len < tfs_cursor_left(&t->c))
		t->c.size = t->c.off + len;
	return true;
}

/* What standard operations have as operands, by their number. */
struct operands {
	uint8_t count[256];
	uint8_t base;
};

/* Up to the program itself. */
static bool read_head(struct table *t, struct operands *ops)
{
	struct tfs_cursor *c = &t->c;
	uint64_t head = 0;
	uint32_t word = 0;
	uint16_t version;
	const void *skipped;
	size_t program;

	if (tfs_cursor_u16(c, &version) || (version >= 5 && tfs_cursor_bytes(c, 2, &skipped)))
		return false;
	if (t->dwarf64 ? tfs_cursor_u64(c, &head) : tfs_cursor_u32(c, &word))
		return false;
	if (!t->dwarf64)
		head = word;
	program = c->off;
	if (head > tfs_cursor_left(c))
		return false;
	program += head;
	/* sizes of instructions and lines, which say nothing of how many rows there are */
	if (tfs_cursor_bytes(c, version >= 4 ? 5 : 4, &skipped) || tfs_cursor_u8(c, &ops->base))
		return false;
	for (unsigned int i = 1; i < ops->base; i++)
		if (tfs_cursor_u8(c, &ops->count[i]))
			return false;
	if (c->off > program)
		return false;
	c->off = program;
	return true;
}

static bool skip_leb(const unsigned char **at, const unsigned char *end, unsigned int n)
{
	uint64_t value;

	while (n--)
		if (!tfs_scan_uleb(at, end, &value))
			return false;
	return true;
}

/* Rows that the program makes, no more than @max and one. */
static size_t count_rows(const struct table *t, const struct operands *ops, size_t max)
{
	const unsigned char *at = t->c.base + t->c.off, *end = t->c.base + t->c.size;
	size_t rows = 0;

	while (at < end && rows <= max) {
		unsigned int op = *at++;
		uint64_t len;

		if (op >= ops->base || op == DW_LNS_copy) {
			rows++;
		} else if (!op) {
			if (!tfs_scan_uleb(&at, end, &len) || len > (size_t)(end - at))
				break;
			rows += len && *at == DW_LNE_end_sequence;
			at += len;
		} else if (op == DW_LNS_fixed_advance_pc) {
			at += end - at < 2 ? end - at : 2;
		} else if (!skip_leb(&at, end, ops->count[op])) {
			break;
		}
	}
	return rows;
}

static bool is_believed(Dwarf_Die *unit)
{
	struct operands ops = { .base = 0 };
	struct table t;

	/* No row is less than a byte; what libdw cannot read either, it will say. */
	if (!find_table(unit, &t) || tfs_cursor_left(&t.c) <= ROWS_MAX)
		return true;
	return read_head(&t, &ops) && count_rows(&t, &ops, ROWS_MAX) <= ROWS_MAX;
}

int tfs_unit_lines(Dwarf_Die *unit, Dwarf_Lines **lines, size_t *n)
{
	return is_believed(unit) ? dwarf_getsrclines(unit, lines, n) : -1;
}

int tfs_unit_files(Dwarf_Die *unit, Dwarf_Files **files, size_t *n)
{
	return is_believed(unit) ? dwarf_getsrcfiles(unit, files, n) : -1;
}

Dwarf_Line *tfs_unit_line_at(Dwarf_Die *unit, Dwarf_Addr addr)
{
	return is_believed(unit) ? dwarf_getsrc_die(unit, addr) : NULL;
}

int tfs_line_use_add(struct tfs_line_use *use, Dwarf_Die *unit)
{
	struct table t;

	if (!find_table(unit, &t))
		return 0;
	use->bytes += tfs_cursor_left(&t.c);
	return use->bytes > 2 * t.section + SHARED ? -EBADMSG : 0;
}
