/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/fields.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The number behind @key in what is left of the line; 0 if it is not there. */
static unsigned int number_after(const char *line, size_t len, const char *key)
{
	const char *p = memmem(line, len, key, strlen(key));

	return p ? (unsigned int)strtoul(p + strlen(key), NULL, 10) : 0;
}

static bool parse(const char *line, size_t len, struct tfs_format_field *f)
{
	static const char tag[] = "\tfield:";
	const char *end = memchr(line, ';', len), *name;

	*f = (struct tfs_format_field){ .type = line + strlen(tag) };
	if (!end || strncmp(line, tag, strlen(tag)) != 0)
		return false;
	f->offset = number_after(end, len - (size_t)(end - line), "offset:");
	f->size = number_after(end, len - (size_t)(end - line), "size:");
	f->is_signed = number_after(end, len - (size_t)(end - line), "signed:");
	/* an array has its size behind the name, a type may have brackets of its own before it */
	f->array = end;
	if (end[-1] == ']') {
		f->array = memrchr(line, '[', (size_t)(end - line));
		if (!f->array)
			return false;
		f->array_len = (size_t)(end - f->array);
	}
	for (name = f->array; name > f->type && is_word(name[-1]); name--)
		;
	f->name = name;
	f->name_len = (size_t)(f->array - name);
	f->type_len = (size_t)(name - f->type);
	while (f->type_len && f->type[f->type_len - 1] == ' ')
		f->type_len--;
	f->common = !strncmp(name, "common_", 7);
	return f->name_len > 0;
}

bool tfs_format_next(const char **text, struct tfs_format_field *out)
{
	size_t len;

	while (**text) {
		const char *line = *text;

		len = strcspn(line, "\n");
		*text = line + len + (line[len] == '\n');
		if (parse(line, len, out))
			return true;
	}
	return false;
}
