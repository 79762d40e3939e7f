/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/summary-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "view/table.h"

enum column {
	PID,
	COMM,
	SYSCALL,
	SHARE,
	TOTAL,
	MEAN,
	CALLS,
	ERRORS,
	ERRNOS,
	MIN,
	MAX,
	STDDEV,
	UNBEGUN,
	UNFINISHED,
	CUT,
	N_COLUMNS,
};

/* The names are those of tc-report --syscalls. */
static const struct tfs_table_column all_columns[N_COLUMNS] = {
	[PID] = { .name = "pid", .kind = TFS_CELL_SIGNED, .flags = TFS_TABLE_ASCENDING },
	[COMM] = { .name = "comm", .kind = TFS_CELL_TEXT },
	[SYSCALL] = { .name = "syscall", .kind = TFS_CELL_TEXT },
	[SHARE] = { .name = "share", .kind = TFS_CELL_PERCENT },
	[TOTAL] = { .name = "total", .kind = TFS_CELL_NS },
	[MEAN] = { .name = "mean", .kind = TFS_CELL_NS },
	[CALLS] = { .name = "calls", .kind = TFS_CELL_COUNT },
	[ERRORS] = { .name = "errors", .kind = TFS_CELL_COUNT },
	[ERRNOS] = { .name = "errnos", .kind = TFS_CELL_ENCODED },
	[MIN] = { .name = "min", .kind = TFS_CELL_NS },
	[MAX] = { .name = "max", .kind = TFS_CELL_NS },
	[STDDEV] = { .name = "stddev", .kind = TFS_CELL_NS },
	[UNBEGUN] = { .name = "unbegun", .kind = TFS_CELL_COUNT },
	[UNFINISHED] = { .name = "unfinished", .kind = TFS_CELL_COUNT },
	[CUT] = { .name = "cut", .kind = TFS_CELL_COUNT },
};

struct export
{
	const struct tfs_strace_summary_opts *opts;
	struct tfs_table_column columns[N_COLUMNS];
	struct tfs_table *table;
	uint64_t total; /* time of all calls */
};

static int set_text(const struct export *e, enum column column, const char *s)
{
	return tfs_table_set_text(e->table, column, s, strlen(s));
}

/* {"ENOENT":12} in JSON, ENOENT:12 in CSV */
static int set_errnos(const struct export *e, const struct tfs_tally_call *call)
{
	const bool json = e->opts->style == TFS_EXPORT_JSON;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	const char *quote = json ? "\"" : "";
	int rc = tfs_strbuf_adds(&text, json ? "{" : "");

	for (size_t i = 0; i < call->n_failed && !rc; i++) {
		const struct tfs_tally_error *f = &call->failed[i];
		const char *name = tfs_summary_errno_name(f->error);

		rc = tfs_strbuf_addf(&text, "%s%s", i ? json ? "," : " " : "", quote);
		if (!rc)
			rc = name ? tfs_strbuf_adds(&text, name) :
				    tfs_strbuf_addf(&text, "%" PRId32, f->error);
		if (!rc)
			rc = tfs_strbuf_addf(&text, "%s:%" PRIu64, quote, f->n);
	}
	if (!rc)
		rc = tfs_strbuf_adds(&text, json ? "}" : "");
	if (!rc)
		rc = tfs_table_set_text(e->table, ERRNOS, text.s, text.len);
	tfs_strbuf_release(&text);
	return rc;
}

static void set_times(const struct export *e, const struct tfs_stats *times)
{
	const uint64_t sum = tfs_stats_sum(times);

	tfs_table_set(e->table, TOTAL, sum);
	tfs_table_set(e->table, SHARE,
		      e->total ? (uint64_t)((double)sum * 10000 / (double)e->total + 0.5) : 0);
	if (!times->n)
		return;
	tfs_table_set(e->table, MEAN, tfs_stats_mean(times));
	tfs_table_set(e->table, MIN, times->min);
	tfs_table_set(e->table, MAX, times->max);
	tfs_table_set(e->table, STDDEV, tfs_stats_stddev(times));
}

/* "read", and "read@32" of programs of 32 bits, as -e of strace has it */
static int set_name(const struct export *e, const struct tfs_tally_call *call)
{
	const char *width = tfs_summary_is_compat(call->nr) ? "@32" : "";
	char room[24], text[64];

	snprintf(text, sizeof(text), "%s%s", tfs_summary_call_name(e->opts->abi, call->nr, room),
		 width);
	return set_text(e, SYSCALL, text);
}

static int add_row(const struct export *e, const struct tfs_summary_group *group,
		   const struct tfs_tally_call *call)
{
	int rc = tfs_table_add(e->table);

	if (!rc)
		rc = set_name(e, call);
	if (!rc)
		rc = set_errnos(e, call);
	if (!rc && *group->comm)
		rc = set_text(e, COMM, group->comm);
	if (rc)
		return rc;
	if (e->opts->by != TFS_SUMMARY_BY_NOTHING)
		tfs_table_set(e->table, PID, (uint64_t)(int64_t)group->tid);
	tfs_table_set(e->table, CALLS, call->calls);
	tfs_table_set(e->table, ERRORS, call->errors);
	if (!e->opts->times)
		return 0;
	tfs_table_set(e->table, UNBEGUN, call->unbegun);
	tfs_table_set(e->table, UNFINISHED, call->unfinished);
	tfs_table_set(e->table, CUT, call->cut);
	set_times(e, &call->times);
	return 0;
}

static int make_table(struct export *e, struct tfs_err *err)
{
	const struct tfs_table_opts table = {
		.columns = e->columns,
		.n_columns = N_COLUMNS,
		.style = e->opts->style,
		.flags = e->opts->inert ? TFS_TABLE_INERT : 0,
		.order = e->opts->times ? "total,calls" : "calls",
	};

	memcpy(e->columns, all_columns, sizeof(e->columns));
	if (e->opts->by == TFS_SUMMARY_BY_NOTHING)
		e->columns[PID].flags = e->columns[COMM].flags = TFS_TABLE_HIDDEN;
	for (size_t i = 0; i < N_COLUMNS && !e->opts->times; i++)
		if (e->columns[i].kind == TFS_CELL_NS || i == SHARE || i >= UNBEGUN)
			e->columns[i].flags = TFS_TABLE_HIDDEN;
	return tfs_table_new(&table, &e->table, err);
}

static int add_group(struct export *e, const struct tfs_summary_group *group, bool sum_only)
{
	struct tfs_tally_call **calls;
	size_t n;
	int rc = tfs_tally_list(&group->tally, &calls, &n);

	for (size_t i = 0; i < n && !rc; i++) {
		if (sum_only)
			e->total += tfs_stats_sum(&calls[i]->times);
		else
			rc = add_row(e, group, calls[i]);
	}
	free(calls);
	return rc;
}

int tfs_summary_export(const struct tfs_strace_summary_opts *opts,
		       const struct tfs_strace_summary_totals *totals,
		       struct tfs_summary_group *const *groups, size_t n, struct tfs_strbuf *out)
{
	struct export e = { .opts = opts };
	int rc = make_table(&e, NULL);
	size_t i;

	for (i = 0; i < n && !rc; i++)
		rc = add_group(&e, groups[i], true);
	for (i = 0; i < n && !rc; i++)
		rc = add_group(&e, groups[i], false);
	if (!rc)
		rc = tfs_table_lost(e.table, totals->lost, totals->uncounted);
	if (!rc)
		rc = tfs_table_missing(e.table, totals->missing, totals->more_cpus);
	if (!rc)
		rc = tfs_table_print(e.table, out);
	tfs_table_free(e.table);
	return rc;
}
