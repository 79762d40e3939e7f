/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/every_view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "chart/flame.h"
#include "chart/heatmap.h"
#include "chart/timeline.h"
#include "decode/trace.h"
#include "decode/wakeup.h"
#include "exchange/arrow-ipc.h"
#include "exchange/arrow.h"
#include "exchange/chrome.h"
#include "exchange/folded-diff.h"
#include "exchange/folded.h"
#include "exchange/perf-script.h"
#include "exchange/perfetto.h"
#include "exchange/speedscope.h"
#include "filter/select.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "symbolize/symbolize.h"
#include "view/count.h"
#include "view/export.h"
#include "view/flat.h"
#include "view/graph.h"
#include "view/kernel-lines.h"
#include "view/latency.h"
#include "view/stat.h"
#include "view/syscalls.h"
#include "view/task-profile.h"
#include "view/text.h"
#include "view/user-text.h"
#include "view/wakeups.h"
#include "view/wide.h"

/* Variants of a view; each constructor looks at some of them. */
enum row_flags {
	RAW = 1 << 0,
	KERNEL = 1 << 1,
	INERT = 1 << 2,
	WAKEUP = 1 << 3,
	USER = 1 << 4,
	JSON = 1 << 5,
	CSV = 1 << 6,
	BY_TASK = 1 << 7,
	SUMMARY = 1 << 8,
	OFF_CPU = 1 << 9,
	DIFF = 1 << 10,
	PICTURE = 1 << 11,
	OLD = 1 << 12,
	NAMES = 1 << 13, /* of user addresses */
	WEIGHT = 1 << 14,
};

#define SIDES 2

/* A recording, or two to compare, and all that a view borrows of them */
struct shown {
	const struct every_view_opts *opts;
	unsigned int flags;
	size_t n;
	struct tfs_trace *trace[SIDES];
	struct tfs_symbolize *symbolize[SIDES];
	struct tfs_run_input input[SIDES];
	const void *syscalls[SIDES];
	struct tfs_user_text *user;
	struct tfs_strvec filters, pids, pairs;
};

static const char *const files[SIDES] = { "a", "b" };

/* Numbers with a name and without */
static const char *name_syscall(const void *syscalls, int64_t nr, enum tfs_syscall_abi abi)
{
	static const char *const names[] = { "read", "write", "open" };

	(void)syscalls;
	(void)abi;
	return nr >= 0 && nr < (int64_t)ARRAY_SIZE(names) ? names[nr] : NULL;
}

static const char *name_errno(int64_t error)
{
	return error == EAGAIN ? "EAGAIN" : NULL;
}

static enum tfs_export_style style(const struct shown *s)
{
	return s->flags & JSON ? TFS_EXPORT_JSON : s->flags & CSV ? TFS_EXPORT_CSV : TFS_EXPORT_TAB;
}

static struct tfs_spans_opts spans(const struct shown *s)
{
	return (struct tfs_spans_opts){ .traces = s->trace,
					.n = s->n,
					.pairs = &s->pairs,
					.syscall = name_syscall,
					.syscalls = s->syscalls };
}

static struct tfs_collect_opts collect(const struct shown *s)
{
	return (struct tfs_collect_opts){
		.traces = s->trace,
		.files = files,
		.symbolize = (const struct tfs_symbolize *const *)s->symbolize,
		.n = s->n,
		.root = s->flags & BY_TASK ? TFS_ROOT_TID : TFS_ROOT_COMM,
		.kind = s->flags & OFF_CPU ? TFS_COLLECT_OFF_CPU :
			s->flags & WEIGHT  ? TFS_COLLECT_STACKS :
					     TFS_COLLECT_AUTO,
		.off_cpu = TFS_OFF_CPU_ALL,
		.weight = s->flags & WEIGHT ? "pid" : NULL,
		.flags = s->flags & BY_TASK ? TFS_COLLECT_ADDRESSES : 0,
	};
}

