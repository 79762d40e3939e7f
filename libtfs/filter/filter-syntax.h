/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_FILTER_SYNTAX_H
#define TFS_FILTER_FILTER_SYNTAX_H

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"

struct tfs_err;

/** struct tfs_filter_name - a field that an expression names; @at: its place in the text */
struct tfs_filter_name {
	size_t at, len;
};

/**
 * struct tfs_filter_words - what a word that a field is compared with stands for
 * @value: the number of an enumerator @word of @field, neither terminated; 1 if it is set, 0 if the
 *	field has no such words, -EINVAL with @err set if this is none of them. @at: of the word, in
 *	the text
 */
struct tfs_filter_words {
	int (*value)(const void *context, const struct tfs_filter_name *field,
		     const struct tfs_filter_name *word, uint64_t *value, struct tfs_err *err);
	const void *context;
};

/**
 * struct tfs_filter_syntax - an expression of a filter, taken apart
 * @text: the expression as libtraceevent reads it: tokens with blanks between, "-1" as the number
 *        of 64 bits that it is compared as
 * @names: @n_names fields, in order
 */
struct tfs_filter_syntax {
	struct tfs_strbuf text;
	struct tfs_filter_name *names;
	size_t n_names;
};

/**
 * tfs_filter_syntax() - check the expression after the colon of a filter
 * @whole: the filter; the expression begins at @at
 *
 * The grammar is libtraceevent's, whose own parser accepts some of what is none, and does not
 * survive some of it:
 *
 *   expression := term { ( "&&" | "||" ) term }           from left to right, no precedence
 *   term       := "!" term | "(" expression ")" | value operator value
 *
 * A value is a field's name, COMM, CPU, a number or a string in quotes; before a comparison only a
 * field, after it none, but a word of @words, in quotes or not.
 * @words: may be NULL
 * @out: release with tfs_filter_syntax_release(), also after a failure
 *
 * Return: 0, -EINVAL with @err and its caret set, -ENOMEM.
 */
int tfs_filter_syntax(const char *whole, size_t at, const struct tfs_filter_words *words,
		      struct tfs_filter_syntax *out, struct tfs_err *err);
void tfs_filter_syntax_release(struct tfs_filter_syntax *s);

#endif
