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
#include "base/time.h"
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

const char *tfs_table_unit(const struct tfs_table *t, size_t column)
{
	const struct tfs_table_column *c = &t->opts.columns[column];

	if (!(c->flags & TFS_TABLE_UNIT) || t->opts.flags & TFS_TABLE_COUNTS)
		return "";
	switch (c->unit) {
	case NS_PER_SEC:
		return "(s)";
	case NS_PER_MSEC:
		return "(ms)";
	case NS_PER_USEC:
		return "(us)";
	default:
		return "(ns)";
	}
}

/* With its unit or without, in any case */
static bool is_heading(const struct tfs_table *t, size_t column, const char *name)
{
	const struct tfs_table_column *c = &t->opts.columns[column];
	const char *heading = c->heading ? c->heading : c->name;
	size_t len = strlen(heading);

	return !strncasecmp(heading, name, len) &&
	       (!name[len] || !strcasecmp(name + len, tfs_table_unit(t, column)));
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
		if (is_hidden(&t->opts.columns[c]) || !is_heading(t, c, name))
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
	t->cell = calloc(opts->n_columns + 1, sizeof(*t->cell));
	t->key = calloc(opts->n_columns + 1, sizeof(*t->key));
	t->row = calloc(1, sizeof(*t->row));
	if (t->row)
		t->row->cell = calloc(opts->n_columns + 1, sizeof(*t->row->cell));
	if (!t->cell || !t->key || !t->row || !t->row->cell)
		rc = -ENOMEM;
	else
		t->row->row = SIZE_MAX;
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
	free(t->at);
	if (t->row)
		free(t->row->cell);
	free(t->row);
	for (size_t i = 0; i < t->n_blocks; i++)
		free(t->block[i]);
	free(t->block);
	tfs_strbuf_release(&t->texts);
	tfs_idmap_release(&t->by_text);
	free(t);
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

int tfs_table_missing(struct tfs_table *t, uint64_t cpus, uint64_t recordings)
{
	int rc = 0;

	if (cpus)
		rc = add_note(t, "missing", cpus,
			      cpus == 1 ? "CPU lacks its last events; how many is not known" :
					  "CPUs lack their last events; how many is not known");
	if (!rc && recordings)
		rc = add_note(
			t, "more_cpus", recordings,
			recordings == 1 ?
				"recording may have had more CPUs, of which nothing is left" :
				"recordings may have had more CPUs, of which nothing is left");
	return rc;
}