static int make_text(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	struct tfs_text_opts opts = { .raw = s->flags & RAW, .color = s->flags & INERT };
	int rc = 0;

	(void)err;
	if (s->flags & INERT)
		tfs_trace_set_inert(s->trace[0]);
	if (s->flags & WAKEUP)
		rc = tfs_wakeup_new(s->trace[0], TFS_WAKEUP_TIMES, &s->input[0].wakeup);
	if (!rc && s->flags & USER)
		rc = tfs_user_text_new(s->trace[0], NULL, &s->user);
	opts.wakeup = s->input[0].wakeup;
	opts.user = s->user;
	return rc ? rc : tfs_text_new(s->trace[0], &opts, view);
}

static int make_kernel(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	(void)err;
	return tfs_kernel_lines_new(s->trace[0], view);
}

static int make_rows(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	static const char *const names[] = { "time", "comm", "event", "prev_comm", "text" };
	const struct tfs_strvec columns = { .v = (char **)names, .n = ARRAY_SIZE(names) };
	const struct tfs_export_opts opts = {
		.style = style(s),
		.columns = s->flags & (JSON | CSV) ? NULL : &columns,
		.text = s->flags & (JSON | CSV),
		.inert = s->flags & INERT,
		.traces = s->trace,
		.n_traces = s->n,
	};

	return tfs_export_new(&opts, view, err);
}

static int make_graph(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	static const struct tfs_strvec none = TFS_STRVEC_INIT;
	const struct tfs_graph_opts opts = {
		.funcs = &none,
		.callers = &none,
		.pairs = &s->pairs,
		.by_task = s->flags & BY_TASK,
		.summary = s->flags & SUMMARY,
		.style = s->flags & JSON ? TFS_GRAPH_JSON : TFS_GRAPH_TREE,
		.select = s->input[0].select,
		.syscall = name_syscall,
	};

	return tfs_graph_new(s->trace[0], &opts, view, err);
}

static int make_stat(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	(void)err;
	return tfs_stat_new(s->trace[0], TFS_STAT_ALL, view);
}

static int make_count(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	static const char *const names[] = { "comm", "event", "text" };
	const struct tfs_strvec columns = { .v = (char **)names, .n = ARRAY_SIZE(names) };
	const struct tfs_count_opts opts = {
		.rows = { .style = style(s),
			  .columns = &columns,
			  .traces = s->trace,
			  .n_traces = s->n },
		.files = files,
	};

	return tfs_count_new(&opts, view, err);
}

/* Few values are kept, so that there is a second pass. */
static int make_latency(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_latency_opts opts = {
		.spans = spans(s),
		.files = files,
		.style = style(s),
		.flags = TFS_LATENCY_BY_TASK | TFS_LATENCY_HISTOGRAM | TFS_LATENCY_INERT,
		.values_max = 2,
	};

	return tfs_latency_new(&opts, view, err);
}

static int make_heatmap(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_heatmap_opts opts = {
		.path = s->opts->file,
		.file = s->flags & PICTURE ? TFS_HEATMAP_SVG : TFS_HEATMAP_HTML,
		.title = "a",
		.columns = 10,
		.values_max = 2,
		.spans = spans(s),
	};

	return tfs_heatmap_new(&opts, view, err);
}

static int make_profile(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_task_profile_opts opts = { .spans = spans(s),
						    .files = files,
						    .style = style(s) };

	return tfs_task_profile_new(&opts, view, err);
}

static int make_syscalls(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_syscalls_opts opts = {
		.traces = s->trace,
		.files = files,
		.n_traces = s->n,
		.style = style(s),
		.by_task = s->flags & BY_TASK,
		.syscall = name_syscall,
		.syscalls = s->syscalls,
		.errno_name = name_errno,
	};

	return tfs_syscalls_new(&opts, view, err);
}

static int make_wakeups(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_wakeups_opts opts = {
		.traces = s->trace, .files = files, .n_traces = s->n, .style = style(s)
	};

	return tfs_wakeups_new(&opts, view, err);
}

