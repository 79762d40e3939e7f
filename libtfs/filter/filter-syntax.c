/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "filter/filter-syntax.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/macros.h"

/* Parentheses, and "!" before one another; terms of one filter. libtraceevent recurses for each. */
#define DEPTH_MAX 64
#define TERMS_MAX 512

enum token { END, NAME, NUMBER, STRING, COMPARE, MATCH, COMPUTE, AND_OR, NOT, OPEN, CLOSE };

struct parser {
	const char *whole;
	size_t at, len; /* of the current token */
	enum token token;
	unsigned int depth, terms;
	const struct tfs_filter_words *words;
	struct tfs_filter_syntax *out;
	struct tfs_err *err;
};

/* Longer ones first. "~" alone has no meaning that libtraceevent could compute. */
static const struct {
	const char *text;
	enum token token;
} operators[] = {
	{ "&&", AND_OR },  { "||", AND_OR },  { "==", COMPARE }, { "!=", COMPARE },
	{ "<=", COMPARE }, { ">=", COMPARE }, { "<<", COMPUTE }, { ">>", COMPUTE },
	{ "=~", MATCH },   { "!~", MATCH },   { "<", COMPARE },  { ">", COMPARE },
	{ "+", COMPUTE },  { "-", COMPUTE },  { "*", COMPUTE },  { "/", COMPUTE },
	{ "%", COMPUTE },  { "&", COMPUTE },  { "|", COMPUTE },  { "^", COMPUTE },
	{ "!", NOT },      { "(", OPEN },     { ")", CLOSE },
};

static int wrong(struct parser *p, size_t at, const char *what)
{
	tfs_err_say(p->err, -EINVAL, "filter: %s", what);
	tfs_err_input(p->err, p->whole, (int)at);
	return -EINVAL;
}

static int read_operator(struct parser *p)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++) {
		p->len = strlen(operators[i].text);
		p->token = operators[i].token;
		if (!strncmp(p->whole + p->at, operators[i].text, p->len))
			return 0;
	}
	if (p->whole[p->at] == '=')
		return wrong(p, p->at, "'=' is none of its operators; '==' compares");
	return wrong(p, p->at, "this is none of its operators");
}

static int read_string(struct parser *p)
{
	const char *s = p->whole + p->at, *q = s + 1;

	while (*q && *q != *s)
		q += *q == '\\' && q[1] ? 2 : 1;
	if (!*q)
		return wrong(p, p->at, "a string that does not end");
	p->token = STRING;
	p->len = (size_t)(q + 1 - s);
	return 0;
}

static int next(struct parser *p)
{
	const char *s;

	p->at += p->len;
	p->at += strspn(p->whole + p->at, " \t\n");
	s = p->whole + p->at;
	p->len = 0;
	if (!*s) {
		p->token = END;
		return 0;
	}
	if (*s == '"' || *s == '\'')
		return read_string(p);
	while (isalnum((unsigned char)s[p->len]) || s[p->len] == '_')
		p->len++;
	if (!p->len)
		return read_operator(p);
	p->token = isdigit((unsigned char)*s) ? NUMBER : NAME;
	return 0;
}

/* The current token goes into the text for libtraceevent; on to the next. */
static int take(struct parser *p)
{
	int rc = tfs_strbuf_add(&p->out->text, p->whole + p->at, p->len);

	if (!rc)
		rc = tfs_strbuf_addc(&p->out->text, ' ');
	return rc ? rc : next(p);
}

static int take_name(struct parser *p)
{
	struct tfs_filter_syntax *s = p->out;

	if (tfs_grow_one(&s->names, s->n_names))
		return -ENOMEM;
	s->names[s->n_names++] = (struct tfs_filter_name){ p->at, p->len };
	return take(p);
}

/* libtraceevent would take "12abc" for 12. */
static int take_number(struct parser *p, bool negative)
{
	unsigned long long n;
	char *end;
	int rc;

	errno = 0;
	n = strtoull(p->whole + p->at, &end, 0);
	if (errno || end != p->whole + p->at + p->len)
		return wrong(p, p->at, "this is not a 64-bit number");
	rc = tfs_strbuf_addf(&p->out->text, "%" PRIu64 " ", negative ? -(uint64_t)n : (uint64_t)n);
	return rc ? rc : next(p);
}

/* The sign is a token of its own. */
static int take_negative(struct parser *p)
{
	int rc = next(p);

	if (rc)
		return rc;
	if (p->token != NUMBER)
		return wrong(p, p->at, "a number is needed here");
	return take_number(p, true);
}

/* A regular expression that libtraceevent will compile; in its quotes */
static int check_regex(struct parser *p)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char why[128];
	regex_t re;
	int rc;

	rc = tfs_strbuf_add(&sb, p->whole + p->at + 1, p->len - 2);
	if (rc)
		return rc;
	rc = regcomp(&re, sb.s ? sb.s : "", REG_ICASE | REG_NOSUB);
	tfs_strbuf_release(&sb);
	if (!rc) {
		regfree(&re);
		return 0;
	}
	if (rc == REG_ESPACE)
		return -ENOMEM;
	regerror(rc, &re, why, sizeof(why));
	return wrong(p, p->at, why);
}

