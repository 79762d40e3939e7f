/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/latency-internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/trace.h"
#include "view/export-value.h"

/* Cells of a row, in their order */
enum {
	FILE_NAME,
	KIND,
	NAME,
	TASK,
	PID,
	COUNT,
	TOTAL,
	MIN,
	MEAN,
	PERCENTS,
	MAX = PERCENTS + LATENCY_PERCENTS,
	MAX_AT,
	STDDEV,
	OPEN,
	UNKNOWN,
	CUT,
	BUCKETS,
	HISTOGRAM,
	COLUMNS,
};

_Static_assert(COLUMNS == LATENCY_COLUMNS, "one for each column");

#define NS(name_, flags_)                                                             \
	{                                                                             \
		.name = name_, .kind = TFS_CELL_NS, .unit = NS_PER_USEC, .digits = 3, \
		.flags = (flags_) | TFS_TABLE_UNIT                                    \
	}

static const struct tfs_table_column columns[COLUMNS] = {
	[FILE_NAME] = { .name = "file", .kind = TFS_CELL_TEXT },
	[KIND] = { .name = "kind", .kind = TFS_CELL_TEXT },
	[NAME] = { .name = "name", .kind = TFS_CELL_TEXT },
	[TASK] = { .name = "task", .kind = TFS_CELL_TEXT },
	[PID] = { .name = "pid", .kind = TFS_CELL_SIGNED, .flags = TFS_TABLE_ASCENDING },
	[COUNT] = { .name = "count", .kind = TFS_CELL_COUNT },
	[TOTAL] = NS("total", TFS_TABLE_EXACT),
	[MIN] = NS("min", 0),
	[MEAN] = NS("mean", 0),
	[PERCENTS] = NS("p50", 0),
	[PERCENTS + 1] = NS("p90", 0),
	[PERCENTS + 2] = NS("p95", 0),
	[PERCENTS + 3] = NS("p99", 0),
	[PERCENTS + 4] = NS("p99.9", 0),
	[MAX] = NS("max", 0),
	[MAX_AT] = { .name = "max_at",
		     .heading = "AT",
		     .kind = TFS_CELL_TIME,
		     .flags = TFS_TABLE_ASCENDING },
	[STDDEV] = NS("stddev", TFS_TABLE_EXACT),
	[OPEN] = { .name = "open", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
	[UNKNOWN] = { .name = "unknown", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
	[CUT] = { .name = "cut", .kind = TFS_CELL_COUNT, .flags = TFS_TABLE_EXACT },
	[BUCKETS] = { .name = "histogram",
		      .kind = TFS_CELL_ENCODED,
		      .flags = TFS_TABLE_EXACT | TFS_TABLE_OPTIONAL },
	[HISTOGRAM] = { .name = "histogram_text",
			.kind = TFS_CELL_ENCODED,
			.flags = TFS_TABLE_SHOWN | TFS_TABLE_AFTER },
};

static const char *const kinds[TFS_SPAN_KINDS] = {
	[TFS_SPAN_STATE] = "sched",     [TFS_SPAN_IRQ] = "irq",
	[TFS_SPAN_SOFTIRQ] = "softirq", [TFS_SPAN_SYSCALL] = "syscall",
	[TFS_SPAN_GRAPH] = "function",  [TFS_SPAN_PAIR] = "pair",
};

void tfs_latency_row_release(struct latency_row *row)
{
	if (!row->several)
		return;
	tfs_percentiles_release(row->p);
	free(row->p);
	row->several = false;
}

static const char *name_of(const struct tfs_spans *spans, const struct latency_row *row)
{
	return row->kind == TFS_SPAN_STATE ? "wakeup" :
	       row->kind == TFS_SPAN_PAIR  ? tfs_spans_pair(spans, row->name_id) :
					     tfs_spans_name(spans, row->name_id);
}

/* Columns that all cells are missing of */
static unsigned int hidden(const struct tfs_latency_opts *opts, size_t column)
{
	bool out;

	switch (column) {
	case FILE_NAME:
		out = opts->spans.n < 2;
		break;
	case TASK:
	case PID:
		out = !(opts->flags & TFS_LATENCY_BY_TASK);
		break;
	case BUCKETS:
	case HISTOGRAM:
		out = !(opts->flags & TFS_LATENCY_HISTOGRAM);
		break;
	default:
		out = false;
	}
	return out ? TFS_TABLE_EXACT | TFS_TABLE_SHOWN : 0;
}

int tfs_latency_new_table(const struct tfs_latency_opts *opts, struct latency_table *table,
			  struct tfs_err *err)
{
	const struct tfs_table_opts table_opts = {
		.columns = table->columns,
		.n_columns = COLUMNS,
		.style = opts->style,
		.flags = (opts->flags & TFS_LATENCY_INERT ? TFS_TABLE_INERT : 0) |
			 (opts->flags & TFS_LATENCY_COUNTS ? TFS_TABLE_COUNTS : 0),
		.order = "total,kind,name",
		.sort = opts->sort,
		.top = opts->top,
		.view = table->view,
		.none = "nothing that takes time was recorded: record sched, irq, syscalls",
	};

	memcpy(table->columns, columns, sizeof(columns));
	for (size_t i = 0; i < COLUMNS; i++)
		table->columns[i].flags |= hidden(opts, i);
	return tfs_table_new(&table_opts, &table->table, err);
}

/* [[low, high, count], ...] in ns: powers of two from the smallest value's to the largest's */
static int put_buckets(const struct tfs_histogram *h, struct tfs_strbuf *out)
{
	unsigned int first = 64 - (unsigned int)__builtin_clzll(h->stats.min | 1);
	unsigned int last = 64 - (unsigned int)__builtin_clzll(h->stats.max | 1);
	int rc = tfs_strbuf_addc(out, '[');

	for (unsigned int e = h->stats.min ? first : 0; e <= last && e <= 64 && !rc; e++) {
		uint64_t low = e ? UINT64_C(1) << (e - 1) : 0;
		uint64_t high = e < 64 ? UINT64_C(1) << e : UINT64_MAX, n = 0;
		unsigned int end = e < 64 ? tfs_histogram_bucket(high) : TFS_HISTOGRAM_BUCKETS;

		for (unsigned int b = tfs_histogram_bucket(low); b < end; b++)
			n += tfs_histogram_count(h, b);
		rc = tfs_strbuf_addf(out, "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
				     out->s[out->len - 1] == '[' ? "" : ",", low, high, n);
	}
	return rc ? rc : tfs_strbuf_addc(out, ']');
}

/* A heading with the names, then the lines of the histogram */
static int put_histogram(const struct tfs_latency_opts *opts, const struct latency_row *row,
			 const char *name, const struct tfs_histogram *h, struct tfs_strbuf *out)
{
	bool inert = opts->flags & TFS_LATENCY_INERT;
	int rc = tfs_strbuf_addf(out, "\n%s ", kinds[row->kind]);

	if (!rc)
		rc = inert ? tfs_tab_inert_cell(out, name, strlen(name)) :
			     tfs_tab_cell(out, name, strlen(name));
	if (!rc && opts->flags & TFS_LATENCY_BY_TASK)
		rc = tfs_strbuf_addf(out, ", pid %d", row->tid);
	if (!rc && opts->spans.n > 1)
		rc = tfs_strbuf_addf(out, ", %s", opts->files[row->input]);
	if (!rc)
		rc = tfs_strbuf_adds(out, opts->flags & TFS_LATENCY_COUNTS ? "\n" : ", ns\n");
	return rc ? rc : tfs_histogram_log2(h, out);
}

static int set_histogram(struct tfs_table *t, const struct tfs_latency_opts *opts,
			 const struct latency_row *row, const char *name)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool json = opts->style == TFS_EXPORT_JSON;
	struct tfs_histogram one = { 0 };
	const struct tfs_histogram *h = row->several ? &row->p->h : &one;
	int rc = row->several ? 0 : tfs_histogram_add(&one, row->value);

	if (!rc)
		rc = json ? put_buckets(h, &text) : put_histogram(opts, row, name, h, &text);
	if (!rc)
		rc = tfs_table_set_text(t, json ? BUCKETS : HISTOGRAM, text.s, text.len);
	tfs_histogram_release(&one);
	tfs_strbuf_release(&text);
	return rc;
}

static void set_times(struct tfs_table *t, const struct latency_row *row)
{
	struct tfs_stats one = { 0 };
	const struct tfs_stats *stats = row->several ? &row->p->h.stats : &one;
	bool exact;

	if (!row->several)
		tfs_stats_add(&one, row->value);
	tfs_table_set(t, TOTAL, tfs_stats_sum(stats));
	tfs_table_set(t, MIN, stats->min);
	tfs_table_set(t, MEAN, tfs_stats_mean(stats));
	for (size_t i = 0; i < LATENCY_PERCENTS; i++)
		tfs_table_set(t, PERCENTS + i,
			      row->several ? tfs_percentiles_value(row->p, i, &exact) : row->value);
	tfs_table_set(t, MAX, stats->max);
	tfs_table_set(t, MAX_AT, row->worst);
	tfs_table_set(t, STDDEV, tfs_stats_stddev(stats));
}

int tfs_latency_put_row(struct tfs_table *t, const struct tfs_latency_opts *opts,
			const struct tfs_spans *spans, const struct latency_row *row,
			const struct latency_unknown *unknown)
{
	static const struct latency_unknown nothing;
	const char *name = name_of(spans, row), *comm = tfs_spans_name(spans, row->comm_id);
	const char *file = opts->spans.n > 1 ? opts->files[row->input] : "";
	int rc = tfs_table_add(t);

	if (!unknown)
		unknown = &nothing;
	if (row->tid)
		comm = tfs_trace_task_name(opts->spans.traces[row->input], row->tid, comm);
	if (!rc)
		rc = tfs_table_set_text(t, FILE_NAME, file, strlen(file));
	if (!rc)
		rc = tfs_table_set_text(t, KIND, kinds[row->kind], strlen(kinds[row->kind]));
	if (!rc)
		rc = tfs_table_set_text(t, NAME, name, strlen(name));
	if (!rc)
		rc = tfs_table_set_text(t, TASK, comm, strlen(comm));
	if (rc)
		return rc;
	tfs_table_set(t, PID, (uint64_t)(int64_t)row->tid);
	tfs_table_set(t, COUNT, tfs_latency_count(row));
	tfs_table_set(t, OPEN, unknown->open);
	tfs_table_set(t, UNKNOWN, unknown->unbegun);
	tfs_table_set(t, CUT, unknown->cut);
	if (!tfs_latency_count(row))
		return 0;
	set_times(t, row);
	return opts->flags & TFS_LATENCY_HISTOGRAM && opts->style != TFS_EXPORT_CSV ?
		       set_histogram(t, opts, row, name) :
		       0;
}

int tfs_latency_put_notes(struct tfs_table *t, const struct tfs_pool *unknown)
{
	uint64_t open = 0, unbegun = 0, cut = 0;
	const struct latency_unknown *u;
	int rc = 0;
	size_t i;

	tfs_pool_for_each(unknown, i, u)
	{
		open += u->open;
		unbegun += u->unbegun;
		cut += u->cut;
	}
	if (open)
		rc = tfs_table_note(t, "open", open, "had no end");
	if (!rc && unbegun)
		rc = tfs_table_note(t, "unknown", unbegun, "began before they were recorded");
	if (!rc && cut)
		rc = tfs_table_note(t, "cut", cut, "were cut off by lost events");
	return rc;
}
