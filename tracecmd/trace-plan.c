/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "trace-names.h"
#include "trace-probe.h"
#include "trace-tasks.h"
#include "tracefs/event-plan.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/func-filter.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"
#include "tracefs/trace-option.h"
#include "tracefs/tracer.h"
#include "tracefs/tracing-on.h"

#define KIB 1024ULL
/* How full a ring buffer is when its reader is woken, at most */
#define PERCENT 25
#define WAKE_BYTES (UINT64_C(1) << 20)
/* Time stamp and length of a sub-buffer (events/header_page) */
#define SUBBUF_HEADER 16
#define LARGE_SUBBUF (16 * KIB)
/* A ring of few sub-buffers loses many events with each that is overwritten. */
#define LARGE_BUFFER (64 * LARGE_SUBBUF)
/* "s:" */
#define SYNTHETIC_SKIP 2
#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"
#define EXEC_EVENT "sched:sched_process_exec"
#define EXEC_TRIGGER "events/sched/sched_process_exec/trigger"

void trace_found_release(struct trace_found *found)
{
	tfs_strvec_release(&found->names);
	tfs_probe_defs_release(&found->defs);
	tfs_strvec_release(&found->options);
}

/* Length of the name after "s:" */
static int synthetic_length(const struct trace_request *req)
{
	return (int)strcspn(req->synthetic + SYNTHETIC_SKIP, " ");
}

/* It is not there yet, but can be named. */
static int name_synthetic(const struct trace_request *req, struct tfs_strvec *names)
{
	int rc = tfs_strvec_pushf(names, "synthetic:%.*s", synthetic_length(req),
				  req->synthetic + SYNTHETIC_SKIP);

	if (!rc)
		tfs_strvec_sort(names);
	return rc;
}

static int find_events(struct trace_request *req, const struct tfs_root *root,
		       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err)
{
	const struct tc_clauses *c = &req->clauses;
	struct tfs_strvec missing = TFS_STRVEC_INIT;
	unsigned int flags = req->ignore_missing ? TFS_EVENT_IGNORE_MISSING : 0;
	int rc;

	rc = tfs_event_list(root, &found->names, err);
	if (!rc && req->synthetic)
		rc = name_synthetic(req, &found->names);
	if (!rc)
		rc = tfs_event_resolve(c->events, c->n, &found->names, flags, &missing, err);
	for (size_t i = 0; i < missing.n && !rc; i++)
		rc = tfs_strvec_pushf(notices, "there is no event '%s'; it is left out",
				      missing.v[i]);
	tfs_strvec_release(&missing);
	return rc;
}

static int find_in_buffers(struct trace_request *req, const struct tfs_root *root,
			   struct trace_found *found, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		if (buf->tracer)
			rc = tfs_tracer_check(root, buf->tracer, err);
		if (!rc && (buf->options.n || req->no_function || req->no_ftrace) &&
		    !found->options.n)
			rc = tfs_trace_option_list(root, &found->options, err);
		for (size_t k = 0; k < buf->options.n && !rc; k++)
			rc = tfs_trace_option_check(buf->options.v[k], &found->options, err);
		if (!rc)
			rc = tfs_func_filter_resolve(&buf->functions, root, err);
	}
	return rc;
}

/* Is there a buffer that needs no event? */
static bool has_tracer(const struct trace_request *req)
{
	if (trace_find_top(req))
		return true;
	for (size_t i = 0; i < req->n_buffers; i++) {
		if (req->buffers[i].tracer)
			return true;
	}
	return false;
}

int trace_find(struct trace_request *req, const struct tfs_root *root, const char *group,
	       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	int rc;

	rc = find_events(req, root, found, notices, err);
	if (!rc)
		rc = trace_probes_resolve(req, root, group, &found->defs, notices, err);
	if (!rc)
		rc = trace_probes_name(&req->clauses, &found->defs, &found->names);
	if (!rc)
		rc = trace_events(req, &events);
	if (!rc && !events.n && req->ignore_missing && !has_tracer(req))
		rc = tfs_err_say(err, -ENOENT, "nothing to record: none of the events exist");
	if (!rc)
		rc = trace_names_check(req, root, &found->names, err);
	if (!rc)
		rc = find_in_buffers(req, root, found, err);
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot look up the events to record");
	tfs_strvec_release(&events);
	return rc;
}

