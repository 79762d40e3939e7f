/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/debuginfo.h"

#include <dwarf.h>
#include <errno.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dso/dso-elf.h"
#include "dso/section.h"
#include "dwarf/debuginfo-internal.h"

struct tfs_debuginfo *tfs_debuginfo_new(struct tfs_dso *dso)
{
	struct tfs_debuginfo *dbg = calloc(1, sizeof(*dbg));

	if (!dbg)
		return NULL;
	dbg->dso = dso;
	dbg->alt_fd = -1;
	return dbg;
}

void tfs_debuginfo_on_free(struct tfs_debuginfo *dbg, void (*release)(struct tfs_debuginfo *))
{
	for (size_t i = 0; i < dbg->n_releases; i++)
		if (dbg->release[i] == release)
			return;
	if (dbg->n_releases < TFS_DEBUGINFO_RELEASES_MAX)
		dbg->release[dbg->n_releases++] = release;
}

/* libdwfl's Dwarf lives on in the dso, without the file that is closed here. */
static void close_dwarf(struct tfs_debuginfo *dbg)
{
	if (dbg->dw && dbg->copy)
		dwarf_end(dbg->dw);
	else if (dbg->dw && dbg->alt)
		dwarf_setalt(dbg->dw, NULL);
	tfs_debug_copy_free(dbg->copy);
	dbg->copy = NULL;
	dbg->dw = NULL;
}

void tfs_debuginfo_free(struct tfs_debuginfo *dbg)
{
	if (!dbg)
		return;
	for (size_t i = 0; i < dbg->n_releases; i++)
		dbg->release[i](dbg);
	free(dbg->listed.v);
	free(dbg->ranges.v);
	tfs_strmap_release(&dbg->definitions.known);
	free(dbg->definitions.v);
	tfs_strmap_release(&dbg->texts);
	free(dbg->split_missing);
	free(dbg->alt_missing.name);
	free(dbg->alt_missing.tried);
	free(dbg->path);
	close_dwarf(dbg);
	tfs_debuginfo_release_alt(dbg);
	free(dbg);
}

struct tfs_dso *tfs_debuginfo_dso(const struct tfs_debuginfo *dbg)
{
	return dbg ? dbg->dso : NULL;
}

/*
 * To find any unit libdw reads the headers of all before it, and with each the kernel maps what is
 * around it: in the end most of the section.
 */
static void know_units(struct tfs_debuginfo *dbg)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;

	if (!dbg->pages.from)
		return;
	while (!dwarf_get_units(dbg->dw, cu, &cu, NULL, NULL, &unit, NULL))
		tfs_debuginfo_read_on(dbg, unit.addr);
	tfs_debuginfo_drop_pages(dbg);
}

static bool first_segment(Elf *elf, GElf_Phdr *ph)
{
	size_t n = 0;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, ph) && ph->p_type == PT_LOAD)
			return true;
	return false;
}

/* Does the debug file have the dso's addresses? If unsure, libdwfl finds out. */
static bool has_addresses_of(struct tfs_debuginfo *dbg, Elf *elf)
{
	GElf_Phdr own, other;
	GElf_Ehdr eh;

	if (tfs_dso_is_relocatable(dbg->dso))
		return gelf_getehdr(elf, &eh) && eh.e_type == ET_REL;
	return first_segment(tfs_dso_elf(dbg->dso), &own) && first_segment(elf, &other) &&
	       own.p_vaddr == other.p_vaddr && own.p_memsz == other.p_memsz &&
	       own.p_align == other.p_align;
}

/* Take the debug file from a copy; false where libdwfl is to read it. */
static bool load_copy(struct tfs_debuginfo *dbg)
{
	bool is_rel = tfs_dso_is_relocatable(dbg->dso);
	int fd = tfs_dso_debug_file(dbg->dso);
	Elf *elf;

	if (fd >= 0)
		dbg->copy = tfs_debug_copy_new(fd, is_rel ? tfs_dso_elf(dbg->dso) : NULL);
	if (!dbg->copy)
		return false;
	elf = tfs_debug_copy_elf(dbg->copy);
	if (has_addresses_of(dbg, elf))
		dbg->dw = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dbg->dw)
		close_dwarf(dbg);
	return dbg->dw;
}

