/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/summary-text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "base/time.h"

/* Bytes of a cell of a number; a name may be longer. */
#define CELL_SIZE 48

/* Headings and least widths as in strace's src/count.c */
static const struct {
	const char *heading;
	size_t width;
} columns[TFS_SUMMARY_N_COLUMNS] = {
	[TFS_SUMMARY_SHARE] = { "% time", 6 },
	[TFS_SUMMARY_TOTAL] = { "seconds", 11 },
	[TFS_SUMMARY_MIN] = { "shortest", 8 },
	[TFS_SUMMARY_MAX] = { "longest", 7 },
	[TFS_SUMMARY_MEAN] = { "usecs/call", 11 },
	[TFS_SUMMARY_CALLS] = { "calls", 9 },
	[TFS_SUMMARY_ERRORS] = { "errors", 9 },
	[TFS_SUMMARY_NAME] = { "syscall", 16 },
	[TFS_SUMMARY_WALL_TOTAL] = { "wall-total", 11 },
	[TFS_SUMMARY_WALL_MIN] = { "wall-min", 8 },
	[TFS_SUMMARY_WALL_MAX] = { "wall-max", 8 },
	[TFS_SUMMARY_WALL_MEAN] = { "wall-avg", 11 },
};

/* Names that people type; "_" stands for "-". */
static const struct {
	const char *name;
	enum tfs_summary_column column;
} names[] = {
	{ "time", TFS_SUMMARY_SHARE },
	{ "time-percent", TFS_SUMMARY_SHARE },
	{ "time-total", TFS_SUMMARY_TOTAL },
	{ "total-time", TFS_SUMMARY_TOTAL },
	{ "min-time", TFS_SUMMARY_MIN },
	{ "time-min", TFS_SUMMARY_MIN },
	{ "shortest", TFS_SUMMARY_MIN },
	{ "max-time", TFS_SUMMARY_MAX },
	{ "time-max", TFS_SUMMARY_MAX },
	{ "longest", TFS_SUMMARY_MAX },
	{ "avg-time", TFS_SUMMARY_MEAN },
	{ "time-avg", TFS_SUMMARY_MEAN },
	{ "calls", TFS_SUMMARY_CALLS },
	{ "count", TFS_SUMMARY_CALLS },
	{ "error", TFS_SUMMARY_ERRORS },
	{ "errors", TFS_SUMMARY_ERRORS },
	{ "name", TFS_SUMMARY_NAME },
	{ "syscall", TFS_SUMMARY_NAME },
	{ "syscall-name", TFS_SUMMARY_NAME },
	{ "wall-total", TFS_SUMMARY_WALL_TOTAL },
	{ "total-wall", TFS_SUMMARY_WALL_TOTAL },
	{ "wall-min", TFS_SUMMARY_WALL_MIN },
	{ "min-wall", TFS_SUMMARY_WALL_MIN },
	{ "wall-max", TFS_SUMMARY_WALL_MAX },
	{ "max-wall", TFS_SUMMARY_WALL_MAX },
	{ "wall-avg", TFS_SUMMARY_WALL_MEAN },
	{ "avg-wall", TFS_SUMMARY_WALL_MEAN },
	{ "none", TFS_SUMMARY_NONE },
	{ "nothing", TFS_SUMMARY_NONE },
};

static const struct tfs_summary_layout with_times = {
	.column = { TFS_SUMMARY_SHARE, TFS_SUMMARY_TOTAL, TFS_SUMMARY_MEAN, TFS_SUMMARY_CALLS,
		    TFS_SUMMARY_ERRORS, TFS_SUMMARY_NAME },
	.n = 6,
	.sort = TFS_SUMMARY_TOTAL,
};

static const struct tfs_summary_layout without_times = {
	.column = { TFS_SUMMARY_CALLS, TFS_SUMMARY_ERRORS, TFS_SUMMARY_NAME },
	.n = 3,
	.sort = TFS_SUMMARY_CALLS,
};

static bool is_time(enum tfs_summary_column c)
{
	return c != TFS_SUMMARY_CALLS && c != TFS_SUMMARY_ERRORS && c != TFS_SUMMARY_NAME &&
	       c != TFS_SUMMARY_NONE;
}

static bool is_named(const char *name, const char *typed, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (name[i] != (typed[i] == '_' ? '-' : typed[i]))
			return false;
	return !name[len];
}

