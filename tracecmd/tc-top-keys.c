/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-top-keys.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/inert.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "tc-top-opts.h"
#include "tc-top-screen.h"

static const char *const help[] = {
	"Keys                        Option",
	"q          quit             -n N ends after N pages",
	"< >        sort column      -s COLUMN",
	"r          reverse          -r",
	"/          filter rows      --filter TEXT   a part, a glob, a regular expression",
	"Enter      into a task      --task TID      in rows by task",
	"Backspace  out of it",
	"k          rows by ...      -k KEY          event, task, syscall, symbol, ...",
	"+ -        interval         -d TIME         twice, half",
	"space      freeze           counting goes on",
	"z          zero             forget all counts",
	"w          record           --record FILE   from here on, until w again",
	"arrows, PgUp, PgDn          select a row, which stays selected",
	"",
	"RATE/S in the interval, 10S/S in ten seconds, TOTAL since the row appeared,",
	"SHARE, TIME, MEAN, P99, MAX, ERRORS in the interval; COMM did most of it (+: not",
	"alone). See tc-top(1).",
};

void top_state_release(struct top_state *state)
{
	if (state->filtered)
		tfs_pattern_release(&state->filter);
	state->filtered = false;
	tfs_top_snapshot_release(&state->snap);
	tfs_top_page_release(&state->page);
}

int top_state_filter(struct top_state *s, const char *text, struct tfs_err *err)
{
	struct tfs_pattern pattern;
	char copy[TOP_TYPED];
	int rc;

	if (strlen(text) >= sizeof(copy))
		return tfs_err_say(err, -EINVAL, "the filter has more than %d characters",
				   TOP_TYPED - 1);
	snprintf(copy, sizeof(copy), "%s", text);
	/* The pattern borrows its text: try it before the present one goes. */
	rc = *copy ? tfs_pattern_init(&pattern, copy, err) : 0;
	if (rc)
		return rc;
	if (*copy)
		tfs_pattern_release(&pattern);
	if (s->filtered)
		tfs_pattern_release(&s->filter);
	memcpy(s->filter_text, copy, sizeof(copy));
	s->filtered = *copy && !tfs_pattern_init(&s->filter, s->filter_text, err);
	return 0;
}

void top_state_say(struct top_state *s, const char *text)
{
	snprintf(s->message, sizeof(s->message), "%s", text);
}

/* Into the task that is selected */
static unsigned int enter(struct top_state *s)
{
	const struct tfs_top_line *line = NULL;

	for (size_t i = 0; i < s->snap.n; i++)
		if (s->snap.line[i].id == s->page.selected)
			line = &s->snap.line[i];
	if (s->snap.by != TFS_TOP_TASK || s->zoomed || !line) {
		snprintf(s->message, sizeof(s->message),
			 line ? "only rows by task can be entered: k changes what rows are by" :
				"select a row first, with the arrows");
		return 0;
	}
	s->zoomed = true;
	s->task = (int)line->number;
	snprintf(s->task_name, sizeof(s->task_name), "%s", tfs_top_snapshot_name(&s->snap, line));
	s->by = s->zoom_by;
	s->page.selected = 0;
	return TOP_EFFECT_COUNT;
}

static unsigned int leave(struct top_state *s)
{
	if (!s->zoomed)
		return 0;
	s->zoomed = false;
	s->task = -1;
	s->by = TFS_TOP_TASK;
	s->page.selected = 0;
	return TOP_EFFECT_COUNT;
}

static void sort_by_next(struct top_state *s, int step)
{
	unsigned int all = tfs_top_columns(s->by);

	s->sort_chosen = true;
	do
		s->sort = (enum tfs_top_column)(((int)s->sort + step + TFS_TOP_N_COLUMNS) %
						TFS_TOP_N_COLUMNS);
	while (!(all & 1u << s->sort));
}

static unsigned int next_kind(struct top_state *s)
{
	s->by = (enum tfs_top_by)((s->by + 1) % TFS_TOP_N_BY);
	s->page.selected = 0;
	return TOP_EFFECT_COUNT;
}

static unsigned int change_interval(struct top_state *s, bool longer)
{
	uint64_t interval = longer ? s->interval * 2 : s->interval / 2;

	if (interval < TOP_INTERVAL_MIN || interval > TOP_INTERVAL_MAX)
		return 0;
	s->interval = interval;
	snprintf(s->message, sizeof(s->message), "a page every %.3f seconds",
		 (double)interval / 1e9);
	return TOP_EFFECT_INTERVAL;
}

/* The end of what is typed, with all bytes of its last character */
static void erase_typed(struct top_state *s)
{
	size_t len = strlen(s->typed);

	while (len && (s->typed[len - 1] & 0xc0) == 0x80)
		len--;
	s->typed[len ? len - 1 : 0] = '\0';
}