/* The same by libdwfl, of the file itself or of its debug file; *@path: NULL if it is not known. */
static void load_module(struct tfs_debuginfo *dbg, const char **path)
{
	const char *main_file, *debug_file;
	Dwarf_Addr bias;

	dbg->dw = dwfl_module_getdwarf(tfs_dso_dwfl(dbg->dso), &bias);
	if (!dbg->dw)
		return;
	dwfl_module_info(tfs_dso_dwfl(dbg->dso), NULL, NULL, NULL, NULL, NULL, &main_file,
			 &debug_file);
	*path = debug_file;
	if (!tfs_dso_is_relocatable(dbg->dso) && bias) {
		snprintf(dbg->why_not, sizeof(dbg->why_not), "addresses in '%s' are others",
			 debug_file ? debug_file : main_file);
		dbg->dw = NULL;
	}
}

static void load_dwarf(struct tfs_debuginfo *dbg)
{
	const char *path = NULL;

	dbg->loaded = true;
	if (!tfs_dso_dwfl(dbg->dso))
		return;
	if (tfs_dso_elf(dbg->dso) && !tfs_sections_are_sound(tfs_dso_elf(dbg->dso))) {
		snprintf(dbg->why_not, sizeof(dbg->why_not),
			 "sections of '%s' are compressed out of all proportion",
			 tfs_dso_file(dbg->dso));
		return;
	}
	if (load_copy(dbg))
		path = tfs_dso_debug_path(dbg->dso);
	else
		load_module(dbg, &path);
	if (!dbg->dw) {
		tfs_debuginfo_note_unread(dbg);
		return;
	}
	tfs_debuginfo_find_alt(dbg);
	if (!tfs_debuginfo_link_split(dbg)) {
		snprintf(dbg->why_not, sizeof(dbg->why_not),
			 "'%s' names .dwo files in a way that is not understood",
			 tfs_dso_file(dbg->dso));
		close_dwarf(dbg);
		return;
	}
	dbg->path = strdup(path ? path : tfs_dso_file(dbg->dso));
	tfs_debuginfo_find_pages(dbg);
	know_units(dbg);
}

bool tfs_debuginfo_expand(struct tfs_debuginfo *dbg, enum tfs_debug_part part)
{
	return !dbg->copy || tfs_debug_copy_expand(dbg->copy, part);
}

Dwarf_CFI *tfs_debuginfo_frames(struct tfs_debuginfo *dbg)
{
	Dwarf_Addr bias;

	if (!dbg->copy)
		return dwfl_module_dwarf_cfi(tfs_dso_dwfl(dbg->dso), &bias);
	return tfs_debuginfo_expand(dbg, TFS_DEBUG_FRAMES) ? dwarf_getcfi(dbg->dw) : NULL;
}

Dwarf *tfs_debuginfo_dwarf(struct tfs_debuginfo *dbg)
{
	if (!dbg->loaded)
		load_dwarf(dbg);
	return dbg->dw;
}

bool tfs_debuginfo_available(struct tfs_debuginfo *dbg)
{
	return tfs_debuginfo_dwarf(dbg) != NULL;
}

const char *tfs_debuginfo_path(struct tfs_debuginfo *dbg)
{
	return tfs_debuginfo_dwarf(dbg) ? dbg->path : NULL;
}

const char *tfs_debuginfo_refused(const struct tfs_debuginfo *dbg)
{
	return *dbg->why_not ? dbg->why_not : tfs_dso_debug_refused(dbg->dso);
}

const char *tfs_debuginfo_split_missing(const struct tfs_debuginfo *dbg)
{
	return dbg->split_missing;
}

const char *tfs_debuginfo_keep(struct tfs_debuginfo *dbg, char *text)
{
	const char *kept = text ? tfs_strmap_keep(&dbg->texts, text) : NULL;

	free(text);
	return kept;
}

/* A unit of which only the skeleton is here: where its .dwo was. */
void tfs_debuginfo_note_split(struct tfs_debuginfo *dbg, Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *name, *dir;

	free(dbg->split_missing);
	name = dwarf_formstring(dwarf_attr(unit, DW_AT_dwo_name, &attr));
	if (!name)
		name = dwarf_formstring(dwarf_attr(unit, DW_AT_GNU_dwo_name, &attr));
	dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));
	if (!name)
		name = "a .dwo file";
	if (*name == '/' || !dir)
		dbg->split_missing = strdup(name);
	else if (asprintf(&dbg->split_missing, "%s/%s", dir, name) < 0)
		dbg->split_missing = NULL;
}
