/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_CONSTANTS_H
#define TFS_TRACEDAT_DAT_CONSTANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/*
 * The option TFS_DAT_PRIVATE_CONSTANTS: values of the names that the print formats of recorded
 * events leave unresolved. Its payload: u32 0x01020304 (in the file's byte order, as is all that
 * follows), then for each name u64 value (negative ones in two's complement) and strz name.
 */

/** TFS_DAT_CONSTANT_MAX - names that are longer, in characters, are neither written nor found */
#define TFS_DAT_CONSTANT_MAX 127

/** tfs_dat_constants_add() - append one name; 0 or -ENOMEM */
int tfs_dat_constants_add(struct tfs_strbuf *payload, const char *name, uint64_t value);

/** struct tfs_dat_constants - what a file says; constant once made, for any number of threads */
struct tfs_dat_constants;

/**
 * tfs_dat_constants_new() - read the option
 * @out: NULL where the file has none; release with tfs_dat_constants_free()
 *
 * Entries before the damage in a damaged option count; the last one counts if a name occurs
 * twice. Return: 0 or -ENOMEM.
 */
int tfs_dat_constants_new(const struct tfs_dat *dat, struct tfs_dat_constants **out);
void tfs_dat_constants_free(struct tfs_dat_constants *constants);

/**
 * tfs_dat_constants_find() - the value of a name
 * @constants: NULL: there are none
 * @name: @len characters, not terminated
 */
bool tfs_dat_constants_find(const struct tfs_dat_constants *constants, const char *name, size_t len,
			    uint64_t *value);

#endif
