/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/arrays.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "format/event-format.h"

/* The kernel's limit of an array's elements (MAX_ARRAY_LEN of kernel/trace/trace_probe.h). */
#define ELEMENTS_MAX 64
#define NAME_MAX_LEN 64

static const char character[] = "'%c'";

/**
 * struct array - NAME={'%c','%c',...} or NAME={%d,%d,...} in a print format
 * @at, @len: which part of it
 * @text: of characters
 * @size: bytes of an element, for what is printed as __print_array()
 * @conv, @conv_len: "%d", as the kernel prints an element
 * @list: numbers are printed by __print_list()
 */
struct array {
	const char *at;
	size_t len;
	char name[NAME_MAX_LEN];
	unsigned int n;
	bool text;
	unsigned int size;
	const char *conv;
	size_t conv_len;
	bool list;
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The array whose "={" is at @p, in text that ends at @end. */
static bool read_array(const char *begin, const char *p, const char *end, struct array *out)
{
	const char *name = p, *element;
	size_t len;

	while (name > begin && is_word(name[-1]))
		name--;
	if (name == p || (size_t)(p - name) >= sizeof(out->name))
		return false;
	memcpy(out->name, name, (size_t)(p - name));
	out->name[p - name] = '\0';
	out->at = name;
	p += strlen("={");
	element = p;
	len = strcspn(p, ",}\"");
	for (out->n = 0; (size_t)(end - p) > len && !strncmp(p, element, len); out->n++) {
		p += len;
		if (*p != ',')
			break;
		p++;
	}
	out->n += *p == '}';
	out->len = (size_t)(p + 1 - name);
	out->conv = element;
	out->conv_len = len;
	out->text = len == sizeof(character) - 1 && !strncmp(element, character, len);
	return out->n && out->n <= ELEMENTS_MAX && p < end && *p == '}' &&
	       (out->text || *element == '%' || !strncmp(element, "0x%", 3));
}

/* Formats have few braces: faster than looking for both characters at once */
static const char *find_opening(const char *text, const char *end)
{
	const char *p = text;

	while (p < end && (p = memchr(p, '{', (size_t)(end - p)))) {
		if (p > text && p[-1] == '=')
			return p - 1;
		p++;
	}
	return NULL;
}

static bool next_array(const char *begin, const char *from, const char *end, struct array *out)
{
	const char *p = from;

	while ((p = find_opening(p, end))) {
		if (read_array(begin, p, end, out))
			return true;
		p += strlen("={");
	}
	return false;
}

static bool has_length(const char *text, size_t size, const char *name)
{
	char length[NAME_MAX_LEN + sizeof("_len")];
	struct tfs_format_field f;
	int n = snprintf(length, sizeof(length), "%s_len", name);

	return tfs_format_find(text, size, length, (size_t)n, &f) && !f.array_len;
}

/* Bytes of an element: of the field's, divided by their number. */
static unsigned int size_of_element(const char *text, size_t size, const struct array *a)
{
	struct tfs_format_field f;
	unsigned int bytes;

	if (!tfs_format_find(text, size, a->name, strlen(a->name), &f) || !f.array_len ||
	    f.size % a->n)
		return 0;
	bytes = f.size / a->n;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? bytes : 0;
}

/* "REC->NAME[0], REC->NAME[1], ..." as the kernel lists the elements */
static int add_elements(const struct array *a, struct tfs_strbuf *out)
{
	int rc = 0;

	for (unsigned int i = 0; i < a->n && !rc; i++)
		rc = tfs_strbuf_addf(out, ", REC->%s[%u]", a->name, i);
	return rc;
}

/* As many as the length says, but no more than there are. */
static int add_count(const struct array *a, struct tfs_strbuf *out)
{
	return tfs_strbuf_addf(out, "REC->%s_len > %u ? %u : REC->%s_len", a->name, a->n, a->n,
			       a->name);
}

static int add_argument(const struct array *a, bool sized, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, ", ");

	if (!rc && !a->text)
		rc = tfs_strbuf_addf(out, "__print_%s(REC->%s, ", a->list ? "list" : "array",
				     a->name);
	if (!rc && sized)
		rc = add_count(a, out);
	if (!rc && !a->text && a->list)
		return tfs_strbuf_addf(out, ", \"%.*s\")", (int)a->conv_len, a->conv);
	if (!rc && !a->text)
		return tfs_strbuf_addf(out, ", %u)", a->size);
	if (!rc && sized)
		rc = tfs_strbuf_adds(out, ", ");
	return rc ? rc : tfs_strbuf_addf(out, "REC->%s", a->name);
}

/* Characters are text; numbers are shown up to their length, if they have one. */
static bool is_wanted(struct array *a, const struct tfs_strbuf *text, bool *sized)
{
	*sized = has_length(text->s, text->len, a->name);
	if (a->text)
		return true;
	a->size = *sized ? size_of_element(text->s, text->len, a) : 0;
	return a->size != 0;
}

static const char *converted(const struct array *a, bool sized)
{
	return !a->text ? "%s" : sized ? "\\\"%.*s\\\"" : "\\\"%s\\\"";
}

/* One array in @text is printed otherwise in @out. -ENOENT if none is left. */
static int rewrite_one(const struct tfs_strbuf *text, enum tfs_array_call call,
		       struct tfs_strbuf *out)
{
	const char *end = text->s + text->len, *print, *from, *elements;
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	struct array a;
	bool sized;
	size_t len;
	int rc;

