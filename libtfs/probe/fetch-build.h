/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_FETCH_BUILD_H
#define TFS_PROBE_FETCH_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/fetch.h"

struct tfs_refusing;
struct tfs_var_opts;

/*
 * Build a fetch argument, for variables from DWARF and from BTF. Each function refuses what the
 * kernel would reject or truncate. Return: 0 or the errno of the refusal.
 */

/** tfs_fetch_deref() - read at @off bytes after the address so far */
int tfs_fetch_deref(struct tfs_fetch *fetch, int64_t off, struct tfs_refusing *r);

/** tfs_fetch_set_type() - the type after ':' */
int tfs_fetch_set_type(struct tfs_fetch *fetch, struct tfs_refusing *r, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** tfs_var_letter() - of the type of a number: s, x or u; the one that was typed, if one was */
const char *tfs_var_letter(const struct tfs_var_opts *opts, bool is_signed);

/**
 * struct tfs_container - what the kernel reads for a bitfield in memory
 * @byte: where it begins, in bytes from where the bits are counted
 * @size: of it, in bits
 * @shift: of the field in it, from its least significant bit
 */
struct tfs_container {
	uint64_t byte;
	unsigned int size;
	unsigned int shift;
};

/**
 * tfs_fetch_set_bits() - the type of bits of a word: "b5@3/32"
 * @shift: from the word's least significant bit, @size: of the word, in bits
 * @is_signed: the variable has a sign, and no other letter was typed: the kernel reads bits without
 *	one, so that it becomes a meaning
 */
int tfs_fetch_set_bits(struct tfs_fetch *fetch, const struct tfs_var_opts *opts,
		       const struct tfs_container *word, unsigned int bits, bool is_signed,
		       struct tfs_refusing *r);

/**
 * tfs_fetch_container() - the smallest naturally aligned container that holds all of a bitfield,
 *	else one that begins at its first byte
 * @at: where the field begins, @bits: its size, in bits
 * @big: bits are counted from the most significant one, as big-endian machines do
 */
int tfs_fetch_container(uint64_t at, unsigned int bits, bool big, struct tfs_container *out,
			struct tfs_refusing *r);

#endif
