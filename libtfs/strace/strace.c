/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/strace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/inert.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "pipeline/view.h"
#include "strace/args-kinds.h"
#include "strace/args-signal.h"
#include "strace/calls.h"
#include "strace/line-json.h"
#include "strace/why-print.h"
#include "strace/why.h"
#include "syscalls/tables.h"

/* On all ABIs there is a table for */
#define SIGKILL_NR 9
/* Digits of seconds, where -T does not say */
#define WHY_DIGITS 6

struct tfs_strace {
	struct tfs_view view;
	struct tfs_strace_opts opts;
	struct tfs_calls *calls;
	struct tfs_line line;
	struct tfs_why *why;    /* with TFS_STRACE_WHY; else NULL */
	struct tfs_strbuf *out; /* of the event that is being shown */
	struct tfs_strbuf text, result, more;
};

static struct tfs_strace *to_strace(struct tfs_view *view)
{
	return (struct tfs_strace *)view;
}

/* As of the event, else the only name that is known */
static const char *comm_of(const struct tfs_call_task *task, const struct tfs_event *event)
{
	if (task && *task->comm)
		return task->comm;
	return event && event->task ? event->task->comm : NULL;
}

/* Has the line of this thread's call been interrupted, or is it not begun? */
static bool is_interrupted(const struct tfs_strace *s, const struct tfs_call *call)
{
	return s->line.open != call->tid;
}

static struct tfs_line_json_head json_head(const struct tfs_strace *s,
					   const struct tfs_call_task *task, uint64_t ts,
					   const struct tfs_event *event)
{
	return (struct tfs_line_json_head){
		.ts = ts,
		.wall_offset = s->opts.line.wall_offset,
		.tid = task->tid,
		.tgid = task->tgid,
		.comm = comm_of(task, event),
	};
}

/* As long as there are several threads, lines on a terminal say which they are of. */
static void tell_apart(struct tfs_strace *s)
{
	s->line.several = tfs_calls_tasks(s->calls) > 1;
}

static int begin_line(struct tfs_strace *s, const struct tfs_call_task *task, uint64_t ts,
		      const struct tfs_event *event)
{
	const struct tfs_line_head head = {
		.tid = task->tid,
		.comm = comm_of(task, event),
		.ts = ts,
		.nr = task->call.entry || task->in_call ? task->call.nr : -1,
	};

	tell_apart(s);
	return tfs_line_begin(&s->line, &head, s->out);
}

/* "name(" and what is known of the arguments */
static int put_entry(struct tfs_strace *s, struct tfs_call *call)
{
	int rc = tfs_args_name(call, s->out);

	if (!rc)
		rc = tfs_strbuf_addc(s->out, '(');
	return rc ? rc : tfs_args_enter(&s->opts.args, call, s->out);
}

/* Is a call shown, and how? */
static void choose(const struct tfs_strace *s, struct tfs_call *call, const struct tfs_event *event)
{
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;

	if ((event && !event->selected) || (hooks->begin && !hooks->begin(hooks->ctx, call)))
		call->flags |= TFS_CALL_HIDDEN;
	else if (hooks->raw && hooks->raw(hooks->ctx, call))
		call->flags |= TFS_CALL_CHOSEN | TFS_CALL_NUMBERS;
	else
		call->flags |= TFS_CALL_CHOSEN;
}

/* It may fault or be switched away before its texts are known. */
static int on_begin(void *ctx, struct tfs_call_task *task, const struct tfs_event *event)
{
	struct tfs_strace *s = ctx;

	return s->why ? tfs_why_enter(s->why, task->tid, task->call.begin, event->rec.ts) : 0;
}

/* Texts that no event has: whoever shows calls may know them. */
static int ask_texts(const struct tfs_strace *s, struct tfs_call_task *task)
{
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;
	struct tfs_call *call = &task->call;
	const struct sys_proto *proto = call->entry ? call->entry->proto : NULL;
	struct tfs_call_text text;
	int rc = 0;

	for (unsigned int i = 0; !rc && hooks->text && proto && i < proto->n_args; i++) {
		const enum sys_kind kind = proto->args[i].kind;
		const uint64_t address = args_value(call, proto, i);

		if ((kind != SYS_PATH && kind != SYS_STR) || call->text[i].s || !address)
			continue;
		if (hooks->text(hooks->ctx, call, address, &text))
			rc = tfs_call_keep(&task->kept, call, i, &text);
	}
	return rc;
}

