/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_SYMBOLS_H
#define TFS_PRINTFMT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_symbols - the kernel's symbols of a recording, by address
 *
 * Answers as tep_find_function() and tep_find_function_address() do after tep_parse_kallsyms() of
 * the same texts. Looking up is for any number of threads.
 */
struct tfs_symbols;
struct tfs_symbol_info;

/** tfs_symbols_new() - without any; 0 or -ENOMEM */
int tfs_symbols_new(struct tfs_symbols **out);
/**
 * tfs_symbols_prefer_first() - of several symbols at one address, find the first of the list
 *
 * As the kernel does (get_symbol_pos() in kernel/kallsyms.c). Without it the one that libtraceevent
 * finds is found. Before symbols are added.
 */
void tfs_symbols_prefer_first(struct tfs_symbols *symbols);
/**
 * tfs_symbols_add() - take in the lines of /proc/kallsyms
 * @text: @size bytes; borrowed, and outlives the symbols: names are looked up in it
 *
 * Lines after one of another form are left out, as in libtraceevent. Not while another
 * thread looks something up. Return: 0 or -ENOMEM.
 */
int tfs_symbols_add(struct tfs_symbols *symbols, const char *text, size_t size);
void tfs_symbols_free(struct tfs_symbols *symbols);

/**
 * tfs_symbols_find() - name of what holds @addr, borrowed until symbols are added, and its start
 *
 * NULL: none, or no memory for it.
 */
const char *tfs_symbols_find(const struct tfs_symbols *symbols, uint64_t addr, uint64_t *start);
/** tfs_symbols_info() - as the kernel finds it: struct tfs_format_env, @symbol_info */
const struct tfs_symbol_info *tfs_symbols_info(const struct tfs_symbols *symbols, uint64_t addr);
/** tfs_symbols_address() - where the first symbol of that name is; false: there is none */
bool tfs_symbols_address(const struct tfs_symbols *symbols, const char *name, uint64_t *addr);

#endif