static int refuse(const char *what, const char *typed, size_t len, struct tfs_err *err)
{
	struct tfs_strvec known = TFS_STRVEC_INIT;
	char word[64];
	int rc = 0;

	snprintf(word, sizeof(word), "%.*s", (int)(len < sizeof(word) ? len : sizeof(word)), typed);
	for (size_t i = 0; i < ARRAY_SIZE(names) && !rc; i++)
		rc = tfs_strvec_push(&known, names[i].name);
	tfs_err_say(err, -EINVAL, "unknown %s '%s'", what, word);
	tfs_suggest_hint(err, word, &known,
			 "known are time, total-time, min-time, max-time, avg-time, calls, errors "
			 "and name");
	tfs_strvec_release(&known);
	return -EINVAL;
}

static int find_column(const char *what, const char *typed, size_t len, bool times,
		       enum tfs_summary_column *column, struct tfs_err *err)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(names) && !is_named(names[i].name, typed, len))
		i++;
	if (i == ARRAY_SIZE(names))
		return refuse(what, typed, len, err);
	*column = names[i].column;
	if (times || !is_time(*column))
		return 0;
	return tfs_err_say(err, -EINVAL, "%s '%s': the times of calls are not measured", what,
			   names[i].name);
}

static bool has_column(const struct tfs_summary_layout *layout, enum tfs_summary_column column)
{
	for (size_t i = 0; i < layout->n; i++)
		if (layout->column[i] == column)
			return true;
	return false;
}

static int parse_columns(struct tfs_summary_layout *layout, const char *text, bool times,
			 struct tfs_err *err)
{
	enum tfs_summary_column column;
	size_t len;
	int rc;

	layout->n = 0;
	for (;; text += len + 1) {
		len = strcspn(text, ",");
		rc = find_column("column", text, len, times, &column, err);
		if (rc)
			return rc;
		if (column == TFS_SUMMARY_NONE)
			return refuse("column", text, len, err);
		if (has_column(layout, column))
			return tfs_err_say(err, -EINVAL, "column '%.*s' is given twice", (int)len,
					   text);
		layout->column[layout->n++] = column;
		if (!text[len])
			break;
	}
	if (!has_column(layout, TFS_SUMMARY_NAME))
		layout->column[layout->n++] = TFS_SUMMARY_NAME;
	return 0;
}

int tfs_summary_layout_parse(struct tfs_summary_layout *layout, const char *column_names,
			     const char *sort, bool times, struct tfs_err *err)
{
	int rc = 0;

	*layout = times ? with_times : without_times;
	if (sort)
		rc = find_column("sort key", sort, strlen(sort), times, &layout->sort, err);
	return rc || !column_names ? rc : parse_columns(layout, column_names, times, err);
}

static uint64_t mean(const struct tfs_summary_row *row)
{
	return row->timed ? row->total / row->timed : 0;
}

static uint64_t sort_value(const struct tfs_summary_row *row, enum tfs_summary_column column)
{
	switch (column) {
	case TFS_SUMMARY_MIN:
	case TFS_SUMMARY_WALL_MIN:
		return row->min;
	case TFS_SUMMARY_MAX:
	case TFS_SUMMARY_WALL_MAX:
		return row->max;
	case TFS_SUMMARY_MEAN:
	case TFS_SUMMARY_WALL_MEAN:
		return mean(row);
	case TFS_SUMMARY_CALLS:
		return row->calls;
	case TFS_SUMMARY_ERRORS:
		return row->errors;
	case TFS_SUMMARY_NAME:
	case TFS_SUMMARY_NONE:
		return 0;
	default:
		return row->total;
	}
}

/* A row and what decides where it goes */
struct placed {
	struct tfs_summary_row row;
	uint64_t value;
	const char *name;
	size_t at;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int by_name = x->name ? strcmp(x->name, y->name) : 0;