static int on_enter(void *ctx, struct tfs_call_task *task, const struct tfs_event *event)
{
	struct tfs_strace *s = ctx;
	struct tfs_call *call = &task->call;
	size_t start;
	int rc;

	rc = ask_texts(s, task);
	if (!rc && s->opts.hooks.enter)
		rc = s->opts.hooks.enter(s->opts.hooks.ctx, call);
	/* A thread that executes a program has begun the call with another id. */
	if (!rc && s->why && !tfs_why_call(s->why, task->tid, call->begin))
		rc = tfs_why_enter(s->why, task->tid, call->begin, event->rec.ts);
	if (rc)
		return rc;
	choose(s, call, event);
	if (call->flags & TFS_CALL_HIDDEN || s->opts.flags & TFS_STRACE_WHOLE)
		return 0;
	rc = tfs_line_close(&s->line, s->out);
	start = s->out->len;
	if (!rc)
		rc = begin_line(s, task, call->begin, event);
	if (!rc)
		rc = put_entry(s, call);
	if (!rc)
		tfs_line_pause(&s->line, task->tid, start, s->out);
	return rc;
}

static int call_returned(const struct tfs_strace *s, const struct tfs_call *call)
{
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;

	return hooks->returned ? hooks->returned(hooks->ctx, call) : 0;
}

/* ") = result", after the beginning of the call */
static int put_end(struct tfs_strace *s, const struct tfs_call *call, size_t start)
{
	int rc = tfs_args_exit(&s->opts.args, call, s->out);

	if (!rc)
		rc = call_returned(s, call);
	if (!rc)
		rc = tfs_strbuf_addc(s->out, ')');
	if (!rc)
		rc = tfs_line_result(&s->line, start, s->out);
	if (!rc)
		rc = tfs_args_result(&s->opts.args, call, s->out);
	if (!rc && tfs_call_has_duration(call))
		rc = tfs_line_duration(&s->line, call->end - call->begin, s->out);
	return rc ? rc : tfs_strbuf_addc(s->out, '\n');
}

/* With TFS_STRACE_WHY: a line after that of the call */
static int put_why(struct tfs_strace *s, const struct tfs_call_task *task,
		   const struct tfs_event *event)
{
	const struct tfs_why_call *why =
		s->why ? tfs_why_call(s->why, task->tid, task->call.begin) : NULL;
	const int digits = s->opts.line.duration_digits;
	const struct tfs_line_head head = { .tid = task->tid, .comm = comm_of(task, event) };
	size_t start;
	int rc;

	if (!why || tfs_why_is_empty(why))
		return 0;
	tell_apart(s);
	rc = tfs_line_note(&s->line, &head, s->out);
	start = s->out->len;
	if (!rc)
		rc = tfs_why_text(why, digits < 0 ? WHY_DIGITS : (unsigned int)digits, s->out);
	if (!rc && s->opts.line.inert)
		rc = tfs_inert_rest(s->out, start, TFS_INERT_NONE);
	return rc ? rc : tfs_strbuf_addc(s->out, '\n');
}

static int add_more(const struct tfs_strace *s, const struct tfs_call *call, struct tfs_strbuf *out)
{
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;

	return hooks->more ? hooks->more(hooks->ctx, call, out) : 0;
}

/* Members that only some objects have */
static int add_members(struct tfs_strace *s, const struct tfs_call_task *task)
{
	int rc = 0;

	tfs_strbuf_reset(&s->more);
	if (s->why)
		rc = tfs_strbuf_adds(&s->more, ",\"why\":");
	if (!rc && s->why)
		rc = tfs_why_json(tfs_why_call(s->why, task->tid, task->call.begin), &s->more);
	return rc ? rc : add_more(s, &task->call, &s->more);
}

/* Up to where the rest of the call follows: "<... name resumed>" */
static int put_resumed(struct tfs_strace *s, struct tfs_call_task *task,
		       const struct tfs_event *event)
{
	struct tfs_call *call = &task->call;
	int rc = begin_line(s, task, call->end, event);

	if (!rc)
		rc = tfs_strbuf_adds(s->out, "<... ");
	if (!rc)
		rc = tfs_args_name(call, s->out);
	return rc ? rc : tfs_strbuf_adds(s->out, " resumed>");
}

