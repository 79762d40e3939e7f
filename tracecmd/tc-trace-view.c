/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-trace-view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/err.h"
#include "base/inert.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "filter/select.h"
#include "pipeline/view.h"
#include "strace/call-stacks.h"
#include "strace/call.h"
#include "strace/calls.h"
#include "strace/expr.h"
#include "strace/fd-table.h"
#include "strace/strace.h"
#include "strace/summary.h"
#include "syscalls/abi.h"
#include "tc-trace-fds.h"
#include "tc-trace-hold.h"
#include "tc-trace-opts.h"
#include "tc-trace-proc.h"
#include "tc-trace-split.h"

/*
 * struct strace_view - the parts of what is shown
 * @lines: a line a call; NULL with -c, unless it chooses calls by their arguments
 * @summary: the table of -c or -C; else NULL
 * @split: with -ff; else NULL
 * @event_text: if other events are shown, too; else NULL
 * @fds: with -y or -P; else NULL
 * @hold: with -y; else NULL
 * @stacks: with -k; else NULL
 * @event: the one that is being shown
 * @shown: calls shown
 */
struct strace_view {
	struct tfs_view view;
	struct strace_view_opts opts;
	struct tfs_view *lines, *summary;
	struct strace_split *split;
	struct tfs_event_text *event_text;
	struct strace_fds *fds;
	struct strace_hold *hold;
	struct tfs_call_stacks *stacks;
	const struct tfs_event *event;
	uint64_t shown;
};

static struct strace_view *to_strace_view(const struct tfs_view *view)
{
	return (struct strace_view *)view;
}

static bool is_full(const struct strace_view *v)
{
	return v->opts.req->max_events && v->shown >= v->opts.req->max_events;
}

static bool begin(void *ctx, const struct tfs_call *call)
{
	const struct strace_view *v = ctx;

	return v->event->selected && tfs_expr_wants_call(v->opts.expr, call) &&
	       tfs_expr_wants_target(v->opts.expr, call, v->fds ? strace_fds_path : NULL, v->fds);
}

static int memory_text(void *ctx, const struct tfs_call *call, uint64_t address,
		       struct tfs_call_text *text)
{
	const struct strace_view *v = ctx;

	if (!v->event->selected || !tfs_expr_wants_call(v->opts.expr, call))
		return 0;
	if (sys_abi_is_32bit((enum sys_abi)call->abi))
		address = (uint32_t)address;
	return strace_proc_text(v->opts.proc, call->tid, address, text);
}

static bool end(void *ctx, const struct tfs_call *call)
{
	struct strace_view *v = ctx;

	if (!(v->opts.expr->statuses & tfs_expr_status(call)))
		return false;
	return !v->opts.req->min_duration || (tfs_call_has_duration(call) &&
					      call->end - call->begin >= v->opts.req->min_duration);
}

static bool wants_signal(void *ctx, int tid, int sig)
{
	const struct strace_view *v = ctx;

	(void)tid;
	return tfs_expr_wants_signal(v->opts.expr, sig);
}

static bool is_raw(void *ctx, const struct tfs_call *call)
{
	const struct strace_view *v = ctx;

	return tfs_expr_wants_raw(v->opts.expr, call);
}

static bool wants_event(const struct tfs_expr *expr, const struct tfs_event_type *type)
{
	char name[256]; /* that of the type has no end */
	bool wanted = false;

	snprintf(name, sizeof(name), "%.*s", (int)type->name_len, type->name);
	for (size_t i = 0; !wanted && i < expr->events.n; i++)
		wanted = tfs_select_event_glob(expr->events.v[i], type->system, name);
	return wanted;
}

/* The text of an event that -e names */
static int other(void *ctx, const struct tfs_event *event, struct tfs_strbuf *out)
{
	struct strace_view *v = ctx;
	const size_t start = out->len;
	int rc;

	if (!wants_event(v->opts.expr, event->type))
		return 0;
	rc = tfs_event_text_print(v->event_text, event, out);
	if (!rc && v->opts.terminal && !v->opts.req->json)
		rc = tfs_inert_rest(out, start, TFS_INERT_NONE);
	return rc ? rc : 1;
}

