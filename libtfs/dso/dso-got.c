/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-got.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/macros.h"
#include "dso/dso-internal.h"

/* The relocation by which the loader fills a slot of the global offset table with an address. */
static const struct {
	enum tfs_arch arch;
	unsigned int type;
} glob_dat[] = {
	{ TFS_ARCH_X86_64, R_X86_64_GLOB_DAT }, { TFS_ARCH_I386, R_386_GLOB_DAT },
	{ TFS_ARCH_ARM64, R_AARCH64_GLOB_DAT }, { TFS_ARCH_ARM, R_ARM_GLOB_DAT },
	{ TFS_ARCH_S390X, R_390_GLOB_DAT },     { TFS_ARCH_PPC64LE, R_PPC64_GLOB_DAT },
};

void tfs_got_release(struct tfs_got *got)
{
	free(got->v);
	*got = (struct tfs_got){ 0 };
}

static bool is_glob_dat(const struct tfs_dso *dso, uint64_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(glob_dat); i++)
		if (glob_dat[i].arch == dso->arch)
			return glob_dat[i].type == type;
	return false;
}

static int add(struct tfs_got *got, const GElf_Sym *sym, const char *name, uint64_t slot)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_FUNC || GELF_ST_TYPE(sym->st_info) == STT_TLS ||
	    !name)
		return 0;
	if (tfs_grow(&got->v, &got->cap, got->n + 1))
		return -ENOMEM;
	got->v[got->n++] = (struct tfs_got_slot){
		.slot = slot,
		.addr = sym->st_shndx == SHN_UNDEF ? 0 : sym->st_value,
		.size = sym->st_size,
		.name = name,
	};
	return 0;
}

/*
 * By address, what is not defined here before all else and by its name: that is what is looked up.
 */
static int by_variable(const void *a, const void *b)
{
	const struct tfs_got_slot *x = a, *y = b;
	int rc;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	rc = x->addr ? 0 : strcmp(x->name, y->name);
	if (rc)
		return rc;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/*
 * Sections do not overlap, so all relocations together fit into the file; headers that name the
 * same bytes again and again would multiply them.
 */
bool tfs_dso_relocations_fit(Elf *elf, const Elf_Data *data, size_t *read)
{
	size_t size = 0;

	if (!elf_rawfile(elf, &size) || *read > size || data->d_size > size - *read)
		return false;
	*read += data->d_size;
	return true;
}

static int read_relocations(struct tfs_dso *dso, Elf_Scn *scn, const GElf_Shdr *sh, size_t *read)
{
	Elf_Scn *sym_scn = elf_getscn(dso->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL), *syms;
	GElf_Shdr sym_sh;
	int rc = 0;

	if (!sym_scn || !data || !gelf_getshdr(sym_scn, &sym_sh) || sym_sh.sh_type != SHT_DYNSYM ||
	    !tfs_dso_relocations_fit(dso->elf, data, read))
		return 0;
	syms = elf_getdata(sym_scn, NULL);
	for (int i = 0; !rc && i < INT_MAX; i++) {
		GElf_Rela rela = { 0 };
		GElf_Rel rel;
		GElf_Sym sym;

		if (sh->sh_type == SHT_RELA && !gelf_getrela(data, i, &rela))
			break;
		if (sh->sh_type == SHT_REL) {
			if (!gelf_getrel(data, i, &rel))
				break;
			rela.r_offset = rel.r_offset;
			rela.r_info = rel.r_info;
		}
		if (is_glob_dat(dso, GELF_R_TYPE(rela.r_info)) &&
		    gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
			rc = add(&dso->got, &sym, elf_strptr(dso->elf, sym_sh.sh_link, sym.st_name),
				 rela.r_offset);
	}
	return rc;
}

/* Where each variable or one before it ends at the latest: how far back a look-up has to go. */
static void set_reach(struct tfs_got *got)
{
	uint64_t reach = 0;

	for (size_t i = 0; i < got->n; i++) {
		struct tfs_got_slot *s = &got->v[i];
		uint64_t size = s->size ? s->size : 1;
		uint64_t last = size - 1 > UINT64_MAX - s->addr ? UINT64_MAX : s->addr + size - 1;

		if (s->addr && last > reach)
			reach = last;
		s->reach = reach;
	}
}

static void build(struct tfs_dso *dso)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t read = 0;
	int rc = 0;

	dso->got.built = true;
	while (!rc && dso->elf && (scn = elf_nextscn(dso->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL))
			rc = read_relocations(dso, scn, &sh, &read);
	}
	if (dso->got.n)
		qsort(dso->got.v, dso->got.n, sizeof(*dso->got.v), by_variable);
	set_reach(&dso->got);
}

/* Index of the first slot that is not before @key. */
static size_t lower_bound(const struct tfs_got *got, const struct tfs_got_slot *key)
{
	return tfs_bisect(i, got->n, by_variable(&got->v[i], key) < 0);
}

const struct tfs_got_slot *tfs_dso_got_at(struct tfs_dso *dso, uint64_t addr)
{
	const struct tfs_got_slot after = { .addr = addr, .slot = UINT64_MAX, .name = "" };
	size_t i;

	if (!addr)
		return NULL;
	if (!dso->got.built)
		build(dso);
	for (i = lower_bound(&dso->got, &after); i-- > 0 && dso->got.v[i].reach >= addr;) {
		const struct tfs_got_slot *s = &dso->got.v[i];

		if (s->addr && addr - s->addr < (s->size ? s->size : 1))
			return s;
	}
	return NULL;
}

const struct tfs_got_slot *tfs_dso_got_named(struct tfs_dso *dso, const char *name)
{
	const struct tfs_got_slot key = { .name = name };
	const struct tfs_got_slot *s;
	size_t i;

	if (!dso->got.built)
		build(dso);
	i = lower_bound(&dso->got, &key);
	s = i < dso->got.n ? &dso->got.v[i] : NULL;
	return s && !s->addr && !strcmp(s->name, name) ? s : NULL;
}
