/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/export-value.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/digits.h"
#include "base/inert.h"
#include "base/json.h"
#include "base/meaning.h"
#include "base/strbuf.h"
#include "decode/value.h"

#define NUMBER_MAX TFS_JSON_NUMBER_MAX
/* Longest text of a byte. */
#define TAB_MAX 4
/* "4095-8191," */
#define RANGE_MAX (2 * TFS_DIGITS_MAX + 2)

static char *end_of(struct tfs_strbuf *out)
{
	return out->s + out->len;
}

static void set_end(struct tfs_strbuf *out, const char *p)
{
	out->len = (size_t)(p - out->s);
	out->s[out->len] = '\0';
}

static char *put_number(char *p, enum tfs_value_kind kind, uint64_t n)
{
	if (kind == TFS_VALUE_SIGNED)
		return tfs_digits_sdec(p, (int64_t)n);
	if (kind == TFS_VALUE_UNSIGNED)
		return tfs_digits_dec(p, n);
	*p++ = '0';
	*p++ = 'x';
	return tfs_digits_hex(p, n, 1);
}

char *tfs_json_number(char *p, enum tfs_value_kind kind, uint64_t n)
{
	uint64_t size = kind == TFS_VALUE_SIGNED && (int64_t)n < 0 ? -n : n;
	bool quotes = kind == TFS_VALUE_ADDRESS || size > TFS_JSON_EXACT;

	if (quotes)
		*p++ = '"';
	p = put_number(p, kind, n);
	if (quotes)
		*p++ = '"';
	return p;
}

static int add_json_number(struct tfs_strbuf *out, enum tfs_value_kind kind, uint64_t n)
{
	if (tfs_strbuf_room(out, NUMBER_MAX))
		return -ENOMEM;
	set_end(out, tfs_json_number(end_of(out), kind, n));
	return 0;
}

int tfs_json_signed(struct tfs_strbuf *out, int64_t n)
{
	return add_json_number(out, TFS_VALUE_SIGNED, (uint64_t)n);
}

int tfs_json_unsigned(struct tfs_strbuf *out, uint64_t n)
{
	return add_json_number(out, TFS_VALUE_UNSIGNED, n);
}

static char *put_numbers(char *p, const struct tfs_field *f, const struct tfs_value *v,
			 char *(*put)(char *p, enum tfs_value_kind kind, uint64_t n))
{
	size_t i;

	for (i = 0; i < v->n; i++) {
		if (i)
			*p++ = ',';
		p = put(p, f->kind, tfs_value_element(f, v, i));
	}
	return p;
}

/* Bits that are set, as the kernel writes lists: 0-3,8 */
static int add_mask(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v)
{
	size_t n = 8 * v->size, start = out->len, i, first;
	char *p;

	for (i = 0; i < n; i++) {
		if (!tfs_value_bit(f, v, i))
			continue;
		for (first = i; i + 1 < n && tfs_value_bit(f, v, i + 1); i++)
			;
		if (tfs_strbuf_room(out, RANGE_MAX))
			return -ENOMEM;
		p = end_of(out);
		if (out->len > start)
			*p++ = ',';
		p = tfs_digits_dec(p, first);
		if (i > first) {
			*p++ = '-';
			p = tfs_digits_dec(p, i);
		}
		set_end(out, p);
	}
	return 0;
}

int tfs_hex_bytes(struct tfs_strbuf *out, const void *data, size_t size)
{
	const unsigned char *q = data;
	size_t i;
	char *p;

	if (tfs_strbuf_room(out, 2 * size))
		return -ENOMEM;
	p = end_of(out);
	for (i = 0; i < size; i++)
		p = tfs_digits_hex(p, q[i], 2);
	set_end(out, p);
	return 0;
}

/* Text without letters that need escapes: a mask, or bytes. */
static int add_bits(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v)
{
	return f->kind == TFS_VALUE_MASK ? add_mask(out, f, v) :
					   tfs_hex_bytes(out, v->data, v->size);
}

/* A number that stands for something: its name or floating-point number; else as it is. */
static int add_meant(struct tfs_strbuf *out, const struct tfs_field *f, uint64_t n, bool json)
{
	const char *name = tfs_meaning_name(f->means, n, f->element);
	char text[TFS_FLOAT_MAX > NUMBER_MAX ? TFS_FLOAT_MAX : NUMBER_MAX], *end;

	if (name)
		return json ? tfs_json_string(out, name, strlen(name)) : tfs_strbuf_adds(out, name);
	if (f->means->kind == TFS_MEANS_FLOAT)
		end = tfs_float_put(text, n, f->element);
	else
		end = json ? tfs_json_number(text, f->kind, n) : put_number(text, f->kind, n);
	/* JSON has no numbers for these */
	if (json && f->means->kind == TFS_MEANS_FLOAT && !tfs_float_is_finite(n, f->element))
		return tfs_json_string(out, text, (size_t)(end - text));
	return tfs_strbuf_add(out, text, (size_t)(end - text));
}

static int add_meanings(struct tfs_strbuf *out, const struct tfs_field *f,
			const struct tfs_value *v, bool json)
{
	int rc;

	if (!f->array)
		return add_meant(out, f, v->number, json);
	rc = json ? tfs_strbuf_addc(out, '[') : 0;
	for (size_t i = 0; i < v->n && !rc; i++) {
		rc = i ? tfs_strbuf_addc(out, ',') : 0;
		if (!rc)
			rc = add_meant(out, f, tfs_value_element(f, v, i), json);
	}
	return rc || !json ? rc : tfs_strbuf_addc(out, ']');
}

