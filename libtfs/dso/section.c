/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/section.h"

#include <gelf.h>
#include <stdint.h>
#include <string.h>

#include "base/cursor.h"

/* Debug information becomes three to ten times as large; a text of one letter, a thousand. */
#define RATIO_MAX 32
#define SMALL (4u << 20)

bool tfs_section_walk(struct tfs_section_walk *walk, Elf *elf)
{
	*walk = (struct tfs_section_walk){ .elf = elf };
	return elf && !elf_getshdrstrndx(elf, &walk->strings);
}

bool tfs_section_next(struct tfs_section_walk *walk)
{
	while ((walk->scn = elf_nextscn(walk->elf, walk->scn))) {
		if (!gelf_getshdr(walk->scn, &walk->header))
			continue;
		walk->name = elf_strptr(walk->elf, walk->strings, walk->header.sh_name);
		if (!walk->name)
			walk->name = "";
		return true;
	}
	return false;
}

bool tfs_section_find(Elf *elf, const char *name, struct tfs_section *out)
{
	struct tfs_section_walk walk;

	if (!tfs_section_walk(&walk, elf))
		return false;
	while (tfs_section_next(&walk)) {
		Elf_Data *data;

		if (walk.header.sh_type == SHT_NOBITS || strcmp(walk.name, name) != 0)
			continue;
		/* libdw inflated it already if it was compressed. */
		if (walk.header.sh_flags & SHF_COMPRESSED)
			return false;
		data = elf_rawdata(walk.scn, NULL);
		if (!data || !data->d_buf)
			return false;
		*out = (struct tfs_section){ data->d_buf, data->d_size };
		return true;
	}
	return false;
}

/* Bytes that a section says it becomes; what it has, if it is not compressed. */
static uint64_t inflated_size(const struct tfs_section_walk *walk)
{
	GElf_Chdr ch;
	Elf_Data *data;

	if (walk->header.sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(walk->scn, &ch) ? ch.ch_size : UINT64_MAX;
	if (strncmp(walk->name, ".zdebug", 7) != 0)
		return walk->header.sh_size;
	/* the older way: "ZLIB", then the size, most significant byte first */
	data = elf_rawdata(walk->scn, NULL);
	if (!data || !data->d_buf || data->d_size < 12 || memcmp(data->d_buf, "ZLIB", 4) != 0)
		return walk->header.sh_size;
	return tfs_load_u64((const char *)data->d_buf + 4, true);
}

bool tfs_sections_are_sound(Elf *elf)
{
	struct tfs_section_walk walk;

	if (!tfs_section_walk(&walk, elf))
		return true;
	while (tfs_section_next(&walk)) {
		uint64_t size;

		if (walk.header.sh_type == SHT_NOBITS)
			continue;
		size = inflated_size(&walk);
		if (size > SMALL && size / RATIO_MAX > walk.header.sh_size)
			return false;
	}
	return true;
}
