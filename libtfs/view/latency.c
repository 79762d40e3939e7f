/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/latency.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/macros.h"
#include "base/percentiles.h"
#include "base/pool.h"
#include "base/strbuf-core.h"
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
	/* of this pass, and of the first one, whose names the rows have */
	struct tfs_spans *spans, *first;
	struct tfs_pool rows;
	struct tfs_idmap by_key;
	struct tfs_pool unknown; /* of few rows */
	struct tfs_idmap by_row;
	/* values of the first pass, and whose they are, of rows that do not have them; none if they
	   were too many */
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

static uint64_t hash_key(const struct key *key)
{
	return tfs_hash_int(
		tfs_hash_int((uint64_t)key->kind << 48 | (uint64_t)key->input << 32 | key->name) +
		(uint32_t)key->tid);
}

static uint64_t hash_row(const void *owner, uint32_t id)
{
	const struct latency_row *row = tfs_pool_at(owner, id);
	const struct key key = { row->kind, row->input, row->name_id, row->tid };

	return hash_key(&key);
}

static bool has_key(const void *owner, uint32_t id, const void *key)
{
	const struct latency_row *row = tfs_pool_at(owner, id);
	const struct key *k = key;

	return row->name_id == k->name && row->tid == k->tid && row->kind == k->kind &&
	       row->input == k->input;
}

/* The number of the span's row; TFS_IDMAP_NONE: no memory */
static uint32_t row_of(struct tfs_latency *l, const struct tfs_span *span)
{
	const struct key key = {
		.kind = span->kind,
		.input = span->input,
		.name = span->kind == TFS_SPAN_STATE ? 0 :
			span->kind == TFS_SPAN_PAIR  ? span->pair :
						       span->name_id,
		.tid = l->opts.flags & TFS_LATENCY_BY_TASK ? span->tid : 0,
	};
	uint32_t id = tfs_idmap_find(&l->by_key, hash_key(&key), has_key, &l->rows, &key);
	struct latency_row *row;

	if (id != TFS_IDMAP_NONE)
		return id;
	row = tfs_pool_add(&l->rows);
	if (!row)
		return TFS_IDMAP_NONE;
	row->kind = (uint32_t)span->kind & 0xf;
	row->input = key.input & 0x1ffffff;
	row->name_id = key.name;
	row->tid = key.tid;
	id = (uint32_t)(l->rows.n - 1);
	return tfs_idmap_add(&l->by_key, id, hash_row, &l->rows) ? TFS_IDMAP_NONE : id;
}

/* Keeps the value for later passes, as long as there are not too many. */
static int keep(struct tfs_latency *l, uint32_t id, uint64_t value)
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
	l->owner[l->n_values++] = id;
	return 0;
}

/* As long as there are few values the row itself has them: they need no later pass. */
static int add_value(struct tfs_latency *l, uint32_t id, uint64_t value)
{
	struct latency_row *row = tfs_pool_at(&l->rows, id);
	struct tfs_percentiles *p;
	int rc = 0;

	if (!row->one) {
		row->value = value;
		row->one = true;
		return 0;
	}
	if (!row->several) {
		p = calloc(1, sizeof(*p));
		if (!p || tfs_percentiles_add(p, row->value)) {
			free(p);
			return -ENOMEM;
		}
		row->p = p;
		row->several = true;
	}
	p = row->p;
	if (!p->h.octave && p->h.stats.n == TFS_HISTOGRAM_KEEP)
		for (size_t i = 0; i < TFS_HISTOGRAM_KEEP && !rc; i++)
			rc = keep(l, id, p->h.value[i]);
	if (!rc)
		rc = tfs_percentiles_add(p, value);
	return rc || !p->h.octave ? rc : keep(l, id, value);
}

static bool is_of_row(const void *owner, uint32_t id, const void *key)
{
	const struct latency_unknown *unknown = tfs_pool_at(owner, id);

	return unknown->row == *(const uint32_t *)key;
}

static uint64_t hash_unknown(const void *owner, uint32_t id)
{
	const struct latency_unknown *unknown = tfs_pool_at(owner, id);

	return tfs_hash_int(unknown->row);
}

/* NULL: the row has none */
static struct latency_unknown *find_unknown(const struct tfs_latency *l, uint32_t row)
{
	uint32_t id = tfs_idmap_find(&l->by_row, tfs_hash_int(row), is_of_row, &l->unknown, &row);

	return id == TFS_IDMAP_NONE ? NULL : tfs_pool_at(&l->unknown, id);
}

static struct latency_unknown *new_unknown(struct tfs_latency *l, uint32_t row)
{
	struct latency_unknown *unknown = tfs_pool_add(&l->unknown);

	if (!unknown)
		return NULL;
	unknown->row = row;
	if (tfs_idmap_add(&l->by_row, (uint32_t)(l->unknown.n - 1), hash_unknown, &l->unknown))
		return NULL;
	return unknown;
}

