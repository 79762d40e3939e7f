/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dso/gopclntab.h"

#include <errno.h>
#include <string.h>

/* Longer names mean a damaged table. */
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

static int read_header(struct tfs_gopclntab *t, uint64_t *n)
{
	bool relative = t->form == FORM_1_18 || t->form == FORM_1_20;
	unsigned int first = relative ? 3 : 2;
	int rc = word(t, 0, n);

	t->entry_size = relative ? 4 : t->ptr_size;
	if (!rc && t->form == FORM_1_2) {
		/* everything is found from the beginning of the table */
		t->functions = HEADER + t->ptr_size;
		return 0;
	}
	if (!rc && relative) {
		t->text_at = HEADER + 2 * t->ptr_size;
		rc = word(t, 2, &t->text);
	}
	if (!rc)
		rc = offset(t, first, &t->names);
	if (!rc)
		rc = offset(t, first + 1, &t->units);
	if (!rc)
		rc = offset(t, first + 2, &t->files);
	if (!rc)
		rc = offset(t, first + 3, &t->values);
	if (!rc)
		rc = offset(t, first + 4, &t->functions);
	return rc;
}

/* In the oldest form the names of files are found after the functions. */
static void find_files(struct tfs_gopclntab *t)
{
	uint64_t at;

	if (t->form == FORM_1_2 &&
	    !load(t, t->functions + (2 * (uint64_t)t->n + 1) * t->entry_size, 4, &at) &&
	    at < t->size)
		t->files = (size_t)at;
}

int tfs_gopclntab_open(const uint8_t *data, size_t size, bool big, struct tfs_gopclntab *out)
{
	struct tfs_gopclntab t = { .data = data, .size = size, .big = big };
	uint64_t magic, n = 0;

	if (load(&t, 0, 4, &magic) || size < HEADER)
		return -EBADMSG;
	t.ptr_size = data[7];
	t.quantum = data[6];
	t.form = (uint32_t)magic;
	if ((magic != FORM_1_2 && magic != FORM_1_16 && magic != FORM_1_18 && magic != FORM_1_20) ||
	    data[4] || data[5] || (data[6] != 1 && data[6] != 2 && data[6] != 4) ||
	    (t.ptr_size != 4 && t.ptr_size != 8) || read_header(&t, &n))
		return -EBADMSG;
	/* an entry and an offset each, and the end of the last */
	if (t.functions >= size || n > (size - t.functions) / (2 * t.entry_size))
		return -EBADMSG;
	t.n = (size_t)n;
	find_files(&t);
	*out = t;
	return 0;
}

/* A name, "" not being one; NULL if there is none at @at. */
static const char *text(const struct tfs_gopclntab *t, uint64_t at)
{
	const char *s = (const char *)t->data + at;
	size_t room;

	if (at >= t->size)
		return NULL;
	room = t->size - (size_t)at < NAME_MAX_LEN ? t->size - (size_t)at : NAME_MAX_LEN;
	return *s && memchr(s, '\0', room) ? s : NULL;
}

/* Where in the table function @i is described: its entry, then fields of four bytes. */
static int find_info(const struct tfs_gopclntab *t, size_t i, struct tfs_go_func *func,
		     uint64_t *fields)
{
	/* of the first form, offsets count from the table's beginning */
	uint64_t base = t->names ? t->functions : 0, info;
	uint64_t at = t->functions + (uint64_t)i * 2 * t->entry_size;

	if (i >= t->n || load(t, at, t->entry_size, &func->entry) ||
	    load(t, at + t->entry_size, t->entry_size, &info) ||
	    load(t, at + 2 * t->entry_size, t->entry_size, &func->end) || info > t->size ||
	    func->end < func->entry)
		return -EBADMSG;
	func->entry += t->text;
	func->end += t->text;
	*fields = base + info + t->entry_size;
	return 0;
}

int tfs_gopclntab_func(const struct tfs_gopclntab *t, size_t i, struct tfs_go_func *out)
{
	uint64_t fields, name;

	if (find_info(t, i, out, &fields) || load(t, fields, 4, &name))
		return -EBADMSG;
	out->name = text(t, t->names + name);
	return out->name ? 0 : -EBADMSG;
}

/* --- lines --- */

/* Fields of a function's description, in the order of runtime._func. */
enum field {
	FIELD_NAME,
	FIELD_ARGS,
	FIELD_DEFER_RETURN,
	FIELD_SP,
	FIELD_FILE,
	FIELD_LINE,
	FIELD_N_VALUES,
	FIELD_UNIT,       /* since 1.16 */
	FIELD_FIRST_LINE, /* since 1.20 */
};

/* The table that distinguishes inlined copies: PCDATA_InlTreeIndex, this number since Go 1.14. */
#define COPY_VALUES 2

