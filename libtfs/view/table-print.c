/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/table-internal.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/columns.h"
#include "base/heap.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "pipeline/view.h"
#include "view/export-value.h"

#define NSEC UINT64_C(1000000000)
#define DIGITS_MAX 9

/* Text is written when there is so much. */
#define TEXT_BYTES ((size_t)64 << 10)

static int flush(const struct tfs_table *t, struct tfs_strbuf *out)
{
	return t->opts.view && out->len >= TEXT_BYTES ? tfs_view_flush(t->opts.view, out) : 0;
}

static bool is_left(const struct tfs_table_column *c)
{
	return c->kind == TFS_CELL_TEXT || c->kind == TFS_CELL_ENCODED;
}

static int put_string(const struct tfs_table *t, const char *s, size_t len, struct tfs_strbuf *out)
{
	bool inert = t->opts.flags & TFS_TABLE_INERT;

	if (t->opts.style == TFS_EXPORT_JSON)
		return tfs_json_string(out, s, len);
	if (t->opts.style == TFS_EXPORT_CSV)
		return inert ? tfs_csv_inert_cell(out, s, len) : tfs_csv_cell(out, s, len);
	return inert ? tfs_tab_inert_cell(out, s, len) : tfs_tab_cell(out, s, len);
}

static int put_number(const struct tfs_table *t, uint64_t n, struct tfs_strbuf *out)
{
	return t->opts.style == TFS_EXPORT_JSON ? tfs_json_unsigned(out, n) :
						  tfs_strbuf_addf(out, "%" PRIu64, n);
}

/* @ns in units of @unit, with @digits after the point; the rest is cut off */
static int put_fraction(uint64_t ns, uint64_t unit, unsigned int digits, struct tfs_strbuf *out)
{
	uint64_t rest = ns % unit * (NSEC / unit);
	int rc = tfs_strbuf_addf(out, "%" PRIu64, ns / unit);

	for (unsigned int i = digits; i < DIGITS_MAX; i++)
		rest /= 10;
	return rc || !digits ? rc : tfs_strbuf_addf(out, ".%0*" PRIu64, (int)digits, rest);
}

static int put_ns(const struct tfs_table *t, const struct tfs_table_column *c, uint64_t ns,
		  struct tfs_strbuf *out)
{
	if (t->opts.flags & TFS_TABLE_COUNTS)
		return put_number(t, ns, out);
	if (t->opts.style != TFS_EXPORT_TAB || c->kind == TFS_CELL_TIME)
		return put_fraction(ns, NSEC, DIGITS_MAX, out);
	return put_fraction(ns, c->unit ? c->unit : 1, c->digits, out);
}

static int put_bool(const struct tfs_table *t, bool value, struct tfs_strbuf *out)
{
	if (t->opts.style == TFS_EXPORT_TAB)
		return tfs_strbuf_adds(out, value ? "yes" : "");
	return tfs_strbuf_adds(out, value ? "true" : "false");
}

static int put_value(const struct tfs_table *t, size_t row, size_t column, struct tfs_strbuf *out)
{
	const struct tfs_table_column *c = &t->opts.columns[column];
	uint64_t v = tfs_table_cell(t, row, column);
	bool json = t->opts.style == TFS_EXPORT_JSON;
	size_t len;
	const char *s;

	switch (c->kind) {
	case TFS_CELL_TEXT:
		s = tfs_table_text(t, row, column, &len);
		return put_string(t, s, len, out);
	case TFS_CELL_ENCODED:
		s = tfs_table_text(t, row, column, &len);
		return tfs_strbuf_add(out, s, len);
	case TFS_CELL_SIGNED:
		return json ? tfs_json_signed(out, (int64_t)v) :
			      tfs_strbuf_addf(out, "%" PRId64, (int64_t)v);
	case TFS_CELL_NS:
	case TFS_CELL_TIME:
		return put_ns(t, c, v, out);
	case TFS_CELL_PERCENT:
		return tfs_strbuf_addf(out, "%" PRIu64 ".%02u%s", v / 100, (unsigned int)(v % 100),
				       t->opts.style == TFS_EXPORT_TAB ? "%" : "");
	case TFS_CELL_ADDRESS:
		return tfs_strbuf_addf(out, json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, v);
	case TFS_CELL_BOOL:
		return put_bool(t, v, out);
	case TFS_CELL_COUNT:
		break;
	}
	return put_number(t, v, out);
}

static int put_json_row(const struct tfs_table *t, size_t row, struct tfs_strbuf *out)
{
	char before = '{';
	int rc = 0;

	for (size_t i = 0; i < t->opts.n_columns && !rc; i++) {
		const struct tfs_table_column *c = &t->opts.columns[i];
		bool known = tfs_table_knows(t, row, i);

		if (c->flags & TFS_TABLE_SHOWN || (!known && c->flags & TFS_TABLE_OPTIONAL))
			continue;
		rc = tfs_strbuf_addc(out, before);
		before = ',';
		if (!rc)
			rc = tfs_json_string(out, c->name, strlen(c->name));
		if (!rc)
			rc = tfs_strbuf_addc(out, ':');
		if (!rc)
			rc = known ? put_value(t, row, i, out) : tfs_strbuf_adds(out, "null");
	}
	if (!rc && before == '{')
		rc = tfs_strbuf_addc(out, '{');
	return rc ? rc : tfs_strbuf_adds(out, "}\n");
}