static int add_unknown(struct tfs_latency *l, uint32_t id, unsigned int flags)
{
	struct latency_row *row = tfs_pool_at(&l->rows, id);
	struct latency_unknown *unknown = row->unknown ? find_unknown(l, id) : new_unknown(l, id);
	uint32_t *n;

	if (!unknown)
		return -ENOMEM;
	row->unknown = true;
	n = flags & TFS_SPAN_CUT    ? &unknown->cut :
	    flags & TFS_SPAN_NO_END ? &unknown->open :
				      &unknown->unbegun;
	*n += *n < UINT32_MAX;
	return 0;
}

static int add(struct tfs_latency *l, uint32_t id, const struct tfs_span *span)
{
	struct latency_row *row = tfs_pool_at(&l->rows, id);

	row->comm_id = span->comm_id;
	if (span->flags & TFS_SPAN_OPEN)
		return add_unknown(l, id, span->flags);
	if (!row->one || span->duration > (row->several ? row->p->h.stats.max : row->value))
		row->worst = span->begin;
	return add_value(l, id, span->duration);
}

static int on_span(void *ctx, const struct tfs_span *span)
{
	struct tfs_latency *l = ctx;
	const struct latency_row *row;
	uint32_t id;

	if (span->flags & TFS_SPAN_UNSELECTED ||
	    (span->kind == TFS_SPAN_STATE && span->state != TFS_TASK_RUNNABLE))
		return 0;
	id = row_of(l, span);
	if (id == TFS_IDMAP_NONE)
		return -ENOMEM;
	if (!l->pass)
		return add(l, id, span);
	row = tfs_pool_at(&l->rows, id);
	if (!(span->flags & TFS_SPAN_OPEN) && row->several)
		tfs_percentiles_again(row->p, span->duration);
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
	const struct latency_row *row;
	bool again = false;
	size_t i;
	int rc;

	tfs_pool_for_each(&l->rows, i, row)
	{
		if (!row->several)
			continue;
		rc = l->pass ? tfs_percentiles_next(row->p) :
			       tfs_percentiles_rank(row->p, percents, LATENCY_PERCENTS);
		if (rc < 0)
			return rc;
		again |= rc;
	}
	l->pass++;
	return again;
}

static void release_rows(struct tfs_latency *l)
{
	struct latency_row *row;
	size_t i;

	tfs_pool_for_each(&l->rows, i, row) tfs_latency_row_release(row);
	tfs_pool_release(&l->rows);
	tfs_pool_release(&l->unknown);
	tfs_idmap_release(&l->by_key);
	tfs_idmap_release(&l->by_row);
}

static int put_row(struct tfs_latency *l, uint32_t id, const struct latency_row *row)
{
	return tfs_latency_put_row(l->table.table, &l->opts, l->first, row,
				   row->unknown ? find_unknown(l, id) : NULL);
}

static int print(struct tfs_latency *l, struct tfs_strbuf *out)
{
	int rc = tfs_latency_put_notes(l->table.table, &l->unknown);
	struct latency_row *row;
	size_t i;

	tfs_idmap_release(&l->by_key);
	tfs_pool_for_each(&l->rows, i, row)
	{
		rc = rc ? rc : put_row(l, (uint32_t)i, row);
		tfs_latency_row_release(row);
		tfs_pool_drop(&l->rows, i);
	}
	tfs_pool_release(&l->rows);
	if (!rc)
		rc = tfs_table_lost(l->table.table, l->counts.lost, l->counts.uncounted > 0);
	if (!rc)
		rc = tfs_table_missing(l->table.table, l->counts.missing, l->counts.more_cpus);
	return rc ? rc : tfs_table_print(l->table.table, out);
}

static const struct latency_row *owner_of(const struct tfs_latency *l, size_t value)
{
	return tfs_pool_at(&l->rows, l->owner[value]);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_latency *l = (struct tfs_latency *)view;
	int rc = tfs_spans_end(l->spans);

	(void)err;
	if (!l->pass)
		l->counts = *tfs_spans_counts(l->spans);
	if (l->first)
		tfs_spans_free(l->spans);
	else
		l->first = l->spans;
	l->spans = NULL;
	if (!rc)
		rc = next_pass(l);
	while (rc == 1 && !l->forgotten) {
		for (size_t i = 0; i < l->n_values; i++)
			tfs_percentiles_again(owner_of(l, i)->p, l->value[i]);
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

	release_rows(l);
	free(l->value);
	free(l->owner);
	tfs_spans_free(l->first);
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
	l->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	l->opts = *opts;
	l->rows = TFS_POOL_INIT(struct latency_row);
	l->unknown = TFS_POOL_INIT(struct latency_unknown);
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
