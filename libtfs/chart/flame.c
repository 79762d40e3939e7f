/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/flame.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out-file.h"
#include "base/strbuf-core.h"
#include "chart/flame-html.h"
#include "chart/flame-svg.h"
#include "chart/flame-tree.h"
#include "chart/markup.h"
#include "pipeline/view.h"
#include "stack/collect-view.h"

/* Frames of one side at most; ten times what a person can look at */
#define NODES_MAX (1U << 20)
/* Samples whose times are kept; 64 MiB */
#define SAMPLES_MAX ((size_t)4 << 20)

struct tfs_flame {
	struct tfs_view view;
	struct tfs_flame_look look;
	enum tfs_flame_file kind;
	const char *path;
	bool quiet;
	char *title;
	struct tfs_strbuf notes;
	struct tfs_flame_samples samples;
	struct tfs_out_file *file;
	struct tfs_collect *side[TFS_FLAME_SIDES];
	size_t n_before; /* the first so many recordings are those before */
};

int tfs_flame_file(const char *path, enum tfs_flame_file *file, struct tfs_err *err)
{
	const char *dot = strrchr(path, '.');

	if (dot && !strcmp(dot, ".html")) {
		*file = TFS_FLAME_HTML;
	} else if (dot && !strcmp(dot, ".svg")) {
		*file = TFS_FLAME_SVG;
	} else {
		tfs_err_say(err, -EINVAL, "'%s' does not say what to draw: a page or a picture",
			    path);
		tfs_err_hint(err, "a name that ends in .html or .svg");
		return -EINVAL;
	}
	return 0;
}

static struct tfs_flame *to_flame(struct tfs_view *view)
{
	return (struct tfs_flame *)view;
}

static int flame_event(struct tfs_view *view, void *state, const struct tfs_event *event,
		       struct tfs_strbuf *out)
{
	const struct tfs_flame *f = to_flame(view);

	(void)state;
	(void)out;
	return tfs_collect_sides_event(f->side, f->n_before, event);
}

static int flame_lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	const struct tfs_flame *f = to_flame(view);

	(void)state;
	(void)out;
	return tfs_collect_sides_lost(f->side, f->n_before, event);
}

/* "FILE: 1,234 samples in 56 frames" */
static int say_what(const struct tfs_flame *f, const struct tfs_flame_tree *tree,
		    struct tfs_strbuf *out)
{
	const uint64_t *total = tree->node->total;
	int rc = tfs_strbuf_addf(out, "%s: ", f->path);

	if (!rc && f->look.flags & TFS_FLAME_DIFF) {
		rc = tfs_markup_count(out, total[TFS_FLAME_BEFORE]);
		if (!rc)
			rc = tfs_strbuf_adds(out, " before and ");
	}
	if (!rc)
		rc = tfs_markup_count(out, total[TFS_FLAME_AFTER]);
	if (!rc)
		rc = tfs_strbuf_addf(out, " %s in ", f->look.unit);
	if (!rc)
		rc = tfs_markup_count(out, tree->n - 1);
	return rc ? rc : tfs_strbuf_adds(out, tree->n == 2 ? " frame\n" : " frames\n");
}

static int write_file(struct tfs_flame *f, const struct tfs_flame_tree *tree,
		      struct tfs_strbuf *said, struct tfs_err *err)
{
	struct tfs_out *out = tfs_out_file_out(f->file);
	int rc;

	if (f->kind == TFS_FLAME_HTML)
		rc = tfs_flame_html(tree, &f->look, out);
	else
		rc = tfs_flame_svg(tree, &f->look, out, said);
	return rc && rc != -ENOMEM ? tfs_err_set(err, rc, "cannot write '%s'", f->path) : rc;
}

static int refuse_nothing(const struct tfs_flame *f, struct tfs_err *err)
{
	const char *notes = f->notes.s;

	tfs_err_say(err, -ENODATA, "no stacks were found: there is nothing to draw in '%s'",
		    f->path);
	if (*notes)
		tfs_err_hint(err, "%.*s", (int)strcspn(notes, "\n"), notes);
	else
		tfs_err_hint(err, "tc-record -T records the stacks of events");
	return -ENODATA;
}

static int draw(struct tfs_flame *f, struct tfs_strbuf *out, struct tfs_err *err)
{
	const struct tfs_fold *fold[TFS_FLAME_SIDES] = { NULL };
	struct tfs_flame_tree *tree = NULL;
	struct tfs_strbuf said = TFS_STRBUF_INIT;
	int rc;

	for (int i = 0; i < TFS_FLAME_SIDES; i++)
		if (f->side[i])
			fold[i] = tfs_collect_fold(f->side[i]);
	rc = tfs_flame_tree_new(fold[TFS_FLAME_BEFORE], fold[TFS_FLAME_AFTER], &tree);
	if (!rc && tree->n < 2)
		rc = refuse_nothing(f, err);
	if (!rc)
		rc = say_what(f, tree, &said);
	if (!rc)
		rc = write_file(f, tree, &said, err);
	if (!rc)
		rc = tfs_out_file_commit(f->file, err);
	if (!rc && !f->quiet)
		rc = tfs_strbuf_add(out, said.s, said.len);
	tfs_strbuf_release(&said);
	tfs_flame_tree_free(tree);
	return rc;
}

