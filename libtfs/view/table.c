/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "view/table-internal.h"

static bool is_text(enum tfs_cell_kind kind)
{
	return kind == TFS_CELL_TEXT || kind == TFS_CELL_ENCODED;
}

static bool is_hidden(const struct tfs_table_column *c)
{
	return (c->flags & TFS_TABLE_HIDDEN) == TFS_TABLE_HIDDEN;
}

static int unknown_column(const struct tfs_table *t, const char *sort, const char *name,
			  struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_strbuf all = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < t->opts.n_columns && !rc; i++) {
		const struct tfs_table_column *c = &t->opts.columns[i];

		if (is_hidden(c))
			continue;
		rc = tfs_strvec_push(&names, c->name);
		if (!rc)
			rc = tfs_strbuf_addf(&all, "%s%s", all.len ? ", " : "the columns are ",
					     c->name);
	}
	if (!rc) {
		rc = tfs_err_say(err, -EINVAL, "the table has no column '%s' to sort by", name);
		tfs_err_input(err, sort, -1);
		tfs_suggest_hint(err, name, &names, all.s);
	}
	tfs_strbuf_release(&all);
	tfs_strvec_release(&names);
	return rc;
}

static bool has_key(const struct tfs_table *t, size_t column)
{
	for (size_t i = 0; i < t->n_keys; i++)
		if (t->key[i].column == column)
			return true;
	return false;
}

static void add_key(struct tfs_table *t, size_t column, bool reverse)
{
	const struct tfs_table_column *c = &t->opts.columns[column];
	bool down = !is_text(c->kind) && !(c->flags & TFS_TABLE_ASCENDING);

	if (!has_key(t, column))
		t->key[t->n_keys++] = (struct tfs_table_key){ column, down != reverse };
}

/*
 * The column with this name, or else with this heading, if only one has it; n_columns: none. From
 * the last: a field may be called as a column that the table adds.
 */
static size_t find_column(const struct tfs_table *t, const char *name)
{
	const size_t n = t->opts.n_columns;
	size_t found = n;

	for (size_t c = n; c--;)
		if (!is_hidden(&t->opts.columns[c]) && !strcmp(t->opts.columns[c].name, name))
			return c;
	for (size_t c = 0; c < n; c++) {
		const struct tfs_table_column *column = &t->opts.columns[c];
		const char *heading = column->heading ? column->heading : column->name;

		if (is_hidden(column) || strcasecmp(heading, name) != 0)
			continue;
		if (found < n)
			return n;
		found = c;
	}
	return found;
}

/* Add the columns of "COLUMN,-COLUMN" that are not there yet. */
static int add_keys(struct tfs_table *t, const char *sort, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = tfs_strvec_split(&names, sort, ",");

	for (size_t i = 0; i < names.n && !rc; i++) {
		const char *name = names.v[i];
		bool reverse = *name == '-';
		size_t c;

		name += reverse;
		c = find_column(t, name);
		if (c < t->opts.n_columns)
			add_key(t, c, reverse);
		else
			rc = unknown_column(t, sort, name, err);
	}
	if (!rc && !names.n)
		rc = unknown_column(t, sort, "", err);
	tfs_strvec_release(&names);
	return rc;
}

int tfs_table_new(const struct tfs_table_opts *opts, struct tfs_table **out, struct tfs_err *err)
{
	struct tfs_table *t = calloc(1, sizeof(*t));
	int rc = 0;

	if (!t)
		return -ENOMEM;
	if (opts->n_columns > TFS_TABLE_COLUMNS) {
		free(t);
		return tfs_err_say(err, -E2BIG, "the table has %zu columns, of at most %d",
				   opts->n_columns, TFS_TABLE_COLUMNS);
	}
	t->opts = *opts;
	tfs_strbuf_init(&t->texts);
	t->key = calloc(opts->n_columns + 1, sizeof(*t->key));
	if (!t->key)
		rc = -ENOMEM;
	if (!rc && opts->sort)
		rc = add_keys(t, opts->sort, err);
	if (!rc && opts->order)
		rc = add_keys(t, opts->order, err);
	for (size_t i = 0; i < opts->n_columns && !rc; i++)
		add_key(t, i, false);
	t->opts.sort = t->opts.order = NULL;
	if (rc)
		tfs_table_free(t);
	else
		*out = t;
	return rc;
}

void tfs_table_free(struct tfs_table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_notes; i++) {
		free(t->note[i].key);
		free(t->note[i].text);
	}
	free(t->note);
	free(t->key);
	free(t->cell);
	free(t->known);
	tfs_strbuf_release(&t->texts);
	free(t);
}

int tfs_table_add(struct tfs_table *t)
{
	size_t n = t->opts.n_columns;
	int rc = tfs_grow(&t->cell, &t->cell_alloc, (t->n + 1) * n);

	if (!rc)
		rc = tfs_grow(&t->known, &t->known_alloc, t->n + 1);
	if (rc)
		return rc;
	memset(t->cell + t->n * n, 0, n * sizeof(*t->cell));
	t->known[t->n++] = 0;
	return 0;
}

void tfs_table_set(struct tfs_table *t, size_t column, uint64_t value)
{
	t->cell[(t->n - 1) * t->opts.n_columns + column] = value;
	t->known[t->n - 1] |= UINT64_C(1) << column;
}

