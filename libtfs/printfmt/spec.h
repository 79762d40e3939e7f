/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_SPEC_H
#define TFS_PRINTFMT_SPEC_H

struct tfs_op;

/* The text between a conversion's '%' and its letter. It ends at @end or at a zero. */

/**
 * tfs_spec_style() - flags, width and precision into @op: style, width (at most 65535), precision
 *
 * A '*' is a style; its number is not known here. Return: where the rest begins.
 */
const char *tfs_spec_style(const char *s, const char *end, struct tfs_op *op);
/** tfs_spec_size() - "hh", "ll", "z": bytes of the number, with @long_size those of a long */
const char *tfs_spec_size(const char *s, const char *end, unsigned int long_size,
			  unsigned int *size);
/** tfs_spec_number() - base and case of a number's conversion, a letter of "diuxXo", into @op */
void tfs_spec_number(char kind, struct tfs_op *op);

#endif