/* @row -1: the line of names */
static int put_csv_row(const struct tfs_table *t, ptrdiff_t row, struct tfs_strbuf *out)
{
	bool first = true;
	int rc = 0;

	for (size_t i = 0; i < t->opts.n_columns && !rc; i++) {
		const struct tfs_table_column *c = &t->opts.columns[i];

		if (c->flags & TFS_TABLE_SHOWN)
			continue;
		if (!first)
			rc = tfs_strbuf_addc(out, ',');
		first = false;
		if (!rc && row < 0)
			rc = tfs_csv_cell(out, c->name, strlen(c->name));
		else if (!rc && tfs_table_knows(t, (size_t)row, i))
			rc = put_value(t, (size_t)row, i, out);
	}
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

/* Columns of text output in their order; SIZE_MAX after the last */
static void choose_shown(const struct tfs_table *t, size_t *shown)
{
	size_t n = 0;

	for (unsigned int first = TFS_TABLE_FIRST;; first = 0) {
		for (size_t i = 0; i < t->opts.n_columns; i++) {
			unsigned int flags = t->opts.columns[i].flags;

			if ((flags & TFS_TABLE_FIRST) == first &&
			    !(flags & (TFS_TABLE_EXACT | TFS_TABLE_AFTER)))
				shown[n++] = i;
		}
		if (!first)
			break;
	}
	shown[n] = SIZE_MAX;
}

static int put_heading(const struct tfs_table *t, size_t column, struct tfs_strbuf *out)
{
	const struct tfs_table_column *c = &t->opts.columns[column];
	int rc = tfs_strbuf_adds(out, c->heading ? c->heading : c->name);

	for (size_t i = 0; !c->heading && i < out->len && !rc; i++)
		out->s[i] = (char)toupper((unsigned char)out->s[i]);
	return rc ? rc : tfs_strbuf_adds(out, tfs_table_unit(t, column));
}

/* Text of a cell, in @cell; @row -1: the heading */
static int put_cell(const struct tfs_table *t, ptrdiff_t row, size_t column,
		    struct tfs_strbuf *cell)
{
	tfs_strbuf_reset(cell);
	if (row < 0)
		return put_heading(t, column, cell);
	if (!tfs_table_knows(t, (size_t)row, column))
		return is_left(&t->opts.columns[column]) ? 0 : tfs_strbuf_addc(cell, '-');
	return put_value(t, (size_t)row, column, cell);
}

static int put_blanks(size_t n, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_room(out, n);

	if (rc || !n)
		return rc;
	memset(out->s + out->len, ' ', n);
	out->len += n;
	out->s[out->len] = '\0';
	return 0;
}

/* A cell in a column of @width characters. Blanks at the end of a line are cut off later. */
static int put_aligned(const struct tfs_strbuf *cell, size_t width, bool left,
		       struct tfs_strbuf *out)
{
	size_t used = tfs_columns(cell->s, cell->len);
	size_t blanks = width > used ? width - used : 0;
	int rc = left ? 0 : put_blanks(blanks, out);

	if (!rc)
		rc = tfs_strbuf_add(out, cell->s, cell->len);
	return rc || !left ? rc : put_blanks(blanks, out);
}

/* A line of cells; the first one of the heading begins with "#". */
static int put_line(const struct tfs_table *t, ptrdiff_t row, const size_t *shown,
		    const size_t *width, struct tfs_strbuf *out)
{
	struct tfs_strbuf cell = TFS_STRBUF_INIT;
	int rc = row < 0 ? tfs_strbuf_addc(out, '#') : 0;

	for (size_t i = 0; shown[i] != SIZE_MAX && !rc; i++) {
		bool left = is_left(&t->opts.columns[shown[i]]);

		rc = put_cell(t, row, shown[i], &cell);
		if (!rc && i)
			rc = tfs_strbuf_adds(out, left ? "  " : " ");
		/* "#" is before the first heading. */
		if (!rc)
			rc = put_aligned(&cell, width[shown[i]] - (!i && row < 0), left, out);
	}
	tfs_strbuf_release(&cell);
	while (out->len && out->s[out->len - 1] == ' ')
		out->len--;
	return rc ? rc : tfs_strbuf_addc(out, '\n');
}

/* @row -1: the heading */
static int measure_row(const struct tfs_table *t, ptrdiff_t row, const size_t *shown, size_t *width,
		       struct tfs_strbuf *cell)
{
	int rc = 0;

	for (size_t i = 0; shown[i] != SIZE_MAX && !rc; i++) {
		size_t c = shown[i], len;

		rc = put_cell(t, row, c, cell);
		/* "#" is before the first heading. */
		len = tfs_columns(cell->s, cell->len) + (row < 0 && !i);
		if (len > width[c])
			width[c] = len;
	}
	return rc;
}

static int measure(const struct tfs_table *t, const uint32_t *row, size_t n, const size_t *shown,
		   size_t *width)
{
	struct tfs_strbuf cell = TFS_STRBUF_INIT;
	int rc;

	for (size_t c = 0; c < t->opts.n_columns; c++)
		width[c] = t->opts.columns[c].width > 0 ? (size_t)t->opts.columns[c].width : 0;
	rc = measure_row(t, -1, shown, width, &cell);
	for (size_t k = 0; k < n && !rc; k++)
		rc = measure_row(t, (ptrdiff_t)row[k], shown, width, &cell);
	tfs_strbuf_release(&cell);
	return rc;
}

static int put_text(const struct tfs_table *t, const uint32_t *row, size_t n,
		    struct tfs_strbuf *out)
{
	size_t *shown = calloc(t->opts.n_columns + 1, sizeof(*shown));
	size_t *width = calloc(t->opts.n_columns + 1, sizeof(*width));
	int rc = shown && width ? 0 : -ENOMEM;

	if (!rc) {
		choose_shown(t, shown);
		rc = measure(t, row, n, shown, width);
	}
	if (!rc)
		rc = put_line(t, -1, shown, width, out);
	for (size_t i = 0; i < n && !rc; i++) {
		rc = put_line(t, (ptrdiff_t)row[i], shown, width, out);
		rc = rc ? rc : flush(t, out);
	}
	if (!rc && !t->n && t->opts.none)
		rc = tfs_strbuf_addf(out, "# %s\n", t->opts.none);
	free(shown);
	free(width);
	return rc;
}

/* The number and the sum of the rows that are not shown */
static int put_rest(const struct tfs_table *t, const uint32_t *row, size_t shown,
		    struct tfs_strbuf *out)
{
	const char *more = t->n - shown == 1 ? "row" : "rows";
	uint64_t sum = 0;

	if (shown == t->n || t->opts.style != TFS_EXPORT_TAB)
		return 0;
	if (!t->opts.sum_noun)
		return tfs_strbuf_addf(out, "# %zu more %s\n", t->n - shown, more);
	for (size_t i = shown; i < t->n; i++)
		sum += tfs_table_cell(t, row[i], t->opts.sum);
	return tfs_strbuf_addf(out, "# %" PRIu64 " %s in %zu more %s\n", sum, t->opts.sum_noun,
			       t->n - shown, more);
}

static int put_note(const struct tfs_table *t, const struct tfs_table_note *note,
		    struct tfs_strbuf *out)
{
	int rc;

	if (t->opts.style == TFS_EXPORT_CSV)
		return 0;
	if (t->opts.style == TFS_EXPORT_TAB)
		return note->n ? tfs_strbuf_addf(out, "# %" PRIu64 " %s\n", note->n, note->text) :
				 tfs_strbuf_addf(out, "# %s\n", note->text);
	rc = tfs_strbuf_addf(out, "{\"%s\":", note->key);
	if (!rc)
		rc = note->unknown ? tfs_strbuf_adds(out, "null") : tfs_json_unsigned(out, note->n);
	return rc ? rc : tfs_strbuf_adds(out, "}\n");
}

/* Lines of the @n first rows that come after the table */
static int put_after(const struct tfs_table *t, const uint32_t *row, size_t n,
		     struct tfs_strbuf *out)
{
	const size_t columns = t->opts.style == TFS_EXPORT_TAB ? t->opts.n_columns : 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		for (size_t c = 0; c < columns && !rc; c++) {
			unsigned int flags = t->opts.columns[c].flags;

			if (flags & TFS_TABLE_AFTER && !(flags & TFS_TABLE_EXACT) &&
			    tfs_table_knows(t, row[i], c))
				rc = put_value(t, row[i], c, out);
		}
		rc = rc ? rc : flush(t, out);
	}
	return rc;
}

