/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/summary-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/inert.h"
#include "base/strbuf-core.h"
#include "decode/task.h"
#include "strace/calls.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

int tfs_summary_abi(int abi, int64_t *nr)
{
	if (abi == TFS_CALLS_ABI_NONE)
		return abi;
	if (!tfs_summary_is_compat(*nr))
		return (int)sys_abi_of_id((enum sys_abi)abi, nr);
	*nr &= ~TFS_SUMMARY_COMPAT;
	return (int)sys_abi_compat((enum sys_abi)abi);
}

const char *tfs_summary_known_name(int abi, int64_t key)
{
	const struct sys_entry *entry = NULL;
	const int own = tfs_summary_abi(abi, &key);

	if (own != TFS_CALLS_ABI_NONE)
		entry = sys_abi_lookup((enum sys_abi)own, key);
	return entry ? entry->name : NULL;
}

const char *tfs_summary_call_name(int abi, int64_t key, char room[24])
{
	const char *name = tfs_summary_known_name(abi, key);
	int64_t nr = key;

	if (name)
		return name;
	tfs_summary_abi(abi, &nr);
	snprintf(room, 24, "syscall_%#" PRIx64, (uint64_t)nr);
	return room;
}

const char *tfs_summary_errno_name(int64_t error)
{
	const struct sys_set *set = &sys_set_errno;

	for (size_t i = 0; i < set->n_one; i++)
		if (set->one[i].value == (uint64_t)error)
			return set->one[i].name;
	return NULL;
}

/* Rows of a group, and the names of system calls that have none */
struct rows {
	struct tfs_tally_call **calls;
	struct tfs_summary_row *row;
	char (*name)[24];
	size_t n_calls, n;
};

static void release_rows(struct rows *rows)
{
	free(rows->calls);
	free(rows->row);
	free(rows->name);
}

/* Those of programs of 32 bits, or the others */
static void keep_width(struct rows *rows, bool compat)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->n_calls; i++)
		if (tfs_summary_is_compat(rows->calls[i]->nr) == compat)
			rows->calls[n++] = rows->calls[i];
	rows->n_calls = n;
}

/* Calls that returned, in order of their numbers */
static int make_rows(const struct tfs_strace_summary_opts *opts,
		     const struct tfs_summary_group *group, bool compat, struct rows *rows)
{
	int rc = tfs_tally_list(&group->tally, &rows->calls, &rows->n_calls);

	if (rc)
		return rc;
	keep_width(rows, compat);
	rows->row = calloc(rows->n_calls + 1, sizeof(*rows->row));
	rows->name = calloc(rows->n_calls + 1, sizeof(*rows->name));
	if (!rows->row || !rows->name)
		return -ENOMEM;
	for (size_t i = 0; i < rows->n_calls; i++) {
		const struct tfs_tally_call *call = rows->calls[i];

		if (!call->calls)
			continue;
		rows->row[rows->n++] = (struct tfs_summary_row){
			.name = tfs_summary_call_name(opts->abi, call->nr, rows->name[i]),
			.calls = call->calls,
			.errors = call->errors,
			.timed = call->times.n,
			.total = tfs_stats_sum(&call->times),
			.min = call->times.min,
			.max = call->times.max,
		};
	}
	return 0;
}

/* A row of the table of errors */
struct failed {
	const char *name;
	int32_t error;
	uint64_t n;
};

static int compare_failed(const void *a, const void *b)
{
	const struct failed *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	if (strcmp(x->name, y->name))
		return strcmp(x->name, y->name);
	return (x->error > y->error) - (x->error < y->error);
}

static int put_errnos(const struct failed *failed, size_t n, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addf(out,
				 "\n%9s %-16s %s\n--------- ---------------- "
				 "----------------\n",
				 "errors", "errno", "syscall");

	for (size_t i = 0; i < n && !rc; i++) {
		const char *name = tfs_summary_errno_name(failed[i].error);

		rc = tfs_strbuf_addf(out, "%9" PRIu64 " ", failed[i].n);
		if (!rc)
			rc = name ? tfs_strbuf_addf(out, "%-16s", name) :
				    tfs_strbuf_addf(out, "%-16" PRId32, failed[i].error);
		if (!rc)
			rc = tfs_strbuf_addf(out, " %s\n", failed[i].name);
	}
	return rc;
}

static int add_errnos(const struct tfs_strace_summary_opts *opts, const struct rows *rows,
		      struct tfs_strbuf *out)
{
	struct failed *failed;
	size_t n = 0, at = 0, i, k;
	int rc;

	for (i = 0; i < rows->n_calls; i++)
		n += rows->calls[i]->n_failed;
	if (!n)
		return 0;
	failed = calloc(n, sizeof(*failed));
	if (!failed)
		return -ENOMEM;
	for (i = 0; i < rows->n_calls; i++) {
		const struct tfs_tally_call *call = rows->calls[i];

		for (k = 0; k < call->n_failed; k++)
			failed[at++] = (struct failed){
				.name = tfs_summary_call_name(opts->abi, call->nr, rows->name[i]),
				.error = call->failed[k].error,
				.n = call->failed[k].n,
			};
	}
	qsort(failed, n, sizeof(*failed), compare_failed);
	rc = put_errnos(failed, n, out);
	free(failed);
	return rc;
}

