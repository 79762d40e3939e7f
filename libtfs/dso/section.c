/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/section.h"

#include <gelf.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

/* Debug information becomes three to ten times as large; a text of one letter, a thousand. */
#define RATIO_MAX 32
#define SMALL (4u << 20)

bool tfs_section_find(Elf *elf, const char *want, struct tfs_section *out)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		const char *name;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, strings, sh.sh_name);
		if (!name || strcmp(name, want) != 0)
			continue;
		/* libdw inflated it already if it was compressed. */
		if (sh.sh_flags & SHF_COMPRESSED)
			return false;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			return false;
		*out = (struct tfs_section){ data->d_buf, data->d_size };
		return true;
	}
	return false;
}

/* Bytes that a section says it becomes; what it has, if it is not compressed. */
static uint64_t inflated_size(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, size_t strings)
{
	const char *name = elf_strptr(elf, strings, sh->sh_name);
	GElf_Chdr ch;
	Elf_Data *data;

	if (sh->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(scn, &ch) ? ch.ch_size : UINT64_MAX;
	if (!name || strncmp(name, ".zdebug", 7) != 0)
		return sh->sh_size;
	/* the older way: "ZLIB", then the size, most significant byte first */
	data = elf_rawdata(scn, NULL);
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return sh->sh_size;
	return tfs_load_u64((const char *)data->d_buf + 4, true);
}

bool tfs_sections_are_sound(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(elf, &strings))
		return true;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;
		uint64_t size;

		if (!gelf_getshdr(scn, &sh) || sh.sh_type == SHT_NOBITS)
			continue;
		size = inflated_size(elf, scn, &sh, strings);
		if (size > SMALL && size / RATIO_MAX > sh.sh_size)
			return false;
	}
	return true;
}