static int put_whole(struct tfs_strace *s, struct tfs_call_task *task,
		     const struct tfs_event *event)
{
	int rc = begin_line(s, task, task->call.begin, event);

	return rc ? rc : put_entry(s, &task->call);
}

static int show_exit(struct tfs_strace *s, struct tfs_call_task *task,
		     const struct tfs_event *event)
{
	struct tfs_call *call = &task->call;
	const bool whole = s->opts.flags & TFS_STRACE_WHOLE && !(call->flags & TFS_CALL_NO_ENTRY);
	size_t start = s->out->len;
	int rc = 0;

	/* It did not return, and nobody knows why: the line stays as it is. */
	if ((call->flags & (TFS_CALL_NO_EXIT | TFS_CALL_DEAD)) == TFS_CALL_NO_EXIT)
		return is_interrupted(s, call) ? 0 : tfs_line_close(&s->line, s->out);
	if (whole || is_interrupted(s, call)) {
		rc = tfs_line_close(&s->line, s->out);
		start = s->out->len;
		s->line.width = 0;
		if (!rc)
			rc = whole ? put_whole(s, task, event) : put_resumed(s, task, event);
	}
	if (!rc)
		rc = put_end(s, call, start);
	if (!rc)
		rc = put_why(s, task, event);
	return rc ? rc : add_more(s, call, s->out);
}

static int show_json(struct tfs_strace *s, struct tfs_call_task *task,
		     const struct tfs_event *event)
{
	struct tfs_call *call = &task->call;
	const bool begun = !(call->flags & TFS_CALL_NO_ENTRY);
	const struct tfs_line_json_head head =
		json_head(s, task, begun ? call->begin : call->end, event);
	int rc = 0;

	tfs_strbuf_reset(&s->text);
	tfs_strbuf_reset(&s->result);
	if (begun)
		rc = tfs_args_enter(&s->opts.args, call, &s->text);
	if (!rc)
		rc = tfs_args_exit(&s->opts.args, call, &s->text);
	if (!rc)
		rc = call_returned(s, call);
	if (!rc)
		rc = tfs_args_result(&s->opts.args, call, &s->result);
	if (!rc)
		rc = add_members(s, task);
	return rc ? rc : tfs_line_json_call(&head, call, &s->text, &s->result, &s->more, s->out);
}

static int on_exit_event(void *ctx, struct tfs_call_task *task, const struct tfs_event *event)
{
	struct tfs_strace *s = ctx;
	struct tfs_call *call = &task->call;
	int rc = 0;

	if (call->flags & TFS_CALL_NO_ENTRY)
		choose(s, call, event);
	if (s->opts.flags & TFS_STRACE_WHOLE && !(call->flags & TFS_CALL_HIDDEN) &&
	    s->opts.hooks.end && !s->opts.hooks.end(s->opts.hooks.ctx, call))
		call->flags |= TFS_CALL_HIDDEN;
	if (call->flags & TFS_CALL_HIDDEN)
		rc = call_returned(s, call);
	else if (s->opts.flags & TFS_STRACE_JSON)
		rc = show_json(s, task, event);
	else
		rc = show_exit(s, task, event);
	if (s->why)
		tfs_why_leave(s->why, task->tid);
	return rc || !s->opts.hooks.done ? rc : s->opts.hooks.done(s->opts.hooks.ctx, call);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tfs_strace *s = to_strace(view);
	int rc = 0;

	(void)state;
	if (event->missing)
		tfs_calls_missing(s->calls);
	else
		tfs_calls_lost(s->calls);
	if (s->why)
		rc = tfs_why_lost(s->why, event);
	if (rc || !event->lost)
		return rc;
	if (s->opts.flags & TFS_STRACE_JSON)
		return tfs_line_json_lost(event, out);
	rc = tfs_line_close(&s->line, out);
	if (rc)
		return rc;
	if (event->missing)
		return tfs_strbuf_addf(out, "[... last events of CPU %" PRIu32 " missing ...]\n",
				       event->rec.cpu);
	if (event->rec.lost <= 0)
		return tfs_strbuf_adds(out, "[... events lost ...]\n");
	return tfs_strbuf_addf(out, "[... %" PRId64 " event%s lost ...]\n", event->rec.lost,
			       event->rec.lost == 1 ? "" : "s");
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(err, -EOPNOTSUPP,
			   "the recording is a latency tracer's text, which has no system calls");
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tfs_strace *s = to_strace(view);

	(void)err;
	s->out = out;
	return tfs_calls_finish(s->calls);
}

