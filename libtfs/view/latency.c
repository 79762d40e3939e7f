/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/macros.h"
#include "base/percentiles.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "pipeline/view.h"
#include "view/latency-internal.h"

/* Durations that are kept: 48 MiB */
#define VALUES_MAX ((size_t)4 << 20)

static const unsigned int percents[LATENCY_PERCENTS] = { 50000, 90000, 95000, 99000, 99900 };

struct tfs_latency {
	struct tfs_view view;
	struct tfs_latency_opts opts;
	struct latency_table table;
	struct tfs_spans *spans;
	struct tfs_hashmap by_key;
	struct latency_row **rows;
	size_t n_rows, alloc_rows;
	/* values of the first pass, and whose they are; none if they were too many */
	uint64_t *value;
	uint32_t *owner;
	size_t n_values, alloc_values, alloc_owners;
	bool forgotten;
	unsigned int pass;
	struct tfs_spans_counts counts;
};

/* Whose values are in a row */
struct key {
	uint32_t kind, input, name;
	int32_t tid;
};

static bool has_key(const void *entry, const void *key)
{
	const struct latency_row *row = entry;
	const struct key *k = key;

	return row->kind == k->kind && row->input == k->input && row->name_id == k->name &&
	       row->tid == k->tid;
}

static struct latency_row *new_row(struct tfs_latency *l, const struct key *key,
				   const struct tfs_span *span)
{
	const char *name = span->kind == TFS_SPAN_STATE ? "wakeup" :
			   span->kind == TFS_SPAN_PAIR  ? tfs_spans_pair(l->spans, span->pair) :
							  span->name;
	struct latency_row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->kind = span->kind;
	row->input = key->input;
	row->name_id = key->name;
	row->tid = key->tid;
	row->number = (uint32_t)l->n_rows;
	row->name = strdup(name);
	row->comm = strdup(span->comm);
	row->comm_id = span->comm_id;
	if (!row->name || !row->comm || tfs_grow(&l->rows, &l->alloc_rows, l->n_rows + 1)) {
		tfs_latency_row_free(row);
		return NULL;
	}
	l->rows[l->n_rows++] = row;
	return row;
}

static int rename_task(struct latency_row *row, const struct tfs_span *span)
{
	char *comm = strdup(span->comm);

	if (!comm)
		return -ENOMEM;
	free(row->comm);
	row->comm = comm;
	row->comm_id = span->comm_id;
	return 0;
}

static struct latency_row *row_of(struct tfs_latency *l, const struct tfs_span *span)
{
	const struct key key = {
		.kind = span->kind,
		.input = span->input,
		.name = span->kind == TFS_SPAN_STATE ? 0 :
			span->kind == TFS_SPAN_PAIR  ? span->pair :
						       span->name_id,
		.tid = l->opts.flags & TFS_LATENCY_BY_TASK ? span->tid : 0,
	};
	uint64_t hash = tfs_hash_int(
		tfs_hash_int((uint64_t)key.kind << 48 | (uint64_t)key.input << 32 | key.name) +
		(uint32_t)key.tid);
	struct latency_row *row = tfs_hashmap_find(&l->by_key, hash, has_key, &key);

	if (row)
		return row->comm_id == span->comm_id || !rename_task(row, span) ? row : NULL;
	row = new_row(l, &key, span);
	if (!row || tfs_hashmap_add(&l->by_key, hash, row))
		return NULL;
	return row;
}

/* Keeps the value for later passes, as long as there are not too many. */
static int keep(struct tfs_latency *l, const struct latency_row *row, uint64_t value)
{
	if (l->forgotten)
		return 0;
	if (l->n_values == l->opts.values_max) {
		free(l->value);
		free(l->owner);
		l->value = NULL;
		l->owner = NULL;
		l->n_values = l->alloc_values = l->alloc_owners = 0;
		l->forgotten = true;
		return 0;
	}
	if (tfs_grow(&l->value, &l->alloc_values, l->n_values + 1) ||
	    tfs_grow(&l->owner, &l->alloc_owners, l->n_values + 1))
		return -ENOMEM;
	l->value[l->n_values] = value;
	l->owner[l->n_values++] = row->number;
	return 0;
}

