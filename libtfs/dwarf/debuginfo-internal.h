/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_DEBUGINFO_INTERNAL_H
#define TFS_DWARF_DEBUGINFO_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strmap.h"
#include "dso/debug-copy.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"

struct tfs_die_reader;
struct tfs_func_tables;
struct tfs_line_files;
struct tfs_scopes;

/** struct tfs_die - what dwarf/func.h calls a scope */
struct tfs_die {
	Dwarf_Die die;
};

/**
 * struct tfs_unit_range - code of a unit, or of a function
 * @unit: its DIE; of a unit, that of the .dwo if it is split
 */
struct tfs_unit_range {
	uint64_t from;
	uint64_t to;
	Dwarf_Die unit;
};

/** struct tfs_unit_ranges - code of all units, sorted by address once @known */
struct tfs_unit_ranges {
	struct tfs_unit_range *v;
	size_t n;
	size_t cap;
	bool known;
};

/**
 * struct tfs_pages - where .debug_info is mapped; all 0 if it is small, or memory of our own
 * @last: how far it has been read since pages were last given back
 * @all_from, @all_to: the sections that are read along with it
 */
struct tfs_pages {
	uintptr_t from;
	uintptr_t to;
	uintptr_t last;
	uintptr_t all_from;
	uintptr_t all_to;
};

/**
 * struct tfs_definitions - definitions of structs that are only declared elsewhere
 * @known: "TAG NAME": index into @v plus 1, or 0 if there is no definition
 * @searched: DIEs that were looked at
 */
struct tfs_definitions {
	struct tfs_strmap known;
	Dwarf_Die *v;
	size_t n;
	size_t searched;
};

/* As many users keep something in a struct tfs_debuginfo. */
#define TFS_DEBUGINFO_RELEASES_MAX 8

/**
 * struct tfs_debuginfo - see dwarf/debuginfo.h
 * @loaded: it was searched for; @dw is NULL if there is none
 * @dw: libdw's, of @copy, or libdwfl's if @copy is NULL
 * @alt, @alt_elf, @alt_fd: what dwz moved elsewhere; NULL and -1 if there is no such file
 * @alt_missing: the file with it is not here: its name and where it was looked for
 * @why_not: what is wrong with the debug file, "" if nothing; @unreadable: libdw cannot read it
 * @split_missing: where the .dwo of a unit should be, if it was looked for and is not there
 * @listed: code of units, by .debug_aranges; @ranges: by their DIEs
 * @funcs: of dwarf/func-table.h, @files: of dwarf/line-files.h, @flow: of dwarf/basic-block.h,
 *	@reader: what dwarf/die-reader.h last read; NULL before they are needed
 * @scopes: those of the unit whose functions were last asked for their qualified names
 * @texts: names and paths that points have, and that are not in the file as they are
 * @release: what tfs_debuginfo_on_free() was given
 */
struct tfs_debuginfo {
	struct tfs_dso *dso;
	bool loaded;
	Dwarf *dw;
	struct tfs_debug_copy *copy;
	Dwarf *alt;
	Elf *alt_elf;
	int alt_fd;
	struct {
		char *name;
		char *tried;
	} alt_missing;
	char *path;
	char why_not[256];
	bool unreadable;
	char *split_missing;
	struct tfs_unit_ranges listed;
	struct tfs_unit_ranges ranges;
	struct tfs_func_tables *funcs;
	struct tfs_line_files *files;
	struct tfs_func_flow *flow;
	struct tfs_die_reader *reader;
	struct tfs_scopes *scopes;
	struct tfs_definitions definitions;
	struct tfs_strmap texts;
	struct tfs_pages pages;
	void (*release[TFS_DEBUGINFO_RELEASES_MAX])(struct tfs_debuginfo *);
	size_t n_releases;
};

/**
 * tfs_debuginfo_on_free() - have a function called before @dbg is freed, while its files are open
 * @release: frees what its caller keeps there; must not use what others keep. However often it is
 *	given, it is called once
 */
void tfs_debuginfo_on_free(struct tfs_debuginfo *dbg, void (*release)(struct tfs_debuginfo *));

/**
 * tfs_debuginfo_dwarf() - load it; NULL if there is none
 *
 * Addresses in it are those of the dso: other debug information is refused.
 */
Dwarf *tfs_debuginfo_dwarf(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_expand() - @part of the debug information is about to be read; false: damaged */
bool tfs_debuginfo_expand(struct tfs_debuginfo *dbg, enum tfs_debug_part part);
/** tfs_debuginfo_frames() - unwinding information of the debug file, NULL if there is none */
Dwarf_CFI *tfs_debuginfo_frames(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_keep() - keep a text until @dbg is freed; takes it; NULL if it is NULL */
const char *tfs_debuginfo_keep(struct tfs_debuginfo *dbg, char *text);

/**
 * tfs_debuginfo_find_alt() - open the file with what dwz moved out of @dbg->dw, before libdw does
 *
 * If it is not here, debuginfod is asked. Without it libdw gets an empty one instead, and
 * @dbg->alt_missing says what is missing.
 */
void tfs_debuginfo_find_alt(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_release_alt() - after all that refers to it */
void tfs_debuginfo_release_alt(struct tfs_debuginfo *dbg);
/**
 * tfs_debuginfo_link_split() - open the .dwo files of all units of @dbg->dw, before libdw does
 * Return: false if libdw would open some file by its name.
 */
bool tfs_debuginfo_link_split(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_note_split() - remember where the .dwo of a skeleton unit was looked for */
void tfs_debuginfo_note_split(struct tfs_debuginfo *dbg, Dwarf_Die *unit);
/** tfs_debuginfo_note_unread() - there are debug sections, but no @dbg->dw: find out why */
void tfs_debuginfo_note_unread(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_find_pages() - fill @dbg->pages, now that there is debug information */
void tfs_debuginfo_find_pages(struct tfs_debuginfo *dbg);
/** tfs_debuginfo_read_on() - .debug_info is read from one end to the other, and this is where */
void tfs_debuginfo_read_on(struct tfs_debuginfo *dbg, const void *at);

#endif
