/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "top/page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/columns.h"
#include "base/inert.h"
#include "base/macros.h"
#include "base/pattern.h"
#include "base/strbuf.h"
#include "top/snapshot.h"

/* Names get at least so many characters, if columns can be left out for that. */
#define NAME_MIN 16
/* Head, what is restricted and hidden, headings; with TFS_TOP_KEYS one more at the end */
#define FIXED_LINES 3
/* Where a name was cut */
#define CUT "..."
#define KEYS_LINE "q quit  h help  / filter  < > sort  r reverse  Enter task  space freeze"

void tfs_top_page_release(struct tfs_top_page *page)
{
	tfs_strbuf_release(&page->text);
	free(page->line);
	*page = (struct tfs_top_page){ 0 };
	tfs_strbuf_init(&page->text);
}

void tfs_top_page_clear(struct tfs_top_page *page)
{
	if (!page->text.s)
		tfs_strbuf_init(&page->text);
	tfs_strbuf_reset(&page->text);
	page->n = 0;
}

/* End the line that was appended to @page->text from @start on. */
static int end_line(struct tfs_top_page *page, enum tfs_top_line_kind kind, size_t start,
		    unsigned int width)
{
	struct tfs_strbuf *text = &page->text;
	size_t len = text->len - start;

	if (tfs_grow(&page->line, &page->alloc, page->n + 1))
		return -ENOMEM;
	if (width)
		len = tfs_columns_cut(text->s + start, len, width);
	if (start + len < text->len) {
		text->len = start + len;
		text->s[text->len] = '\0';
	}
	while (text->len > start && text->s[text->len - 1] == ' ')
		text->s[--text->len] = '\0';
	page->line[page->n++] = (struct tfs_top_page_line){ start, text->len - start, kind };
	return tfs_strbuf_addc(text, '\n');
}

int tfs_top_page_add(struct tfs_top_page *page, enum tfs_top_line_kind kind, const char *s,
		     unsigned int width)
{
	size_t start = page->text.len;
	int rc = tfs_strbuf_adds(&page->text, s);

	return rc ? rc : end_line(page, kind, start, width);
}

/* "12.000s +1.000s  34567 calls/s  0 events lost  by syscall  sort time" */
static int put_head(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		    const struct tfs_top_page_opts *o)
{
	struct tfs_strbuf *text = &page->text;
	const size_t start = text->len;
	const char *unit = "events";
	uint64_t n = snap->events;
	double seconds = (double)snap->elapsed / 1e9;
	char rate[TFS_TOP_CELL];
	int rc;

	if (snap->by == TFS_TOP_SYSCALL || snap->calls) {
		/* Two events each: the rate is that of the rows. */
		n = snap->calls + (snap->by == TFS_TOP_SYSCALL ? 0 : snap->events);
		unit = n > snap->calls ? "calls and events" : "calls";
	}
	tfs_top_rate(seconds > 0 ? (double)n / seconds : 0, rate);
	rc = tfs_strbuf_addf(text, "%.3fs +%.3fs  %s %s/s  %" PRIu64 "%s events lost",
			     (double)snap->begin / 1e9, seconds, rate, unit, snap->lost_total,
			     snap->uncounted ? "+" : "");
	if (!rc)
		rc = tfs_strbuf_addf(text, "  by %s  sort %s%s", tfs_top_by_name(snap->by),
				     tfs_top_column_name(o->sort),
				     o->flags & TFS_TOP_REVERSE ? " reversed" : "");
	return rc ? rc : end_line(page, TFS_TOP_LINE_HEAD, start, o->width);
}

/* The columns of such rows; not who it was, where that is known of none */
static unsigned int all_columns(const struct tfs_top_snapshot *snap)
{
	unsigned int all = tfs_top_columns(snap->by);

	for (size_t i = 0; i < snap->n; i++)
		if (*snap->line[i].values.comm)
			return all;
	return all & ~(1u << TFS_TOP_COMM);
}