int tfs_table_print(struct tfs_table *t, struct tfs_strbuf *out)
{
	size_t n = t->opts.top && t->opts.top < t->n ? (size_t)t->opts.top : t->n;
	int rc = tfs_table_close(t);
	uint32_t *row;

	/* Views have freed their own rows by now. */
	tfs_heap_trim();
	row = calloc(t->n + 1, sizeof(*row));
	if (!rc && !row)
		rc = -ENOMEM;
	if (!rc)
		rc = tfs_table_sort(t, row);
	if (!rc && t->opts.style == TFS_EXPORT_TAB)
		rc = put_text(t, row, n, out);
	else if (!rc && t->opts.style == TFS_EXPORT_CSV)
		rc = put_csv_row(t, -1, out);
	for (size_t i = 0; t->opts.style != TFS_EXPORT_TAB && i < n && !rc; i++) {
		rc = t->opts.style == TFS_EXPORT_JSON ? put_json_row(t, row[i], out) :
							put_csv_row(t, (ptrdiff_t)row[i], out);
		rc = rc ? rc : flush(t, out);
	}
	if (!rc)
		rc = put_rest(t, row, n, out);
	for (size_t i = 0; i < t->n_notes && !rc; i++)
		rc = put_note(t, &t->note[i], out);
	if (!rc)
		rc = put_after(t, row, n, out);
	free(row);
	return rc;
}
