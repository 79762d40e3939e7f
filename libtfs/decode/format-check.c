/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/format-check.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "format/event-format.h"

/* Kernels' formats nest ten deep and join fifty operators; libtraceevent recurses for each. */
#define NEST_MAX 200
#define RUN_MAX 1000
/* Digits of a column's width or precision. */
#define WIDTH_DIGITS_MAX 3
/* The largest offset or size that is accepted */
#define NUMBER_MAX 999999

struct scan {
	const char *text; /* the whole format file */
	const char *p, *end;
	unsigned int depth;
	unsigned int run; /* operators since the last comma */
	bool flag_field;  /* the next REC-> is what __print_flags() or __print_symbolic() names */
};

static bool ident_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_digits(const char *p)
{
	while (isdigit((unsigned char)*p))
		p++;
	return p;
}

/* libtraceevent is given nothing but what kernels write: names, numbers, and balanced brackets. */
static bool check_decl(const char *p, size_t len)
{
	int open = 0;

	for (const char *end = p + len; p < end; p++) {
		if (*p == '[' || *p == '(')
			open++;
		else if (*p == ']' || *p == ')')
			open--;
		else if (!ident_char(*p) && !strchr(" *.:,+-/<>&{}", *p))
			return false;
		if (open < 0 || open > 4)
			return false;
	}
	return !open;
}

int tfs_format_check_fields(const char *text, size_t size)
{
	const char *p, *end = text + size, *before;
	struct tfs_event_format header;
	struct tfs_format_field f;
	int rc;

	if (memchr(text, 0, size) || tfs_event_format_parse(text, size, &header) || !header.fields)
		return -EBADMSG;
	for (size_t i = 0; i < header.name_len; i++)
		if (!isgraph((unsigned char)header.name[i]))
			return -EBADMSG;
	p = header.fields;
	do {
		before = p;
		rc = tfs_format_line(&p, end, &f);
		if (rc < 0 || (rc && (f.extra || f.offset > NUMBER_MAX || f.size > NUMBER_MAX ||
				      !check_decl(f.decl, f.decl_len))))
			return -EBADMSG;
	} while (p > before);
	return p == end || (end - p >= 11 && !memcmp(p, "print fmt: ", 11)) ? 0 : -EBADMSG;
}

static void blanks(struct scan *s)
{
	while (s->p < s->end && isspace((unsigned char)*s->p))
		s->p++;
}

static bool at(struct scan *s, const char *set)
{
	blanks(s);
	return s->p < s->end && strchr(set, *s->p);
}

/* A literal in @quote; with @columns its conversions must not be too wide. */
static bool literal(struct scan *s, char quote, bool columns)
{
	const char *digits;

	for (s->p++; s->p < s->end && *s->p != quote; s->p++) {
		if (*s->p == '\\')
			s->p++;
		else if (columns && isdigit((unsigned char)*s->p)) {
			digits = s->p;
			s->p = skip_digits(s->p) - 1;
			/* Plain numbers in the text may be as long as they like. */
			while (digits > s->text && strchr("#+-. 0123456789*lhzZL", digits[-1]))
				digits--;
			if (digits[-1] == '%' && s->p - digits >= WIDTH_DIGITS_MAX + 2)
				return false;
		}
	}
	if (s->p >= s->end)
		return false;
	s->p++;
	return true;
}

static bool has_field(const struct scan *s, const char *name, size_t len)
{
	struct tfs_format_field f;

	return tfs_format_find(s->text, (size_t)(s->end - s->text), name, len, &f);
}

static bool expression(struct scan *s);

/* The expressions between brackets, up to @close: separated by commas, perhaps none */
static bool list(struct scan *s, char close)
{
	char set[] = { close, '\0' };
	bool fine = true;

	s->p++;
	if (++s->depth > NEST_MAX)
		return false;
	while (fine && !at(s, set)) {
		fine = expression(s);
		if (fine && at(s, ",")) {
			s->p++;
			s->run = 0;
		} else if (fine && !at(s, set)) {
			fine = false;
		}
	}
	s->depth--;
	s->p++;
	return fine && s->p <= s->end;
}

/* A name or number; what it means for libtraceevent when it is a macro's. */
static bool word(struct scan *s)
{
	const char *start = s->p, *name;
	size_t len;

	while (s->p < s->end && ident_char(*s->p))
		s->p++;
	len = (size_t)(s->p - start);
	if ((len == 13 && !strncmp(start, "__print_flags", len)) ||
	    (len == 16 && !strncmp(start, "__print_symbolic", len)))
		s->flag_field = true;
	if (len == 3 && !strncmp(start, "REC", 3) && s->end - s->p > 2 && s->p[0] == '-' &&
	    s->p[1] == '>') {
		name = s->p += 2;
		while (s->p < s->end && ident_char(*s->p))
			s->p++;
		if (s->p == name || (s->flag_field && !has_field(s, name, (size_t)(s->p - name))))
			return false;
		s->flag_field = false;
	} else if (len > 4 && (strstr(start, "_cpumask(") == start + len - 8)) {
		for (name = s->p + 1; *name == ' '; name++)
			;
		for (len = 0; ident_char(name[len]); len++)
			;
		return len && has_field(s, name, len);
	}
	return true;
}

