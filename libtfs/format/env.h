/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FORMAT_ENV_H
#define TFS_FORMAT_ENV_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct tfs_format_env - what the formats of one recording have in common
 * @big: its numbers are big-endian
 * @long_size: of the kernel's long: 4 or 8
 * @symbol: name of the function that holds @addr, borrowed, and its first address; NULL: unknown
 * @symbols: first argument of @symbol
 *
 * Nothing changes while records are printed; @symbol may be called on several threads at once.
 */
struct tfs_format_env {
	bool big;
	unsigned int long_size;
	const char *(*symbol)(const void *symbols, uint64_t addr, uint64_t *start);
	const void *symbols;
};

#endif
