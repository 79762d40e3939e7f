/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_SECTION_H
#define TFS_DSO_SECTION_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

/** struct tfs_section - bytes of a section, as long as the file is open */
struct tfs_section {
	const unsigned char *s;
	size_t len;
};

/**
 * struct tfs_section_walk - a walk over all sections of a file
 * @scn, @header: the current section; its name is @name, "" if it has none
 */
struct tfs_section_walk {
	Elf *elf;
	size_t strings;
	Elf_Scn *scn;
	GElf_Shdr header;
	const char *name;
};

/** tfs_section_walk() - begin; false if sections of the file have no names */
bool tfs_section_walk(struct tfs_section_walk *walk, Elf *elf);
/** tfs_section_next() - the next section whose header can be read; false after the last */
bool tfs_section_next(struct tfs_section_walk *walk);

/**
 * tfs_section_find() - the bytes of a section of that name
 *
 * If libdw has opened the file's debug information, compressed sections are inflated.
 * Return: false if there is none, or it has no bytes.
 */
bool tfs_section_find(Elf *elf, const char *name, struct tfs_section *out);

/**
 * tfs_sections_are_sound() - no compressed section would become out of all proportion to the file
 *
 * libdw inflates all that it may need, whatever a few bytes of the file say that comes to.
 */
bool tfs_sections_are_sound(Elf *elf);

#endif