/* The notes of a side, below its name if there are two */
static int add_notes(struct tfs_flame *f, enum tfs_flame_side side)
{
	size_t start = f->notes.len, text;
	int rc = 0;

	if (f->look.flags & TFS_FLAME_DIFF)
		rc = tfs_strbuf_adds(&f->notes,
				     side == TFS_FLAME_BEFORE ? "before:\n" : "after:\n");
	text = f->notes.len;
	if (!rc)
		rc = tfs_collect_notes(f->side[side], &f->notes);
	if (!rc && f->notes.len == text && text) {
		f->notes.len = start;
		f->notes.s[start] = '\0';
	}
	return rc;
}

static int flame_end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_flame *f = to_flame(view);
	int rc = 0;

	for (int i = 0; i < TFS_FLAME_SIDES && !rc; i++) {
		if (!f->side[i])
			continue;
		rc = tfs_collect_end(f->side[i]);
		if (!rc)
			rc = add_notes(f, (enum tfs_flame_side)i);
		f->look.unit = tfs_collect_unit(f->side[i]);
	}
	f->look.notes = f->notes.s;
	return rc ? rc : draw(f, out, err);
}

static int flame_notes(const struct tfs_view *view, struct tfs_strbuf *out)
{
	const struct tfs_strbuf *notes = &((const struct tfs_flame *)view)->notes;

	return tfs_strbuf_add(out, notes->s, notes->len);
}

static int flame_text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		      struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no stacks to draw");
}

static void flame_free(struct tfs_view *view)
{
	struct tfs_flame *f = to_flame(view);

	if (!f)
		return;
	for (int i = 0; i < TFS_FLAME_SIDES; i++)
		tfs_collect_free(f->side[i]);
	tfs_out_file_free(f->file);
	free(f->title);
	tfs_strbuf_release(&f->notes);
	free(f->samples.v);
	free(f);
}

static const struct tfs_view_ops flame_ops = {
	.event = flame_event,
	.lost = flame_lost,
	.text = flame_text,
	.end = flame_end,
	.notes = flame_notes,
	.free = flame_free,
};

static int keep_sample(void *ctx, const struct tfs_event *event, uint32_t node)
{
	struct tfs_flame_samples *s = ctx;

	if (s->n == SAMPLES_MAX) {
		s->left_out++;
		return 0;
	}
	if (tfs_grow(&s->v, &s->alloc, s->n + 1))
		return -ENOMEM;
	s->v[s->n++] = (struct tfs_flame_sample){ event->rec.ts, node };
	return 0;
}

static int open_sides(struct tfs_flame *f, const struct tfs_collect_opts *all, struct tfs_err *err)
{
	struct tfs_collect_opts opts = *all;
	int rc = 0;

	opts.nodes_max = NODES_MAX;
	opts.sample = f->look.samples ? keep_sample : NULL;
	opts.ctx = &f->samples;
	if (f->look.flags & TFS_FLAME_DIFF) {
		f->n_before = opts.n = all->n - 1;
		opts.nodes_max /= 2;
		rc = tfs_collect_new(&opts, &f->side[TFS_FLAME_BEFORE], err);
		opts.traces += opts.n;
		opts.files += opts.n;
		opts.symbolize = opts.symbolize ? opts.symbolize + opts.n : NULL;
		opts.n = 1;
	}
	return rc ? rc : tfs_collect_new(&opts, &f->side[TFS_FLAME_AFTER], err);
}

int tfs_flame_new(const struct tfs_flame_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_flame *f = calloc(1, sizeof(*f));
	int rc = f ? 0 : -ENOMEM;

	if (rc)
		return rc;
	f->view = (struct tfs_view){ .ops = &flame_ops,
				     .flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING };
	f->look = opts->look;
	f->path = opts->path;
	f->quiet = opts->quiet;
	f->look.title = f->title = strdup(opts->look.title);
	tfs_strbuf_init(&f->notes);
	if (!f->title) {
		flame_free(&f->view);
		return -ENOMEM;
	}
	f->kind = opts->file;
	if (opts->times && f->kind == TFS_FLAME_HTML && !(f->look.flags & TFS_FLAME_DIFF))
		f->look.samples = &f->samples;
	rc = open_sides(f, &opts->collect, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &f->file, err);
	if (rc) {
		flame_free(&f->view);
		return rc;
	}
	*view = &f->view;
	return 0;
}