/* Does nobody trace at the top level, with a tracer or events? 0, or -EBUSY naming what is on */
static int top_is_free(const struct tfs_root *root, struct tfs_err *err)
{
	struct tfs_strbuf tracer = TFS_STRBUF_INIT, events = TFS_STRBUF_INIT;
	int rc;

	rc = tfs_file_read(root, "current_tracer", &tracer, err);
	if (!rc)
		rc = tfs_file_read(root, "set_event", &events, err);
	if (rc)
		goto out;
	tfs_strbuf_rtrim(&tracer);
	if (strcmp(tracer.s, "nop") != 0)
		rc = tfs_err_say(err, -EBUSY,
				 "the top level of tracefs is in use: the tracer is '%s'",
				 tracer.s);
	else if (events.len)
		rc = tfs_err_say(err, -EBUSY,
				 "the top level of tracefs is in use: the event '%.*s' is enabled",
				 (int)strcspn(events.s, "\n"), events.s);
	if (rc)
		tfs_err_hint(
			err,
			"this needs the top level, and there is only one; to free it: echo nop > "
			"%s/current_tracer; echo > %s/set_event",
			tfs_root_path(root), tfs_root_path(root));
out:
	tfs_strbuf_release(&tracer);
	tfs_strbuf_release(&events);
	return rc;
}

/* Its memory is of the kernel's command line: another size, and the next boot finds no events. */
static bool outlives_reboot(const struct trace_buffer *buf, const struct tfs_root *root)
{
	char path[256];

	return !tfs_instance_path(&buf->inst, "last_boot_info", path, sizeof(path)) &&
	       tfs_file_exists(root, path);
}

static int choose_instance(struct trace_buffer *buf, const struct tfs_root *root,
			   struct tfs_journal *journal, struct tfs_err *err)
{
	enum tfs_tracer_where where = TFS_TRACER_ANYWHERE;
	int rc = 0;

	if (root && buf->tracer)
		where = tfs_tracer_find(root, journal, buf->tracer);
	if (where == TFS_TRACER_ANYWHERE) {
		/* The kernel refuses to make an own one that a killed program left. */
		if (root && !buf->inst.own && tfs_instance_exists(root, &buf->inst))
			buf->inst.shared = true;
		if (buf->inst.shared && outlives_reboot(buf, root))
			buf->flags |= TRACE_BUFFER_FIXED;
		return 0;
	}
	if (buf->name && *buf->name) {
		rc = tfs_err_say(
			err, -EINVAL,
			"the kernel has the tracer '%s' at the top level only, not in '%s'",
			buf->tracer, buf->name);
		tfs_err_hint(err, "put -p %s before the first -B", buf->tracer);
		return rc;
	}
	rc = buf->inst.name[0] ? top_is_free(root, err) : 0;
	if (!rc)
		tfs_instance_top(&buf->inst);
	return rc;
}

/* -B '': nobody else is to trace there, and a tracer of the main buffer may have it already. */
static int check_top(const struct trace_request *req, const struct tfs_root *root,
		     struct tfs_err *err)
{
	if (!trace_find_top(req))
		return 0;
	if (!req->buffers[0].inst.name[0] && trace_is_used(req, &req->buffers[0])) {
		tfs_err_say(err, -EINVAL, "the main buffer is that of the top level already");
		tfs_err_hint(err, "it has the markers of programs: leave out -B '' and --markers");
		return -EINVAL;
	}
	return root ? top_is_free(root, err) : 0;
}

/* Also by -O, which waits until tracing is on. */
static bool copies_markers(const struct trace_buffer *buf)
{
	return buf->flags & TRACE_BUFFER_MARKERS ||
	       tfs_strvec_has(&buf->options, TFS_TRACING_COPY_OPTION);
}

/*
 * A buffer that does not take a marker makes the program's write of it fail: -M, or full. What -O
 * says of the copies is the user's own.
 */
static bool takes_all_markers(const struct trace_buffer *buf)
{
	return !buf->mask && !tfs_strvec_has(&buf->options, "nooverwrite") &&
	       !tfs_strvec_has(&buf->options, "no" TFS_TRACING_COPY_OPTION);
}

/*
 * The kernel writes a marker into the buffer of the top level, and since 6.16 copies it to each
 * instance that asks for it. Here it is the first one of the caller's own: others have theirs as
 * they want them.
 */