static void type(struct top_state *s, int key)
{
	struct tfs_err err = TFS_ERR_INIT;
	size_t len = strlen(s->typed);

	if (key == TOP_KEY_BACKSPACE) {
		erase_typed(s);
	} else if (key == TOP_KEY_ESCAPE) {
		s->typing = false;
	} else if (key == TOP_KEY_ENTER) {
		s->typing = false;
		if (top_state_filter(s, s->typed, &err))
			snprintf(s->message, sizeof(s->message), "%.100s", err.msg);
	} else if (key >= ' ' && key < 256 && len + 1 < sizeof(s->typed)) {
		s->typed[len] = (char)key;
		s->typed[len + 1] = '\0';
	}
}

static void move(struct top_state *s, int key)
{
	const long page = s->page.room ? (long)s->page.room : 1, all = INT32_MAX;
	const struct {
		int key;
		long rows;
	} moves[] = {
		{ TOP_KEY_UP, -1 },          { TOP_KEY_DOWN, 1 },    { TOP_KEY_PAGE_UP, -page },
		{ TOP_KEY_PAGE_DOWN, page }, { TOP_KEY_HOME, -all }, { TOP_KEY_END, all },
	};

	for (size_t i = 0; i < ARRAY_SIZE(moves); i++)
		if (moves[i].key == key)
			tfs_top_page_move(&s->page, &s->snap, &s->opts, moves[i].rows);
}

unsigned int top_state_key(struct top_state *s, int key)
{
	*s->message = '\0';
	if (s->typing) {
		type(s, key);
		return 0;
	}
	if (s->help && key != 'q') {
		s->help = false;
		return 0;
	}
	switch (key) {
	case 'q':
		return TOP_EFFECT_QUIT;
	case '<':
	case '>':
		sort_by_next(s, key == '>' ? 1 : -1);
		return 0;
	case 'r':
		s->reverse = !s->reverse;
		return 0;
	case '/':
		s->typing = true;
		*s->typed = '\0';
		return 0;
	case TOP_KEY_ENTER:
		return enter(s);
	case TOP_KEY_BACKSPACE:
		return leave(s);
	case 'k':
		return next_kind(s);
	case '+':
	case '-':
		return change_interval(s, key == '+');
	case ' ':
		s->frozen = !s->frozen;
		return 0;
	case 'z':
		return TOP_EFFECT_ZERO;
	case 'w':
		return TOP_EFFECT_RECORD;
	case 'h':
	case '?':
		s->help = true;
		return 0;
	default:
		move(s, key);
		return 0;
	}
}

static int show_help(struct top_state *s)
{
	const unsigned int width = s->opts.width;
	int rc = 0;

	tfs_top_page_clear(&s->page);
	for (size_t i = 0; i < ARRAY_SIZE(help) && !rc; i++)
		if (!s->opts.height || i + 1 < s->opts.height)
			rc = tfs_top_page_add(&s->page, i ? TFS_TOP_LINE_ROW : TFS_TOP_LINE_HEADING,
					      help[i], width);
	return rc ? rc : tfs_top_page_add(&s->page, TFS_TOP_LINE_BOTTOM, "any key: back", width);
}

/*
 * The column to sort by: the one that was chosen, if these rows have it. Else the one that shares
 * are of, so that those with the largest are on top: times, and where there are none, events. Once
 * there were times, a page without changes nothing.
 */
static void choose_sort(struct top_state *s)
{
	unsigned int all = tfs_top_columns(s->snap.by);

	if (!(all & 1u << s->sort))
		s->sort_chosen = false;
	if (s->sort_chosen)
		return;
	if (!(all & 1u << TFS_TOP_TIME) || s->sort != TFS_TOP_TIME)
		s->sort = TFS_TOP_RATE;
	for (size_t i = 0; i < s->snap.n; i++)
		if (s->snap.line[i].values.timed)
			s->sort = TFS_TOP_TIME;
}

int top_state_page(struct top_state *s)
{
	struct tfs_strbuf bottom = TFS_STRBUF_INIT;
	int rc = 0;

	choose_sort(s);
	if (s->help)
		return show_help(s);
	s->opts.sort = s->sort;
	s->opts.flags &= ~(unsigned int)(TFS_TOP_FROZEN | TFS_TOP_REVERSE | TFS_TOP_RECORDING);
	s->opts.flags |= (s->frozen ? TFS_TOP_FROZEN : 0) | (s->reverse ? TFS_TOP_REVERSE : 0) |
			 (s->recording ? TFS_TOP_RECORDING : 0);
	s->opts.filter = s->filtered ? &s->filter : NULL;
	s->opts.filter_text = s->filter_text;
	s->opts.task = s->task >= 0 ? s->task_name : NULL;
	if (s->typing)
		rc = tfs_strbuf_addf(&bottom, "filter: %s_   (Enter; Esc: as it was)", s->typed);
	else if (*s->message)
		rc = tfs_strbuf_adds(&bottom, s->message);
	if (!rc)
		rc = tfs_inert_rest(&bottom, 0, TFS_INERT_NONE);
	s->opts.bottom = bottom.len ? bottom.s : NULL;
	tfs_top_snapshot_sort(&s->snap, s->sort, s->reverse);
	if (!rc)
		rc = tfs_top_page_make(&s->page, &s->snap, &s->opts);
	s->opts.bottom = NULL;
	tfs_strbuf_release(&bottom);
	return rc;
}