/* A word for one of the field's numbers: that goes into the text, as 1 says; 0: there is none. */
static int take_word(struct parser *p)
{
	const struct tfs_filter_syntax *s = p->out;
	const size_t quote = p->token == STRING;
	const struct tfs_filter_name word = { p->at + quote, p->len - 2 * quote };
	uint64_t value;
	int rc;

	if (!p->words || (p->token != NAME && p->token != STRING) || !s->n_names)
		return 0;
	rc = p->words->value(p->words->context, &s->names[s->n_names - 1], &word, &value, p->err);
	if (rc <= 0)
		return rc;
	rc = tfs_strbuf_addf(&p->out->text, "%" PRIu64 " ", value);
	if (!rc)
		rc = next(p);
	return rc ? rc : 1;
}

static int right_value(struct parser *p, enum token op, const char *op_text, size_t op_at)
{
	bool equal = !strncmp(op_text, "==", 2) || !strncmp(op_text, "!=", 2);
	int rc;

	if (p->token == COMPUTE && p->whole[p->at] == '-' && op != MATCH)
		return take_negative(p);
	rc = op == COMPARE ? take_word(p) : 0;
	if (rc)
		return rc < 0 ? rc : 0;
	if (op == MATCH && p->token != STRING)
		return wrong(p, p->at, "an expression in quotes is needed here");
	if (p->token == STRING && op == COMPARE && !equal)
		return wrong(p, op_at, "strings are compared with ==, !=, =~ and !~ only");
	if (p->token == STRING && op == COMPUTE)
		return wrong(p, p->at, "a number or a field is needed here");
	if (op == MATCH) {
		rc = check_regex(p);
		if (rc)
			return rc;
	}
	if (p->token == NAME && op != COMPUTE) {
		rc = wrong(p, p->at, "a field is compared with a number or a string, not a field");
		if (op == COMPARE && equal)
			tfs_err_hint(p->err, "'A - B' is true where numbers differ, '!(A - B)' "
					     "where they are equal");
		return rc;
	}
	if (p->token == NAME)
		return take_name(p);
	if (p->token == NUMBER)
		return take_number(p, false);
	if (p->token == STRING)
		return take(p);
	return wrong(p, p->at, "a value is needed here");
}

static int comparison(struct parser *p)
{
	size_t left = p->at, at;
	bool name = p->token == NAME;
	const char *op_text;
	enum token op;
	int rc;

	if (p->token == STRING)
		return wrong(p, left, "the field stands before the operator");
	if (p->token != NAME && p->token != NUMBER)
		return wrong(p, left, "a field is needed here");
	rc = name ? take_name(p) : take_number(p, false);
	if (rc)
		return rc;
	op = p->token;
	at = p->at;
	op_text = p->whole + at;
	if (op != COMPARE && op != MATCH && op != COMPUTE) {
		wrong(p, at, "an operator is needed here: == != < <= > >= =~ !~ & | ^ + - * /");
		if (name && op == END)
			tfs_err_hint(p->err, "an event of a system is SYSTEM/EVENT; its fields "
					     "follow the ':'");
		return -EINVAL;
	}
	if (!name && op != COMPUTE)
		return wrong(p, left, "the field stands before the operator");
	rc = take(p);
	return rc ? rc : right_value(p, op, op_text, at);
}

static int expression(struct parser *p);

static int term(struct parser *p)
{
	size_t at = p->at;
	int rc;

	if (++p->terms > TERMS_MAX || p->depth > DEPTH_MAX)
		return wrong(p, at, "too much for one filter");
	if (p->token == NOT) {
		rc = take(p);
		if (!rc && p->token == NOT)
			rc = wrong(p, p->at, "one '!' undoes the other: write none");
		p->depth++;
		if (!rc)
			rc = term(p);
		p->depth--;
		return rc;
	}
	if (p->token != OPEN)
		return comparison(p);
	p->depth++;
	rc = take(p);
	if (!rc)
		rc = expression(p);
	p->depth--;
	if (!rc && p->token != CLOSE)
		rc = wrong(p, p->token == END ? at : p->at,
			   p->token == END ? "a parenthesis that is not closed" :
					     "'&&', '||' or ')' is needed here");
	return rc ? rc : take(p);
}

static int expression(struct parser *p)
{
	int rc = term(p);

	while (!rc && p->token == AND_OR) {
		rc = take(p);
		if (!rc)
			rc = term(p);
	}
	return rc;
}

int tfs_filter_syntax(const char *whole, size_t at, const struct tfs_filter_words *words,
		      struct tfs_filter_syntax *out, struct tfs_err *err)
{
	struct parser p = { .whole = whole, .at = at, .words = words, .out = out, .err = err };
	int rc;

	*out = (struct tfs_filter_syntax){ .text = TFS_STRBUF_INIT };
	rc = next(&p);
	if (!rc)
		rc = expression(&p);
	if (!rc && p.token != END)
		rc = wrong(&p, p.at, "'&&' or '||' is needed here");
	return rc;
}

void tfs_filter_syntax_release(struct tfs_filter_syntax *s)
{
	tfs_strbuf_release(&s->text);
	free(s->names);
}
