/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_INERT_H
#define TFS_BASE_INERT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct tfs_strbuf;

/*
 * Text that strangers wrote, for a terminal: nothing in it may move the cursor, set a title, or
 * look like a line of ours. Control characters of ECMA-48 (C0 but tabs, DEL, and C1 as bytes or as
 * U+0080 to U+009F), bytes that are not UTF-8, and characters that change the order of those around
 * them or end a line for some (tfs_utf8_reorders()) are shown as \n, \x1b, \xc2\x9b.
 */

/** enum tfs_inert_lines - which line ends stay */
enum tfs_inert_lines {
	TFS_INERT_NONE, /* none: it is part of a line */
	TFS_INERT_LAST, /* one at the end, and those before "=> ", as stack traces have them */
	TFS_INERT_ALL,  /* all: it is many lines */
};

/** TFS_INERT_MAX - a byte becomes at most so many */
#define TFS_INERT_MAX 4

/** tfs_utf8_sequence() - bytes of the character at @p, of @left; 0: not UTF-8. ASCII is 1 */
size_t tfs_utf8_sequence(const void *p, size_t left);
/**
 * tfs_utf8_reorders() - is the character at @p, of @n bytes, a mark of direction or a separator?
 *
 * U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069; U+2028, U+2029.
 */
bool tfs_utf8_reorders(const void *p, size_t n);
/**
 * tfs_utf8_escape() - append any bytes as UTF-8 that can be undone
 *
 * A byte that is not part of valid UTF-8 becomes \xHH. A backslash before an x becomes \x5c, since
 * these four characters might be in the text. Return: 0 or -ENOMEM.
 */
int tfs_utf8_escape(struct tfs_strbuf *out, const void *s, size_t len);
/** tfs_utf8_is_escaped() - may tfs_utf8_escape() change the text? False is certain */
bool tfs_utf8_is_escaped(const void *s, size_t len);
/** tfs_inert_span() - how many bytes at @s can be shown as they are */
size_t tfs_inert_span(const char *s, size_t len, enum tfs_inert_lines lines);
/** tfs_inert_put() - the byte at @s, which is not one of these, at @p. Return: the byte after it */
char *tfs_inert_put(char *p, char c);
/**
 * tfs_inert_format() - vsnprintf(), but line ends come from @fmt alone: others become '?'
 *
 * For names that strangers chose, within a line of ours. The format "%s" is for text of lines,
 * which stays as it is.
 */
void tfs_inert_format(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/** tfs_inert_rest() - make what @sb has from @start on inert. 0, or -ENOMEM and @sb as it was */
int tfs_inert_rest(struct tfs_strbuf *sb, size_t start, enum tfs_inert_lines lines);

#endif
