/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_INTERNAL_H
#define TFS_DSO_DSO_INTERNAL_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdio.h>

#include "base/strmap.h"
#include "base/strvec.h"
#include "dso/debug-copy.h"
#include "dso/dso.h"

struct tfs_err;
struct tfs_control_flow;
struct tfs_func_table;
struct tfs_gopclntab;
struct tfs_die_reader;
struct tfs_scopes;
struct tfs_btf;
struct tfs_kernel_text;
struct tfs_line_files;
struct tfs_symbol;

/** struct tfs_die - what dwarf/func.h calls a scope */
struct tfs_die {
	Dwarf_Die die;
};

/**
 * struct tfs_segment - a PT_LOAD, or an allocated section of a relocatable file
 * @flags: PF_X, PF_W
 */
struct tfs_segment {
	uint64_t addr;
	uint64_t off;
	uint64_t file_size;
	uint64_t mem_size;
	unsigned int flags;
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
 * struct tfs_symbol_table - what tfs_symbols() gives, and a hash of the names
 * @names: names that are not in the file as they are
 * @found: answer of the last tfs_symbol_named()
 * @elsewhere: the file itself has no .symtab, but its debug file or its .gnu_debugdata
 */
struct tfs_symbol_table {
	struct tfs_symbol *v;
	size_t n;
	size_t cap;
	uint32_t *bucket;
	uint32_t *next;
	size_t n_buckets;
	struct tfs_strvec names;
	const struct tfs_symbol **found;
	size_t found_cap;
	bool loaded;
	bool elsewhere;
};

/**
 * struct tfs_got_slot - a slot of the global offset table that the loader fills with the address of
 * a variable: where a program has a copy of a library's variable, the library's code finds it so
 * @slot: address of the slot
 * @addr: of the variable, if this dso defines it, else 0
 * @reach: the last byte of this variable or of one that is sorted before it, whichever is greater
 */
struct tfs_got_slot {
	uint64_t slot;
	uint64_t addr;
	uint64_t size;
	uint64_t reach;
	const char *name;
};

/* Read when first asked for; sorted by address, and by name where that is 0. */
struct tfs_got {
	struct tfs_got_slot *v;
	size_t n;
	size_t cap;
	bool built;
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

/* Kinds of things that code above keeps in a dso. */
#define TFS_DSO_RELEASES_MAX 16

/**
 * struct tfs_definitions - of structs that are only declared somewhere
 * @known: "TAG NAME": index into @v and 1, or 0 if there is no definition
 */
struct tfs_definitions {
	struct tfs_strmap known;
	Dwarf_Die *v;
	size_t n;
};

/**
 * struct tfs_dso - see dso/dso.h
 * @path: as the kernel is told; @file: as it was opened, below @symfs; @inner: below what stands
 *	for /
 * @symfs: what stands for /: --symfs, or, if @ns, /proc/PID/root of a process that sees other
 *	files; NULL for / itself
 * @root: descriptor of @symfs, TFS_NO_ROOT if that is NULL; every other file is looked up below it
 * @deleted: the file has no name any more, and is that of a process
 * @dw_state: 0 not looked for yet, 1 there, -1 none
 * @copy: that @dw is of, NULL if @dw is libdwfl's
 * @alt, @alt_elf, @alt_fd: what dwz moved elsewhere; NULL and -1 if there is no such file
 * @debug_fd, @debug_found: the debug file that was found, -1 and NULL before; libdwfl has another
 *	descriptor of it once @debug_given
 * @listed: code of units, by .debug_aranges; @ranges: by their DIEs
 * @funcs: of dwarf/func-table.h, @n_tables of them, each at a place by its unit; the last that was
 *         looked into is at @funcs_last
 * @n_funcs: in all of them
 * @reader: what dwarf/die-reader.h last read, NULL before
 * @scopes: those of the unit whose functions were last asked for their qualified names
 * @go_table: of tfs_dso_go_table(), which has looked for it once @go_sought
 * @go_has_symbols: there is a symbol table as well
 * @btf: of probe/dso-btf.h, the kernel's; @module_btf: of the module asked for last
 * @kernel_text: of dso/kernel-text.h, made when first asked for
 * @supplier: what would supply debug information, NULL before it was asked for
 * @sought: DIEs that were looked at in search of definitions of what is only declared
 * @texts: names and paths that points have, and that are not in the file as they are
 * @why_not: what was wrong with a debug file that was found, "" if nothing
 * @flow: of insn/control-flow.h, @files: of dwarf/line-files.h; NULL before they are asked for
 * @release: what tfs_dso_on_free() was given
 * @split_missing: where the .dwo of a unit should be, if it was looked for and is not there
 */
struct tfs_dso {
	enum tfs_dso_kind kind;
	enum tfs_arch arch;
	bool big;
	bool pie;
	bool go;
	bool rel;
	unsigned int addr_size;
	char *path;
	char *file;
	char *inner;
	int root;
	bool ns;
	bool deleted;
	char *module;
	char *build_id;
	char *symfs;
	char *debug;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	Elf *elf;
	struct tfs_segment *seg;
	size_t n_seg;
	int dw_state;
	Dwarf *dw;
	struct tfs_debug_copy *copy;
	Dwarf *alt;
	Elf *alt_elf;
	int alt_fd;
	int debug_fd;
	char *debug_found;
	bool debug_given;
	char *debug_path;
	char why_not[256];
	char *split_missing;
	struct tfs_strvec tried;
	struct tfs_symbol_table symbols;
	struct tfs_unit_ranges listed;
	struct tfs_unit_ranges ranges;
	struct tfs_func_table *funcs;
	size_t funcs_cap;
	size_t funcs_last;
	size_t n_tables;
	size_t n_funcs;
	char *supplier;
	size_t sought;
	struct tfs_definitions definitions;
	struct tfs_strmap texts;
	struct tfs_line_files *files;
	struct tfs_control_flow *flow;
	struct tfs_die_reader *reader;
	struct tfs_scopes *scopes;
	struct tfs_got got;
	struct tfs_kernel_text *kernel_text;
	struct tfs_gopclntab *go_table;
	bool go_sought;
	bool go_has_symbols;
	struct tfs_btf *btf;
	struct tfs_btf *module_btf;
	char *module_btf_name;
	struct tfs_pages pages;
	void (*release[TFS_DSO_RELEASES_MAX])(struct tfs_dso *);
	size_t n_releases;
};

/** tfs_dso_new() - of no file yet; NULL without memory */
struct tfs_dso *tfs_dso_new(void);

/**
 * tfs_dso_on_free() - have a function called when the dso is freed, while its files are open
 * @release: frees what code above made and keeps in the dso; must not use what others keep there.
 *	However often it is given, it is called once
 */
void tfs_dso_on_free(struct tfs_dso *dso, void (*release)(struct tfs_dso *));

/**
 * tfs_debuginfo_dwarf() - debug information, NULL if there is none
 *
 * Addresses in it are the file's own: debug information of which that is not so is not taken.
 */
Dwarf *tfs_debuginfo_dwarf(struct tfs_dso *dso);
/** tfs_dso_dwfl() - the module, whose main file has the CFI (dwfl_module_eh_cfi()) */
Dwfl_Module *tfs_dso_dwfl(struct tfs_dso *dso);
Elf *tfs_dso_elf(struct tfs_dso *dso);

/**
 * tfs_dso_relocations_fit() - can a section of relocations be in the file, besides those before?
 * @read: bytes of those before; 0 at first, and @data is added
 */
bool tfs_dso_relocations_fit(Elf *elf, const Elf_Data *data, size_t *read);
void tfs_got_release(struct tfs_got *got);
/** tfs_dso_got_at() - the slot for the variable of this dso that holds @addr, NULL if none */
const struct tfs_got_slot *tfs_dso_got_at(struct tfs_dso *dso, uint64_t addr);
/** tfs_dso_got_named() - the slot for a variable of another dso, NULL if there is none */
const struct tfs_got_slot *tfs_dso_got_named(struct tfs_dso *dso, const char *name);

/** tfs_dso_find_debuginfo() - libdwfl's callback; userdata is the dso */
int tfs_dso_find_debuginfo(Dwfl_Module *mod, void **userdata, const char *name, Dwarf_Addr base,
			   const char *file, const char *debuglink, GElf_Word crc, char **out);
/**
 * tfs_dso_find_file() - look the file up, name it and open it
 * @path: /proc/PID/root/PATH is looked up below that root; /proc/PID/exe and
 *	/proc/PID/map_files/RANGE are the very files, also those that have no name any more, of a
 *	process that has that root
 * @symfs: directory that stands for /, NULL for none
 * @fd: yours; -1 on failure
 *
 * Sets @dso's symfs, root, ns, path, file, inner and deleted. Return: 0; -ENOEXEC for what is not a
 * regular file; another negative errno.
 */
int tfs_dso_find_file(struct tfs_dso *dso, const char *path, const char *symfs, int *fd,
		      struct tfs_err *err);
/**
 * tfs_dso_pick_mapped() - the range of the mapped file that @name means most closely
 * @maps: text in the format of /proc/PID/maps (proc_pid_maps(5)); read up to an exact match
 * @name: file name of a library or program, with or without "lib" and ".so.N"
 * @from, @to: addresses; set on success only
 *
 * Return: 0, -ENOENT.
 */
int tfs_dso_pick_mapped(FILE *maps, const char *name, uint64_t *from, uint64_t *to);
/**
 * tfs_dso_find_below() - find a program or library in the usual directories of another root
 * @root: the directory that stands for /, such as /proc/PID/root; symbolic links stay below it
 * @out: yours, free(): @root and the path; set on success only
 *
 * Return: 0; -ENOENT; -ENOMEM; a negative errno from opening @root.
 */
int tfs_dso_find_below(const char *root, const char *name, char **out);
/**
 * tfs_debuginfo_find_alt() - open what dwz moved elsewhere, of @dso->dw, before libdw does
 *
 * What is named and cannot be opened is an empty file from then on.
 */
void tfs_debuginfo_find_alt(struct tfs_dso *dso);
/** tfs_debuginfo_release_alt() - after all that refers to it */
void tfs_debuginfo_release_alt(struct tfs_dso *dso);
/**
 * tfs_debuginfo_link_split() - open the .dwo files of all units of @dso->dw, before libdw does
 * Return: false if libdw would open some file by its name.
 */
bool tfs_debuginfo_link_split(struct tfs_dso *dso);
/** tfs_dso_library_dir() - the @i-th directory in which ld.so looks; NULL after the last one */
const char *tfs_dso_library_dir(size_t i);
/** tfs_debuginfo_expand() - @part of the debug information is about to be read; false: damaged */
bool tfs_debuginfo_expand(struct tfs_dso *dso, enum tfs_debug_part part);
/** tfs_debuginfo_frames() - unwinding information of the debug file, NULL if there is none */
Dwarf_CFI *tfs_debuginfo_frames(struct tfs_dso *dso);
/** tfs_debuginfo_find_pages() - fill @dso->pages, now that there is debug information */
void tfs_debuginfo_find_pages(struct tfs_dso *dso);
/** tfs_debuginfo_read_on() - .debug_info is read from one end to the other, and this is where */
void tfs_debuginfo_read_on(struct tfs_dso *dso, const void *at);
/** tfs_dso_hex() - bytes of a build-id as text; yours, NULL without memory */
char *tfs_dso_hex(const unsigned char *bytes, size_t n);
/** tfs_dso_load_kallsyms() - fill @dso->symbols from /proc/kallsyms */
int tfs_dso_load_kallsyms(struct tfs_dso *dso, struct tfs_err *err);
/** tfs_dso_load_symtab() - append .symtab of the file or its debug file, with .gnu_debugdata */
int tfs_dso_load_symtab(struct tfs_dso *dso);
/** tfs_dso_load_dynsym() - append .dynsym, with versions */
int tfs_dso_load_dynsym(struct tfs_dso *dso);
/** tfs_dso_load_plt() - append linkage stubs to @dso->symbols */
int tfs_dso_load_plt(struct tfs_dso *dso);
/** tfs_dso_load_go() - append the functions of Go's own table, if there is no other */
int tfs_dso_load_go(struct tfs_dso *dso);
/** tfs_dso_go_table() - Go's own table of functions and lines, NULL if there is none */
const struct tfs_gopclntab *tfs_dso_go_table(struct tfs_dso *dso);
/** tfs_symbol_add() - append to @dso->symbols; a name without a version in it is borrowed */
int tfs_symbol_add(struct tfs_dso *dso, const struct tfs_symbol *symbol);

/**
 * struct tfs_units - a walk over all units; {0} to begin. Split units (.dwo) take the place of
 * their skeletons; type units are left out
 */
struct tfs_units {
	Dwarf_CU *cu;
};

/** tfs_units_next() - @unit: DIE of the next; 1, 0 at the end, or a negative errno */
int tfs_units_next(struct tfs_dso *dso, struct tfs_units *it, Dwarf_Die *unit);

/** tfs_debuginfo_note_split() - remember where the .dwo of a skeleton unit was looked for */
void tfs_debuginfo_note_split(struct tfs_dso *dso, Dwarf_Die *unit);

/** tfs_unit_at() - the unit whose code holds an address; 0, -ENOENT or -ENODATA */
int tfs_unit_at(struct tfs_dso *dso, Dwarf_Addr addr, Dwarf_Die *unit);

/**
 * tfs_func_at() - the function (DW_TAG_subprogram with code) of a unit that holds an address
 * Return: 0, -ENOENT.
 */
int tfs_func_at(struct tfs_dso *dso, Dwarf_Die *unit, Dwarf_Addr addr, Dwarf_Die *func);

/** tfs_die_entry() - entry of a function or copy, also where it has only ranges; 0 or -ENOENT */
int tfs_die_entry(Dwarf_Die *die, Dwarf_Addr *entry);

/** tfs_die_copy_at() - innermost function or inlined copy that holds @addr, @func if no copy */
void tfs_die_copy_at(Dwarf_Die *func, Dwarf_Addr addr, Dwarf_Die *copy);

#endif