static int make_flat(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_flat_opts opts = { .collect = collect(s), .style = style(s) };

	return tfs_flat_new(&opts, view, err);
}

static int make_flame(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_flame_opts opts = {
		.path = s->opts->file,
		.file = s->flags & PICTURE ? TFS_FLAME_SVG : TFS_FLAME_HTML,
		.collect = collect(s),
		.look = { .title = "a",
			  .flags = s->flags & DIFF ? TFS_FLAME_DIFF | TFS_FLAME_SCALED : 0 },
		.times = true,
	};

	return tfs_flame_new(&opts, view, err);
}

static int make_timeline(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_timeline_opts opts = {
		.traces = s->trace,
		.files = files,
		.n = s->n,
		.path = s->opts->file,
		.max_page = 1 << 16,
		.pairs = &s->pairs,
		.syscall = name_syscall,
		.syscalls = s->syscalls,
	};

	return tfs_timeline_new(&opts, view, err);
}

static int make_folded(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_folded_opts opts = {
		.path = s->opts->file,
		.collect = collect(s),
		.flags = TFS_FOLDED_ANNOTATE | (s->flags & DIFF ? TFS_FOLDED_SCALED : 0),
		.ns_per_unit = 1000,
	};

	return s->flags & DIFF ? tfs_folded_diff_new(&opts, view, err) :
				 tfs_folded_new(&opts, view, err);
}

static int make_perf_script(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_perf_script_opts opts = { .path = s->opts->file, .collect = collect(s) };

	return tfs_perf_script_new(&opts, view, err);
}

static int make_speedscope(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_speedscope_opts opts = { .path = s->opts->file, .collect = collect(s) };

	return tfs_speedscope_new(&opts, view, err);
}

static int make_chrome(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_chrome_opts opts = {
		.path = s->opts->file,
		.traces = s->trace,
		.files = files,
		.symbolize = (const struct tfs_symbolize *const *)s->symbolize,
		.n = s->n,
		.pairs = &s->pairs,
		.syscall = name_syscall,
		.syscalls = s->syscalls,
	};

	return tfs_chrome_new(&opts, view, err);
}

static int make_perfetto(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_perfetto_opts opts = {
		.path = s->opts->file,
		.traces = s->trace,
		.files = files,
		.symbolize = (const struct tfs_symbolize *const *)s->symbolize,
		.n = s->n,
		.pairs = &s->pairs,
		.syscall = name_syscall,
		.syscalls = s->syscalls,
		.flags = s->flags & OLD ? TFS_PERFETTO_OLD_STACKS | TFS_PERFETTO_PLAIN : 0,
	};

	return tfs_perfetto_new(&opts, view, err);
}

static int make_wide(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_wide_opts opts = { .csv = s->flags & CSV,
					    .inert = s->flags & INERT,
					    .input = { s->trace, files, NULL, s->n } };

	return tfs_wide_new(&opts, view, err);
}

static int make_arrow(struct shown *s, struct tfs_view **view, struct tfs_err *err)
{
	const struct tfs_arrow_opts opts = {
		.path = s->opts->file,
		.flags = s->flags & RAW ? 0 : TFS_ARROW_ZSTD,
		.input = { s->trace, files, NULL, s->n },
	};

	return tfs_arrow_view_new(&opts, view, err);
}

#define CALLS "sys_enter_*:sys_exit_*"