static void choose_markers(struct trace_request *req, const struct tfs_root *root)
{
	if (!req->markers || !root || trace_find_top(req) || trace_turns_off(req) ||
	    !tfs_file_exists(root, TFS_TRACING_COPY_FILE))
		return;
	for (size_t i = 0; i < req->n_buffers; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		if (!trace_is_used(req, buf) || buf->inst.shared || !buf->inst.name[0] ||
		    buf->flags & TRACE_BUFFER_RECORDER || !takes_all_markers(buf))
			continue;
		buf->flags |= TRACE_BUFFER_MARKERS;
		return;
	}
}

int trace_choose_instances(struct trace_request *req, const struct tfs_root *root,
			   struct tfs_journal *journal, const struct tfs_instance *main_buffer,
			   struct tfs_err *err)
{
	int rc = 0;

	req->buffers[0].inst = *main_buffer;
	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		rc = choose_instance(buf, root, journal, err);
		if (!root || !buf->inst.name[0] || buf->inst.shared ||
		    !tfs_file_exists(root, "buffer_subbuf_size_kb"))
			buf->flags &= ~(unsigned int)TRACE_BUFFER_LARGE_SUBBUFS;
	}
	if (!rc)
		rc = check_top(req, root, err);
	if (!rc)
		choose_markers(req, root);
	return rc;
}

static int plan_size(const struct tfs_instance *inst, const char *file, uint64_t bytes,
		     const char *what, struct tfs_plan *plan)
{
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	uint64_t kib = (bytes + KIB - 1) / KIB;
	int rc;

	rc = tfs_strbuf_addf(&message, "cannot make %s of %" PRIu64 " KiB for each CPU", what, kib);
	if (!rc)
		rc = tfs_instance_write_number(inst, file, kib, message.s, plan);
	tfs_strbuf_release(&message);
	return rc;
}

/*
 * How full a ring buffer is when its reader is woken, in percent. It has to be rare enough to cost
 * little, and early enough to leave most of the ring to a late reader. It is less for a large ring:
 * recent data are still in the CPU's caches, and reading them from memory takes twice as long or
 * more. The kernel counts the sub-buffer that is being written as full (full_hit() in
 * kernel/trace/ring_buffer.c): where that alone were enough, poll() would never wait, and readers
 * that find nothing to take would keep the processors busy (tests/vm/t-lost.sh).
 */
static int plan_percent(const struct trace_buffer *buf, uint64_t bytes, uint64_t subbuf,
			struct tfs_plan *plan)
{
	const uint64_t holds = (subbuf ? subbuf : (uint64_t)sysconf(_SC_PAGESIZE)) - SUBBUF_HEADER;
	const uint64_t n = bytes > 2 * holds ? (bytes + holds - 1) / holds : 2;
	const uint64_t least = 100 / n + 1;
	uint64_t percent = PERCENT;
	int rc;

	if (bytes && WAKE_BYTES * 100 / bytes < percent)
		percent = WAKE_BYTES * 100 / bytes;
	if (percent < least)
		percent = least;
	if (buf->flags & TRACE_BUFFER_AT_ONCE)
		percent = 0;
	rc = tfs_instance_write_number(&buf->inst, "buffer_percent", percent, NULL, plan);
	return rc ? rc : tfs_plan_optional(plan, "the recorder will be woken more often");
}

/* The size of sub-buffers first: a ring buffer has a whole number of them. */
static int plan_sizes(const struct trace_request *req, const struct trace_buffer *buf,
		      struct tfs_plan *plan)
{
	const struct trace_buffer *main_buffer = &req->buffers[0];
	uint64_t bytes = buf->buffer_bytes ? buf->buffer_bytes : main_buffer->buffer_bytes;
	uint64_t subbuf = buf->subbuf_bytes ? buf->subbuf_bytes : main_buffer->subbuf_bytes;
	int rc = 0;

	if (!subbuf && buf->flags & TRACE_BUFFER_LARGE_SUBBUFS && bytes >= LARGE_BUFFER)
		subbuf = LARGE_SUBBUF;
	if (subbuf && !(buf->flags & TRACE_BUFFER_FIXED))
		rc = plan_size(&buf->inst, "buffer_subbuf_size_kb", subbuf, "sub-buffers", plan);
	if (!rc && !(buf->flags & TRACE_BUFFER_FIXED))
		rc = plan_size(&buf->inst, "buffer_size_kb", bytes, "a ring buffer", plan);
	if (!rc && buf->text_bytes)
		rc = tfs_instance_write_number(&buf->inst, "syscall_user_buf_size", buf->text_bytes,
					       NULL, plan);
	if (!rc && buf->text_bytes)
		rc = tfs_plan_optional(plan, "long strings of system calls are cut earlier");
	return rc ? rc : plan_percent(buf, bytes, subbuf, plan);
}

