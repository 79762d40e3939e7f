/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo-internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macros.h"
#include "dso/dso-elf.h"
#include "dso/section.h"

/* Smaller sections are not worth the system calls. */
#define STRIDE (8u << 20)

/*
 * Is all of it a file that is mapped? Only such pages can be given back: they are read again when
 * they are needed, while memory of our own would be lost.
 */
static bool is_file(uintptr_t from, uintptr_t to)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;

	while (maps && !found && getline(&line, &cap, maps) > 0) {
		uint64_t begin, end, inode;

		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64, &begin, &end,
			       &inode) == 3 &&
			inode && begin <= from && to <= end;
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

/* Widen the range to section @name, if everything in between is mapped from the file as well. */
static void add_section(struct tfs_pages *pages, Elf *elf, const char *name)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from, to;
	struct tfs_section s;

	if (!tfs_section_find(elf, name, &s))
		return;
	from = ((uintptr_t)s.s + page - 1) & ~(page - 1);
	to = ((uintptr_t)s.s + s.len) & ~(page - 1);
	from = from < pages->all_from ? from : pages->all_from;
	to = to > pages->all_to ? to : pages->all_to;
	if (!is_file(from, to))
		return;
	pages->all_from = from;
	pages->all_to = to;
}

void tfs_debuginfo_find_pages(struct tfs_debuginfo *dbg)
{
	static const char *const others[] = { ".debug_abbrev",   ".debug_line", ".debug_str",
					      ".debug_loclists", ".debug_loc",  ".debug_rnglists",
					      ".debug_ranges",   ".text",       ".strtab" };
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from, to;
	struct tfs_section info;

	/* libdwfl wrote addresses into the sections of a relocatable file */
	if (tfs_dso_is_relocatable(dbg->dso) ||
	    !tfs_section_find(dwarf_getelf(dbg->dw), ".debug_info", &info) || info.len < 2 * STRIDE)
		return;
	from = ((uintptr_t)info.s + page - 1) & ~(page - 1);
	to = ((uintptr_t)info.s + info.len) & ~(page - 1);
	if (!is_file(from, to))
		return;
	dbg->pages.from = from;
	dbg->pages.to = to;
	dbg->pages.last = from;
	dbg->pages.all_from = from;
	dbg->pages.all_to = to;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		add_section(&dbg->pages, dwarf_getelf(dbg->dw), others[i]);
}

void tfs_debuginfo_drop_pages(struct tfs_debuginfo *dbg)
{
	if (dbg->pages.from)
		madvise((void *)dbg->pages.all_from, dbg->pages.all_to - dbg->pages.all_from,
			MADV_DONTNEED);
	dbg->pages.last = dbg->pages.from;
}

void tfs_debuginfo_read_on(struct tfs_debuginfo *dbg, const void *at)
{
	uintptr_t here = (uintptr_t)at;

	if (here < dbg->pages.from || here >= dbg->pages.to)
		return;
	if (here < dbg->pages.last || here - dbg->pages.last >= STRIDE) {
		tfs_debuginfo_drop_pages(dbg);
		dbg->pages.last = here;
	}
}
