/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-internal.h"

#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dso/debugdata.h"
#include "dso/symbol.h"

/*
 * Symbols of ELF files. A kernel has a hundred thousand, and each call into libelf takes locks: a
 * table is asked for once, and read as the array that it is.
 */

/**
 * struct table - a symbol table in memory
 * @strings: @strings_len bytes, of which the last is 0
 * @is_code: of each section, whether it has code; NULL if that is not of interest
 */
struct table {
	const unsigned char *symbols;
	size_t n;
	bool wide;
	const char *strings;
	size_t strings_len;
	bool *is_code;
	size_t n_sections;
};

static bool open_table(Elf *elf, Elf_Scn *scn, struct table *t)
{
	Elf_Data *data = elf_getdata(scn, NULL), *strings;
	const char *last;
	GElf_Shdr sh;

	if (!data || !data->d_buf || data->d_type != ELF_T_SYM || !gelf_getshdr(scn, &sh))
		return false;
	strings = elf_getdata(elf_getscn(elf, sh.sh_link), NULL);
	if (!strings || !strings->d_buf)
		return false;
	last = memrchr(strings->d_buf, 0, strings->d_size);
	t->wide = gelf_getclass(elf) == ELFCLASS64;
	t->symbols = data->d_buf;
	t->n = data->d_size / (t->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym));
	t->strings = strings->d_buf;
	t->strings_len = last ? (size_t)(last - t->strings) + 1 : 0;
	return true;
}

/* The name of a symbol, NULL if it is outside the strings. */
static const char *read_symbol(const struct table *t, size_t i, GElf_Sym *sym)
{
	Elf32_Sym narrow;

	if (t->wide) {
		memcpy(sym, t->symbols + i * sizeof(*sym), sizeof(*sym));
	} else {
		memcpy(&narrow, t->symbols + i * sizeof(narrow), sizeof(narrow));
		*sym = (GElf_Sym){ .st_name = narrow.st_name,
				   .st_info = narrow.st_info,
				   .st_other = narrow.st_other,
				   .st_shndx = narrow.st_shndx,
				   .st_value = narrow.st_value,
				   .st_size = narrow.st_size };
	}
	return sym->st_name < t->strings_len ? t->strings + sym->st_name : NULL;
}

static enum tfs_symbol_type type_of(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		return TFS_SYMBOL_FUNC;
	case STT_GNU_IFUNC:
		return TFS_SYMBOL_IFUNC;
	case STT_OBJECT:
	case STT_COMMON:
		return TFS_SYMBOL_DATA;
	case STT_TLS:
		return TFS_SYMBOL_TLS;
	default:
		return TFS_SYMBOL_OTHER;
	}
}

/* Mapping symbols ($a, $d, $x) and local labels are not useful to users. */
static bool is_noise(const char *name, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return !*name || type == STT_SECTION || type == STT_FILE || *name == '$' ||
	       !strncmp(name, ".L", 2);
}

static void adapt(const struct tfs_dso *dso, const GElf_Sym *sym, struct tfs_symbol *s)
{
	/* The low bit marks Thumb code; it is not part of the address. */
	if (dso->arch == TFS_ARCH_ARM && s->type == TFS_SYMBOL_FUNC) {
		s->thumb = s->addr & 1;
		s->addr &= ~(uint64_t)1;
	}
	if (dso->arch == TFS_ARCH_PPC64LE && s->type == TFS_SYMBOL_FUNC)
		s->skip = (unsigned int)PPC64_LOCAL_ENTRY_OFFSET(sym->st_other);
}

static bool is_code_section(Elf *elf, size_t section)
{
	Elf_Scn *scn = elf ? elf_getscn(elf, section) : NULL;
	GElf_Shdr sh;

	return !scn || !gelf_getshdr(scn, &sh) || (sh.sh_flags & SHF_EXECINSTR);
}

static int add_symbol(struct tfs_dso *dso, const char *name, const GElf_Sym *sym, uint64_t addr,
		      bool in_code)
{
	struct tfs_symbol s = {
		.name = name,
		.addr = addr,
		.size = sym->st_size,
		.type = type_of(sym),
		.local = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
	};

	/* A kernel has data among its code, which only the section distinguishes. */
	if (s.type == TFS_SYMBOL_OTHER && !in_code)
		s.type = TFS_SYMBOL_DATA;
	adapt(dso, sym, &s);
	return tfs_symbol_add(dso, &s);
}

static bool is_nowhere(GElf_Word section)
{
	return section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON;
}

/* Symbol by symbol, where libdwfl has more to say than the table: it joins two, or moves them. */
static int add_each(struct tfs_dso *dso, int n)
{
	for (int i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Addr addr;
		GElf_Word section;
		const char *name;
		Elf *elf = NULL;
		int rc;

		name = dwfl_module_getsym_info(dso->mod, i, &sym, &addr, &section, &elf, NULL);
		if (!name || is_nowhere(section) || is_noise(name, &sym))
			continue;
		rc = add_symbol(dso, name, &sym, addr, is_code_section(elf, section));
		if (rc)
			return rc;
	}
	return 0;
}

/* Is the table that libdwfl found, with @n symbols, this file's and the only one? */
static bool find_table(Elf *elf, size_t n, struct table *t)
{
	Elf_Scn *scn = NULL, *found = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_SYMTAB_SHNDX)
			return false;
		if (!found && sh.sh_type == SHT_SYMTAB)
			found = scn;
	}
	return found && open_table(elf, found, t) && t->n == n;
}