/* The top level may have a clock of somebody's; that of a new instance is "local". */
static int plan_clock(const struct trace_request *req, const struct trace_buffer *buf,
		      struct tfs_plan *plan)
{
	const char *clock = buf->clock ? buf->clock : req->buffers[0].clock;
	const struct tfs_instance *inst = &buf->inst;
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	int rc;

	if (!clock && buf->name && !*buf->name)
		clock = "local";
	if (!clock)
		return 0;
	rc = tfs_strbuf_addf(&message, "cannot use the clock '%s'", clock);
	if (!rc)
		rc = tfs_instance_write(inst, "trace_clock", clock, message.s, plan);
	tfs_strbuf_release(&message);
	return rc;
}

static int plan_pid_list(const struct tfs_instance *inst, const char *file,
			 const struct tfs_strvec *pids, const char *says, struct tfs_plan *plan)
{
	struct tfs_strbuf piece = TFS_STRBUF_INIT;
	size_t at = 0;
	int rc = 0;

	while (at < pids->n && !rc) {
		rc = trace_pids_piece(pids, &at, &piece);
		if (!rc)
			rc = tfs_instance_append(inst, file, piece.s, says, plan);
	}
	tfs_strbuf_release(&piece);
	return rc;
}

bool trace_has_functions(const struct trace_buffer *buf)
{
	return buf->tracer &&
	       (tfs_tracer_is_function(buf->tracer) || tfs_tracer_is_latency(buf->tracer));
}

static int plan_pids(const struct trace_request *req, const struct trace_buffer *buf,
		     struct tfs_plan *plan)
{
	static const char cannot[] = "cannot follow children";
	const bool follow = trace_follows(req, buf) && !(buf->flags & TRACE_BUFFER_ALL_TASKS);
	const bool functions = trace_has_functions(buf) && (buf->threads.n || req->only_command);
	int rc = 0;

	/* Before the pids: what they fork from then on is added (kernel: trace/ftrace.rst). */
	if (follow)
		rc = tfs_instance_write(&buf->inst, "options/event-fork", "1", cannot, plan);
	if (!rc && follow && functions)
		rc = tfs_instance_write(&buf->inst, "options/function-fork", "1", cannot, plan);
	if (!rc)
		rc = plan_pid_list(&buf->inst, "set_event_pid", &buf->threads,
				   "cannot restrict events to a pid", plan);
	if (!rc && functions)
		rc = plan_pid_list(&buf->inst, "set_ftrace_pid", &buf->threads,
				   "cannot restrict functions to a pid", plan);
	return rc;
}

/* For the whole system, until the plan is undone */
static int plan_no_ftrace(struct tfs_plan *plan)
{
	int rc = tfs_plan_write(plan, FTRACE_ENABLED, "0");

	if (!rc)
		rc = tfs_plan_says(plan, "cannot disable function tracing", NULL);
	return rc ? rc : tfs_plan_undo_restore(plan);
}

static int plan_options(const struct trace_request *req, const struct trace_buffer *buf,
			const struct trace_found *found, struct tfs_plan *plan)
{
	const bool off = (req->no_function || req->no_ftrace) && buf->tracer;
	const bool has = tfs_strvec_has(&found->options, "function-trace");
	int rc = 0;

	for (size_t i = 0; i < buf->options.n && !rc; i++)
		if (strcmp(buf->options.v[i], TFS_TRACING_COPY_OPTION) != 0)
			rc = tfs_trace_option_plan(&buf->inst, buf->options.v[i], &found->options,
						   plan);
	if (!rc && off && has)
		rc = tfs_trace_option_plan(&buf->inst, "nofunction-trace", &found->options, plan);
	if (!rc && (req->no_ftrace || (off && !has)))
		rc = plan_no_ftrace(plan);
	return rc;
}

static int plan_tracer(const struct trace_buffer *buf, const struct trace_found *found,
		       struct tfs_plan *plan)
{
	int rc = 0;

