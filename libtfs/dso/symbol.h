/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_SYMBOL_H
#define TFS_DSO_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_dso;
struct tfs_strvec;

enum tfs_symbol_type {
	TFS_SYMBOL_OTHER,
	TFS_SYMBOL_FUNC,
	TFS_SYMBOL_IFUNC, /* the code is a resolver, run once by the loader */
	TFS_SYMBOL_PLT,   /* a stub of the procedure linkage table: "NAME@plt" */
	TFS_SYMBOL_DATA,
	TFS_SYMBOL_TLS, /* the address is an offset into a thread's block */
};

/**
 * struct tfs_symbol - a defined symbol
 * @name: without version; borrowed from the dso
 * @version: "GLIBC_2.34", NULL if it has none
 * @module: of a running kernel's symbol that belongs to a module, else NULL
 * @addr: where
 * @size: bytes; 0 if not said
 * @type: what it names
 * @skip: bytes at its start that a call from within the file passes over (ppc64le: where the table
 *	of contents is looked up), 0 elsewhere
 * @thumb: code of arm's short instructions
 * @hidden: the version is not the default (NAME@VERSION, not NAME@@VERSION)
 * @local: not visible outside its file
 */
struct tfs_symbol {
	const char *name;
	const char *version;
	const char *module;
	uint64_t addr;
	uint64_t size;
	enum tfs_symbol_type type;
	unsigned int skip;
	bool thumb;
	bool hidden;
	bool local;
};

/**
 * tfs_symbols() - every defined symbol: of .symtab (also the debug file's), .dynsym and
 * .gnu_debugdata, procedure linkage stubs; or of kallsyms. Sorted by address, then name.
 * @syms: borrowed, valid as long as the dso
 *
 * Return: 0, -ENOMEM; no symbol at all is 0 with @n 0.
 */
int tfs_symbols(struct tfs_dso *dso, const struct tfs_symbol **syms, size_t *n,
		struct tfs_err *err);

/**
 * tfs_symbols_are_elsewhere() - the file itself has no .symtab, but its debug file or its
 * .gnu_debugdata; known after tfs_symbols()
 */
bool tfs_symbols_are_elsewhere(const struct tfs_dso *dso);

/**
 * tfs_symbol_named() - the symbols of a name
 * @name: as in the file, "NAME@VERSION", "NAME@@VERSION" or "NAME@plt"
 * @out: pointers, one after the other, borrowed until the next call; several may share an address
 *
 * Return: how many, or -ENOMEM.
 */
long tfs_symbol_named(struct tfs_dso *dso, const char *name, const struct tfs_symbol *const **out);

/**
 * tfs_symbol_at() - the symbol an address lies in: the best named one (global before local,
 * functions and data before others) of those that contain it or, without sizes, begin last
 * before it
 *
 * Return: NULL if there is none.
 */
const struct tfs_symbol *tfs_symbol_at(struct tfs_dso *dso, uint64_t addr);

/**
 * tfs_symbol_format() - an address as kprobe_events takes it: "SYM+0xOFF" with a name that only one
 * address has, else "_text+0xN"; with "MODULE:" before it for a module
 * @out: yours, free()
 *
 * Return: 0, -ENOENT if no symbol can say it, -ENOMEM.
 */
int tfs_symbol_format(struct tfs_dso *dso, uint64_t addr, char **out, struct tfs_err *err);

#endif