static const struct row {
	const char *name;
	int (*make)(struct shown *s, struct tfs_view **view, struct tfs_err *err);
	unsigned int flags;
	const char *pair;
} rows[] = {
	{ "", make_text, 0, NULL },
	{ "-R", make_text, RAW, NULL },
	{ "--color", make_text, INERT, NULL },
	{ "--kernel", make_kernel, KERNEL, NULL },
	{ "--json=text", make_rows, JSON, NULL },
	{ "--csv=text", make_rows, CSV | INERT, NULL },
	{ "--graph", make_graph, 0, NULL },
	{ "--graph --by-task", make_graph, BY_TASK, NULL },
	{ "--graph --summary", make_graph, SUMMARY, NULL },
	{ "--graph --pair", make_graph, 0, CALLS },
	{ "--stat", make_stat, 0, NULL },
	{ "--count-by", make_count, 0, NULL },
	{ "--heatmap .html", make_heatmap, 0, NULL },
	{ "--latency", make_latency, 0, NULL },
	{ "--profile", make_profile, JSON, NULL },
	{ "--syscalls --by-task", make_syscalls, BY_TASK, NULL },
	{ "--wakeups", make_wakeups, 0, NULL },
	{ "--flame .html", make_flame, NAMES, NULL },
	{ "--flame .svg", make_flame, NAMES | PICTURE, NULL },
	{ "--html", make_timeline, 0, NULL },
	{ "--folded", make_folded, NAMES, NULL },
	{ "--folded --off-cpu --by-tid", make_folded, NAMES | OFF_CPU | BY_TASK, NULL },
	{ "--perf-script", make_perf_script, NAMES, NULL },
	{ "--chrome", make_chrome, NAMES, NULL },
	{ "--perfetto", make_perfetto, NAMES, NULL },
	{ "--perfetto --old-stacks", make_perfetto, NAMES | OLD, NULL },
	{ "--speedscope", make_speedscope, NAMES, NULL },
	{ "--flat", make_flat, NAMES, NULL },
	{ "--fields", make_rows, 0, NULL },
	{ "-w", make_text, WAKEUP, NULL },
	{ "--user-symbols", make_text, USER, NULL },
	{ "--graph --json", make_graph, JSON, NULL },
	{ "--heatmap .svg", make_heatmap, PICTURE, NULL },
	{ "--latency --pair", make_latency, JSON, CALLS },
	{ "--html --pair", make_timeline, 0, CALLS },
	{ "--chrome --pair", make_chrome, NAMES, CALLS },
	{ "--perfetto --pair", make_perfetto, NAMES, CALLS },
	{ "--profile, text", make_profile, 0, NULL },
	{ "--syscalls", make_syscalls, JSON, NULL },
	{ "--wakeups --json", make_wakeups, JSON, NULL },
	{ "--flat --off-cpu", make_flat, NAMES | OFF_CPU | JSON, NULL },
	{ "--flame .html --off-cpu", make_flame, NAMES | OFF_CPU, NULL },
	{ "--speedscope --off-cpu", make_speedscope, NAMES | OFF_CPU, NULL },
	{ "--folded --weight", make_folded, NAMES | WEIGHT, NULL },
	{ "--folded --diff", make_folded, NAMES | DIFF, NULL },
	{ "--flame .html --diff", make_flame, NAMES | DIFF, NULL },
	{ "--flame .svg --diff", make_flame, NAMES | DIFF | PICTURE, NULL },
	{ "--wide --json", make_wide, JSON, NULL },
	{ "--wide --csv", make_wide, CSV | INERT, NULL },
	{ "--arrow", make_arrow, 0, NULL },
	{ "--arrow --compression=none", make_arrow, RAW, NULL },
};

static int open_side(struct shown *s, size_t i, struct tfs_err *err)
{
	const struct tfs_trace_opts opts = {
		.no_plugins = !s->opts->plugins,
		.kernel = s->flags & KERNEL,
		.text = s->flags & RAW ? TFS_TRACE_FIELDS : 0,
	};
	const struct tfs_select_opts select = { .filters = &s->filters,
						.n_filters = s->filters.n,
						.pids = &s->pids };
	int rc = tfs_trace_open(s->opts->path, &opts, &s->trace[i], err);

	if (!rc && (s->filters.n || s->pids.n))
		rc = tfs_select_new(s->trace[i], &select, &s->input[i].select, err);
	if (!rc && s->flags & NAMES)
		rc = tfs_symbolize_new(s->trace[i], NULL, &s->symbolize[i]);
	s->input[i].trace = s->trace[i];
	return rc;
}