static int field(const struct tfs_gopclntab *t, uint64_t fields, unsigned int i, uint64_t *out)
{
	return load(t, fields + 4 * (uint64_t)i, 4, out);
}

unsigned int tfs_gopclntab_first_line(const struct tfs_gopclntab *t, size_t i)
{
	struct tfs_go_func func;
	uint64_t fields, line;

	if (t->form != FORM_1_20 || find_info(t, i, &func, &fields) ||
	    field(t, fields, FIELD_FIRST_LINE, &line) || line > INT32_MAX)
		return 0;
	return (unsigned int)line;
}

/* Seven bits a byte, the lowest first; 32 bits at most. */
static bool read_varint(const struct tfs_gopclntab *t, size_t *at, uint32_t *out)
{
	uint32_t v = 0;

	for (unsigned int shift = 0; shift < 35 && *at < t->size; shift += 7) {
		uint8_t byte = t->data[(*at)++];

		v |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*out = v;
			return true;
		}
	}
	return false;
}

/* The next value and where it ends: differences to those before, the sign in the lowest bit. */
static void step(const struct tfs_gopclntab *t, struct tfs_go_value *v, bool first)
{
	uint32_t delta, bytes;

	v->known = false;
	if (!read_varint(t, &v->at, &delta) || (!delta && !first) ||
	    !read_varint(t, &v->at, &bytes) || !bytes)
		return;
	v->value = (int32_t)((uint32_t)v->value + (delta & 1 ? ~(delta >> 1) : delta >> 1));
	v->end += (uint64_t)bytes * t->quantum;
	v->known = true;
}

/* Start reading a table of values; offset 0 means that there is none. */
static struct tfs_go_value begin(const struct tfs_gopclntab *t, uint64_t entry, uint64_t at)
{
	struct tfs_go_value v = { .end = entry, .value = -1 };

	if (!at || at >= t->size - t->values)
		return v;
	v.at = t->values + (size_t)at;
	step(t, &v, true);
	return v;
}

int tfs_gopclntab_rows(const struct tfs_gopclntab *t, size_t i, struct tfs_go_rows *out)
{
	unsigned int after = t->form == FORM_1_20 ? FIELD_FIRST_LINE + 1 : FIELD_FIRST_LINE;
	uint64_t fields, file, line, n, copy = 0;
	struct tfs_go_func func;

	*out = (struct tfs_go_rows){ .t = t };
	if (find_info(t, i, &func, &fields) || field(t, fields, FIELD_FILE, &file) ||
	    field(t, fields, FIELD_LINE, &line) || field(t, fields, FIELD_N_VALUES, &n))
		return -EBADMSG;
	if (t->form != FORM_1_2 &&
	    (field(t, fields, FIELD_UNIT, &out->unit) ||
	     /* four single bytes come first */
	     (n > COPY_VALUES && field(t, fields, after + 1 + COPY_VALUES, &copy))))
		return -EBADMSG;
	out->pc = func.entry;
	out->end = func.end;
	out->file = begin(t, func.entry, file);
	out->line = begin(t, func.entry, line);
	out->copy = begin(t, func.entry, copy);
	return 0;
}

static const char *file_name(const struct tfs_go_rows *rows)
{
	const struct tfs_gopclntab *t = rows->t;
	uint64_t number = (uint32_t)rows->file.value, at, n;

	if (rows->file.value < 0 || !t->files)
		return NULL;
	if (t->form == FORM_1_2) {
		if (load(t, t->files, 4, &n) || number >= n ||
		    load(t, t->files + 4 * number, 4, &at))
			return NULL;
		return text(t, at);
	}
	if (load(t, t->units + 4 * (rows->unit + number), 4, &at) || at == UINT32_MAX)
		return NULL;
	return text(t, t->files + at);
}

int tfs_gopclntab_next(struct tfs_go_rows *rows, struct tfs_go_row *out)
{
	struct tfs_go_value *copy = &rows->copy;
	uint64_t to = rows->end;

	if (rows->pc >= rows->end || !rows->file.known || !rows->line.known)
		return 0;
	to = rows->file.end < to ? rows->file.end : to;
	to = rows->line.end < to ? rows->line.end : to;
	to = copy->known && copy->end < to ? copy->end : to;
	*out = (struct tfs_go_row){ .from = rows->pc,
				    .to = to,
				    .file = file_name(rows),
				    .line = rows->line.value > 0 ? (uint32_t)rows->line.value : 0,
				    .copy = copy->known ? copy->value : -1 };
	rows->pc = to;
	if (rows->file.end == to)
		step(rows->t, &rows->file, false);
	if (rows->line.end == to)
		step(rows->t, &rows->line, false);
	if (copy->known && copy->end == to)
		step(rows->t, copy, false);
	return 1;
}