static bool primary(struct scan *s)
{
	char c;

	blanks(s);
	c = s->p < s->end ? *s->p : '\0';
	if (ident_char(c))
		return word(s);
	if (c == '"' || c == '\'')
		return literal(s, c, false);
	if (c == '(')
		return list(s, ')');
	return c == '{' && list(s, '}');
}

/* A suffix of a word: [index], .member, ->member, or another: "unsigned long", "(type *)x". */
static bool suffix(struct scan *s, bool *more)
{
	*more = true;
	if (at(s, "["))
		/* libtraceevent takes the member of an element for that of nothing, and ends. */
		return list(s, ']') && !at(s, ".") && !(at(s, "-") && s->p[1] == '>');
	if (at(s, ".") || (at(s, "-") && s->p[1] == '>')) {
		s->p += *s->p == '.' ? 1 : 2;
		blanks(s);
		return s->p < s->end && ident_char(*s->p);
	}
	*more = s->p < s->end && (ident_char(*s->p) || strchr("(\"'{", *s->p));
	return !*more || (++s->run <= RUN_MAX && primary(s));
}

static bool operand(struct scan *s)
{
	bool more = true;

	while (at(s, "~!+-&*")) {
		s->p++;
		if (++s->run > RUN_MAX)
			return false;
		/* The "*" that ends a type. */
		if (s->p[-1] == '*' && at(s, "),*"))
			return true;
	}
	if (!primary(s))
		return false;
	while (more)
		if (!suffix(s, &more))
			return false;
	return true;
}

static bool operator(struct scan *s)
{
	static const char *const ops[] = {
		"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-",
		"*",  "/",  "%",  "<",  ">",  "&",  "|",  "^",  "?", ":"
	};
	size_t i;

	blanks(s);
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (strncmp(s->p, ops[i], strlen(ops[i])))
			continue;
		s->p += strlen(ops[i]);
		return true;
	}
	return false;
}

static bool contains(const char *p, const char *end, const char *text)
{
	return memmem(p, (size_t)(end - p), text, strlen(text));
}

/*
 * May libtraceevent divide by what stands from @p to @end? It computes constants when it parses,
 * with unknown names for 0, and does not look whether the divisor is 0. Formats of kernels
 * divide by numbers, sizes of types, lengths, and fields.
 */
static bool divisor(const char *p, const char *end)
{
	bool has_field = contains(p, end, "REC->");
	char *behind;

	if (isdigit((unsigned char)*p))
		return strtoull(p, &behind, 0) != 0 && behind + strspn(behind, "uUlL \t\n") >= end;
	if (!strncmp(p, "sizeof", 6))
		return !has_field;
	if (!strncmp(p, "__get_dynamic_array_len(", 24) ||
	    !strncmp(p, "__get_rel_dynamic_array_len(", 28) || !strncmp(p, "REC->", 5))
		return true;
	return *p == '(' && has_field && !contains(p, end, "?") && !contains(p, end, "&&") &&
	       !contains(p, end, "||") && !contains(p, end, "sizeof");
}

static bool expression(struct scan *s)
{
	const char *from, *right;
	int questions = 0;

	if (!operand(s))
		return false;
	for (;;) {
		blanks(s);
		from = s->p;
		if (s->p >= s->end || strchr(",)]}", *s->p) || !operator(s))
			return !questions;
		if (++s->run > RUN_MAX)
			return false;
		questions += (*from == '?') - (*from == ':');
		if (questions < 0)
			return false;
		if (*from == '*' && at(s, "),"))
			return !questions;
		blanks(s);
		right = s->p;
		if (!operand(s) || (strchr("/%", *from) && !divisor(right, s->p)))
			return false;
	}
}

static bool print_format(struct scan *s)
{
	if (!at(s, "\""))
		return false;
	while (at(s, "\""))
		if (!literal(s, '"', true))
			return false;
	blanks(s);
	while (s->p < s->end) {
		if (*s->p != ',')
			return false;
		s->p++;
		s->run = 0;
		if (!expression(s))
			return false;
		blanks(s);
	}
	return true;
}

int tfs_format_check_print(const char *text, size_t size, size_t *end)
{
	size_t len;
	const char *print = tfs_event_format_print(text, size, &len);
	struct scan s = { .text = text, .p = print, .end = text + size };

	*end = size;
	if (!print)
		return 0;
	*end = (size_t)(print - text) - strlen("print fmt:");
	return print_format(&s) ? 0 : -EBADMSG;
}
