/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/graph-fold.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/strbuf-core.h"
#include "decode/task.h"
#include "span/span.h"
#include "stack/fold-name.h"
#include "stack/fold-stack.h"
#include "stack/fold.h"
#include "stack/frames.h"

/* Callers that are looked at; deeper calls belong to the last of them. */
#define CALLERS_MAX 1024

struct tfs_graph_fold {
	struct tfs_fold *fold;
	struct tfs_fold_stacks *fs;
	struct tfs_spans *spans;
	struct tfs_strbuf sb;
	uint64_t calls, unknown;
	uint32_t callers[CALLERS_MAX];
};

static int add_call(struct tfs_graph_fold *g, uint32_t name_id, uint32_t *node)
{
	const struct tfs_frame frame = {
		.name = tfs_spans_name(g->spans, name_id),
		.dso = TFS_FRAMES_KERNEL,
		.kind = TFS_FRAME_KERNEL,
	};
	struct tfs_fold_name name;
	int rc = tfs_fold_frame_name(&frame, 0, &g->sb, &name);

	return rc ? rc : tfs_fold_child(g->fold, *node, &name, node);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_graph_fold *g = ctx;
	uint32_t node;
	size_t n;
	int rc;

	if (span->flags & TFS_SPAN_UNSELECTED)
		return 0;
	g->calls++;
	if (span->flags & (TFS_SPAN_NO_BEGIN | TFS_SPAN_NO_END)) {
		g->unknown++;
		return 0;
	}
	rc = tfs_fold_stacks_task(g->fs, span->input, span->tid,
				  *span->comm ? span->comm : TFS_TASK_UNKNOWN, &node);
	n = tfs_spans_callers(g->spans, g->callers, CALLERS_MAX);
	for (size_t i = 0; i < n && i < CALLERS_MAX && !rc; i++)
		rc = add_call(g, g->callers[i], &node);
	if (!rc && n < CALLERS_MAX)
		rc = add_call(g, span->name_id, &node);
	if (!rc)
		tfs_fold_add(g->fold, node, span->self);
	return rc;
}

static const struct tfs_span_ops ops = { .span = on_span };

int tfs_graph_fold_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
		       struct tfs_fold_stacks *fs, struct tfs_graph_fold **out, struct tfs_err *err)
{
	struct tfs_graph_fold *g = calloc(1, sizeof(*g));
	const struct tfs_spans_opts spans = {
		.traces = opts->traces,
		.n = opts->n,
		.kinds = 1u << TFS_SPAN_GRAPH,
		.ops = &ops,
		.ctx = g,
	};
	int rc;

	if (!g)
		return -ENOMEM;
	g->fold = fold;
	g->fs = fs;
	tfs_strbuf_init(&g->sb);
	rc = tfs_spans_new(&spans, &g->spans, err);
	if (rc)
		tfs_graph_fold_free(g);
	else
		*out = g;
	return rc;
}

void tfs_graph_fold_free(struct tfs_graph_fold *g)
{
	if (!g)
		return;
	tfs_spans_free(g->spans);
	tfs_strbuf_release(&g->sb);
	free(g);
}

int tfs_graph_fold_event(struct tfs_graph_fold *g, const struct tfs_event *event)
{
	return tfs_spans_event(g->spans, event);
}

int tfs_graph_fold_lost(struct tfs_graph_fold *g, const struct tfs_event *event)
{
	return tfs_spans_lost(g->spans, event);
}

int tfs_graph_fold_end(struct tfs_graph_fold *g)
{
	return tfs_spans_end(g->spans);
}

bool tfs_graph_fold_any(const struct tfs_graph_fold *g)
{
	return g->calls;
}

int tfs_graph_fold_notes(const struct tfs_graph_fold *g, struct tfs_strbuf *out)
{
	return g->unknown ? tfs_strbuf_addf(out,
					    "%" PRIu64 " of %" PRIu64
					    " calls were left out: they began before the "
					    "recording, or did not end in it\n",
					    g->unknown, g->calls) :
			    0;
}