/* Columns that there is room for: the one that is sorted by, and then those that say most */
static unsigned int choose_columns(const struct tfs_top_snapshot *snap,
				   const struct tfs_top_page_opts *o)
{
	static const enum tfs_top_column wanted[] = {
		TFS_TOP_RATE,     TFS_TOP_SHARE, TFS_TOP_TIME, TFS_TOP_COMM, TFS_TOP_TOTAL,
		TFS_TOP_RATE_10S, TFS_TOP_MEAN,  TFS_TOP_P99,  TFS_TOP_MAX,  TFS_TOP_ERRORS,
	};
	unsigned int all = all_columns(snap), shown = 1u << TFS_TOP_NAME;
	unsigned int room = o->width > NAME_MIN ? o->width - NAME_MIN : 0, need;

	if (!o->width)
		return all;
	room -= room && o->flags & TFS_TOP_KEYS;
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
			enum tfs_top_column c = wanted[i];

			if (!(all & 1u << c) || shown & 1u << c || (pass == 0 && c != o->sort))
				continue;
			need = tfs_top_column_width(c) + 1;
			if (need > room)
				return shown;
			room -= need;
			shown |= 1u << c;
		}
	}
	return shown;
}

/* Whatever is not as one would expect of the rows below: only some, not all columns, not now */
static int put_restrictions(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
			    const struct tfs_top_page_opts *o, unsigned int shown)
{
	struct tfs_strbuf *text = &page->text;
	unsigned int hidden = all_columns(snap) & ~shown;
	const size_t start = text->len;
	int rc = 0;

	if (o->flags & TFS_TOP_FROZEN)
		rc = tfs_strbuf_adds(text, "frozen, counting goes on  ");
	if (!rc && o->cpu >= 0)
		rc = tfs_strbuf_addf(text, "cpu %.1f%%  ", o->cpu * 100);
	if (!rc && o->flags & TFS_TOP_RECORDING)
		rc = tfs_strbuf_adds(text, "recording  ");
	if (!rc && hidden)
		rc = tfs_strbuf_adds(text, "hidden:");
	for (enum tfs_top_column c = 0; c < TFS_TOP_NAME && !rc; c++)
		if (hidden & 1u << c)
			rc = tfs_strbuf_addf(text, " %s", tfs_top_column_name(c));
	if (!rc && hidden)
		rc = tfs_strbuf_adds(text, "  ");
	if (!rc && o->task)
		rc = tfs_strbuf_addf(text, "task %s  ", o->task);
	if (!rc && o->filter)
		rc = tfs_strbuf_addf(text, "filter %s (%zu of %zu)  ", o->filter_text, page->rows,
				     snap->n);
	if (!rc && snap->other)
		rc = tfs_strbuf_addf(text, "%" PRIu64 " events without %s  ", snap->other,
				     tfs_top_by_name(snap->by));
	if (!rc && snap->dropped)
		rc = tfs_strbuf_addf(text, "%" PRIu64 " rows dropped, too many  ", snap->dropped);
	if (!rc)
		rc = tfs_inert_rest(text, start, TFS_INERT_NONE);
	/* On a screen the rows begin in the same place always. */
	if (!rc && text->len == start && !(o->flags & TFS_TOP_KEYS))
		return 0;
	return rc ? rc : end_line(page, TFS_TOP_LINE_HEAD, start, o->width);
}

static int put_headings(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
			const struct tfs_top_page_opts *o, unsigned int shown)
{
	struct tfs_strbuf *text = &page->text;
	const size_t start = text->len;
	int rc = o->flags & TFS_TOP_KEYS ? tfs_strbuf_addc(text, ' ') : 0;

	for (enum tfs_top_column c = 0; c < TFS_TOP_NAME && !rc; c++)
		if (shown & 1u << c)
			rc = tfs_strbuf_addf(text, c == TFS_TOP_COMM ? "%-*s " : "%*s ",
					     (int)tfs_top_column_width(c),
					     tfs_top_column_heading(c));
	if (!rc)
		rc = tfs_strbuf_adds(text, tfs_top_by_heading(snap->by));
	return rc ? rc : end_line(page, TFS_TOP_LINE_HEADING, start, o->width);
}

/* Escape what is not ASCII from @start on. */
static int escape_rest(struct tfs_strbuf *text, size_t start)
{
	for (size_t i = start; i < text->len; i++) {
		char escaped[TFS_INERT_MAX + 1], c = text->s[i];
		size_t n;

		if (!(c & 0x80))
			continue;
		n = (size_t)(tfs_inert_put(escaped, c) - escaped);
		if (tfs_strbuf_room(text, n))
			return -ENOMEM;
		memmove(text->s + i + n, text->s + i + 1, text->len - i);
		memcpy(text->s + i, escaped, n);
		text->len += n - 1;
		i += n - 1;
	}
	return 0;
}

