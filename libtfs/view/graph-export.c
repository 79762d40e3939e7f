/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/graph-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/macros.h"
#include "decode/clock.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "tracedat/dat-read.h"
#include "view/export-value.h"

#define NSEC 1000000000

/* Contents of a row: a call, or (@call NULL) a loss. */
struct row {
	const struct graph_stack *st;
	const struct graph_call *call;
	const struct graph_end *end;
	bool unbegun;
	uint32_t buffer, cpu;
	uint64_t begin;
	int64_t lost; /* of a loss; not above 0: nobody counted */
	bool missing; /* of a loss: the rest of the CPU's events */
};

static bool is_json(const struct tfs_graph *g)
{
	return g->opts.style == TFS_GRAPH_JSON;
}

static int put_string(struct tfs_graph *g, const char *s, size_t len)
{
	if (is_json(g))
		return tfs_json_string(&g->line, s, len);
	return g->opts.inert ? tfs_csv_inert_cell(&g->line, s, len) :
			       tfs_csv_cell(&g->line, s, len);
}

static int put_none(struct tfs_graph *g)
{
	return is_json(g) ? tfs_strbuf_adds(&g->line, "null") : 0;
}

static int put_text(struct tfs_graph *g, const char *s)
{
	return s ? put_string(g, s, strlen(s)) : put_none(g);
}

static int put_number(struct tfs_graph *g, uint64_t n)
{
	return is_json(g) ? tfs_json_unsigned(&g->line, n) :
			    tfs_strbuf_addf(&g->line, "%" PRIu64, n);
}

static int put_seconds(struct tfs_graph *g, uint64_t ns)
{
	return tfs_strbuf_addf(&g->line, "%" PRIu64 ".%09" PRIu64, ns / NSEC, ns % NSEC);
}

/* Seconds, or what the clock counts where that is not nanoseconds */
static int put_time(struct tfs_graph *g, uint64_t ts)
{
	return tfs_trace_is_ns(g->trace) ? put_seconds(g, ts) : put_number(g, ts);
}

static int put_bool(struct tfs_graph *g, bool value)
{
	return tfs_strbuf_adds(&g->line, value ? "true" : "false");
}

static int put_file(struct tfs_graph *g, const struct row *row)
{
	(void)row;
	return put_text(g, g->opts.file);
}

static int put_buffer(struct tfs_graph *g, const struct row *row)
{
	return put_text(g, tfs_dat_buffer(tfs_trace_dat(g->trace), row->buffer)->name);
}

static int put_begin(struct tfs_graph *g, const struct row *row)
{
	return row->unbegun ? put_none(g) : put_time(g, row->begin);
}

static int put_duration(struct tfs_graph *g, const struct row *row)
{
	const struct graph_end *end = row->end;

	if (!end->known)
		return put_none(g);
	return end->counts ? put_number(g, end->duration) : put_seconds(g, end->duration);
}

static int put_cpu(struct tfs_graph *g, const struct row *row)
{
	return put_number(g, row->cpu);
}

static int put_pid(struct tfs_graph *g, const struct row *row)
{
	return tfs_strbuf_addf(&g->line, "%d", row->st->pid);
}

static int put_comm(struct tfs_graph *g, const struct row *row)
{
	return put_text(g, strcmp(row->st->comm, TFS_TASK_UNKNOWN) != 0 ? row->st->comm : NULL);
}

static int put_function(struct tfs_graph *g, const struct row *row)
{
	return put_text(g, row->call->func->name);
}

static int put_depth(struct tfs_graph *g, const struct row *row)
{
	return put_number(g, (uint64_t)(row->call->column > 0 ? row->call->column : 0));
}

static int put_args(struct tfs_graph *g, const struct row *row)
{
	return put_text(g, row->call->args);
}

static int put_result(struct tfs_graph *g, const struct row *row)
{
	char value[TFS_GRAPH_VALUE];

	if (row->end->text && *row->end->text)
		return put_text(g, row->end->text);
	if (!row->end->has_value)
		return put_none(g);
	tfs_graph_value(row->end->value, value);
	return put_text(g, value);
}

static int put_unfinished(struct tfs_graph *g, const struct row *row)
{
	return put_bool(g, !row->end->known && !row->unbegun);
}

static int put_unbegun(struct tfs_graph *g, const struct row *row)
{
	return put_bool(g, row->unbegun);
}

static int put_loss(struct tfs_graph *g, const struct row *row)
{
	return put_bool(g, row->end->loss);
}

/* "?" where an empty cell would say that nothing was lost */
static int put_lost(struct tfs_graph *g, const struct row *row)
{
	if (row->lost > 0)
		return put_number(g, (uint64_t)row->lost);
	return is_json(g) ? put_none(g) : tfs_strbuf_adds(&g->line, "?");
}

enum of { OF_CALLS = 1, OF_LOSSES = 2 };