/* Calls that are chosen by their arguments are counted one by one. */
static bool counts_calls(const struct strace_view *v)
{
	return v->summary && tfs_expr_has_targets(v->opts.expr);
}

static int done(void *ctx, const struct tfs_call *call)
{
	struct strace_view *v = ctx;
	const struct tfs_task *task = v->event->task;

	if (!(call->flags & TFS_CALL_HIDDEN))
		v->shown++;
	return counts_calls(v) && call->flags & TFS_CALL_CHOSEN ?
		       tfs_strace_summary_call(v->summary, call, task ? task->comm : "") :
		       0;
}

static struct tfs_fd_table *table_of(const struct strace_view *v)
{
	return strace_fds_table(v->fds);
}

static int enter(void *ctx, const struct tfs_call *call)
{
	const struct strace_view *v = ctx;
	int rc = v->stacks ? tfs_call_stacks_enter(v->stacks, call->tid) : 0;

	return rc || !v->fds ? rc : tfs_fd_table_enter(table_of(v), call);
}

static int more(void *ctx, const struct tfs_call *call, struct tfs_strbuf *out)
{
	const struct strace_view *v = ctx;

	return tfs_call_stacks_print(v->stacks, call->tid, v->opts.req->json, out);
}

static int fds_returned(void *ctx, const struct tfs_call *call)
{
	const struct strace_view *v = ctx;

	return strace_fds_returned(v->fds, call);
}

static int fds_fork(void *ctx, int tid, int child, const struct tfs_task_clone *clone)
{
	const struct strace_view *v = ctx;

	return tfs_fd_table_fork(table_of(v), tid, child, clone->flags, clone->known,
				 v->event->rec.ts);
}

/* The thread that is left has the number of the process. */
static int fds_exec(void *ctx, int tid, const char *file)
{
	const struct strace_view *v = ctx;

	(void)file;
	return tfs_fd_table_exec(table_of(v), tid, tid, v->event->rec.ts);
}

static int thread_end(void *ctx, int tid, int tgid)
{
	const struct strace_view *v = ctx;

	(void)tgid;
	if (v->stacks)
		tfs_call_stacks_end(v->stacks, tid);
	if (v->fds)
		tfs_fd_table_end(table_of(v), tid);
	return 0;
}

/* A thread that was there before tracing began */
static int find_task(void *ctx, int tid, char comm[TFS_CALL_COMM])
{
	const struct strace_view *v = ctx;

	return strace_proc_task(v->opts.proc, v->event->rec.ts, tid, comm);
}

static int view_init(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct strace_view *v = to_strace_view(view);
	int rc = 0;

	if (v->lines && v->lines->ops->init)
		rc = v->lines->ops->init(v->lines, out, err);
	if (!rc && v->summary && v->summary->ops->init)
		rc = v->summary->ops->init(v->summary, out, err);
	return rc;
}

static int count(struct strace_view *v, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	return v->summary ? v->summary->ops->event(v->summary, state, event, out) : 0;
}

/* Where text goes that was held */
struct given {
	struct strace_view *v;
	struct tfs_strbuf *out;
};

static int take_held(void *ctx, int tid, const char *text, size_t len)
{
	const struct given *given = ctx;

	if (!given->v->split)
		return tfs_strbuf_add(given->out, text, len);
	return tid < 0 ? 0 : strace_split_add(given->v->split, tid, text, len);
}

/*
 * With -ff what an event added belongs into the file of its thread. Missing events are of nobody:
 * that is for whoever runs the view to say. With -c calls have no lines.
 */
static int take(struct strace_view *v, const struct tfs_event *event, size_t start,
		struct tfs_strbuf *out)
{
	int rc = 0;

