/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/dso-go.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "dso/dso-internal.h"
#include "dso/dso.h"
#include "dso/gopclntab.h"
#include "dso/section.h"
#include "dso/symbol.h"

/* The section of a name, and whether there is a symbol table besides. */
static Elf_Scn *find_table(Elf *elf, GElf_Shdr *header, bool *has_symbols)
{
	struct tfs_section_walk walk;
	Elf_Scn *found = NULL;

	*has_symbols = false;
	if (!tfs_section_walk(&walk, elf))
		return NULL;
	while (tfs_section_next(&walk)) {
		*has_symbols = *has_symbols || walk.header.sh_type == SHT_SYMTAB;
		if (walk.header.sh_type != SHT_PROGBITS ||
		    (strcmp(walk.name, ".gopclntab") != 0 &&
		     strcmp(walk.name, ".data.rel.ro.gopclntab") != 0))
			continue;
		found = walk.scn;
		*header = walk.header;
	}
	return found;
}

/* The value that the loader writes at @at of a position-independent program. */
static bool relocated(Elf *elf, uint64_t at, uint64_t *value)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type != SHT_RELA || !sh.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
			GElf_Rela rela;

			if (gelf_getrela(data, (int)i, &rela) && rela.r_offset == at) {
				*value = (uint64_t)rela.r_addend;
				return true;
			}
		}
	}
	return false;
}

static int read_table(struct tfs_dso *dso, struct tfs_gopclntab *table, bool *has_symbols)
{
	GElf_Shdr sh = { 0 };
	Elf_Scn *scn = dso->elf ? find_table(dso->elf, &sh, has_symbols) : NULL;
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || tfs_gopclntab_open(data->d_buf, data->d_size, dso->big, table))
		return -ENODATA;
	if (table->text_at && !table->text &&
	    !relocated(dso->elf, sh.sh_addr + table->text_at, &table->text))
		return -ENODATA;
	return 0;
}

const struct tfs_gopclntab *tfs_dso_go_table(struct tfs_dso *dso)
{
	struct tfs_gopclntab table;
	bool has_symbols;

	if (!dso->go_sought && dso->go && !read_table(dso, &table, &has_symbols)) {
		dso->go_table = malloc(sizeof(*dso->go_table));
		if (!dso->go_table)
			return NULL;
		*dso->go_table = table;
		dso->go_has_symbols = has_symbols;
	}
	dso->go_sought = true;
	return dso->go_table;
}

int tfs_dso_load_go(struct tfs_dso *dso)
{
	const struct tfs_gopclntab *table = tfs_dso_go_table(dso);
	int rc = 0;

	if (!table || dso->go_has_symbols)
		return 0;
	for (size_t i = 0; i < table->n && !rc; i++) {
		struct tfs_go_func func;
		struct tfs_symbol s = { .type = TFS_SYMBOL_FUNC };

		if (tfs_gopclntab_func(table, i, &func) || !tfs_dso_is_code(dso, func.entry))
			continue;
		s.name = func.name;
		s.addr = func.entry;
		s.size = func.end - func.entry;
		rc = tfs_symbol_add(dso, &s);
	}
	return rc;
}
