/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_INTERNAL_H
#define TFS_DSO_DSO_INTERNAL_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdio.h>

#include "base/strvec.h"
#include "dso/dso-got.h"
#include "dso/dso.h"

struct tfs_err;
struct tfs_gopclntab;
struct tfs_kernel_text;
struct tfs_symbol;

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

/* Read when first asked for; sorted by address, and by name where that is 0. */
struct tfs_got {
	struct tfs_got_slot *v;
	size_t n;
	size_t cap;
	bool built;
};

/* As many parts of the room keep something in a dso. */
#define TFS_DSO_RELEASES_MAX 4
#define TFS_DSO_ATTACHED_MAX 4

/** struct tfs_attached - data of tfs_dso_attach() */
struct tfs_attached {
	void (*free_data)(void *data);
	void *data;
};

/**
 * struct tfs_dso - see dso/dso.h
 * @path: as given to the kernel; @file: as it was opened, below @symfs; @inner: below what stands
 *	for /
 * @symfs: what stands for /: --symfs, or, if @ns, /proc/PID/root of a process that sees other
 *	files; NULL for / itself
 * @root: descriptor of @symfs, TFS_NO_ROOT if that is NULL; every other file is looked up below it
 * @deleted: the file has no name any more, and is that of a process
 * @debug_fd, @debug_found: the debug file that was found, -1 and NULL before; libdwfl has another
 *	descriptor of it once @debug_given
 * @go_table: of tfs_dso_go_table(), which has looked for it once @go_sought
 * @go_has_symbols: there is a symbol table as well
 * @kernel_text: of dso/kernel-text.h, made when first asked for
 * @supplier: what would supply debug information, NULL before it was asked for
 * @why_not: what was wrong with a debug file that was found, "" if nothing
 * @release: what tfs_dso_on_free() was given; @attached: tfs_dso_attach()
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
	int debug_fd;
	char *debug_found;
	bool debug_given;
	char why_not[256];
	struct tfs_strvec tried;
	struct tfs_symbol_table symbols;
	char *supplier;
	struct tfs_got got;
	struct tfs_kernel_text *kernel_text;
	struct tfs_gopclntab *go_table;
	bool go_sought;
	bool go_has_symbols;
	void (*release[TFS_DSO_RELEASES_MAX])(struct tfs_dso *);
	size_t n_releases;
	struct tfs_attached attached[TFS_DSO_ATTACHED_MAX];
	size_t n_attached;
};

/** tfs_dso_new() - of no file yet; NULL without memory */
struct tfs_dso *tfs_dso_new(void);

/**
 * tfs_dso_on_free() - have a function called when the dso is freed, while its files are open
 * @release: frees what its caller keeps in the dso; must not use what others keep there.
 *	However often it is given, it is called once
 */
void tfs_dso_on_free(struct tfs_dso *dso, void (*release)(struct tfs_dso *));

/**
 * tfs_dso_relocations_fit() - can a section of relocations be in the file, besides those before?
 * @read: bytes of those before; 0 at first, and @data is added
 */
bool tfs_dso_relocations_fit(Elf *elf, const Elf_Data *data, size_t *read);
void tfs_got_release(struct tfs_got *got);

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
/** TFS_DSO_DELETED - what the kernel appends to the name of an unlinked file */
#define TFS_DSO_DELETED " (deleted)"
/** tfs_dso_link_text() - the name that /proc/self/fd has for @fd; yours, NULL without one */
char *tfs_dso_link_text(int fd);
/**
 * tfs_dso_pick_replaced() - the range of a mapped file whose path another file has now
 * @maps: as for tfs_dso_pick_mapped()
 * @path: as maps has it
 *
 * Return: 0; -ENOENT, also if what has the path now is mapped, too.
 */
int tfs_dso_pick_replaced(FILE *maps, const char *path, uint64_t *from, uint64_t *to);
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
/** tfs_dso_library_dir() - the @i-th directory in which ld.so looks; NULL after the last one */
const char *tfs_dso_library_dir(size_t i);
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
/** tfs_symbol_add() - append to @dso->symbols; a name without a version in it is borrowed */
int tfs_symbol_add(struct tfs_dso *dso, const struct tfs_symbol *symbol);

#endif