/* Cut the beginning: "..." and as many of the last columns as there is room for */
static void keep_end(struct tfs_strbuf *text, size_t start, size_t room)
{
	char *s = text->s + start;
	size_t len = text->len - start, rest = len, columns = tfs_columns(s, len) + strlen(CUT);

	while (rest && columns > room) {
		size_t at = len - rest, n = tfs_utf8_sequence(s + at, rest);

		n = n ? n : 1;
		columns -= tfs_columns(s + at, n);
		rest -= n;
	}
	/* The bytes before take at least as many as there are dots. */
	memmove(s + strlen(CUT), s + len - rest, rest + 1);
	memcpy(s, CUT, strlen(CUT));
	text->len = start + strlen(CUT) + rest;
}

/* A name as it can be shown */
static int put_text(struct tfs_strbuf *text, const char *name, size_t len,
		    const struct tfs_top_page_opts *o)
{
	size_t start = text->len;
	int rc = tfs_strbuf_add(text, name, len);

	for (size_t i = start; i < text->len; i++)
		if (text->s[i] == '\t')
			text->s[i] = ' ';
	if (!rc)
		rc = tfs_inert_rest(text, start, TFS_INERT_NONE);
	if (!rc && !(o->flags & TFS_TOP_UTF8))
		rc = escape_rest(text, start);
	return rc;
}

/* The name as it can be shown; what does not fit is cut, of a path its beginning */
static int put_name(struct tfs_top_page *page, const char *name, size_t len, enum tfs_top_by by,
		    const struct tfs_top_page_opts *o, size_t used)
{
	struct tfs_strbuf *text = &page->text;
	size_t start = text->len, room;
	int rc = put_text(text, name, len, o);

	if (rc || !o->width)
		return rc;
	room = o->width > used ? o->width - used : 0;
	if (tfs_columns(text->s + start, text->len - start) <= room || room <= strlen(CUT))
		return 0;
	if (by == TFS_TOP_FILE || by == TFS_TOP_CGROUP) {
		keep_end(text, start, room);
		return 0;
	}
	text->len = start + tfs_columns_cut(text->s + start, text->len - start, room - strlen(CUT));
	text->s[text->len] = '\0';
	return tfs_strbuf_adds(text, CUT);
}

/* The name of tasks in its column, on the left */
static int put_comm(struct tfs_top_page *page, const char *cell, const struct tfs_top_page_opts *o)
{
	const unsigned int width = tfs_top_column_width(TFS_TOP_COMM);
	struct tfs_strbuf *text = &page->text;
	const size_t start = text->len;
	size_t columns;
	int rc = put_text(text, cell, strlen(cell), o);

	if (rc)
		return rc;
	columns = tfs_columns(text->s + start, text->len - start);
	if (columns > width && o->width) {
		text->len = start + tfs_columns_cut(text->s + start, text->len - start,
						    width - strlen(CUT));
		text->s[text->len] = '\0';
		rc = tfs_strbuf_adds(text, CUT);
		columns = width;
	}
	return rc ? rc :
		    tfs_strbuf_addf(text, "%*s ", columns < width ? (int)(width - columns) : 0, "");
}

static int put_row(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		   const struct tfs_top_line *line, const struct tfs_top_page_opts *o,
		   unsigned int shown)
{
	struct tfs_strbuf *text = &page->text;
	const size_t start = text->len;
	bool keys = o->flags & TFS_TOP_KEYS, selected = keys && line->id == page->selected;
	enum tfs_top_line_kind kind = selected            ? TFS_TOP_LINE_SELECTED :
				      line->values.silent ? TFS_TOP_LINE_SILENT :
							    TFS_TOP_LINE_ROW;
	char cell[TFS_TOP_CELL];
	int rc = keys ? tfs_strbuf_addc(text, selected ? '>' : ' ') : 0;

	for (enum tfs_top_column c = 0; c < TFS_TOP_NAME && !rc; c++) {
		if (!(shown & 1u << c))
			continue;
		tfs_top_cell(&line->values, c, cell);
		if (c == TFS_TOP_COMM) {
			rc = put_comm(page, cell, o);
			continue;
		}
		rc = tfs_strbuf_addf(text, "%*s ", (int)tfs_top_column_width(c), cell);
	}
	if (!rc)
		rc = put_name(page, tfs_top_snapshot_name(snap, line), line->len, snap->by, o,
			      text->len - start);
	return rc ? rc : end_line(page, kind, start, o->width);
}

