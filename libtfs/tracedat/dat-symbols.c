/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-records.h"

#define RECORD_NAMES 1
#define RECORD_FUNCTIONS 2
#define FUNCTION_SIZE (2 * sizeof(uint64_t) + sizeof(uint32_t))
/* Functions that overlap are looked through so far. */
#define OVERLAP_MAX 64

/* @rows: functions with their objects, sorted; @v the same without; @first: of an object, in @v */
struct tfs_dat_symbols {
	struct tfs_dat_records records;
	struct row {
		struct tfs_dat_symbol s;
		uint32_t object;
	} * rows;
	struct tfs_dat_symbol *v;
	size_t n, cap;
	size_t *first, n_objects;
};

/* The offset of a name in the table, which has each once. */
static int name_at(struct tfs_dat_symbols_writer *w, const char *name, uint32_t *at)
{
	size_t i;
	int rc;

	if (!tfs_strmap_get(&w->index, name, &i)) {
		i = w->names.len;
		if (i > UINT32_MAX)
			return -EOVERFLOW;
		rc = tfs_dat_put_strz(&w->names, name);
		if (!rc)
			rc = tfs_strmap_put(&w->index, name, i);
		if (rc)
			return rc;
	}
	*at = (uint32_t)i;
	return 0;
}

int tfs_dat_symbols_add(struct tfs_dat_symbols_writer *w, uint32_t object,
			const struct tfs_dat_symbol *v, size_t n)
{
	struct tfs_strbuf *sb = &w->functions;
	uint32_t name;
	size_t at;
	int rc = tfs_dat_record_begin(sb, RECORD_FUNCTIONS, &at);

	if (!rc)
		rc = tfs_dat_put_u32(sb, object);
	if (!rc)
		rc = tfs_dat_put_u32(sb, (uint32_t)n);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = name_at(w, v[i].name, &name);
		if (!rc)
			rc = tfs_dat_put_u64(sb, v[i].start);
		if (!rc)
			rc = tfs_dat_put_u64(sb, v[i].end);
		if (!rc)
			rc = tfs_dat_put_u32(sb, name);
	}
	return rc ? rc : tfs_dat_record_end(sb, at);
}

int tfs_dat_symbols_finish(struct tfs_dat_symbols_writer *w, struct tfs_strbuf *payload)
{
	size_t at;
	int rc = tfs_dat_record_begin(payload, RECORD_NAMES, &at);

	if (!rc)
		rc = tfs_strbuf_add(payload, w->names.s, w->names.len);
	if (!rc)
		rc = tfs_dat_record_end(payload, at);
	return rc ? rc : tfs_strbuf_add(payload, w->functions.s, w->functions.len);
}

void tfs_dat_symbols_writer_release(struct tfs_dat_symbols_writer *w)
{
	tfs_strbuf_release(&w->names);
	tfs_strbuf_release(&w->functions);
	tfs_strmap_release(&w->index);
}

static int read_function(struct tfs_dat_symbols *s, uint32_t object, struct tfs_cursor *c,
			 const struct tfs_cursor *names)
{
	struct row row = { .object = object };
	struct tfs_cursor name = *names;
	uint32_t at;

	if (tfs_cursor_u64(c, &row.s.start) || tfs_cursor_u64(c, &row.s.end) ||
	    tfs_cursor_u32(c, &at))
		return -EBADMSG;
	if (row.s.start >= row.s.end || at > name.size)
		return 0;
	name.off = at;
	if (tfs_cursor_strz(&name, &row.s.name) || !*row.s.name)
		return 0;
	if (tfs_dat_records_take(&s->records, sizeof(row) + sizeof(row.s)))
		return -E2BIG;
	if (tfs_grow(&s->rows, &s->cap, s->n + 1))
		return -ENOMEM;
	s->rows[s->n++] = row;
	return 0;
}

static int read_functions(struct tfs_dat_symbols *s, struct tfs_cursor *c,
			  const struct tfs_cursor *names)
{
	uint32_t object, n;
	int rc = 0;

	if (tfs_cursor_u32(c, &object) || tfs_cursor_u32(c, &n) || object >= s->n_objects ||
	    n > tfs_cursor_left(c) / FUNCTION_SIZE)
		return -EBADMSG;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = read_function(s, object, c, names);
	return rc;
}

static int read_all(struct tfs_dat_symbols *s)
{
	struct tfs_cursor names = { .size = 0 }, c;
	size_t option = SIZE_MAX;
	uint16_t type;
	int rc;

	while ((rc = tfs_dat_records_next(&s->records, &type, &c)) > 0) {
		if (s->records.option != option)
			names = (struct tfs_cursor){ .size = 0 };
		option = s->records.option;
		if (type == RECORD_NAMES)
			names = c;
		else if (type == RECORD_FUNCTIONS)
			rc = read_functions(s, &c, &names);
		if (rc == -ENOMEM)
			break;
	}
	return rc == -ENOMEM ? rc : 0;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	if (x->s.start != y->s.start)
		return x->s.start < y->s.start ? -1 : 1;
	return x->s.end > y->s.end ? -1 : x->s.end < y->s.end;
}

static int sort(struct tfs_dat_symbols *s)
{
	size_t k = 0;

	if (s->n)
		qsort(s->rows, s->n, sizeof(*s->rows), compare);
	s->v = calloc(s->n ? s->n : 1, sizeof(*s->v));
	s->first = calloc(s->n_objects + 1, sizeof(*s->first));
	if (!s->v || !s->first)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_objects; i++) {
		s->first[i] = k;
		while (k < s->n && s->rows[k].object == i)
			k++;
	}
	s->first[s->n_objects] = s->n;
	for (size_t i = 0; i < s->n; i++)
		s->v[i] = s->rows[i].s;
	free(s->rows);
	s->rows = NULL;
	return 0;
}

int tfs_dat_symbols_new(const struct tfs_dat *dat, size_t n_objects, struct tfs_dat_symbols **out)
{
	struct tfs_dat_symbols *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->n_objects = n_objects;
	tfs_dat_records_init(&s->records, dat, TFS_DAT_PRIVATE_SYMBOLS);
	rc = read_all(s);
	if (!rc && s->n)
		rc = sort(s);
	if (rc || !s->n)
		tfs_dat_symbols_free(s);
	else
		*out = s;
	return rc;
}

void tfs_dat_symbols_free(struct tfs_dat_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->rows);
	free(symbols->v);
	free(symbols->first);
	tfs_dat_records_release(&symbols->records);
	free(symbols);
}

const struct tfs_dat_symbol *tfs_dat_symbols_all(const struct tfs_dat_symbols *symbols, size_t *n)
{
	*n = symbols ? symbols->n : 0;
	return symbols ? symbols->v : NULL;
}

const struct tfs_dat_symbol *tfs_dat_symbols_find(const struct tfs_dat_symbols *symbols,
						  uint32_t object, uint64_t addr)
{
	const struct tfs_dat_symbol *v;
	size_t n, i;

	if (!symbols || object >= symbols->n_objects)
		return NULL;
	v = symbols->v + symbols->first[object];
	n = symbols->first[object + 1] - symbols->first[object];
	i = tfs_bisect(k, n, v[k].start <= addr);
	for (n = 0; i && n < OVERLAP_MAX; n++)
		if (addr < v[--i].end)
			return &v[i];
	return NULL;
}
