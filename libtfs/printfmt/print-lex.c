/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-lex.h"

#include <ctype.h>
#include <string.h>

#include "base/macros.h"

static bool is_word(char c)
{
	char lower = (char)(c | 0x20);

	return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

void tfs_lex_init(struct tfs_lex *lex, const char *text, size_t size)
{
	*lex = (struct tfs_lex){ .p = text, .end = text + size };
	tfs_lex_next(lex);
}

/* A literal from its quote to the next one that no backslash precedes. */
static void quoted(struct tfs_lex *lex, char quote)
{
	const char *p = lex->p + 1;

	lex->text = p;
	while (p < lex->end && *p != quote)
		p += *p == '\\' && p + 1 < lex->end ? 2 : 1;
	lex->token = quote == '"' ? TFS_TOKEN_STRING : TFS_TOKEN_CHARACTER;
	if (p >= lex->end) {
		lex->token = TFS_TOKEN_BAD;
		p = lex->end;
	}
	lex->len = (size_t)(p - lex->text);
	lex->p = p < lex->end ? p + 1 : p;
}

static void operator(struct tfs_lex *lex)
{
	static const char *const two[] = { "->", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
	size_t i;

	lex->token = TFS_TOKEN_OPERATOR;
	lex->len = 1;
	for (i = 0; i < ARRAY_SIZE(two); i++)
		if (lex->end - lex->p >= 2 && !memcmp(lex->p, two[i], 2))
			lex->len = 2;
	if (!*lex->p || !strchr("+-*/%&|^~!<>=?:;,.()[]{}#", *lex->p))
		lex->token = TFS_TOKEN_BAD;
	lex->p += lex->len;
}

void tfs_lex_next(struct tfs_lex *lex)
{
	while (lex->p < lex->end && isspace((unsigned char)*lex->p))
		lex->p++;
	lex->text = lex->p;
	lex->len = 0;
	if (lex->p >= lex->end) {
		lex->token = TFS_TOKEN_END;
	} else if (is_word(*lex->p)) {
		lex->token = isdigit((unsigned char)*lex->p) ? TFS_TOKEN_NUMBER : TFS_TOKEN_NAME;
		while (lex->p < lex->end && is_word(*lex->p))
			lex->p++;
		lex->len = (size_t)(lex->p - lex->text);
	} else if (*lex->p == '"' || *lex->p == '\'') {
		quoted(lex, *lex->p);
	} else {
		operator(lex);
	}
}

bool tfs_lex_matches(const struct tfs_lex *lex, const char *text)
{
	return (lex->token == TFS_TOKEN_OPERATOR || lex->token == TFS_TOKEN_NAME) &&
	       strlen(text) == lex->len && !memcmp(lex->text, text, lex->len);
}
