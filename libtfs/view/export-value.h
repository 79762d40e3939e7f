/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_EXPORT_VALUE_H
#define TFS_VIEW_EXPORT_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/digits.h"
#include "decode/value.h"

struct tfs_field;
struct tfs_strbuf;
struct tfs_value;

/*
 * Values as text for other programs. All append to @out and return 0 or -ENOMEM; pure otherwise, no
 * printf: this runs for every field of every record.
 */

/** TFS_JSON_EXACT - above this (2^53 - 1) readers that compute in doubles lose digits */
#define TFS_JSON_EXACT ((UINT64_C(1) << 53) - 1)

/** TFS_JSON_NUMBER_MAX - longest text of a number: sign, digits, quotes, "0x", a separator */
#define TFS_JSON_NUMBER_MAX (TFS_DIGITS_MAX + 8)
/** tfs_json_number() - a number in JSON at @p, which has room. Return: the byte after it */
char *tfs_json_number(char *p, enum tfs_value_kind kind, uint64_t n);

/** tfs_json_signed() - a number, or beyond TFS_JSON_EXACT a string of its digits */
int tfs_json_signed(struct tfs_strbuf *out, int64_t n);
int tfs_json_unsigned(struct tfs_strbuf *out, uint64_t n);
/** tfs_json_value() - what tfs_fields_get() found: number, string or array */
int tfs_json_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v);

/** tfs_hex_bytes() - two digits a byte, without quotes */
int tfs_hex_bytes(struct tfs_strbuf *out, const void *data, size_t size);
/** tfs_plain_value() - as in JSON, but without any quotes, brackets or escapes */
int tfs_plain_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v);
/** tfs_word_value() - the same, but a string that is not one plain word is in quotes, as in JSON */
int tfs_word_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v);

/** tfs_csv_cell() - quoted as RFC 4180 has it where that is necessary; bytes stay what they are */
int tfs_csv_cell(struct tfs_strbuf *out, const void *s, size_t len);
/** tfs_tab_cell() - tabs, ends of lines, backslashes, control characters as in C: \t \n \\ \x1b */
int tfs_tab_cell(struct tfs_strbuf *out, const void *s, size_t len);
/**
 * tfs_csv_inert_cell(), tfs_tab_inert_cell() - the same for a terminal: see base/inert.h
 *
 * In CSV a text that begins with one of "=+-@" has an apostrophe before it.
 */
int tfs_csv_inert_cell(struct tfs_strbuf *out, const void *s, size_t len);
int tfs_tab_inert_cell(struct tfs_strbuf *out, const void *s, size_t len);

#endif