static void free_view(struct tfs_view *view)
{
	struct tfs_strace *s = to_strace(view);

	tfs_calls_free(s->calls);
	tfs_strbuf_release(&s->text);
	tfs_strbuf_release(&s->result);
	tfs_strbuf_release(&s->more);
	tfs_why_free(s->why);
	free(s);
}

static int on_signal(void *ctx, struct tfs_call_task *task, const struct tfs_call_signal *sig,
		     const struct tfs_event *event)
{
	struct tfs_strace *s = ctx;
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;
	int rc;

	/* A killed thread does not stop for a tracer. */
	if (s->opts.flags & TFS_STRACE_NO_SIGNALS || !event->selected || sig->sig == SIGKILL_NR ||
	    (hooks->signal && !hooks->signal(hooks->ctx, task->tid, sig->sig)))
		return 0;
	if (s->opts.flags & TFS_STRACE_JSON) {
		const struct tfs_line_json_head head = json_head(s, task, event->rec.ts, event);

		return tfs_line_json_signal(&head, sig, s->out);
	}
	rc = begin_line(s, task, event->rec.ts, event);
	if (!rc)
		rc = tfs_strbuf_adds(s->out, "--- ");
	if (!rc)
		rc = tfs_args_signal(&s->opts.args, sig, s->out);
	return rc ? rc : tfs_strbuf_adds(s->out, " ---\n");
}

static int put_fate(struct tfs_strace *s, const struct tfs_task_end *end)
{
	int rc = 0;

	switch (end->fate) {
	case TFS_TASK_FATE_UNKNOWN:
		rc = tfs_strbuf_adds(s->out, "+++ exited");
		break;
	case TFS_TASK_EXITED:
		rc = tfs_strbuf_addf(s->out, "+++ exited with %d", end->value);
		break;
	case TFS_TASK_KILLED:
		rc = tfs_strbuf_adds(s->out, "+++ killed by ");
		if (!rc)
			rc = tfs_args_signal_name(end->value, s->out);
		break;
	}
	return rc ? rc : tfs_strbuf_adds(s->out, " +++\n");
}

static int show_fate(struct tfs_strace *s, const struct tfs_call_task *task,
		     const struct tfs_task_end *end, const struct tfs_event *event)
{
	const struct tfs_line_json_head head = json_head(s, task, event->rec.ts, event);
	int rc;

	if (s->opts.flags & TFS_STRACE_JSON)
		return tfs_line_json_end(&head, end, s->out);
	rc = begin_line(s, task, event->rec.ts, event);
	return rc ? rc : put_fate(s, end);
}

static int on_end(void *ctx, struct tfs_call_task *task, const struct tfs_task_end *end,
		  const struct tfs_event *event)
{
	struct tfs_strace *s = ctx;
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;
	int rc = 0;

	if (!(s->opts.flags & TFS_STRACE_NO_EXITS) && event->selected)
		rc = show_fate(s, task, end, event);
	return rc || !hooks->thread_end ? rc : hooks->thread_end(hooks->ctx, task->tid, task->tgid);
}

/* "SYSTEM:EVENT: text" */
static int put_other(struct tfs_strace *s, const struct tfs_event *event)
{
	const struct tfs_line_head head = { .tid = event->pid,
					    .comm = comm_of(tfs_calls_task(s->calls, event->pid),
							    event),
					    .ts = event->rec.ts,
					    .nr = -1 };
	int rc;

	tell_apart(s);
	rc = tfs_line_begin(&s->line, &head, s->out);
	if (!rc)
		rc = tfs_strbuf_addf(s->out, "%s:%.*s: ", event->type->system,
				     (int)event->type->name_len, event->type->name);
	if (!rc)
		rc = tfs_strbuf_add(s->out, s->text.s, s->text.len);
	return rc ? rc : tfs_strbuf_addc(s->out, '\n');
}