static int open_all(struct shown *s, const char *pair, struct tfs_err *err)
{
	int rc = 0;

	if (s->opts->filter)
		rc = tfs_strvec_push(&s->filters, s->opts->filter);
	if (!rc && s->opts->pids)
		rc = tfs_strvec_push(&s->pids, s->opts->pids);
	if (!rc && pair)
		rc = tfs_strvec_push(&s->pairs, pair);
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = open_side(s, i, err);
	if (!rc && s->n == SIDES)
		tfs_trace_take_turns(s->trace[1], s->trace[0]);
	return rc;
}

static void close_all(struct shown *s)
{
	tfs_user_text_free(s->user);
	tfs_wakeup_free(s->input[0].wakeup);
	if (s->trace[1])
		tfs_trace_take_turns(s->trace[1], s->trace[1]);
	for (size_t i = 0; i < s->n; i++) {
		tfs_select_free(s->input[i].select);
		tfs_symbolize_free(s->symbolize[i]);
		tfs_trace_free(s->trace[i]);
	}
	tfs_strvec_release(&s->filters);
	tfs_strvec_release(&s->pids);
	tfs_strvec_release(&s->pairs);
}

/* Notes of the view, and functions that it did not find */
static int put_notes(const struct row *row, const struct tfs_view *view, struct tfs_out *out,
		     struct tfs_err *err)
{
	struct tfs_strvec funcs = TFS_STRVEC_INIT, callers = TFS_STRVEC_INIT;
	struct tfs_strbuf notes = TFS_STRBUF_INIT;
	int rc = 0;

	if (row->make == make_graph)
		rc = tfs_graph_missed(view, &funcs, &callers, err);
	if (!rc && view->ops->notes)
		rc = view->ops->notes(view, &notes);
	if (!rc)
		rc = tfs_out_write(out, notes.s, notes.len);
	tfs_strvec_release(&funcs);
	tfs_strvec_release(&callers);
	tfs_strbuf_release(&notes);
	return rc;
}

/* As tc-report does it: what is wrong with memory is asked at the end. */
static int run(const struct row *row, struct shown *s, struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_view *view = NULL;
	int rc = row->make(s, &view, err);
	const struct tfs_run_opts opts = {
		.inputs = s->input, .n = s->n, .jobs = 1, .max_events = s->opts->max_events
	};

	if (!rc)
		rc = tfs_run(view, out, &opts, err);
	while (!rc && view->again)
		rc = tfs_run(view, out, &opts, err);
	if (!rc)
		rc = put_notes(row, view, out, err);
	if (!rc)
		rc = tfs_out_flush(out);
	tfs_view_free(view);
	for (size_t i = 0; i < s->n && !rc; i++)
		rc = tfs_trace_check_memory(s->trace[i], err);
	return rc;
}

size_t every_view_count(void)
{
	return ARRAY_SIZE(rows);
}

const char *every_view_name(size_t view)
{
	return rows[view].name;
}

size_t every_view_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].name, name))
			return i;
	abort();
}

int every_view_show(size_t view, const struct every_view_opts *opts, struct tfs_err *err)
{
	const struct row *row = &rows[view];
	struct shown s = { .opts = opts,
			   .flags = row->flags,
			   .n = row->flags & DIFF ? SIDES : 1,
			   .filters = TFS_STRVEC_INIT,
			   .pids = TFS_STRVEC_INIT,
			   .pairs = TFS_STRVEC_INIT };
	struct tfs_out *out = NULL;
	int rc = tfs_out_new(opts->fd, &out);

	if (!rc)
		rc = open_all(&s, opts->pair ? opts->pair : row->pair, err);
	if (!rc)
		rc = run(row, &s, out, err);
	close_all(&s);
	tfs_out_free(out);
	return rc;
}