	if (buf->tracer)
		rc = tfs_func_filter_plan(&buf->functions, &buf->inst, plan);
	if (!rc && buf->graph_depth)
		rc = tfs_func_graph_depth_plan(buf->depth, plan);
	if (!rc && buf->tracer)
		rc = tfs_tracer_plan(&buf->inst, buf->tracer, plan);
	if (!rc && buf->func_stack)
		rc = tfs_trace_option_plan(&buf->inst, "func_stack_trace", &found->options, plan);
	return rc;
}

static int plan_buffer(const struct trace_request *req, const struct trace_buffer *buf,
		       const struct trace_found *found, struct tfs_plan *plan)
{
	int rc;

	rc = tfs_instance_plan(&buf->inst, plan);
	if (!rc && buf->inst.shared && !req->keep_before)
		rc = tfs_instance_clear(&buf->inst, plan);
	if (!rc)
		rc = plan_sizes(req, buf, plan);
	if (!rc)
		rc = plan_clock(req, buf, plan);
	if (!rc && buf->mask)
		rc = tfs_instance_write(&buf->inst, "tracing_cpumask", buf->mask,
					"cannot restrict tracing to these CPUs", plan);
	if (!rc)
		rc = plan_options(req, buf, found, plan);
	if (!rc)
		rc = plan_pids(req, buf, plan);
	return rc ? rc : plan_tracer(buf, found, plan);
}

/* There is one list for all instances. */
static int plan_cmdlines(uint64_t n, struct tfs_plan *plan)
{
	struct tfs_instance top;

	tfs_instance_top(&top);
	return tfs_instance_write_number(&top, "saved_cmdlines_size", n,
					 "cannot keep so many names of tasks", plan);
}

static int plan_synthetic(const struct trace_request *req, struct tfs_plan *plan)
{
	struct tfs_strbuf undo = TFS_STRBUF_INIT;
	int rc = tfs_plan_append(plan, "dynamic_events", req->synthetic);

	if (!rc)
		rc = tfs_plan_says(plan, "cannot define a synthetic event", req->synthetic);
	if (!rc)
		rc = tfs_strbuf_addf(&undo, "-:synthetic/%.*s", synthetic_length(req),
				     req->synthetic + SYNTHETIC_SKIP);
	if (!rc)
		rc = tfs_plan_undo_append(plan, "dynamic_events", undo.s);
	tfs_strbuf_release(&undo);
	return rc;
}

/* Probes have to be defined before the instances are set up. */
int trace_plan(const struct trace_request *req, const struct trace_found *found,
	       struct tfs_plan *plan, struct tfs_err *err)
{
	int rc = tfs_probe_define_plan(&found->defs, plan);

	if (!rc && req->synthetic)
		rc = plan_synthetic(req, plan);
	if (!rc && req->cmdlines_size)
		rc = plan_cmdlines(req->cmdlines_size, plan);
	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &req->buffers[i];

		if (!trace_is_used(req, buf))
			continue;
		rc = plan_buffer(req, buf, found, plan);
		if (!rc && buf->n)
			rc = tfs_event_plan(&req->clauses.events[buf->first], buf->n, &found->names,
					    &buf->inst, plan, err);
	}
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot plan the recording");
	return rc;
}

static int plan_notrace(const struct trace_buffer *buf, const struct tfs_strvec *own,
			struct tfs_plan *plan)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < own->n && !rc; i++)
		rc = tfs_strbuf_addf(&list, "%s%s", i ? " " : "", own->v[i]);
	if (!rc && own->n)
		rc = tfs_instance_append(&buf->inst, "set_event_notrace_pid", list.s, NULL, plan);
	if (!rc && own->n)
		rc = tfs_plan_optional(plan, "events of the recorder itself are recorded too");
	if (!rc && own->n && trace_has_functions(buf)) {
		rc = tfs_instance_append(&buf->inst, "set_ftrace_notrace_pid", list.s, NULL, plan);
		if (!rc)
			rc = tfs_plan_optional(plan, "the recorder's own functions are traced too");
	}
	tfs_strbuf_release(&list);
	return rc;
}

static int plan_on(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	char path[sizeof(inst->prefix) + sizeof("tracing_on")];
	int rc = tfs_instance_path(inst, "tracing_on", path, sizeof(path));

	if (!rc)
		rc = tfs_plan_write(plan, path, "1");
	if (!rc)
		rc = tfs_plan_says(plan, "cannot start recording", NULL);
	/* Recording ends before anything else is taken back. */
	return rc ? rc : tfs_plan_undo_write(plan, path, "0");
}

