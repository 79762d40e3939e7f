/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/section.h"

#include <gelf.h>
#include <string.h>

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
