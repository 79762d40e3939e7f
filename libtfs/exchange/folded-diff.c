/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/folded-diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out-file.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "pipeline/view.h"
#include "stack/collect-view.h"
#include "stack/fold-lines.h"
#include "stack/fold.h"

enum side { BEFORE, AFTER, SIDES };

/* A stack of a side: its @len bytes at @at of the text of all lines */
struct line {
	size_t at, len;
	uint64_t weight[SIDES];
};

struct folded_diff {
	struct tfs_view view;
	struct tfs_folded_opts opts;
	struct tfs_collect *collect[SIDES];
	size_t n_before; /* recordings */
	struct tfs_out_file *file;
	struct tfs_strbuf text;
	struct line *line;
	size_t n, alloc;
	enum side side; /* that is being read */
};

static struct folded_diff *to_diff(struct tfs_view *view)
{
	return (struct folded_diff *)view;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	const struct folded_diff *d = to_diff(view);

	(void)state;
	(void)out;
	return tfs_collect_sides_event(d->collect, d->n_before, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	const struct folded_diff *d = to_diff(view);

	(void)state;
	(void)out;
	return tfs_collect_sides_lost(d->collect, d->n_before, event);
}

/* "STACK WEIGHT\n" */
static int keep_line(void *ctx, const char *text, size_t len)
{
	struct folded_diff *d = ctx;
	const char *blank = memrchr(text, ' ', len);
	struct line *line;

	if (!blank)
		return 0;
	if (tfs_grow(&d->line, &d->alloc, d->n + 1))
		return -ENOMEM;
	line = &d->line[d->n++];
	*line = (struct line){ .at = d->text.len, .len = (size_t)(blank - text) };
	line->weight[d->side] = strtoull(blank + 1, NULL, 10);
	return tfs_strbuf_add(&d->text, text, line->len);
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct line *x = a, *y = b;
	const char *text = ctx;
	size_t len = x->len < y->len ? x->len : y->len;
	int rc = memcmp(text + x->at, text + y->at, len);

	return rc || x->len == y->len ? rc : x->len < y->len ? -1 : 1;
}

/* Joins the lines of the same stack, which are neighbours. */
static void join(struct folded_diff *d)
{
	size_t to = 0;

	if (!d->n)
		return;
	qsort_r(d->line, d->n, sizeof(*d->line), compare, d->text.s);
	for (size_t i = 1; i < d->n; i++) {
		if (!compare(&d->line[to], &d->line[i], d->text.s)) {
			d->line[to].weight[BEFORE] += d->line[i].weight[BEFORE];
			d->line[to].weight[AFTER] += d->line[i].weight[AFTER];
		} else {
			d->line[++to] = d->line[i];
		}
	}
	d->n = to + 1;
}

static uint64_t total(const struct folded_diff *d, enum side side)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n; i++)
		sum += d->line[i].weight[side];
	return sum;
}

static void put_lines(const struct folded_diff *d, struct tfs_out *out)
{
	uint64_t before = total(d, BEFORE);
	double factor = 1;

	if (d->opts.flags & TFS_FOLDED_SCALED && before)
		factor = (double)total(d, AFTER) / (double)before;
	for (size_t i = 0; i < d->n; i++) {
		const struct line *line = &d->line[i];
		uint64_t weight = line->weight[BEFORE];

		if (d->opts.flags & TFS_FOLDED_SCALED)
			weight = (uint64_t)((double)weight * factor + 0.5);
		tfs_out_write(out, d->text.s + line->at, line->len);
		tfs_out_printf(out, " %" PRIu64 " %" PRIu64 "\n", weight, line->weight[AFTER]);
	}
}

static int read_side(struct folded_diff *d, enum side side)
{
	unsigned int flags = d->opts.flags & TFS_FOLDED_ANNOTATE ? TFS_FOLD_ANNOTATE : 0;
	struct tfs_collect *c = d->collect[side];
	uint64_t divisor = 1;
	int rc = tfs_collect_end(c);

	if (!strcmp(tfs_collect_unit(c), "ns") && d->opts.ns_per_unit)
		divisor = d->opts.ns_per_unit;
	d->side = side;
	return rc ? rc : tfs_fold_lines(tfs_collect_fold(c), flags, divisor, keep_line, d);
}

static int end(struct tfs_view *view, struct tfs_strbuf *text, struct tfs_err *err)
{
	struct folded_diff *d = to_diff(view);
	int rc = read_side(d, BEFORE);

	(void)text;
	if (!rc)
		rc = read_side(d, AFTER);
	if (rc)
		return rc;
	join(d);
	put_lines(d, tfs_out_file_out(d->file));
	return tfs_out_file_commit(d->file, err);
}

static int notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	const struct folded_diff *d = (const struct folded_diff *)view;
	int rc = tfs_collect_notes(d->collect[BEFORE], out);

	return rc ? rc : tfs_collect_notes(d->collect[AFTER], out);
}

static void free_diff(struct tfs_view *view)
{
	struct folded_diff *d = to_diff(view);

	tfs_collect_free(d->collect[BEFORE]);
	tfs_collect_free(d->collect[AFTER]);
	tfs_out_file_free(d->file);
	tfs_strbuf_release(&d->text);
	free(d->line);
	free(d);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.end = end,
	.notes = notes,
	.free = free_diff,
};

static int open_sides(struct folded_diff *d, struct tfs_err *err)
{
	struct tfs_collect_opts side = d->opts.collect;
	int rc;

	d->n_before = side.n = d->opts.collect.n - 1;
	rc = tfs_collect_new(&side, &d->collect[BEFORE], err);
	side.n = 1;
	side.traces += d->n_before;
	side.files += d->n_before;
	side.symbolize = side.symbolize ? side.symbolize + d->n_before : NULL;
	return rc ? rc : tfs_collect_new(&side, &d->collect[AFTER], err);
}

int tfs_folded_diff_new(const struct tfs_folded_opts *opts, struct tfs_view **view,
			struct tfs_err *err)
{
	struct folded_diff *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return -ENOMEM;
	d->view.ops = &ops;
	d->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	d->opts = *opts;
	tfs_strbuf_init(&d->text);
	rc = open_sides(d, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &d->file, err);
	if (rc) {
		tfs_view_free(&d->view);
		return rc;
	}
	if (opts->flags & TFS_FOLDED_INERT)
		tfs_out_set_inert(tfs_out_file_out(d->file), true);
	*view = &d->view;
	return 0;
}
