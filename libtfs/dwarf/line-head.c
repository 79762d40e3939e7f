/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/line-head.h"

#include <dwarf.h>
#include <gelf.h>

#include "dso/section.h"
#include "dwarf/debuginfo-internal.h"

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

static bool find_sections(struct tfs_line_sections *s, Elf *elf)
{
	GElf_Ehdr ehdr;

	if (!elf || s->elf == elf)
		return elf;
	*s = (struct tfs_line_sections){ 0 };
	if (!gelf_getehdr(elf, &ehdr))
		return false;
	s->big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	if (!tfs_section_find(elf, ".debug_line", &s->lines))
		tfs_section_find(elf, ".zdebug_line", &s->lines);
	tfs_section_find(elf, ".debug_line_str", &s->strings);
	s->elf = elf;
	return true;
}

bool tfs_line_head_find(struct tfs_debuginfo *dbg, Dwarf_Die *unit,
			struct tfs_line_sections *sections, struct tfs_line_head *t)
{
	struct tfs_line_sections own = { 0 }, *in = sections ? sections : &own;
	Dwarf_Attribute attr;
	Dwarf_Word at = 0;
	Dwarf_Die whole;
	uint64_t len;
	uint32_t word;

	whole_unit(unit, &whole);
	if (!tfs_debuginfo_expand(dbg, TFS_DEBUG_LINES) ||
	    !find_sections(in, dwarf_getelf(dwarf_cu_getdwarf(whole.cu))) || !in->lines.s ||
	    !dwarf_attr(&whole, DW_AT_stmt_list, &attr) || dwarf_formudata(&attr, &at) ||
	    at > in->lines.len)
		return false;
	tfs_cursor_init(&t->c, in->lines.s + at, in->lines.len - at, in->big);
	t->section = in->lines.len;
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

bool tfs_line_head_read(struct tfs_line_head *t)
{
	struct tfs_cursor *c = &t->c;
	uint64_t head = 0;
	uint32_t word = 0;
	const void *skipped;

	if (tfs_cursor_u16(c, &t->version) || (t->version >= 5 && tfs_cursor_bytes(c, 2, &skipped)))
		return false;
	if (t->dwarf64 ? tfs_cursor_u64(c, &head) : tfs_cursor_u32(c, &word))
		return false;
	if (!t->dwarf64)
		head = word;
	if (head > tfs_cursor_left(c))
		return false;
	t->program = c->off + head;
	/* sizes of instructions and lines, which say nothing of rows and files */
	if (tfs_cursor_bytes(c, t->version >= 4 ? 5 : 4, &skipped) || tfs_cursor_u8(c, &t->base))
		return false;
	t->operands[0] = 0;
	for (unsigned int i = 1; i < t->base; i++)
		if (tfs_cursor_u8(c, &t->operands[i]))
			return false;
	t->files = c->off;
	return t->files <= t->program;
}
