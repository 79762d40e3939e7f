/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_INERT_H
#define TFS_BASE_INERT_H

#include <stddef.h>

struct tfs_strbuf;

/*
 * Text that strangers wrote, for a terminal: nothing in it may move the cursor, set a title, or
 * look like a line of ours. Control characters of ECMA-48 (C0 but tabs, DEL, and C1 as bytes or as
 * U+0080 to U+009F) and bytes that are not UTF-8 are shown as \n, \x1b, \xc2\x9b.
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
/** tfs_inert_span() - how many bytes at @s can be shown as they are */
size_t tfs_inert_span(const char *s, size_t len, enum tfs_inert_lines lines);
/** tfs_inert_put() - the byte at @s, which is not one of these, at @p. Return: the byte after it */
char *tfs_inert_put(char *p, char c);
/** tfs_inert_rest() - make what @sb has from @start on inert. 0, or -ENOMEM and @sb as it was */
int tfs_inert_rest(struct tfs_strbuf *sb, size_t start, enum tfs_inert_lines lines);

#endif