static bool matches(const struct tfs_top_snapshot *snap, size_t i,
		    const struct tfs_top_page_opts *o)
{
	return !o->filter ||
	       tfs_pattern_match(o->filter, tfs_top_snapshot_name(snap, &snap->line[i]));
}

/* How many rows match, and where the selected one is; the one in its place if it is gone */
static void find_selected(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
			  const struct tfs_top_page_opts *o)
{
	uint64_t in_place = 0, last = 0;
	bool found = false;

	page->rows = 0;
	for (size_t i = 0; i < snap->n; i++) {
		if (!matches(snap, i, o))
			continue;
		last = snap->line[i].id;
		if (page->rows == page->index)
			in_place = last;
		if (last == page->selected && page->selected) {
			page->index = page->rows;
			found = true;
		}
		page->rows++;
	}
	if (found || !page->selected)
		return;
	page->selected = in_place ? in_place : last;
	if (!in_place)
		page->index = page->rows ? page->rows - 1 : 0;
}

/* Scroll as little as is necessary to show the selected row. */
static void scroll(struct tfs_top_page *page, const struct tfs_top_page_opts *o)
{
	size_t fixed = FIXED_LINES + (o->flags & TFS_TOP_KEYS ? 1 : 0);

	page->room = page->rows;
	if (o->height)
		page->room = o->height > fixed ? o->height - fixed : 1;
	if (o->top && page->room > o->top)
		page->room = o->top;
	if (!page->selected)
		page->first = 0;
	else if (page->index < page->first)
		page->first = page->index;
	else if (page->room && page->index >= page->first + page->room)
		page->first = page->index - page->room + 1;
	if (page->first + page->room > page->rows)
		page->first = page->rows > page->room ? page->rows - page->room : 0;
}

static int put_rows(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		    const struct tfs_top_page_opts *o, unsigned int shown)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < snap->n && !rc && n < page->first + page->room; i++) {
		if (!matches(snap, i, o))
			continue;
		if (n++ >= page->first)
			rc = put_row(page, snap, &snap->line[i], o, shown);
	}
	if (!rc && !page->rows)
		rc = tfs_top_page_add(page, TFS_TOP_LINE_SILENT,
				      snap->n ? "no row matches the filter" : "no events",
				      o->width);
	return rc;
}

int tfs_top_page_make(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		      const struct tfs_top_page_opts *o)
{
	unsigned int shown = choose_columns(snap, o);
	int rc;

	tfs_top_page_clear(page);
	find_selected(page, snap, o);
	scroll(page, o);
	rc = put_head(page, snap, o);
	if (!rc)
		rc = put_restrictions(page, snap, o, shown);
	if (!rc)
		rc = put_headings(page, snap, o, shown);
	if (!rc)
		rc = put_rows(page, snap, o, shown);
	while (!rc && o->flags & TFS_TOP_KEYS && o->height && page->n + 1 < o->height)
		rc = tfs_top_page_add(page, TFS_TOP_LINE_ROW, "", o->width);
	if (!rc && o->flags & TFS_TOP_KEYS)
		rc = tfs_top_page_add(page, TFS_TOP_LINE_BOTTOM, o->bottom ? o->bottom : KEYS_LINE,
				      o->width);
	return rc;
}

void tfs_top_page_move(struct tfs_top_page *page, const struct tfs_top_snapshot *snap,
		       const struct tfs_top_page_opts *o, long rows)
{
	size_t index, n = 0;

	find_selected(page, snap, o);
	if (!page->rows)
		return;
	index = page->index;
	if (!page->selected)
		index = page->first;
	else if (rows < 0)
		index -= (size_t)-rows < index ? (size_t)-rows : index;
	else
		index += (size_t)rows;
	if (index >= page->rows)
		index = page->rows - 1;
	for (size_t i = 0; i < snap->n; i++)
		if (matches(snap, i, o) && n++ == index)
			page->selected = snap->line[i].id;
	page->index = index;
}