int tfs_json_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v)
{
	char *p;
	int rc;

	if (f->means)
		return add_meanings(out, f, v, true);

	if (f->kind == TFS_VALUE_STRING)
		return tfs_json_string(out, v->data, v->size);
	if (f->kind > TFS_VALUE_ADDRESS) {
		rc = tfs_strbuf_addc(out, '"');
		if (!rc)
			rc = add_bits(out, f, v);
		return rc ? rc : tfs_strbuf_addc(out, '"');
	}
	if (tfs_strbuf_room(out, (f->array ? v->n + 1 : 1) * NUMBER_MAX))
		return -ENOMEM;
	p = end_of(out);
	if (f->array) {
		*p++ = '[';
		p = put_numbers(p, f, v, tfs_json_number);
		*p++ = ']';
	} else {
		p = tfs_json_number(p, f->kind, v->number);
	}
	set_end(out, p);
	return 0;
}

int tfs_plain_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v)
{
	char *p;

	if (f->means)
		return add_meanings(out, f, v, false);
	if (f->kind == TFS_VALUE_STRING)
		return tfs_strbuf_add(out, v->data, v->size);
	if (f->kind > TFS_VALUE_ADDRESS)
		return add_bits(out, f, v);
	if (tfs_strbuf_room(out, (f->array ? v->n + 1 : 1) * NUMBER_MAX))
		return -ENOMEM;
	p = end_of(out);
	p = f->array ? put_numbers(p, f, v, put_number) : put_number(p, f->kind, v->number);
	set_end(out, p);
	return 0;
}

static bool is_word(const unsigned char *s, size_t len)
{
	static const bool word[256] = {
		['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true,
		['-'] = true,         ['+'] = true,         ['.'] = true,         ['/'] = true,
		[':'] = true,         ['<'] = true,         ['>'] = true,         ['@'] = true,
		['%'] = true,         ['#'] = true,         ['~'] = true,
	};
	size_t i;

	for (i = 0; i < len && word[s[i]]; i++)
		;
	return len > 0 && i == len;
}

int tfs_word_value(struct tfs_strbuf *out, const struct tfs_field *f, const struct tfs_value *v)
{
	if (f->kind == TFS_VALUE_STRING && !is_word(v->data, v->size))
		return tfs_json_string(out, v->data, v->size);
	return tfs_plain_value(out, f, v);
}

static bool csv_needs_quotes(const char *s, size_t len)
{
	static const bool special[256] = {
		[','] = true, ['"'] = true, ['\n'] = true, ['\r'] = true
	};
	const char *end = s + len;

	while (s < end && !special[(unsigned char)*s])
		s++;
	return s < end;
}

int tfs_csv_cell(struct tfs_strbuf *out, const void *s, size_t len)
{
	const char *q = s, *end = q + len;
	char *p;

	if (!csv_needs_quotes(s, len))
		return tfs_strbuf_add(out, s, len);
	if (tfs_strbuf_room(out, 2 * len + 2))
		return -ENOMEM;
	p = end_of(out);
	*p++ = '"';
	for (; q < end; q++) {
		if (*q == '"')
			*p++ = '"';
		*p++ = *q;
	}
	*p++ = '"';
	set_end(out, p);
	return 0;
}

/* A spreadsheet takes a cell that begins so for a formula, in quotes, too. */
static bool is_formula(const char *s, size_t len)
{
	return len && *s && strchr("=+-@", *s);
}

int tfs_csv_inert_cell(struct tfs_strbuf *out, const void *s, size_t len)
{
	struct tfs_strbuf cell = TFS_STRBUF_INIT;
	int rc = is_formula(s, len) ? tfs_strbuf_addc(&cell, '\'') : 0;

	if (!rc)
		rc = tfs_strbuf_add(&cell, s, len);
	if (!rc)
		rc = tfs_inert_rest(&cell, 0, TFS_INERT_NONE);
	if (!rc)
		rc = tfs_csv_cell(out, cell.s, cell.len);
	tfs_strbuf_release(&cell);
	return rc;
}

int tfs_tab_cell(struct tfs_strbuf *out, const void *s, size_t len)
{
	const unsigned char *q = s, *end = q + len;
	char *p;

	if (tfs_strbuf_room(out, TAB_MAX * len))
		return -ENOMEM;
	for (p = end_of(out); q < end; q++) {
		if (*q >= ' ' && *q != '\\' && *q != 0x7f) {
			*p++ = (char)*q;
			continue;
		}
		*p++ = '\\';
		if (*q == '\\' || *q == '\t' || *q == '\n') {
			*p++ = *q == '\\' ? '\\' : *q == '\t' ? 't' : 'n';
		} else {
			*p++ = 'x';
			p = tfs_digits_hex(p, *q, 2);
		}
	}
	set_end(out, p);
	return 0;
}

int tfs_tab_inert_cell(struct tfs_strbuf *out, const void *s, size_t len)
{
	size_t start = out->len;
	int rc = tfs_tab_cell(out, s, len);

	return rc ? rc : tfs_inert_rest(out, start, TFS_INERT_NONE);
}
