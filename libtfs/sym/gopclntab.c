/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/gopclntab.h"

#include <errno.h>
#include <string.h>

/* Longer names are not believed. */
#define NAME_MAX_LEN 4096

enum form {
	FORM_1_2 = 0xfffffffbu,
	FORM_1_16 = 0xfffffffau,
	FORM_1_18 = 0xfffffff0u,
	FORM_1_20 = 0xfffffff1u,
};

/* The header: magic, two zero bytes, size of an instruction, size of a pointer; then pointers. */
#define HEADER 8

static int load(const struct tfs_gopclntab *t, uint64_t at, unsigned int width, uint64_t *out)
{
	uint64_t v = 0;

	if (at > t->size || width > t->size - at)
		return -EBADMSG;
	for (unsigned int i = 0; i < width; i++)
		v |= (uint64_t)t->data[at + (t->big ? width - 1 - i : i)] << 8 * i;
	*out = v;
	return 0;
}

/* Pointer number @i of the header. */
static int word(const struct tfs_gopclntab *t, unsigned int i, uint64_t *out)
{
	return load(t, HEADER + (uint64_t)i * t->ptr_size, t->ptr_size, out);
}

static int offset(const struct tfs_gopclntab *t, unsigned int i, size_t *out)
{
	uint64_t v;

	if (word(t, i, &v) || v >= t->size)
		return -EBADMSG;
	*out = (size_t)v;
	return 0;
}

static int read_header(struct tfs_gopclntab *t, uint64_t magic, uint64_t *n)
{
	bool relative = magic == FORM_1_18 || magic == FORM_1_20;
	int rc = word(t, 0, n);

	t->entry_size = relative ? 4 : t->ptr_size;
	if (!rc && magic == FORM_1_2) {
		/* names and functions are found from the beginning of the table */
		t->functions = HEADER + t->ptr_size;
		return 0;
	}
	if (!rc && relative) {
		t->text_at = HEADER + 2 * t->ptr_size;
		rc = word(t, 2, &t->text);
	}
	if (!rc)
		rc = offset(t, relative ? 3 : 2, &t->names);
	if (!rc)
		rc = offset(t, relative ? 7 : 6, &t->functions);
	return rc;
}

int tfs_gopclntab_open(const uint8_t *data, size_t size, bool big, struct tfs_gopclntab *out)
{
	struct tfs_gopclntab t = { .data = data, .size = size, .big = big };
	uint64_t magic, n = 0;

	if (load(&t, 0, 4, &magic) || size < HEADER)
		return -EBADMSG;
	t.ptr_size = data[7];
	if ((magic != FORM_1_2 && magic != FORM_1_16 && magic != FORM_1_18 && magic != FORM_1_20) ||
	    data[4] || data[5] || (data[6] != 1 && data[6] != 2 && data[6] != 4) ||
	    (t.ptr_size != 4 && t.ptr_size != 8) || read_header(&t, magic, &n))
		return -EBADMSG;
	/* an entry and an offset each, and the end of the last */
	if (t.functions >= size || n > (size - t.functions) / (2 * t.entry_size))
		return -EBADMSG;
	t.n = (size_t)n;
	*out = t;
	return 0;
}

int tfs_gopclntab_func(const struct tfs_gopclntab *t, size_t i, struct tfs_go_func *out)
{
	/* of the first form, offsets count from the table's beginning */
	size_t base = t->names ? t->functions : 0;
	uint64_t at = t->functions + (uint64_t)i * 2 * t->entry_size, info, name;
	size_t room;

	if (i >= t->n || load(t, at, t->entry_size, &out->entry) ||
	    load(t, at + t->entry_size, t->entry_size, &info) ||
	    load(t, at + 2 * t->entry_size, t->entry_size, &out->end) || info > t->size ||
	    load(t, base + info + t->entry_size, 4, &name))
		return -EBADMSG;
	name += t->names;
	if (name >= t->size)
		return -EBADMSG;
	room = t->size - (size_t)name < NAME_MAX_LEN ? t->size - (size_t)name : NAME_MAX_LEN;
	out->name = (const char *)t->data + name;
	if (!*out->name || !memchr(out->name, '\0', room) || out->end < out->entry)
		return -EBADMSG;
	out->entry += t->text;
	out->end += t->text;
	return 0;
}