	if (v->hold)
		rc = strace_hold_add(v->hold, event->missing ? -1 : event->pid, start, out);
	if (rc)
		return rc;
	if ((v->split || v->opts.req->summary_only) && out->len > start) {
		if (v->split && !event->missing)
			rc = strace_split_add(v->split, event->pid, out->s + start,
					      out->len - start);
		out->len = start;
		out->s[start] = '\0';
	}
	return rc;
}

static void show_event(struct strace_view *v, const struct tfs_event *event)
{
	v->event = event;
	if (v->fds)
		strace_fds_at(v->fds, event->rec.ts);
}

/* Give what waited for events up to this one: all have come */
static int give_held(struct strace_view *v, const struct tfs_event *event, struct tfs_strbuf *out)
{
	struct given given = { v, out };
	const struct strace_hold_sink sink = { take_held, &given };

	return v->hold ? strace_hold_reach(v->hold, event->rec.ts, &sink) : 0;
}

static int view_event(struct tfs_view *view, void *state, const struct tfs_event *event,
		      struct tfs_strbuf *out)
{
	struct strace_view *v = to_strace_view(view);
	size_t start;
	int rc;

	if (is_full(v))
		return 0;
	show_event(v, event);
	rc = give_held(v, event, out);
	start = out->len;
	if (!rc)
		rc = count(v, state, event, out);
	if (!rc && v->stacks)
		rc = tfs_call_stacks_event(v->stacks, event);
	if (!rc && v->lines)
		rc = v->lines->ops->event(v->lines, state, event, out);
	return rc ? rc : take(v, event, start, out);
}

static int view_lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		     struct tfs_strbuf *out)
{
	struct strace_view *v = to_strace_view(view);
	const size_t start = out->len;
	int rc = 0;

	if (is_full(v))
		return 0;
	show_event(v, event);
	if (v->fds)
		tfs_fd_table_lost(table_of(v), event->rec.ts);
	if (v->summary)
		rc = v->summary->ops->lost(v->summary, state, event, out);
	if (!rc && v->lines)
		rc = v->lines->ops->lost(v->lines, state, event, out);
	return rc ? rc : take(v, event, start, out);
}

static int view_text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		     struct tfs_err *err)
{
	struct strace_view *v = to_strace_view(view);
	struct tfs_view *any = v->lines ? v->lines : v->summary;

	return any->ops->text(any, text, len, out, err);
}

static int view_end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct strace_view *v = to_strace_view(view);
	static const struct tfs_event nothing = { .selected = true };
	struct given given = { v, out };
	const struct strace_hold_sink sink = { take_held, &given };
	const size_t start = out->len;
	int rc = v->hold ? strace_hold_all(v->hold, &sink) : 0;

	v->event = &nothing;
	if (v->fds)
		strace_fds_at(v->fds, 0);
	if (!rc && v->lines && !is_full(v))
		rc = tfs_view_end(v->lines, view->writer, out, err);
	if (v->opts.req->summary_only && out->len > start) {
		out->len = start;
		out->s[start] = '\0';
	}
	if (!rc && v->summary)
		rc = tfs_view_end(v->summary, view->writer, out, err);
	if (!rc && v->split)
		rc = strace_split_flush(v->split, err);
	return rc;
}

static void view_free(struct tfs_view *view)
{
	struct strace_view *v = to_strace_view(view);

	if (!v)
		return;
	tfs_view_free(v->lines);
	tfs_view_free(v->summary);
	strace_split_free(v->split);
	strace_hold_free(v->hold);
	tfs_event_text_free(v->event_text);
	strace_fds_free(v->fds);
	tfs_call_stacks_free(v->stacks);
	free(v);
}

static const struct tfs_view_ops ops = {
	.init = view_init,
	.event = view_event,
	.lost = view_lost,
	.text = view_text,
	.end = view_end,
	.free = view_free,
};

/* The table alone is a view of another kind. */
bool strace_view_is_full(const struct tfs_view *view)
{
	return view->ops == &ops && is_full(to_strace_view(view));
}

