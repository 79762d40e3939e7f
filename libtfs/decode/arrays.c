/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/arrays.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

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
	struct tfs_strbuf field = TFS_STRBUF_INIT;
	bool has = !tfs_strbuf_addf(&field, " %s_len;", name) &&
		   memmem(text, size, field.s, field.len);

	tfs_strbuf_release(&field);
	return has;
}

/* Bytes of an element: of the field's, divided by their number. */
static unsigned int size_of_element(const char *text, size_t size, const struct array *a)
{
	static const char size_is[] = "\tsize:";
	struct tfs_strbuf field = TFS_STRBUF_INIT;
	const char *p = NULL, *end = text + size;
	unsigned long bytes = 0;

	if (!tfs_strbuf_addf(&field, " %s[", a->name))
		p = memmem(text, size, field.s, field.len);
	tfs_strbuf_release(&field);
	if (p)
		p = memmem(p, (size_t)(end - p), size_is, sizeof(size_is) - 1);
	for (p = p ? p + sizeof(size_is) - 1 : end; p < end && isdigit((unsigned char)*p); p++)
		bytes = bytes < 100000 ? bytes * 10 + (unsigned long)(*p - '0') : bytes;
	bytes = bytes % a->n ? 0 : bytes / a->n;
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? (unsigned int)bytes : 0;
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
static int rewrite_one(const struct tfs_strbuf *text, bool list_numbers, struct tfs_strbuf *out)
{
	static const char head[] = "print fmt:";
	const char *end = text->s + text->len, *print, *from, *elements;
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	struct array a;
	bool sized;
	int rc;

	print = memmem(text->s, text->len, head, sizeof(head) - 1);
	for (from = print; from; from = a.at + a.len) {
		if (!next_array(print, from, end, &a))
			return -ENOENT;
		if (is_wanted(&a, text, &sized))
			break;
	}
	if (!from)
		return -ENOENT;
	a.list = list_numbers;
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

/* "\tfield:TYPE NAME[];...size:SIZE;": the number of elements, 0 if the line is of another kind. */
static unsigned int elements_of(const char *line, size_t len, const char **bracket)
{
	static const char field[] = "\tfield:", size_is[] = "\tsize:";
	const char *type = line + sizeof(field) - 1, *size, *blank;
	unsigned int element, bytes = 0;

	if (len < sizeof(field) || strncmp(line, field, sizeof(field) - 1) != 0)
		return 0;
	*bracket = memmem(line, len, "[];", 3);
	blank = memchr(type, ' ', len - (sizeof(field) - 1));
	size = memmem(line, len, size_is, sizeof(size_is) - 1);
	if (!*bracket || !blank || blank > *bracket || !size)
		return 0;
	element = element_size(type, (size_t)(blank - type));
	for (size += sizeof(size_is) - 1; isdigit((unsigned char)*size) && bytes < 100000; size++)
		bytes = bytes * 10 + (unsigned int)(*size - '0');
	return element ? bytes / element : 0;
}

static int count_elements(const char *text, size_t size, struct tfs_strbuf *out)
{
	static const char head[] = "print fmt:";
	const char *end = text + size, *print = memmem(text, size, head, sizeof(head) - 1);
	int rc = 0;

	while (text < print && !rc) {
		const char *eol = memchr(text, '\n', (size_t)(print - text)), *bracket = NULL;
		unsigned int n;

		eol = eol ? eol + 1 : print;
		n = elements_of(text, (size_t)(eol - text), &bracket);
		if (n) {
			rc = tfs_strbuf_add(out, text, (size_t)(bracket - text));
			if (!rc)
				rc = tfs_strbuf_addf(out, "[%u", n);
			text = bracket + 1;
		}
		if (!rc)
			rc = tfs_strbuf_add(out, text, (size_t)(eol - text));
		text = eol;
	}
	return rc ? rc : tfs_strbuf_add(out, text, (size_t)(end - text));
}

int tfs_arrays_rewrite(const char *text, size_t size, bool list, struct tfs_strbuf *out)
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
		rc = rewrite_one(&now, list, &next);
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

static const char strings[] = "\tfield:__data_loc char[][";

static const char *number_after(const char *p, const char *end, const char *label, unsigned int *n)
{
	size_t len = strlen(label);

	p = memmem(p, (size_t)(end - p), label, len);
	if (!p)
		return NULL;
	for (p += len, *n = 0; p < end && isdigit((unsigned char)*p); p++)
		*n = *n < 100000 ? *n * 10 + (unsigned int)(*p - '0') : *n;
	return p;
}

/* "\tfield:__data_loc char[][2] name;\toffset:70;\tsize:8;\tsigned:1;\n" as two of four bytes */
static int split_line(const char *line, const char *end, struct tfs_strbuf *out)
{
	const char *name, *semicolon = memchr(line, ';', (size_t)(end - line));
	unsigned int n, offset, size, i;
	int rc = 0;

	name = number_after(line, end, strings, &n);
	if (!name || !semicolon || end - name < 2 || name[0] != ']' || name[1] != ' ' ||
	    semicolon < name || !number_after(semicolon, end, "\toffset:", &offset) ||
	    !number_after(semicolon, end, "\tsize:", &size) || !n || n > ELEMENTS_MAX ||
	    size != 4 * n)
		return tfs_strbuf_add(out, line, (size_t)(end - line));
	for (i = 0; i < n && !rc; i++)
		rc = tfs_strbuf_addf(
			out, "\tfield:__data_loc char[]%.*s;\toffset:%u;\tsize:4;\tsigned:1;\n",
			(int)(semicolon - name - 1), name + 1, offset + 4 * i);
	return rc;
}

int tfs_arrays_split(const char *text, size_t size, struct tfs_strbuf *out)
{
	const char *end = text + size, *at, *eol;
	int rc = 0;

	if (!memmem(text, size, strings, sizeof(strings) - 1))
		return -ENOENT;
	while (!rc && (at = memmem(text, (size_t)(end - text), strings, sizeof(strings) - 1))) {
		eol = memchr(at + 1, '\n', (size_t)(end - at - 1));
		eol = eol ? eol + 1 : end;
		rc = tfs_strbuf_add(out, text, (size_t)(at - text));
		if (!rc)
			rc = split_line(at, eol, out);
		text = eol;
	}
	return rc ? rc : tfs_strbuf_add(out, text, (size_t)(end - text));
}
