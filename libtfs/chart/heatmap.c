/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/heatmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out-file.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "chart/heatmap-internal.h"
#include "pipeline/view.h"

/* Values that are kept: 64 MiB */
#define VALUES_MAX ((size_t)4 << 20)
/* More gaps than these cover the picture. */
#define GAPS_MAX 10000

struct value {
	uint64_t at, took;
};

struct heatmap {
	struct tfs_view view;
	struct tfs_heatmap_opts opts;
	struct heat_map map;
	struct tfs_spans *spans;
	struct tfs_out_file *file;
	char *title;
	/* of the first pass; none of them if they were too many */
	struct value *value;
	size_t n, alloc;
	uint64_t first, last, max, open;
	uint64_t total;
	unsigned int pass;
};

int tfs_heatmap_file(const char *path, enum tfs_heatmap_file *file, struct tfs_err *err)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".html"))
		*file = TFS_HEATMAP_HTML;
	else if (dot && !strcmp(dot, ".svg"))
		*file = TFS_HEATMAP_SVG;
	else {
		tfs_err_say(err, -EINVAL, "'%s': a heat map is a page or a picture", path);
		tfs_err_hint(err, "FILE.html or FILE.svg");
		return -EINVAL;
	}
	return 0;
}

static bool has_pairs(const struct heatmap *h)
{
	return h->opts.spans.pairs && h->opts.spans.pairs->n;
}

/* "read", or "syscall:read" */
static bool is_asked(const struct heatmap *h, const struct tfs_span *span)
{
	static const char *const kinds[TFS_SPAN_KINDS] = { "",        "sched",    "irq", "softirq",
							   "syscall", "function", "pair" };
	const char *name = span->kind == TFS_SPAN_STATE ? "wakeup" :
			   span->kind == TFS_SPAN_PAIR  ? tfs_spans_pair(h->spans, span->pair) :
							  span->name;
	size_t len = strlen(kinds[span->kind]);
	const char *of = h->opts.of;

	if (span->kind == TFS_SPAN_STATE && span->state != TFS_TASK_RUNNABLE)
		return false;
	if (!of)
		return true;
	if (!strncmp(of, kinds[span->kind], len) && of[len] == ':' && !strcmp(of + len + 1, name))
		return true;
	return !strcmp(of, name);
}

static int keep(struct heatmap *h, const struct tfs_span *span)
{
	size_t max = h->opts.values_max ? h->opts.values_max : VALUES_MAX;

	if (!h->total++ || span->end < h->first)
		h->first = span->end;
	if (span->end > h->last)
		h->last = span->end;
	if (span->duration > h->max)
		h->max = span->duration;
	if (h->total > max) {
		free(h->value);
		h->value = NULL;
		h->n = h->alloc = 0;
		return 0;
	}
	if (tfs_grow(&h->value, &h->alloc, h->n + 1))
		return -ENOMEM;
	h->value[h->n++] = (struct value){ span->end, span->duration };
	return 0;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct heatmap *h = ctx;

	if (span->flags & TFS_SPAN_UNSELECTED || !is_asked(h, span))
		return 0;
	if (span->flags & TFS_SPAN_OPEN) {
		h->open += !h->pass;
		return 0;
	}
	return h->pass ? tfs_heat_grid_add(&h->map.grid, span->end, span->duration) : keep(h, span);
}

static int on_gap(void *ctx, const struct tfs_span_gap *gap)
{
	struct heatmap *h = ctx;
	struct heat_map *map = &h->map;

	if (h->pass || map->n_gaps == GAPS_MAX)
		return 0;
	if (tfs_grow(&map->gap, &map->alloc_gaps, map->n_gaps + 1))
		return -ENOMEM;
	map->n_missing += gap->missing;
	map->gap[map->n_gaps++] = (struct heat_gap){ gap->begin, gap->end, gap->count,
						     gap->input, gap->cpu, gap->missing };
	return 0;
}

static const struct tfs_span_ops span_ops = { .span = on_span, .gap = on_gap };

static int new_spans(struct heatmap *h, struct tfs_err *err)
{
	struct tfs_spans_opts opts = h->opts.spans;

	opts.kinds = has_pairs(h) ? 1u << TFS_SPAN_PAIR :
		     h->opts.of   ? TFS_SPAN_ALL & ~(1u << TFS_SPAN_RUN) :
				    1u << TFS_SPAN_STATE;
	opts.records = 0;
	opts.ops = &span_ops;
	opts.ctx = h;
	return tfs_spans_new(&opts, &h->spans, err);
}

