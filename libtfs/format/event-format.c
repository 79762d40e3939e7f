/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event-format.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#define FIELD "\tfield:"
#define PRINT "print fmt:"
/* An offset or a size does not have more digits. */
#define DIGITS_MAX 9

/*
 * If the text goes on with @word: the address after it, else NULL. Inline, so that the length of a
 * literal is a constant: a recording of all events parses 2,000 formats before it begins.
 */
static inline const char *skip(const char *p, const char *end, const char *word)
{
	const size_t len = strlen(word);

	return p && (size_t)(end - p) >= len && !memcmp(p, word, len) ? p + len : NULL;
}

/* A decimal number at @p, and @after it; NULL if there is none */
static inline const char *number(const char *p, const char *end, const char *after,
				 unsigned int *out)
{
	const char *start = p;
	unsigned int n = 0;

	if (!p)
		return NULL;
	for (; p < end && isdigit((unsigned char)*p) && p - start <= DIGITS_MAX; p++)
		n = n * 10 + (unsigned int)(*p - '0');
	*out = n;
	return p > start && p - start <= DIGITS_MAX ? skip(p, end, after) : NULL;
}

int tfs_event_format_parse(const char *text, size_t size, struct tfs_event_format *out)
{
	const char *end = text + size, *p = skip(text, end, "name: ");
	unsigned int id;

	if (!p)
		return -EBADMSG;
	out->name = p;
	p = memchr(p, '\n', (size_t)(end - p));
	if (!p || p == out->name || memchr(out->name, 0, (size_t)(p - out->name)))
		return -EBADMSG;
	out->name_len = (size_t)(p - out->name);
	p = number(skip(p, end, "\nID: "), end, "\n", &id);
	if (!p || id > TFS_EVENT_ID_MAX)
		return -EBADMSG;
	out->id = (int)id;
	out->fields = skip(p, end, "format:\n");
	return 0;
}

/* Line by line: there are few, and memchr() is several times as fast as memmem(). */
const char *tfs_event_format_print(const char *text, size_t size, size_t *len)
{
	const char *end = text + size, *p = text, *print;

	while ((p = memchr(p, '\n', (size_t)(end - p)))) {
		print = skip(++p, end, PRINT);
		if (!print)
			continue;
		*len = (size_t)(end - print);
		return print;
	}
	return NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "TYPE NAME[N]"; types may have brackets too: "__data_loc char[] name" */
static bool parse_decl(struct tfs_format_field *f)
{
	const char *start = f->decl, *end = start + f->decl_len;

	for (f->array = end; f->array > start && f->array[-1] == ']';) {
		f->array = memrchr(start, '[', (size_t)(f->array - start));
		if (!f->array)
			return false;
	}
	f->array_len = (size_t)(end - f->array);
	for (f->name = f->array; f->name > start && is_word(f->name[-1]); f->name--)
		;
	f->name_len = (size_t)(f->array - f->name);
	/* header_page has a blank after "field:" */
	for (f->type = start; f->type < f->name && *f->type == ' '; f->type++)
		;
	f->type_len = (size_t)(f->name - f->type);
	while (f->type_len && f->type[f->type_len - 1] == ' ')
		f->type_len--;
	f->common = f->name_len > 7 && !memcmp(f->name, "common_", 7);
	return f->name_len > 0;
}

static bool parse_field(const char *line, const char *eol, struct tfs_format_field *f)
{
	const char *p = memchr(line, ';', (size_t)(eol - line));
	unsigned int sign = 0;

	if (!p)
		return false;
	f->decl = line;
	f->decl_len = (size_t)(p - line);
	p = number(skip(p, eol, ";\toffset:"), eol, ";", &f->offset);
	p = number(skip(p, eol, "\tsize:"), eol, ";", &f->size);
	if (p && skip(p, eol, "\tsigned:"))
		p = number(skip(p, eol, "\tsigned:"), eol, ";", &sign);
	f->is_signed = sign;
	f->extra = p && p < eol;
	return p && (p == eol || *p == '\t') && parse_decl(f);
}

int tfs_format_line(const char **text, const char *end, struct tfs_format_field *out)
{
	const char *line = *text, *eol, *decl;

	if (line >= end || skip(line, end, PRINT))
		return 0;
	eol = memchr(line, '\n', (size_t)(end - line));
	*text = eol ? eol + 1 : end;
	eol = eol ? eol : end;
	if (eol == line)
		return 0;
	out->line = line;
	decl = skip(line, eol, FIELD);
	return decl && parse_field(decl, eol, out) ? 1 : -EBADMSG;
}

bool tfs_format_next(const char **text, const char *end, struct tfs_format_field *out)
{
	const char *before;

	do {
		before = *text;
		if (tfs_format_line(text, end, out) == 1)
			return true;
	} while (*text > before);
	return false;
}

bool tfs_format_find(const char *text, size_t size, const char *name, size_t len,
		     struct tfs_format_field *out)
{
	const char *end = text + size;

	while (tfs_format_next(&text, end, out))
		if (out->name_len == len && !memcmp(out->name, name, len))
			return true;
	return false;
}

bool tfs_format_is(const struct tfs_format_field *f, const char *name)
{
	return f->name_len == strlen(name) && !memcmp(f->name, name, f->name_len);
}

/* A conversion may be in two string literals that the compiler joins: '%" "p' */
static const char *skip_join(const char *p, const char *end)
{
	const char *q = p;

	if (p >= end || *p != '"')
		return p;
	for (q++; q < end && (*q == ' ' || *q == '\t'); q++)
		;
	return q < end && *q == '"' ? q + 1 : p;
}

/* Flags, width, precision and length of a conversion */
static bool is_modifier(char c)
{
	switch (c) {
	case '-':
	case '+':
	case ' ':
	case '#':
	case '.':
	case '*':
	case 'l':
	case 'h':
	case 'z':
	case 'j':
	case 't':
		return true;
	default:
		return c >= '0' && c <= '9';
	}
}

/* The character that ends the conversion after '%' at @p; end of the text: 0 */
static char conversion(const char **p, const char *end)
{
	const char *before;

	do {
		before = *p;
		while (*p < end && is_modifier(**p))
			++*p;
		*p = skip_join(*p, end);
	} while (*p != before);
	return *p < end ? **p : '\0';
}

bool tfs_format_prints_code(const char *print, size_t len)
{
	static const char kinds[] = "sSfFB", stack[] = "__get_stacktrace";
	const char *end = print + len, *p = print;
	bool has_string = false;

	while ((p = memchr(p, '%', (size_t)(end - p)))) {
		char c;

		p++;
		c = conversion(&p, end);
		has_string = has_string || c == 's';
		if (c != 'p')
			continue;
		p = skip_join(p + 1, end);
		if (p < end && *p && strchr(kinds, *p))
			return true;
	}
	/* a stack is printed by %s: most formats have none */
	return has_string && memmem(print, len, stack, sizeof(stack) - 1);
}
