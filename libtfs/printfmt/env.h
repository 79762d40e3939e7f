/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_ENV_H
#define TFS_PRINTFMT_ENV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum tfs_array_style - __print_array(): "{0xa,0xb}", "10 11", or what we do not know */
enum tfs_array_style {
	TFS_ARRAYS_UNKNOWN,
	TFS_ARRAYS_HEX,
	TFS_ARRAYS_DECIMAL,
};

/**
 * struct tfs_symbol_info - what holds an address
 * @name, @module: of @name_len characters, and "[name]" of @module_len; NULL for the kernel
 * @start, @size: its first address, and bytes up to the next symbol; 0: it is the last
 */
struct tfs_symbol_info {
	const char *name, *module;
	size_t name_len, module_len;
	uint64_t start, size;
};

/**
 * struct tfs_format_env - what the formats of one recording have in common
 * @big: its numbers are big-endian
 * @long_size: of the kernel's long: 4 or 8
 * @arrays: from tfs_detect_array_style()
 * @symbol: name of the function that holds @addr, borrowed, and its first address; NULL: unknown
 * @symbol_info: the same as the kernel looks it up: data are not symbols unless it was built with
 *	CONFIG_KALLSYMS_ALL; borrowed. NULL: unknown. Without it @symbol is asked
 * @address: where the symbol of that name is; false: nowhere
 * @symbols: first argument of all three
 * @printk: the kernel's string at @addr (printk_formats), borrowed; NULL: none
 * @printks: first argument of @printk
 * @constant: value of a constant of the recorded kernel that a format names: an enumerator or a
 *	macro that the kernel left as a name ("I_DIRTY_SYNC"), or "HZ". @name has @len characters
 *	and is not terminated. False: not known. NULL: none is known
 * @constants: first argument of @constant
 * @kernel_text: pointers and symbols are written as the kernel writes them ("0000000000001234",
 *	"name+0x1f/0x40"), not as trace-cmd does ("0x1234", "name+0x1f")
 *
 * Nothing changes while records are printed; all may be called on several threads at once.
 */
struct tfs_format_env {
	bool big;
	unsigned int long_size;
	enum tfs_array_style arrays;
	const char *(*symbol)(const void *symbols, uint64_t addr, uint64_t *start);
	const struct tfs_symbol_info *(*symbol_info)(const void *symbols, uint64_t addr);
	bool (*address)(const void *symbols, const char *name, uint64_t *addr);
	const void *symbols;
	const char *(*printk)(const void *printks, uint64_t addr);
	const void *printks;
	bool (*constant)(const void *constants, const char *name, size_t len, uint64_t *value);
	const void *constants;
	bool kernel_text;
};

#endif