static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct heatmap *h = (struct heatmap *)view;

	(void)out;
	view->again = false;
	return h->spans ? 0 : new_spans(h, err);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_event(((struct heatmap *)view)->spans, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(((struct heatmap *)view)->spans, event);
}

static int refuse_nothing(const struct heatmap *h, struct tfs_err *err)
{
	if (h->opts.of)
		tfs_err_say(err, -ENODATA, "nothing called '%s' took time: '%s' is not drawn",
			    h->opts.of, h->opts.path);
	else
		tfs_err_say(err, -ENODATA, "nothing was found that took time: '%s' is not drawn",
			    h->opts.path);
	tfs_err_hint(err, "--latency lists what the recording has; --of NAME selects it");
	return -ENODATA;
}

static int draw(struct heatmap *h, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_out *to = tfs_out_file_out(h->file);
	int rc = tfs_heat_grid_end(&h->map.grid);

	if (!rc)
		rc = h->opts.file == TFS_HEATMAP_HTML ? tfs_heatmap_html(&h->map, to) :
							tfs_heatmap_svg(&h->map, to);
	if (rc && rc != -ENOMEM)
		return tfs_err_set(err, rc, "cannot write '%s'", h->opts.path);
	if (!rc)
		rc = tfs_out_file_commit(h->file, err);
	if (rc || h->opts.quiet)
		return rc;
	if (!rc)
		rc = tfs_strbuf_addf(out, "%s: %" PRIu64 " durations in %zu columns\n",
				     h->opts.path, h->map.grid.total, h->map.grid.n);
	if (!rc && h->open)
		rc = tfs_strbuf_addf(out, "%" PRIu64 " have no known beginning or end\n", h->open);
	if (!rc && h->map.n_gaps > h->map.n_missing)
		rc = tfs_strbuf_addf(out, "events were lost in %zu places\n",
				     h->map.n_gaps - h->map.n_missing);
	if (!rc && h->map.n_missing)
		rc = tfs_strbuf_addf(out, "%zu CPU%s last events; how many is not known\n",
				     h->map.n_missing,
				     h->map.n_missing == 1 ? " lacks its" : "s lack their");
	return rc;
}

/* The bounds are known: values have their places. */
static int place(struct heatmap *h, struct tfs_err *err)
{
	size_t columns = h->opts.columns ? h->opts.columns : TFS_HEATMAP_COLUMNS;
	int rc = h->total ? 0 : refuse_nothing(h, err);

	if (!rc)
		rc = tfs_heat_grid_new(&h->map.grid, h->first, h->last, h->max, columns);
	for (size_t i = 0; i < h->n && !rc; i++)
		rc = tfs_heat_grid_add(&h->map.grid, h->value[i].at, h->value[i].took);
	return rc;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct heatmap *h = (struct heatmap *)view;
	int rc = tfs_spans_end(h->spans);

	tfs_spans_free(h->spans);
	h->spans = NULL;
	if (!rc && !h->pass++) {
		rc = place(h, err);
		view->again = !rc && !h->n;
	}
	return rc || view->again ? rc : draw(h, out, err);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no events");
}

static void free_heatmap(struct tfs_view *view)
{
	struct heatmap *h = (struct heatmap *)view;

	tfs_spans_free(h->spans);
	tfs_heat_grid_release(&h->map.grid);
	tfs_out_file_free(h->file);
	free(h->map.gap);
	free(h->title);
	free(h->value);
	free(h);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_heatmap,
};

int tfs_heatmap_new(const struct tfs_heatmap_opts *opts, struct tfs_view **view,
		    struct tfs_err *err)
{
	struct heatmap *h = calloc(1, sizeof(*h));
	int rc = h ? 0 : -ENOMEM;

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	h->view.ops = &ops;
	h->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	h->opts = *opts;
	h->map.title = h->title = strdup(opts->title);
	h->map.linear = opts->linear;
	rc = h->title ? new_spans(h, err) : tfs_err_set(err, -ENOMEM, "cannot prepare the report");
	if (!rc)
		rc = tfs_out_file_open(opts->path, &h->file, err);
	if (rc)
		tfs_view_free(&h->view);
	else
		*view = &h->view;
	return rc;
}