/* All that was shown before is written already. */
static int flush_held(struct strace_view *v, struct tfs_out *out, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct given given = { v, &text };
	const struct strace_hold_sink sink = { take_held, &given };
	int rc = strace_hold_tick(v->hold, &sink);

	if (!rc && text.len)
		rc = tfs_out_write(out, text.s, text.len);
	if (!rc && text.len)
		rc = tfs_out_flush(out);
	tfs_strbuf_release(&text);
	return rc ? tfs_err_set(err, rc, "cannot write the report") : 0;
}

int strace_view_flush(struct tfs_view *view, struct tfs_out *out, struct tfs_err *err)
{
	struct strace_view *v = to_strace_view(view);
	int rc = 0;

	if (view->ops != &ops)
		return 0;
	if (v->hold)
		rc = flush_held(v, out, err);
	return !rc && v->split ? strace_split_flush(v->split, err) : rc;
}

int strace_view_read_fds(struct tfs_view *view, pid_t pid)
{
	struct strace_view *v = to_strace_view(view);

	return view->ops == &ops && v->fds ? strace_fds_read(v->fds, pid) : 0;
}

/* Calls that are chosen by how they end are not shown before. */
static bool needs_whole(const struct strace_view_opts *o)
{
	return o->expr->statuses != TFS_EXPR_ANY_STATUS || o->req->min_duration || o->req->separate;
}

static int64_t utc_offset(void)
{
	const time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) ? tm.tm_gmtoff : 0;
}

static struct tfs_line_opts line_opts(const struct strace_view_opts *o)
{
	const struct trace_strace *req = o->req;

	return (struct tfs_line_opts){
		.pid = req->separate ? TFS_LINE_PID_NONE :
		       req->output   ? TFS_LINE_PID_COLUMN :
				       TFS_LINE_PID_BRACKETS,
		.comm = req->comms || o->expr->comms,
		.time = req->time,
		.time_digits = req->time_digits,
		.relative = req->relative,
		.relative_digits = req->relative_digits,
		.duration_digits = req->durations ? (int)req->duration_digits : -1,
		.column = (unsigned int)req->column,
		.inert = o->terminal,
		.wall_offset = o->wall_offset,
		.utc_offset = utc_offset(),
	};
}

static int new_lines(struct strace_view *v, struct tfs_err *err)
{
	const struct strace_view_opts *o = &v->opts;
	const struct tfs_strace_opts opts = {
		.trace = o->trace,
		.abi = o->abi,
		.command = strace_proc_command(o->proc),
		.flags = (o->req->json ? TFS_STRACE_JSON : 0u) |
			 (o->expr->quiet & TFS_EXPR_QUIET_EXIT ? TFS_STRACE_NO_EXITS : 0u) |
			 (o->expr->signals ? 0u : TFS_STRACE_NO_SIGNALS) |
			 (needs_whole(o) ? TFS_STRACE_WHOLE : 0u) |
			 (o->req->why ? TFS_STRACE_WHY : 0u),
		.args = {
			.names = o->req->names,
			.hex = (enum tfs_args_hex)o->req->strings_hex,
			.max_string = o->req->max_string,
			.parameters = o->req->parameters,
			.fd = o->expr->decode ? strace_fds_print : NULL,
			.ctx = v->fds,
		},
		.line = line_opts(o),
		.find = find_task,
		.hooks = {
			.begin = begin,
			.end = end,
			.signal = wants_signal,
			.raw = is_raw,
			.text = o->memory ? memory_text : NULL,
			.other = v->event_text ? other : NULL,
			.done = done,
			.enter = v->fds || v->stacks ? enter : NULL,
			.more = v->stacks ? more : NULL,
			.returned = v->fds ? fds_returned : NULL,
			.fork = v->fds ? fds_fork : NULL,
			.exec = v->fds ? fds_exec : NULL,
			.thread_end = thread_end,
			.ctx = v,
		},
	};
	int rc = tfs_strace_new(&opts, &v->lines, err);

	return rc && !(err && err->code) ? tfs_err_set(err, rc, "cannot show system calls") : rc;
}

