/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_SDT_OPERAND_H
#define TFS_PROBE_SDT_OPERAND_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dso;
struct tfs_err;
struct tfs_fetch;

/**
 * tfs_sdt_arg_next() - the next argument in the text that a marker's note has of them
 * @s: moved to its beginning; to the end of the text after the last one
 *
 * Return: its length; 0, there is none.
 */
size_t tfs_sdt_arg_next(const char **s);

/**
 * tfs_sdt_arg_parse() - how the kernel fetches an argument: "-4@%eax", "8f@[sp, 16]"
 * @s: its text, @len: as tfs_sdt_arg_next() found it
 * @pc: of the marker
 * @out: its base, dereferences, type and meaning are set; it owns nothing
 *
 * The text is an operand as the machine's assembler takes it, after a size in bytes, negative for
 * a number with a sign, and an 'f' for a floating-point number.
 *
 * Return: 0, or -EOPNOTSUPP with the reason.
 */
int tfs_sdt_arg_parse(struct tfs_dso *dso, const char *s, size_t len, uint64_t pc,
		      struct tfs_fetch *out, struct tfs_err *err);

#endif
