/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-relocate.h"

#include <gelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "dso/dso-internal.h"

/* The relocation types of debug sections, by machine: an address of four or of eight bytes. */
static const struct types {
	unsigned int machine;
	unsigned int four;
	unsigned int eight;
} machines[] = {
	{ EM_X86_64, R_X86_64_32, R_X86_64_64 },
	{ EM_AARCH64, R_AARCH64_ABS32, R_AARCH64_ABS64 },
	{ EM_S390, R_390_32, R_390_64 },
	{ EM_PPC64, R_PPC64_ADDR32, R_PPC64_ADDR64 },
};

/* A symbol's address; @known is false of what the file does not define. */
struct worth {
	uint64_t addr;
	bool known;
};

/*
 * struct relocator - what relocations of a file refer to
 * @table: index of its symbol table; @v: @n symbols
 * @read: bytes of relocations so far
 */
struct relocator {
	Elf *elf;
	const struct types *types;
	bool swap;
	size_t table;
	struct worth *v;
	size_t n;
	size_t read;
};

static const struct types *find_types(Elf *elf, bool *swap)
{
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh) || eh.e_type != ET_REL || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return NULL;
	*swap = (eh.e_ident[EI_DATA] == ELFDATA2MSB) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].machine == eh.e_machine)
			return &machines[i];
	return NULL;
}

/* The next section that is in memory, from @scn on; NULL if there is none. */
static Elf_Scn *next_in_memory(Elf *elf, Elf_Scn *scn, GElf_Shdr *sh)
{
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_flags & SHF_ALLOC)
			return scn;
	return NULL;
}

/* Where each section begins, 0 of those that are not in memory; yours. */
static uint64_t *section_addresses(Elf *elf, Elf *laid_out, size_t n)
{
	uint64_t *addr = calloc(n + 1, sizeof(*addr));
	Elf_Scn *scn = NULL, *other = NULL;
	GElf_Shdr sh, there;

	while (addr && (scn = next_in_memory(elf, scn, &sh))) {
		size_t index = elf_ndxscn(scn);

		other = next_in_memory(laid_out, other, &there);
		if (!other || index >= n)
			break;
		addr[index] = sh.sh_addr ? sh.sh_addr : there.sh_addr;
	}
	return addr;
}

static bool find_symbols(struct relocator *r, Elf *laid_out)
{
	size_t n_sections = 0;
	Elf_Data *data = NULL;
	Elf_Scn *scn = NULL;
	const Elf64_Sym *syms;
	uint64_t *addr;
	GElf_Shdr sh;

	while (!data && (scn = elf_nextscn(r->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			data = elf_getdata(scn, NULL);
	if (!data || !data->d_buf || data->d_type != ELF_T_SYM ||
	    elf_getshdrnum(r->elf, &n_sections))
		return false;
	r->table = elf_ndxscn(scn);
	r->n = data->d_size / sizeof(*syms);
	r->v = calloc(r->n + 1, sizeof(*r->v));
	addr = section_addresses(r->elf, laid_out, n_sections);
	syms = data->d_buf;
	for (size_t i = 0; r->v && addr && i < r->n; i++) {
		unsigned int section = syms[i].st_shndx;

		/* strip leaves no symbol for a debug section that it moves to a file of its own */
		r->v[i].known = !i || (section && section < SHN_LORESERVE && section < n_sections);
		if (i && r->v[i].known)
			r->v[i].addr = syms[i].st_value + addr[section];
	}
	free(addr);
	return r->v && addr;
}

static void put(unsigned char *to, uint64_t value, size_t size, bool swap)
{
	uint32_t word = (uint32_t)value;

	if (size == sizeof(word)) {
		word = swap ? __builtin_bswap32(word) : word;
		memcpy(to, &word, sizeof(word));
	} else {
		value = swap ? __builtin_bswap64(value) : value;
		memcpy(to, &value, sizeof(value));
	}
}

/* All relocations of a section. It does no harm to write some, and then have libdwfl write all. */
static bool write_all(const struct relocator *r, const Elf_Data *relocations, Elf_Data *to)
{
	const Elf64_Rela *rela = relocations->d_buf;
	size_t n = relocations->d_size / sizeof(*rela);

	for (size_t i = 0; i < n; i++) {
		uint64_t symbol = ELF64_R_SYM(rela[i].r_info), off = rela[i].r_offset;
		unsigned int type = ELF64_R_TYPE(rela[i].r_info);
		size_t size = type == r->types->four ? 4 : 8;

		/* a linker's, for one that is no longer needed */
		if (!type)
			continue;
		if ((size == 8 && type != r->types->eight) || symbol >= r->n ||
		    !r->v[symbol].known || off > to->d_size || to->d_size - off < size)
			return false;
		put((unsigned char *)to->d_buf + off,
		    r->v[symbol].addr + (uint64_t)rela[i].r_addend, size, r->swap);
	}
	return true;
}

static bool relocate(struct relocator *r, Elf_Scn *scn, Elf_Scn *target, GElf_Shdr *sh)
{
	Elf_Data *relocations, *to;
	GElf_Shdr there;

	if (!r->v || sh->sh_type != SHT_RELA || sh->sh_link != r->table ||
	    (sh->sh_flags & SHF_COMPRESSED) || !gelf_getshdr(target, &there) ||
	    there.sh_type != SHT_PROGBITS || (there.sh_flags & SHF_COMPRESSED))
		return false;
	relocations = elf_getdata(scn, NULL);
	to = elf_rawdata(target, NULL);
	if (!relocations || !relocations->d_buf || relocations->d_type != ELF_T_RELA || !to ||
	    !to->d_buf || !tfs_dso_relocations_fit(r->elf, relocations, &r->read) ||
	    !write_all(r, relocations, to))
		return false;
	sh->sh_size = 0;
	return gelf_update_shdr(scn, sh) != 0;
}

/* Is it one of those that libdw reads? */
static bool is_debug(Elf *elf, size_t strings, Elf_Scn *scn)
{
	const char *name;
	GElf_Shdr sh;

	if (!scn || !gelf_getshdr(scn, &sh) || sh.sh_flags & SHF_ALLOC)
		return false;
	name = elf_strptr(elf, strings, sh.sh_name);
	return name && !strncmp(name, ".debug_", 7);
}

bool tfs_relocate_debug(Elf *elf, Elf *laid_out)
{
	struct relocator r = { .elf = elf };
	bool done = true, looked = false;
	Elf_Scn *scn = NULL;
	size_t strings;

	r.types = find_types(elf, &r.swap);
	if (!r.types || elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Scn *target;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || !sh.sh_size ||
		    (sh.sh_type != SHT_RELA && sh.sh_type != SHT_REL))
			continue;
		target = elf_getscn(elf, sh.sh_info);
		if (!is_debug(elf, strings, target))
			continue;
		if (!looked)
			find_symbols(&r, laid_out);
		looked = true;
		if (!relocate(&r, scn, target, &sh))
			done = false;
	}
	free(r.v);
	return done;
}

void tfs_relocate_module(Dwfl_Module *mod)
{
	Elf *elf = NULL;
	GElf_Addr addr;
	GElf_Sym sym;

	/* its symbols have addresses, but no section was written to */
	if (dwfl_module_getsymtab(mod) > 1 &&
	    dwfl_module_getsym_info(mod, 1, &sym, &addr, NULL, &elf, NULL) && elf)
		tfs_relocate_debug(elf, elf);
}