/* ctx: struct tfs_expr */
static bool is_counted(const void *ctx, int abi, int64_t nr)
{
	const struct tfs_expr *expr = ctx;

	return abi == TFS_CALLS_ABI_NONE ? expr->calls.others :
					   tfs_call_set_has(&expr->calls, (enum sys_abi)abi, nr);
}

static int new_summary(const struct strace_view_opts *o, struct tfs_view **view,
		       struct tfs_err *err)
{
	const struct tfs_strace_summary_opts opts = {
		.trace = o->trace,
		.style = o->req->json ? TFS_EXPORT_JSON : TFS_EXPORT_TAB,
		.inert = o->terminal,
		.times = true,
		.title = !o->req->wall && !o->req->quiets,
		.by = o->req->by_task ? TFS_SUMMARY_BY_TASK : TFS_SUMMARY_BY_NOTHING,
		.columns = o->req->columns,
		.sort = o->req->sort,
		.command = strace_proc_command(o->proc),
		.given = tfs_expr_has_targets(o->expr),
		.wants = o->expr->given & 1u << TFS_EXPR_TRACE ? is_counted : NULL,
		.wants_ctx = o->expr,
		.abi = o->abi,
	};
	int rc = tfs_strace_summary_new(&opts, view, err);

	return rc && !err->code ? tfs_err_set(err, rc, "cannot count system calls") : rc;
}

/* All that is recorded is counted: the fast way of that view. */
static bool is_table_alone(const struct strace_view_opts *o)
{
	return o->req->summary_only && !(o->expr->given & 1u << TFS_EXPR_TRACE) &&
	       !tfs_expr_has_targets(o->expr);
}

static int new_parts(struct strace_view *v, struct tfs_err *err)
{
	const struct trace_strace *req = v->opts.req;
	int rc = 0;

	if (req->summary || req->summary_only)
		rc = new_summary(&v->opts, &v->summary, err);
	if (!rc && !req->summary_only && v->opts.expr->events.n) {
		v->view.flags |= TFS_VIEW_EVENT_TEXT;
		rc = tfs_event_text_new(v->opts.trace, TFS_EVENT_TEXT_FORMATTED, &v->event_text);
		if (rc)
			tfs_err_set(err, rc, "cannot show events");
	}
	if (!rc && ((!req->summary_only && v->opts.expr->decode) || v->opts.expr->paths.n)) {
		rc = strace_fds_new(v->opts.expr, v->opts.proc, &v->fds);
		if (rc)
			tfs_err_set(err, rc, "cannot follow descriptors");
	}
	if (!rc && !req->summary_only && v->opts.expr->decode) {
		rc = strace_hold_new(v->fds, req->json, &v->hold);
		if (rc)
			tfs_err_set(err, rc, "cannot follow descriptors");
	}
	if (!rc && req->stacks) {
		rc = tfs_call_stacks_new(v->opts.trace, v->opts.names, &v->stacks);
		if (rc)
			tfs_err_set(err, rc, "cannot show stacks");
	}
	if (!rc && (!req->summary_only || counts_calls(v)))
		rc = new_lines(v, err);
	if (!rc && req->separate)
		rc = strace_split_new(req->output, req->append, &v->split, err);
	return rc;
}

int strace_view_new(const struct strace_view_opts *opts, struct tfs_view **view,
		    struct tfs_err *err)
{
	struct strace_view *v;
	int rc;

	if (is_table_alone(opts))
		return new_summary(opts, view, err);
	v = calloc(1, sizeof(*v));
	if (!v)
		return tfs_err_set(err, -ENOMEM, "cannot show system calls");
	v->view.ops = &ops;
	v->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	v->opts = *opts;
	rc = new_parts(v, err);
	if (rc)
		tfs_view_free(&v->view);
	else
		*view = &v->view;
	return rc;
}
