/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_SYMBOLS_H
#define TFS_TRACEDAT_DAT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "base/strmap.h"

struct tfs_dat;

/*
 * The option TFS_DAT_PRIVATE_SYMBOLS: the functions of objects (dat-maps.h) that events met. It
 * consists of records (dat-records.h): type 1, names: strings that end with NUL, for the records
 * that follow in the same option; type 2, functions: u32 number of the object, u32 n, then n times
 * u64 start, u64 end, u32 offset of the name. Addresses are those of tfs_dat_map's @address; names
 * are as in the file, mangled ones too.
 */

/** struct tfs_dat_symbol - a function: [start, end) */
struct tfs_dat_symbol {
	uint64_t start, end;
	const char *name;
};

/** struct tfs_dat_symbols_writer - makes the option; tfs_dat_symbols_writer_release() it */
struct tfs_dat_symbols_writer {
	struct tfs_strbuf names, functions;
	struct tfs_strmap index;
};

#define TFS_DAT_SYMBOLS_WRITER_INIT                                    \
	{                                                              \
		.names = TFS_STRBUF_INIT, .functions = TFS_STRBUF_INIT \
	}

/** tfs_dat_symbols_add() - append an object's functions; 0 or -errno */
int tfs_dat_symbols_add(struct tfs_dat_symbols_writer *w, uint32_t object,
			const struct tfs_dat_symbol *v, size_t n);
/** tfs_dat_symbols_finish() - append them all to a payload that begins with the mark; 0, -errno */
int tfs_dat_symbols_finish(struct tfs_dat_symbols_writer *w, struct tfs_strbuf *payload);
void tfs_dat_symbols_writer_release(struct tfs_dat_symbols_writer *w);

/** struct tfs_dat_symbols - what a file says; constant once made, for any number of threads */
struct tfs_dat_symbols;

/**
 * tfs_dat_symbols_new() - read the options
 * @n_objects: how many the file has; functions of others are left out
 * @out: NULL where the file has none; release with tfs_dat_symbols_free()
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_symbols_new(const struct tfs_dat *dat, size_t n_objects, struct tfs_dat_symbols **out);
void tfs_dat_symbols_free(struct tfs_dat_symbols *symbols);

/** tfs_dat_symbols_all() - every function, by object, then by start; borrowed, NULL: none */
const struct tfs_dat_symbol *tfs_dat_symbols_all(const struct tfs_dat_symbols *symbols, size_t *n);
/**
 * tfs_dat_symbols_find() - the function that an address of an object is in
 *
 * If there are several, the one that begins last. Return: one of tfs_dat_symbols_all(), NULL: none.
 */
const struct tfs_dat_symbol *tfs_dat_symbols_find(const struct tfs_dat_symbols *symbols,
						  uint32_t object, uint64_t addr);

#endif
