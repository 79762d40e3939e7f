/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_JSON_H
#define TFS_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"

/**
 * tfs_json_string() - in quotes; every input gives valid JSON
 *
 * UTF-8 stays what it is, control characters are escaped. A byte that is no UTF-8 becomes the lone
 * surrogate U+DC00 + byte, as Python's "surrogateescape" has it, so that the bytes can be had back.
 */
int tfs_json_string(struct tfs_strbuf *out, const void *s, size_t len);

/**
 * tfs_json_utf8() - in JSON from @start on, write bytes as tfs_utf8_escape() does
 *
 * For readers that take no lone surrogates. Return: 0, or -ENOMEM and @out as it was.
 */
int tfs_json_utf8(struct tfs_strbuf *out, size_t start);

/** TFS_JSON_LINES - items of this many outer levels have a line of their own */
#define TFS_JSON_LINES 2

/**
 * struct tfs_json - one document, written from its beginning to its end
 * @text: what was written so far
 * @depth: brackets that are open
 * @more: the next item needs a comma before it
 * @rc: 0, or -ENOMEM once memory was short: nothing is added any more
 *
 * Start with TFS_JSON_INIT, release with tfs_json_release(). @key is the name of what is written,
 * NULL in an array and for the outermost. For documents of moderate size; records of events are
 * written by view/export-value.h.
 */
struct tfs_json {
	struct tfs_strbuf text;
	unsigned int depth;
	bool more;
	int rc;
};

#define TFS_JSON_INIT                        \
	{                                    \
		TFS_STRBUF_INIT, 0, false, 0 \
	}

void tfs_json_release(struct tfs_json *j);
/** tfs_json_open() - begin an object '{' or an array '[' */
void tfs_json_open(struct tfs_json *j, const char *key, char bracket);
/** tfs_json_close() - end it with '}' or ']'; the outermost ends with a line feed */
void tfs_json_close(struct tfs_json *j, char bracket);
/** tfs_json_text() - a string, null for NULL */
void tfs_json_text(struct tfs_json *j, const char *key, const char *s);
void tfs_json_bool(struct tfs_json *j, const char *key, bool value);
/** tfs_json_int() - a number; the caller's are below what a double holds */
void tfs_json_int(struct tfs_json *j, const char *key, long long value);

#endif