/* All of an encoded cell is a number, perhaps in quotes: it is sorted as that. */
static void read_number(const char *s, size_t len, struct tfs_table_text *head)
{
	char digits[24], *end;
	bool hex;

	if (len > 2 && *s == '"' && s[len - 1] == '"') {
		s++;
		len -= 2;
	}
	head->negative = len && *s == '-';
	s += head->negative;
	len -= head->negative;
	if (!len || len >= sizeof(digits) || *s < '0' || *s > '9')
		return;
	memcpy(digits, s, len);
	digits[len] = '\0';
	hex = !strncmp(digits, "0x", 2);
	errno = 0;
	head->number = strtoull(digits, &end, hex ? 16 : 10);
	head->is_number = !errno && end == digits + len;
}

int tfs_table_set_text(struct tfs_table *t, size_t column, const char *s, size_t len)
{
	struct tfs_table_text head = { .len = len };
	size_t at = t->texts.len;
	int rc;

	if (t->opts.columns[column].kind == TFS_CELL_ENCODED)
		read_number(s, len, &head);
	rc = tfs_strbuf_add(&t->texts, &head, sizeof(head));

	if (!rc)
		rc = tfs_strbuf_add(&t->texts, s, len);
	if (!rc)
		rc = tfs_strbuf_addc(&t->texts, '\0');
	if (rc)
		t->texts.len = at;
	else
		tfs_table_set(t, column, at);
	return rc;
}

size_t tfs_table_rows(const struct tfs_table *t)
{
	return t->n;
}

static const char *read_head(const struct tfs_table *t, size_t row, size_t column,
			     struct tfs_table_text *head)
{
	const char *s = t->texts.s + tfs_table_cell(t, row, column);

	memcpy(head, s, sizeof(*head));
	return s + sizeof(*head);
}

const char *tfs_table_text(const struct tfs_table *t, size_t row, size_t column, size_t *len)
{
	struct tfs_table_text head;
	const char *s = read_head(t, row, column, &head);

	*len = head.len;
	return s;
}

static int add_note(struct tfs_table *t, const char *key, uint64_t n, const char *text)
{
	struct tfs_table_note note = { .key = strdup(key), .text = strdup(text), .n = n };

	if (!note.key || !note.text || tfs_grow_one(&t->note, t->n_notes)) {
		free(note.key);
		free(note.text);
		return -ENOMEM;
	}
	t->note[t->n_notes++] = note;
	return 0;
}

int tfs_table_note(struct tfs_table *t, const char *key, uint64_t n, const char *text)
{
	return add_note(t, key, n, text);
}

int tfs_table_lost(struct tfs_table *t, uint64_t n, bool uncounted)
{
	int rc;

	if (!n && !uncounted)
		return 0;
	rc = add_note(t, "lost", n,
		      !n        ? "events were lost, the kernel did not count how many" :
		      uncounted ? "events and more were lost" :
				  "events were lost");
	if (!rc)
		t->note[t->n_notes - 1].unknown = uncounted;
	return rc;
}

int tfs_table_missing(struct tfs_table *t, uint64_t cpus)
{
	if (!cpus)
		return 0;
	return add_note(t, "missing", cpus,
			cpus == 1 ? "CPU lacks its last events; how many is not known" :
				    "CPUs lack their last events; how many is not known");
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int diff = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return diff ? diff : (a_len > b_len) - (a_len < b_len);
}

/* Numbers by their value, before what is not a number */
static int compare_texts(const struct tfs_table *t, size_t column, size_t a, size_t b)
{
	struct tfs_table_text x, y;
	const char *p = read_head(t, a, column, &x), *q = read_head(t, b, column, &y);
	int diff;

	if (!x.is_number || !y.is_number)
		return x.is_number ? -1 : y.is_number ? 1 : compare_bytes(p, x.len, q, y.len);
	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	diff = (x.number > y.number) - (x.number < y.number);
	return x.negative ? -diff : diff;
}

static int compare_cells(const struct tfs_table *t, size_t column, size_t a, size_t b)
{
	uint64_t x = tfs_table_cell(t, a, column), y = tfs_table_cell(t, b, column);
	enum tfs_cell_kind kind = t->opts.columns[column].kind;

	if (kind == TFS_CELL_SIGNED)
		return ((int64_t)x > (int64_t)y) - ((int64_t)x < (int64_t)y);
	if (!is_text(kind))
		return (x > y) - (x < y);
	return compare_texts(t, column, a, b);
}

static int compare(const void *a, const void *b, void *table)
{
	const struct tfs_table *t = table;
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	for (size_t i = 0; i < t->n_keys; i++) {
		const struct tfs_table_key *k = &t->key[i];
		bool x_known = tfs_table_knows(t, x, k->column);
		bool y_known = tfs_table_knows(t, y, k->column);
		int diff;

		if (x_known != y_known)
			return x_known ? -1 : 1;
		diff = x_known ? compare_cells(t, k->column, x, y) : 0;
		if (diff)
			return k->down ? -diff : diff;
	}
	return (x > y) - (x < y);
}

void tfs_table_sort(const struct tfs_table *t, size_t *row)
{
	for (size_t i = 0; i < t->n; i++)
		row[i] = i;
	qsort_r(row, t->n, sizeof(*row), compare, (void *)t);
}
