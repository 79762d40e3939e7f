/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_LEX_H
#define TFS_PRINTFMT_PRINT_LEX_H

#include <stdbool.h>
#include <stddef.h>

/** enum tfs_token - kinds of tokens in a print format, which is C */
enum tfs_token {
	TFS_TOKEN_END,
	TFS_TOKEN_BAD, /* a character that C does not have, or a literal without an end */
	TFS_TOKEN_NAME,
	TFS_TOKEN_NUMBER,
	TFS_TOKEN_STRING, /* text without its quotes, escapes as they stand */
	TFS_TOKEN_CHARACTER,
	TFS_TOKEN_OPERATOR,
};

/**
 * struct tfs_lex - the tokens of a text one by one
 * @p, @end: what is left; borrowed, need not be terminated
 * @token: the present token
 * @text, @len: its characters, within the text
 */
struct tfs_lex {
	const char *p, *end;
	enum tfs_token token;
	const char *text;
	size_t len;
};

/** tfs_lex_init() - begin; the first token is the present one */
void tfs_lex_init(struct tfs_lex *lex, const char *text, size_t size);
/** tfs_lex_next() - go to the next token; past the end it stays TFS_TOKEN_END */
void tfs_lex_next(struct tfs_lex *lex);
/** tfs_lex_matches() - tfs_lex_is(), of a token that is not empty and begins as @text does */
bool tfs_lex_matches(const struct tfs_lex *lex, const char *text);

/** tfs_lex_is() - is the present token the operator or the name @text? */
static inline bool tfs_lex_is(const struct tfs_lex *lex, const char *text)
{
	return lex->len && *lex->text == *text && tfs_lex_matches(lex, text);
}

/** tfs_lex_take() - the same, and go on if it is */
static inline bool tfs_lex_take(struct tfs_lex *lex, const char *text)
{
	if (!tfs_lex_is(lex, text))
		return false;
	tfs_lex_next(lex);
	return true;
}

#endif
