/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_DIGITS_H
#define TFS_BASE_DIGITS_H

#include <stdint.h>

/*
 * Numbers as text without printf, for what runs for every record. Each function writes at @p, which
 * has room, and returns the byte behind; nothing is terminated. Pure.
 */

/** TFS_DIGITS_MAX - bytes that any of these writes at most, unless a width asks for more */
#define TFS_DIGITS_MAX 20

/** tfs_digits_dec() - as "%llu" */
char *tfs_digits_dec(char *p, uint64_t n);
/** tfs_digits_fixed() - exactly @width digits, zeros in front; @n has no more than these */
char *tfs_digits_fixed(char *p, uint32_t n, unsigned int width);
/** tfs_digits_sdec() - as "%lld" */
char *tfs_digits_sdec(char *p, int64_t n);
/** tfs_digits_hex() - as "%0*llx": at least @width digits, zeros in front */
char *tfs_digits_hex(char *p, uint64_t n, unsigned int width);
/** tfs_digits_hex_roomy() - the same, @width 16 at most; changes 16 bytes whatever @n is: fast */
char *tfs_digits_hex_roomy(char *p, uint64_t n, unsigned int width);

#endif