static int put_heading(const struct tfs_strace_summary_opts *opts,
		       const struct tfs_summary_group *group, bool first, struct tfs_strbuf *out)
{
	const char *comm = *group->comm ? group->comm : TFS_TASK_UNKNOWN;
	int rc = first ? 0 : tfs_strbuf_addc(out, '\n');
	const size_t start = out->len;

	if (!rc)
		rc = tfs_strbuf_adds(out, comm);
	if (!rc && opts->inert)
		rc = tfs_inert_rest(out, start, TFS_INERT_NONE);
	return rc ? rc : tfs_strbuf_addf(out, " (%d):\n", group->tid);
}

/* @compat: calls of programs of 32 bits, if there are any */
static int print_table(const struct tfs_strace_summary_opts *opts,
		       const struct tfs_summary_layout *layout,
		       const struct tfs_summary_group *group, bool compat, struct tfs_strbuf *out)
{
	struct rows rows = { 0 };
	int rc = make_rows(opts, group, compat, &rows);

	if (!rc && rows.n && compat)
		rc = tfs_strbuf_adds(out, "System call usage summary for 32 bit mode:\n");
	if (!rc && rows.n)
		rc = tfs_summary_sort(layout, rows.row, rows.n);
	if (!rc && rows.n)
		rc = tfs_summary_text(layout, rows.row, rows.n, out);
	if (!rc && opts->errnos)
		rc = add_errnos(opts, &rows, out);
	release_rows(&rows);
	return rc;
}

static bool has_calls(const struct tfs_summary_group *group)
{
	const struct tfs_tally *t = &group->tally;
	const struct tfs_tally_call *call;
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->by_nr[i] && t->by_nr[i]->calls)
			return true;
	tfs_hashmap_for_each(&t->others, i, call) if (call->calls) return true;
	return false;
}

static int print_group(const struct tfs_strace_summary_opts *opts,
		       const struct tfs_summary_layout *layout,
		       const struct tfs_summary_group *group, bool first, struct tfs_strbuf *out)
{
	int rc = 0;

	if (opts->by != TFS_SUMMARY_BY_NOTHING && has_calls(group))
		rc = put_heading(opts, group, first, out);
	if (!rc)
		rc = print_table(opts, layout, group, false, out);
	return rc ? rc : print_table(opts, layout, group, true, out);
}

/* Notes on the table; after it, as other tables have their notes */
static int put_notes(const struct tfs_strace_summary_totals *totals, struct tfs_strbuf *out)
{
	int rc = 0;

	if (totals->lost)
		rc = tfs_strbuf_addf(out, "# %" PRIu64 " events%s were lost\n", totals->lost,
				     totals->uncounted ? " and more" : "");
	else if (totals->uncounted)
		rc = tfs_strbuf_adds(out, "# events were lost, the kernel did not count how "
					  "many\n");
	if (!rc && totals->missing)
		rc = tfs_strbuf_addf(out,
				     "# %" PRIu64 " CPU%s last events; how many is not known\n",
				     totals->missing,
				     totals->missing == 1 ? " lacks its" : "s lack their");
	if (!rc && totals->more_cpus)
		rc = tfs_strbuf_adds(out, "# the recording may have had more CPUs, of which "
					  "nothing is left\n");
	if (!rc && totals->cut == 1)
		rc = tfs_strbuf_addf(out, "# events %s in a call; its time is not known\n",
				     totals->missing ? "may be missing" : "were lost");
	else if (!rc && totals->cut)
		rc = tfs_strbuf_addf(out,
				     "# events %s in %" PRIu64
				     " calls; their times are not known\n",
				     totals->missing ? "may be missing" : "were lost", totals->cut);
	if (!rc && totals->unbegun == 1)
		rc = tfs_strbuf_adds(out, "# a call began before it was recorded; its time is not "
					  "known\n");
	else if (!rc && totals->unbegun)
		rc = tfs_strbuf_addf(out,
				     "# %" PRIu64 " calls began before they were recorded; their "
				     "times are not known\n",
				     totals->unbegun);
	return rc;
}

int tfs_summary_print_text(const struct tfs_strace_summary_opts *opts,
			   const struct tfs_summary_layout *layout,
			   const struct tfs_strace_summary_totals *totals,
			   struct tfs_summary_group *const *groups, size_t n,
			   struct tfs_strbuf *out)
{
	int rc = 0;

	if (opts->title && opts->times)
		rc = tfs_strbuf_adds(out, "# times are wall time, as strace -c -w has it\n");
	for (size_t i = 0; i < n && !rc; i++)
		rc = print_group(opts, layout, groups[i], !i, out);
	return rc ? rc : put_notes(totals, out);
}
