/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "dso/section.h"
#include "dso/symbol.h"

/* A slot of the global offset table, and the function the loader puts there. */
struct slot {
	uint64_t addr;
	const char *name;
};

/* @read: bytes of the relocations so far */
struct slots {
	struct slot *v;
	size_t n;
	size_t read;
};

static int by_addr(const void *a, const void *b)
{
	const struct slot *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Relocations against functions: those of the linkage table, and of eager binding. */
static int add_slots(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct slots *slots)
{
	Elf_Scn *sym_scn = elf_getscn(elf, sh->sh_link);
	Elf_Data *rela = elf_getdata(scn, NULL);
	Elf_Data *syms;
	GElf_Shdr sym_sh;
	size_t one = gelf_fsize(elf, ELF_T_RELA, 1, EV_CURRENT);
	struct slot *v;
	size_t n;

	if (!sym_scn || !rela || !one || !gelf_getshdr(sym_scn, &sym_sh) ||
	    !tfs_dso_relocations_fit(elf, rela, &slots->read))
		return 0;
	n = rela->d_size / one;
	syms = elf_getdata(sym_scn, NULL);
	v = reallocarray(slots->v, slots->n + n + 1, sizeof(*v));
	if (!v)
		return -ENOMEM;
	slots->v = v;
	for (size_t i = 0; i < n; i++) {
		GElf_Rela r;
		GElf_Sym sym;
		const char *name;
		unsigned int type;

		if (!gelf_getrela(rela, (int)i, &r))
			break;
		type = (unsigned int)GELF_R_TYPE(r.r_info);
		if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) ||
		    !gelf_getsym(syms, (int)GELF_R_SYM(r.r_info), &sym))
			continue;
		name = elf_strptr(elf, sym_sh.sh_link, sym.st_name);
		if (name && *name)
			v[slots->n++] = (struct slot){ r.r_offset, name };
	}
	return 0;
}

static const struct slot *slot_at(const struct slots *slots, uint64_t addr)
{
	struct slot key = { addr, NULL };

	return slots->n ? bsearch(&key, slots->v, slots->n, sizeof(key), by_addr) : NULL;
}

/*
 * A stub of x86-64 jumps through its slot: [endbr64] [bnd] jmp *disp32(%rip). Each is 8 or 16 bytes
 * long, on a boundary of its size.
 */
static int scan_stubs(struct tfs_dso *dso, const GElf_Shdr *sh, Elf_Data *data,
		      const struct slots *slots)
{
	const unsigned char *code = data->d_buf;
	size_t step = sh->sh_entsize == 8 ? 8 : 16;

	for (size_t at = 0; at + step <= data->d_size; at += step) {
		size_t i = at;
		const struct slot *slot;
		struct tfs_symbol s = { .type = TFS_SYMBOL_PLT, .local = true };
		uint64_t target;

		if (!memcmp(code + i, "\xf3\x0f\x1e\xfa", 4))
			i += 4;
		if (code[i] == 0xf2)
			i++;
		if (i + 6 > at + step || code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		target = sh->sh_addr + i + 6 +
			 (uint64_t)(int64_t)(int32_t)tfs_load_u32(code + i + 2, false);
		slot = slot_at(slots, target);
		if (!slot)
			continue;
		if (tfs_strvec_pushf(&dso->symbols.names, "%s@plt", slot->name))
			return -ENOMEM;
		s.name = dso->symbols.names.v[dso->symbols.names.n - 1];
		s.addr = sh->sh_addr + at;
		s.size = step;
		if (tfs_symbol_add(dso, &s))
			return -ENOMEM;
	}
	return 0;
}

int tfs_dso_load_plt(struct tfs_dso *dso)
{
	struct slots slots = { NULL, 0, 0 };
	struct tfs_section_walk walk;
	int rc = 0;

	if (dso->arch != TFS_ARCH_X86_64 || !tfs_section_walk(&walk, dso->elf))
		return 0;
	while (!rc && tfs_section_next(&walk))
		if (walk.header.sh_type == SHT_RELA && (walk.header.sh_flags & SHF_ALLOC))
			rc = add_slots(dso->elf, walk.scn, &walk.header, &slots);
	if (slots.n)
		qsort(slots.v, slots.n, sizeof(*slots.v), by_addr);
	tfs_section_walk(&walk, dso->elf);
	while (!rc && tfs_section_next(&walk)) {
		Elf_Data *data;

		if (walk.header.sh_type != SHT_PROGBITS || strncmp(walk.name, ".plt", 4) != 0)
			continue;
		data = elf_getdata(walk.scn, NULL);
		if (data && data->d_buf)
			rc = scan_stubs(dso, &walk.header, data, &slots);
	}
	free(slots.v);
	return rc;
}