	print = tfs_event_format_print(text->s, text->len, &len);
	for (from = print; from; from = a.at + a.len) {
		if (!next_array(print, from, end, &a))
			return -ENOENT;
		if (is_wanted(&a, text, &sized))
			break;
	}
	if (!from)
		return -ENOENT;
	a.list = call == TFS_ARRAY_PRINT_LIST;
	rc = add_elements(&a, &list);
	elements = rc ? NULL : memmem(a.at + a.len, (size_t)(end - a.at) - a.len, list.s, list.len);
	if (!rc && !elements)
		rc = -ENOENT;
	if (!rc)
		rc = tfs_strbuf_add(out, text->s, (size_t)(a.at - text->s));
	if (!rc)
		rc = tfs_strbuf_addf(out, "%s=%s", a.name, converted(&a, sized));
	if (!rc)
		rc = tfs_strbuf_add(out, a.at + a.len, (size_t)(elements - a.at) - a.len);
	if (!rc)
		rc = add_argument(&a, sized, out);
	if (!rc)
		rc = tfs_strbuf_add(out, elements + list.len, (size_t)(end - elements) - list.len);
	tfs_strbuf_release(&list);
	return rc;
}

/* Bytes of a kernel's type for an argument of a probe (s32, u8, x64); 0 for any other. */
static unsigned int element_size(const char *type, size_t len)
{
	unsigned int bits = 0;

	if (len < 2 || len > 3 || !strchr("sux", type[0]))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (!isdigit((unsigned char)type[i]))
			return 0;
		bits = bits * 10 + (unsigned int)(type[i] - '0');
	}
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/* The number of elements of "TYPE NAME[]", which probes have; 0 for any other field */
static unsigned int elements_of(const struct tfs_format_field *f)
{
	unsigned int element = f->array_len == 2 ? element_size(f->type, f->type_len) : 0;

	return element ? f->size / element : 0;
}

static int count_elements(const char *text, size_t size, struct tfs_strbuf *out)
{
	const char *p = text, *end = text + size;
	struct tfs_format_field f;
	int rc = 0;

	while (!rc && tfs_format_next(&p, end, &f)) {
		unsigned int n = elements_of(&f);

		if (!n)
			continue;
		rc = tfs_strbuf_add(out, text, (size_t)(f.array - text));
		if (!rc)
			rc = tfs_strbuf_addf(out, "[%u", n);
		text = f.array + 1;
	}
	return rc ? rc : tfs_strbuf_add(out, text, (size_t)(end - text));
}

int tfs_arrays_rewrite(const char *text, size_t size, enum tfs_array_call call,
		       struct tfs_strbuf *out)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT, next = TFS_STRBUF_INIT;
	bool any = false;
	int rc;

	if (!find_opening(text, text + size))
		return -ENOENT;
	rc = count_elements(text, size, &now);
	while (!rc) {
		struct tfs_strbuf done;

		tfs_strbuf_reset(&next);
		rc = rewrite_one(&now, call, &next);
		if (rc)
			break;
		any = true;
		done = now;
		now = next;
		next = done;
	}
	if (rc == -ENOENT && any)
		rc = tfs_strbuf_add(out, now.s, now.len);
	tfs_strbuf_release(&now);
	tfs_strbuf_release(&next);
	return rc;
}

/* --- arrays of strings */

static const char strings[] = "__data_loc char[][";

/* N of "__data_loc char[][N] NAME"; 0 for any other field */
static unsigned int strings_of(const struct tfs_format_field *f)
{
	const size_t len = sizeof(strings) - 1;
	unsigned int n = 0;

	if (f->type_len <= len + 1 || memcmp(f->type, strings, len) != 0)
		return 0;
	for (size_t i = len; i < f->type_len - 1; i++) {
		if (!isdigit((unsigned char)f->type[i]))
			return 0;
		n = n < 100000 ? n * 10 + (unsigned int)(f->type[i] - '0') : n;
	}
	return f->type[f->type_len - 1] == ']' && n <= ELEMENTS_MAX && f->size == 4 * n ? n : 0;
}

/* "__data_loc char[][2] name" of eight bytes as two fields of four */
static int split_field(const struct tfs_format_field *f, unsigned int n, struct tfs_strbuf *out)
{
	int rc = 0;

	for (unsigned int i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_addf(
			out, "\tfield:__data_loc char[] %.*s;\toffset:%u;\tsize:4;\tsigned:1;\n",
			(int)(f->name_len + f->array_len), f->name, f->offset + 4 * i);
	return rc;
}

int tfs_arrays_split(const char *text, size_t size, struct tfs_strbuf *out)
{
	const char *end = text + size, *p = text;
	struct tfs_format_field f;
	int rc = 0;

	if (!memmem(text, size, strings, sizeof(strings) - 1))
		return -ENOENT;
	while (!rc && tfs_format_next(&p, end, &f)) {
		unsigned int n = strings_of(&f);

		if (!n)
			continue;
		rc = tfs_strbuf_add(out, text, (size_t)(f.line - text));
		if (!rc)
			rc = split_field(&f, n, out);
		text = p;
	}
	return rc ? rc : tfs_strbuf_add(out, text, (size_t)(end - text));
}