static int know_sections(Elf *elf, struct table *t)
{
	if (elf_getshdrnum(elf, &t->n_sections))
		t->n_sections = 0;
	t->is_code = calloc(t->n_sections + 1, sizeof(*t->is_code));
	if (!t->is_code)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_sections; i++)
		t->is_code[i] = is_code_section(elf, i);
	return 0;
}

/* All of a table; @bias is what libdwfl adds to addresses of its file. */
static int add_table(struct tfs_dso *dso, const struct table *t, uint64_t bias)
{
	int rc = 0;

	for (size_t i = 1; i < t->n && !rc; i++) {
		GElf_Sym sym;
		const char *name = read_symbol(t, i, &sym);
		size_t section = sym.st_shndx;

		if (!name || is_nowhere(sym.st_shndx) || section == SHN_XINDEX ||
		    is_noise(name, &sym))
			continue;
		rc = add_symbol(dso, name, &sym, sym.st_value + bias,
				section >= t->n_sections || t->is_code[section]);
	}
	return rc;
}

int tfs_dso_load_symtab(struct tfs_dso *dso)
{
	struct table t = { 0 };
	int n, rc;
	Elf *elf = NULL;
	Dwarf_Addr bias;
	GElf_Addr addr;
	GElf_Sym sym;

	if (!tfs_debugdata_is_sound(dso->elf)) {
		snprintf(dso->why_not, sizeof(dso->why_not),
			 "the .gnu_debugdata of '%s' is damaged, or expands out of all proportion",
			 dso->file);
		return 0;
	}
	n = dwfl_module_getsymtab(dso->mod);
	if (n <= 1 || !dwfl_module_getsym_info(dso->mod, 1, &sym, &addr, NULL, &elf, &bias))
		elf = NULL;
	dso->symbols.elsewhere = elf && elf != dso->elf;
	/* sections are laid out by libdwfl; it masks addresses of Thumb code */
	if (!elf || dso->rel || dso->arch == TFS_ARCH_ARM || !find_table(elf, (size_t)n, &t))
		return add_each(dso, n);
	rc = know_sections(elf, &t);
	if (!rc)
		rc = add_table(dso, &t, bias);
	free(t.is_code);
	return rc;
}

/* No library has more versions. */
#define VERSIONS_MAX 4096

/**
 * struct versions - of the symbols of .dynsym
 * @of: of each symbol, the index of its version; @n of them
 * @name: of each index, NULL if there is none of it
 */
struct versions {
	const unsigned char *of;
	size_t n;
	const char **name;
};

/* Index of a version -> its name, from .gnu.version_d; the first one counts. */
static int read_versions(Elf *elf, Elf_Data *verdef, size_t strings, struct versions *v)
{
	int at = 0;

	v->name = calloc(0x8000, sizeof(const char *));
	if (!v->name)
		return -ENOMEM;
	for (unsigned int guard = 0; verdef && guard < VERSIONS_MAX; guard++) {
		GElf_Verdef def;
		GElf_Verdaux aux;

		if (!gelf_getverdef(verdef, at, &def))
			break;
		if (!(def.vd_flags & VER_FLG_BASE) && def.vd_ndx < 0x8000 && !v->name[def.vd_ndx] &&
		    gelf_getverdaux(verdef, at + (int)def.vd_aux, &aux))
			v->name[def.vd_ndx] = elf_strptr(elf, strings, aux.vda_name);
		if (!def.vd_next || def.vd_next > (unsigned int)(INT32_MAX - at))
			break;
		at += (int)def.vd_next;
	}
	return 0;
}

/* -ENODATA if there is no .dynsym. */
static int find_dynamic(Elf *elf, struct table *t, struct versions *v)
{
	Elf_Data *defined = NULL, *of = NULL;
	Elf_Scn *scn = NULL;
	size_t strings = 0;
	bool found = false;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh))
			continue;
		if (sh.sh_type == SHT_DYNSYM) {
			found = open_table(elf, scn, t);
		} else if (sh.sh_type == SHT_GNU_versym) {
			of = elf_getdata(scn, NULL);
		} else if (sh.sh_type == SHT_GNU_verdef) {
			defined = elf_getdata(scn, NULL);
			strings = sh.sh_link;
		}
	}
	if (of && of->d_buf && of->d_type == ELF_T_HALF) {
		v->of = of->d_buf;
		v->n = of->d_size / sizeof(GElf_Versym);
	}
	return found ? read_versions(elf, defined, strings, v) : -ENODATA;
}

int tfs_dso_load_dynsym(struct tfs_dso *dso)
{
	struct versions v = { 0 };
	struct table t = { 0 };
	int rc = find_dynamic(dso->elf, &t, &v);

	for (size_t i = 1; i < t.n && !rc; i++) {
		struct tfs_symbol s = { 0 };
		GElf_Sym sym;
		GElf_Versym version;

		s.name = read_symbol(&t, i, &sym);
		if (!s.name || sym.st_shndx == SHN_UNDEF || sym.st_shndx == SHN_ABS ||
		    is_noise(s.name, &sym))
			continue;
		s.addr = sym.st_value;
		s.size = sym.st_size;
		s.type = type_of(&sym);
		adapt(dso, &sym, &s);
		if (i < v.n) {
			memcpy(&version, v.of + i * sizeof(version), sizeof(version));
			s.hidden = version & 0x8000;
			s.version = v.name[version & 0x7fff];
		}
		rc = tfs_symbol_add(dso, &s);
	}
	free(v.name);
	return rc == -ENODATA ? 0 : rc;
}