	if (by_name)
		return by_name;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

int tfs_summary_sort(const struct tfs_summary_layout *layout, struct tfs_summary_row *rows,
		     size_t n)
{
	struct placed *placed = calloc(n + 1, sizeof(*placed));

	if (!placed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		placed[i] = (struct placed){
			.row = rows[i],
			.value = sort_value(&rows[i], layout->sort),
			.name = layout->sort == TFS_SUMMARY_NAME ? rows[i].name : NULL,
			.at = i,
		};
	qsort(placed, n, sizeof(*placed), compare_placed);
	for (size_t i = 0; i < n; i++)
		rows[i] = placed[i].row;
	free(placed);
	return 0;
}

static double seconds(uint64_t ns)
{
	return (double)ns / NS_PER_SEC;
}

/* The text of a number's cell; @all is the row of totals */
static void print_cell(enum tfs_summary_column column, const struct tfs_summary_row *row,
		       const struct tfs_summary_row *all, char cell[CELL_SIZE])
{
	double share;

	switch (column) {
	case TFS_SUMMARY_SHARE:
		share = row->total ? 100.0 * seconds(row->total) / seconds(all->total) : 0.0;
		snprintf(cell, CELL_SIZE, "%.2f", row == all ? 100.0 : share);
		return;
	case TFS_SUMMARY_TOTAL:
	case TFS_SUMMARY_WALL_TOTAL:
		snprintf(cell, CELL_SIZE, "%.6f", seconds(row->total));
		return;
	case TFS_SUMMARY_MIN:
	case TFS_SUMMARY_WALL_MIN:
		snprintf(cell, CELL_SIZE, "%.6f", seconds(row->min));
		return;
	case TFS_SUMMARY_MAX:
	case TFS_SUMMARY_WALL_MAX:
		snprintf(cell, CELL_SIZE, "%.6f", seconds(row->max));
		return;
	case TFS_SUMMARY_MEAN:
	case TFS_SUMMARY_WALL_MEAN:
		snprintf(cell, CELL_SIZE, "%" PRIu64, mean(row) / 1000);
		return;
	case TFS_SUMMARY_CALLS:
		snprintf(cell, CELL_SIZE, "%" PRIu64, row->calls);
		return;
	case TFS_SUMMARY_ERRORS:
		snprintf(cell, CELL_SIZE, row->errors ? "%" PRIu64 : "", row->errors);
		return;
	default:
		*cell = '\0';
	}
}

static struct tfs_summary_row add_up(const struct tfs_summary_row *rows, size_t n)
{
	struct tfs_summary_row all = { .name = "total" };

	for (size_t i = 0; i < n; i++) {
		if (rows[i].timed && (!all.timed || rows[i].min < all.min))
			all.min = rows[i].min;
		if (rows[i].max > all.max)
			all.max = rows[i].max;
		all.calls += rows[i].calls;
		all.errors += rows[i].errors;
		all.timed += rows[i].timed;
		all.total += rows[i].total;
	}
	return all;
}

/* The columns to print, and how wide they are */
struct table {
	const struct tfs_summary_layout *layout;
	struct tfs_summary_row all;
	size_t width[TFS_SUMMARY_N_COLUMNS];
};

static void fit(struct table *t, const struct tfs_summary_row *row)
{
	char cell[CELL_SIZE];

	for (size_t i = 0; i < t->layout->n; i++) {
		enum tfs_summary_column c = t->layout->column[i];
		size_t len;

		print_cell(c, row, &t->all, cell);
		/* A name has a blank after it even where it is the longest. */
		len = c == TFS_SUMMARY_NAME ? strlen(row->name) + 1 : strlen(cell);
		if (len > t->width[c])
			t->width[c] = len;
	}
}

static int put_row(const struct table *t, const struct tfs_summary_row *row, struct tfs_strbuf *out)
{
	char cell[CELL_SIZE];
	int rc = 0;

	for (size_t i = 0; i < t->layout->n && !rc; i++) {
		enum tfs_summary_column c = t->layout->column[i];
		bool last = i + 1 == t->layout->n;
		int width = (int)t->width[c];

		if (c == TFS_SUMMARY_NAME) {
			rc = tfs_strbuf_addf(out, "%-*s", last ? 0 : width,
					     row ? row->name : columns[c].heading);
		} else {
			if (row)
				print_cell(c, row, &t->all, cell);
			rc = tfs_strbuf_addf(out, "%*s", width, row ? cell : columns[c].heading);
		}
		if (!rc)
			rc = tfs_strbuf_addc(out, last ? '\n' : ' ');
	}
	return rc;
}

static int put_dashes(const struct table *t, struct tfs_strbuf *out)
{
	int rc = 0;

	for (size_t i = 0; i < t->layout->n && !rc; i++) {
		for (size_t k = t->width[t->layout->column[i]]; k && !rc; k--)
			rc = tfs_strbuf_addc(out, '-');
		if (!rc)
			rc = tfs_strbuf_addc(out, i + 1 == t->layout->n ? '\n' : ' ');
	}
	return rc;
}

int tfs_summary_text(const struct tfs_summary_layout *layout, const struct tfs_summary_row *rows,
		     size_t n, struct tfs_strbuf *out)
{
	struct table t = { .layout = layout, .all = add_up(rows, n) };
	size_t i;
	int rc;

	for (i = 0; i < TFS_SUMMARY_N_COLUMNS; i++)
		t.width[i] = columns[i].width;
	for (i = 0; i < n; i++)
		fit(&t, &rows[i]);
	fit(&t, &t.all);
	rc = put_row(&t, NULL, out);
	if (!rc)
		rc = put_dashes(&t, out);
	for (i = 0; i < n && !rc; i++)
		rc = put_row(&t, &rows[i], out);
	if (!rc)
		rc = put_dashes(&t, out);
	return rc ? rc : put_row(&t, &t.all, out);
}
