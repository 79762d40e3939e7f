/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/image-internal.h"

#include <errno.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_glob_dat(const struct tfs_image *img, uint64_t type)
{
	for (size_t i = 0; i < sizeof(glob_dat) / sizeof(glob_dat[0]); i++)
		if (glob_dat[i].arch == img->arch)
			return glob_dat[i].type == type;
	return false;
}

static int add(struct tfs_got *got, const GElf_Sym *sym, const char *name, uint64_t slot)
{
	if (GELF_ST_TYPE(sym->st_info) == STT_FUNC || GELF_ST_TYPE(sym->st_info) == STT_TLS ||
	    !name)
		return 0;
	if (got->n == got->cap) {
		size_t cap = got->cap ? 2 * got->cap : 64;
		struct tfs_got_slot *v = reallocarray(got->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		got->v = v;
		got->cap = cap;
	}
	got->v[got->n++] = (struct tfs_got_slot){
		.slot = slot,
		.addr = sym->st_shndx == SHN_UNDEF ? 0 : sym->st_value,
		.size = sym->st_size,
		.name = name,
	};
	return 0;
}

static int read_relocations(struct tfs_image *img, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Scn *sym_scn = elf_getscn(img->elf, sh->sh_link);
	Elf_Data *data = elf_getdata(scn, NULL), *syms;
	GElf_Shdr sym_sh;
	int rc = 0;

	if (!sym_scn || !data || !gelf_getshdr(sym_scn, &sym_sh) || sym_sh.sh_type != SHT_DYNSYM)
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
		if (is_glob_dat(img, GELF_R_TYPE(rela.r_info)) &&
		    gelf_getsym(syms, (int)GELF_R_SYM(rela.r_info), &sym))
			rc = add(&img->got, &sym, elf_strptr(img->elf, sym_sh.sh_link, sym.st_name),
				 rela.r_offset);
	}
	return rc;
}

static void build(struct tfs_image *img)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int rc = 0;

	img->got.built = true;
	while (!rc && img->elf && (scn = elf_nextscn(img->elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_RELA || sh.sh_type == SHT_REL))
			rc = read_relocations(img, scn, &sh);
	}
}

const struct tfs_got_slot *tfs_image_got_at(struct tfs_image *img, uint64_t addr)
{
	if (!img->got.built)
		build(img);
	for (size_t i = 0; i < img->got.n; i++) {
		const struct tfs_got_slot *s = &img->got.v[i];

		if (s->addr && addr >= s->addr && addr - s->addr < (s->size ? s->size : 1))
			return s;
	}
	return NULL;
}

const struct tfs_got_slot *tfs_image_got_named(struct tfs_image *img, const char *name)
{
	if (!img->got.built)
		build(img);
	for (size_t i = 0; i < img->got.n; i++)
		if (!img->got.v[i].addr && !strcmp(img->got.v[i].name, name))
			return &img->got.v[i];
	return NULL;
}