static int add(struct tfs_latency *l, struct latency_row *row, const struct tfs_span *span)
{
	if (span->flags & TFS_SPAN_CUT) {
		row->cut++;
	} else if (span->flags & TFS_SPAN_NO_END) {
		row->open++;
	} else if (span->flags & TFS_SPAN_NO_BEGIN) {
		row->unbegun++;
	} else {
		if (!row->p.h.stats.n || span->duration > row->p.h.stats.max)
			row->worst = span->begin;
		if (tfs_percentiles_add(&row->p, span->duration))
			return -ENOMEM;
		return keep(l, row, span->duration);
	}
	return 0;
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_latency *l = ctx;
	struct latency_row *row;

	if (span->flags & TFS_SPAN_UNSELECTED ||
	    (span->kind == TFS_SPAN_STATE && span->state != TFS_TASK_RUNNABLE))
		return 0;
	row = row_of(l, span);
	if (!row)
		return -ENOMEM;
	if (!l->pass)
		return add(l, row, span);
	if (!(span->flags & TFS_SPAN_OPEN))
		tfs_percentiles_again(&row->p, span->duration);
	return 0;
}

static const struct tfs_span_ops span_ops = { .span = on_span };

static int new_spans(struct tfs_latency *l, struct tfs_err *err)
{
	struct tfs_spans_opts opts = l->opts.spans;

	opts.kinds = opts.pairs && opts.pairs->n ? 1u << TFS_SPAN_PAIR :
						   TFS_SPAN_ALL & ~(1u << TFS_SPAN_RUN);
	opts.records = 0;
	opts.ops = &span_ops;
	opts.ctx = l;
	return tfs_spans_new(&opts, &l->spans, err);
}

/* For a further pass, the events come once more. */
static int init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_latency *l = (struct tfs_latency *)view;

	(void)out;
	view->again = false;
	return l->spans ? 0 : new_spans(l, err);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_event(((struct tfs_latency *)view)->spans, event);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	return tfs_spans_lost(((struct tfs_latency *)view)->spans, event);
}

/* All rows know their ranks: is another pass needed? 1, 0, -ENOMEM */
static int next_pass(struct tfs_latency *l)
{
	bool again = false;

	for (size_t i = 0; i < l->n_rows; i++) {
		struct tfs_percentiles *p = &l->rows[i]->p;
		int rc = l->pass ? tfs_percentiles_next(p) :
				   tfs_percentiles_rank(p, percents, LATENCY_PERCENTS);

		if (rc < 0)
			return rc;
		again |= rc;
	}
	l->pass++;
	return again;
}

static int print(struct tfs_latency *l, struct tfs_strbuf *out)
{
	int rc = 0;

	for (size_t i = 0; i < l->n_rows && !rc; i++)
		rc = tfs_latency_put_row(l->table.table, &l->opts, l->rows[i]);
	if (!rc)
		rc = tfs_latency_put_notes(l->table.table, l->rows, l->n_rows);
	if (!rc)
		rc = tfs_table_lost(l->table.table, l->counts.lost, l->counts.uncounted > 0);
	if (!rc)
		rc = tfs_table_missing(l->table.table, l->counts.missing);
	return rc ? rc : tfs_table_print(l->table.table, out);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_latency *l = (struct tfs_latency *)view;
	int rc = tfs_spans_end(l->spans);

	(void)err;
	if (!l->pass)
		l->counts = *tfs_spans_counts(l->spans);
	tfs_spans_free(l->spans);
	l->spans = NULL;
	if (!rc)
		rc = next_pass(l);
	while (rc == 1 && !l->forgotten) {
		for (size_t i = 0; i < l->n_values; i++)
			tfs_percentiles_again(&l->rows[l->owner[i]]->p, l->value[i]);
		rc = next_pass(l);
	}
	view->again = rc == 1;
	return rc ? (rc < 0 ? rc : 0) : print(l, out);
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

static void free_latency(struct tfs_view *view)
{
	struct tfs_latency *l = (struct tfs_latency *)view;

	for (size_t i = 0; i < l->n_rows; i++)
		tfs_latency_row_free(l->rows[i]);
	free(l->rows);
	free(l->value);
	free(l->owner);
	tfs_hashmap_release(&l->by_key);
	tfs_spans_free(l->spans);
	tfs_table_free(l->table.table);
	free(l);
}

static const struct tfs_view_ops ops = {
	.init = init,
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_latency,
};

int tfs_latency_new(const struct tfs_latency_opts *opts, struct tfs_view **view,
		    struct tfs_err *err)
{
	struct tfs_latency *l = calloc(1, sizeof(*l));
	int rc = l ? 0 : -ENOMEM;

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	l->view.ops = &ops;
	l->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	l->opts = *opts;
	if (!l->opts.values_max)
		l->opts.values_max = VALUES_MAX;
	l->table.view = &l->view;
	rc = tfs_latency_new_table(opts, &l->table, err);
	/* Wrong pairs are refused before anything is read. */
	if (!rc)
		rc = new_spans(l, err);
	if (rc == -ENOMEM)
		tfs_err_set(err, rc, "cannot prepare the report");
	if (rc)
		tfs_view_free(&l->view);
	else
		*view = &l->view;
	return rc;
}