/* In the order of tc-report-json(5) */
static const struct column {
	const char *name;
	unsigned int of;
	int (*put)(struct tfs_graph *g, const struct row *row);
} columns[] = {
	{ "file", OF_CALLS | OF_LOSSES, put_file },
	{ "buffer", OF_CALLS | OF_LOSSES, put_buffer },
	{ "begin", OF_CALLS | OF_LOSSES, put_begin },
	{ "duration", OF_CALLS, put_duration },
	{ "cpu", OF_CALLS | OF_LOSSES, put_cpu },
	{ "pid", OF_CALLS, put_pid },
	{ "comm", OF_CALLS, put_comm },
	{ "function", OF_CALLS, put_function },
	{ "depth", OF_CALLS, put_depth },
	{ "args", OF_CALLS, put_args },
	{ "result", OF_CALLS, put_result },
	{ "unfinished", OF_CALLS, put_unfinished },
	{ "unbegun", OF_CALLS, put_unbegun },
	{ "loss", OF_CALLS, put_loss },
	{ "lost", OF_LOSSES, put_lost },
};

#define N_COLUMNS (ARRAY_SIZE(columns))

/* One recording, or one without instances, does not need these columns. */
static bool is_there(const struct tfs_graph *g, const struct column *c)
{
	if (c->put == put_file)
		return g->opts.file;
	return c->put != put_buffer || g->n_buffers > 1 ||
	       *tfs_dat_buffer(tfs_trace_dat(g->trace), 0)->name;
}

static int put_key(struct tfs_graph *g, const char *name)
{
	return tfs_strbuf_addf(&g->line, "%s\"%s\":", g->line.len ? "," : "{", name);
}

static int put_cell(struct tfs_graph *g, const struct column *c, const struct row *row, bool first)
{
	bool of_row = c->of & (row->call ? OF_CALLS : OF_LOSSES);
	int rc = 0;

	if (is_json(g) && !of_row)
		return 0;
	if (is_json(g))
		rc = put_key(g, c->name);
	else if (!first)
		rc = tfs_strbuf_addc(&g->line, ',');
	return rc || !of_row ? rc : c->put(g, row);
}

/* CSV's line of names, once for all recordings, when there is something to be named */
static int put_head(struct tfs_graph *g)
{
	bool first = true;
	int rc = 0;

	if (g->begun || is_json(g) || g->opts.no_head)
		return 0;
	for (size_t i = 0; i < N_COLUMNS && !rc; i++) {
		if (!is_there(g, &columns[i]))
			continue;
		rc = tfs_strbuf_addf(g->out, "%s%s", first ? "" : ",", columns[i].name);
		first = false;
	}
	return rc ? rc : tfs_strbuf_adds(g->out, "\n");
}

static int put_row(struct tfs_graph *g, const struct row *row)
{
	bool first = true;
	int rc = put_head(g);

	g->begun = true;
	tfs_strbuf_reset(&g->line);
	for (size_t i = 0; i < N_COLUMNS && !rc; i++) {
		if (!is_there(g, &columns[i]))
			continue;
		rc = put_cell(g, &columns[i], row, first);
		first = false;
	}
	if (!rc && row->missing && is_json(g))
		rc = tfs_strbuf_adds(&g->line, ",\"missing\":true");
	if (!rc)
		rc = tfs_strbuf_adds(&g->line, is_json(g) ? "}\n" : "\n");
	return rc ? rc : tfs_strbuf_add(g->out, g->line.s, g->line.len);
}

static int put_losses(struct tfs_graph *g, uint32_t buffer, uint32_t cpu, struct graph_cpu *c)
{
	struct row row = { .buffer = buffer, .cpu = cpu, .begin = c->lost_at };
	int rc = 0;

	row.lost = (int64_t)c->lost;
	if (c->lost)
		rc = put_row(g, &row);
	row.lost = 0;
	if (!rc && c->lost_some)
		rc = put_row(g, &row);
	row.missing = c->missing;
	if (!rc && c->missing)
		rc = put_row(g, &row);
	c->lost = 0;
	c->lost_some = c->missing = false;
	return rc;
}

int tfs_graph_export_loss(struct tfs_graph *g)
{
	int rc = 0;

	for (uint32_t b = 0; b < g->n_buffers; b++)
		for (uint32_t i = 0; i < g->cpus[b].n && !rc; i++)
			rc = put_losses(g, b, i, &g->cpus[b].v[i]);
	return rc;
}

int tfs_graph_export_call(struct tfs_graph *g, const struct graph_stack *st,
			  const struct graph_call *call, const struct graph_end *end, bool unbegun)
{
	const struct row row = {
		.st = st,
		.call = call,
		.end = end,
		.unbegun = unbegun,
		.buffer = st->buffer,
		.cpu = unbegun ? end->cpu : call->cpu,
		.begin = call->begin,
	};

	int rc = g->begun ? 0 : tfs_graph_export_loss(g);

	return rc ? rc : put_row(g, &row);
}