/* Does the buffer hold nothing before COMMAND's exec, and does it not count that event itself? */
static bool begins_with_exec(const struct trace_request *req, const struct trace_buffer *buf,
			     const struct trace_found *found)
{
	if (!req->from_exec || !req->only_command || buf->threads.n != 1 ||
	    buf->flags & TRACE_BUFFER_ALL_TASKS || !tfs_strvec_has(&found->names, EXEC_EVENT))
		return false;
	for (size_t i = 0; i < buf->n; i++) {
		/* A whole system is "sched:*". */
		const struct tfs_strvec *matched = &req->clauses.events[buf->first + i].matched;

		for (size_t k = 0; k < matched->n; k++)
			if (!fnmatch(matched->v[k], EXEC_EVENT, 0))
				return false;
	}
	return true;
}

/* A trigger turns tracing on in the middle of execve, once (kernel: trace/events.rst, 6.2). */
static int plan_on_at_exec(const struct trace_buffer *buf, struct tfs_plan *plan)
{
	char path[sizeof(buf->inst.prefix) + sizeof(EXEC_TRIGGER)], trigger[64],
		undo[sizeof(trigger) + 1];
	int rc = tfs_instance_path(&buf->inst, EXEC_TRIGGER, path, sizeof(path));

	snprintf(trigger, sizeof(trigger), "traceon:1 if common_pid == %.20s", buf->threads.v[0]);
	snprintf(undo, sizeof(undo), "!%s", trigger);
	if (!rc)
		rc = tfs_plan_append(plan, path, trigger);
	if (!rc)
		rc = tfs_plan_says(plan, "cannot start recording", NULL);
	return rc ? rc : tfs_plan_undo_append(plan, path, undo);
}

int trace_plan_start(const struct trace_request *req, const struct trace_found *found,
		     const struct tfs_strvec *own, struct tfs_plan *plan, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &req->buffers[i];

		if (trace_is_used(req, buf) && !req->no_filter &&
		    !(buf->flags & TRACE_BUFFER_RECORDER))
			rc = plan_notrace(buf, own, plan);
	}
	/* One after the other, as close together as can be. */
	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &req->buffers[i];

		if (trace_is_used(req, buf))
			rc = begins_with_exec(req, buf, found) ? plan_on_at_exec(buf, plan) :
								 plan_on(&buf->inst, plan);
		if (!rc && trace_is_used(req, buf) && copies_markers(buf))
			rc = tfs_tracing_copy_plan(&buf->inst, plan);
	}
	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &req->buffers[i];

		if (trace_is_used(req, buf) && buf->n)
			rc = tfs_event_plan_counted(&req->clauses.events[buf->first], buf->n,
						    &found->names, &buf->inst, plan, err);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot plan the recording");
	return rc;
}

bool trace_turns_off(const struct trace_request *req)
{
	static const char word[] = "traceoff";
	bool off = false;

	for (size_t i = 0; i < req->clauses.n; i++)
		for (size_t k = 0; k < req->clauses.events[i].triggers.n; k++)
			off |= strstr(req->clauses.events[i].triggers.v[k], word) != NULL;
	for (size_t i = 0; i < req->n_buffers; i++)
		for (size_t k = 0; k < req->buffers[i].functions.only.n; k++)
			off |= strstr(req->buffers[i].functions.only.v[k], word) != NULL;
	return off;
}

int trace_switch_off(const struct trace_request *req, const struct tfs_root *root,
		     struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers; i++) {
		int one;

		if (!trace_is_used(req, &req->buffers[i]))
			continue;
		one = tfs_tracing_off(root, &req->buffers[i].inst, NULL, rc ? NULL : err);
		rc = rc ? rc : one;
	}
	return rc;
}

int trace_events(const struct trace_request *req, struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		const struct tfs_event_spec *spec = &req->clauses.events[i];

		for (size_t k = 0; k < spec->matched.n && !spec->exclude && !rc; k++) {
			if (!tfs_strvec_has(out, spec->matched.v[k]))
				rc = tfs_strvec_push(out, spec->matched.v[k]);
		}
		for (size_t k = 0; k < spec->triggers.n && spec->matched.n && !rc; k++)
			rc = tfs_event_of_trigger(spec->triggers.v[k], out);
	}
	return rc;
}