/* An event that is none of these, on a line of its own if anybody wants it */
static int show_other(struct tfs_strace *s, const struct tfs_event *event)
{
	const struct tfs_strace_hooks *hooks = &s->opts.hooks;
	const struct tfs_line_json_head head = {
		.ts = event->rec.ts,
		.wall_offset = s->opts.line.wall_offset,
		.tid = event->pid,
		.comm = comm_of(tfs_calls_task(s->calls, event->pid), event),
	};
	int rc;

	if (!hooks->other || !event->selected || !event->type)
		return 0;
	tfs_strbuf_reset(&s->text);
	rc = hooks->other(hooks->ctx, event, &s->text);
	if (rc <= 0)
		return rc;
	return s->opts.flags & TFS_STRACE_JSON ?
		       tfs_line_json_event(&head, event, &s->text, s->out) :
		       put_other(s, event);
}

static int on_fork(void *ctx, struct tfs_call_task *task, int child,
		   const struct tfs_task_clone *clone, const struct tfs_event *event)
{
	const struct tfs_strace_hooks *hooks = &((struct tfs_strace *)ctx)->opts.hooks;

	(void)event;
	return hooks->fork ? hooks->fork(hooks->ctx, task->tid, child, clone) : 0;
}

static int on_exec(void *ctx, struct tfs_call_task *task, const char *file,
		   const struct tfs_event *event)
{
	const struct tfs_strace_hooks *hooks = &((struct tfs_strace *)ctx)->opts.hooks;

	(void)event;
	return hooks->exec ? hooks->exec(hooks->ctx, task->tid, file) : 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tfs_strace *s = to_strace(view);
	int rc = 0;

	(void)state;
	s->out = out;
	if (s->why)
		rc = tfs_why_event(s->why, event);
	if (rc)
		return rc;
	rc = tfs_calls_event(s->calls, event);
	if (!rc)
		return show_other(s, event);
	return rc < 0 ? rc : 0;
}

static int find_task(void *ctx, int tid, char comm[TFS_CALL_COMM])
{
	const struct tfs_strace_opts *opts = &((struct tfs_strace *)ctx)->opts;

	return opts->find(opts->hooks.ctx, tid, comm);
}

/* The name of a task that is perhaps none of those whose calls are traced */
static void find_comm(void *ctx, int tid, char comm[TFS_CALL_COMM])
{
	const struct tfs_strace *s = ctx;
	const struct tfs_call_task *task = tfs_calls_task(s->calls, tid);

	if (!tid)
		snprintf(comm, TFS_CALL_COMM, "<idle>");
	else if (task && *task->comm)
		memcpy(comm, task->comm, sizeof(task->comm));
	else if (s->opts.find)
		s->opts.find(s->opts.hooks.ctx, tid, comm);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_view,
};

int tfs_strace_new(const struct tfs_strace_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	static const struct tfs_call_ops call_ops = {
		.begin = on_begin,
		.enter = on_enter,
		.exit = on_exit_event,
		.signal = on_signal,
		.fork = on_fork,
		.exec = on_exec,
		.end = on_end,
	};
	struct tfs_strace *s = calloc(1, sizeof(*s));
	struct tfs_calls_opts calls = {
		.trace = opts->trace,
		.abi = opts->abi,
		.command = opts->command,
		.find = opts->find ? find_task : NULL,
		.ops = &call_ops,
		.ctx = s,
	};
	const struct tfs_why_opts why = { .trace = opts->trace, .comm = find_comm, .ctx = s };
	int rc;

	(void)err;
	if (!s)
		return -ENOMEM;
	s->view.ops = &ops;
	s->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING;
	s->opts = *opts;
	if (s->opts.flags & TFS_STRACE_JSON)
		s->opts.flags |= TFS_STRACE_WHOLE;
	s->line.opts = opts->line;
	tfs_strbuf_init(&s->text);
	tfs_strbuf_init(&s->result);
	tfs_strbuf_init(&s->more);
	rc = tfs_calls_new(&calls, &s->calls);
	if (!rc && opts->flags & TFS_STRACE_WHY)
		rc = tfs_why_new(&why, &s->why);
	if (rc)
		tfs_view_free(&s->view);
	else
		*view = &s->view;
	return rc;
}
