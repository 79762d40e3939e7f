/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-live.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/pid-ns.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/command.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "decode/trace.h"
#include "record/live.h"
#include "record/outer-pid.h"
#include "record/threads.h"
#include "record/watch.h"
#include "trace-command.h"
#include "trace-journal.h"
#include "trace-lock.h"
#include "trace-opts.h"
#include "trace-plan.h"
#include "trace-tasks.h"
#include "tracedat/dat-lost.h"
#include "tracedat/event-source.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

#define NS_PER_SEC UINT64_C(1000000000)
#define NS_PER_MS 1000000
/* How often it is looked whether the traced tasks are still there */
#define LOOK_NS (100 * UINT64_C(1000000))

/*
 * struct trace_live - one run
 * @plan: all changes to tracefs; applied in two steps, rolled back at the end
 * @events: that the buffers may hold
 * @command: COMMAND and signals
 * @pids: the numbers that the kernel has for COMMAND and this program
 * @watches: of the buffers' settings; NULL: not begun
 * @signs: what others did to them, of these watches
 * @joins: tasks that come into the cgroups and containers
 * @refused: COMMAND could not be executed
 * @started: tracing was turned on, and COMMAND runs
 * @off: tracing was turned off
 * @looked_ns: when the traced tasks were last looked for
 */
struct trace_live {
	struct trace_live_opts opts;
	struct tfs_root *root;
	struct tfs_journal *journal;
	struct trace_found found;
	struct tfs_plan *plan;
	struct tfs_strvec events, own;
	struct trace_command command;
	struct trace_pids pids;
	struct tfs_event_source *source;
	struct tfs_trace *trace;
	struct tfs_watch *watches;
	struct trace_joins joins;
	unsigned int signs;
	bool refused, started, off;
	uint64_t started_ns, ended_ns, looked_ns;
};

uint64_t trace_live_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

static bool is_quiet(const struct trace_live *live)
{
	return live->opts.flags & TRACE_LIVE_QUIET;
}

static void print_lines(const struct trace_live *live, const struct tfs_strvec *lines)
{
	if (!is_quiet(live))
		tc_msg_notices(live->opts.program, lines);
}

static void print_notices(const struct trace_live *live)
{
	for (size_t i = 0; i < tfs_plan_notices(live->plan) && !is_quiet(live); i++)
		tc_msg_notice(live->opts.program, "%s", tfs_plan_notice(live->plan, i)->msg);
}

/* The group of the probes has this process's pid, so that their names are free. */
static int find(struct trace_live *live, struct tfs_err *err)
{
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	char group[64], tag[TFS_PID_TAG_SIZE];
	int rc;

	tfs_pid_tag(tag, '_');
	snprintf(group, sizeof(group), "%.10s_%s", live->opts.program, tag);
	for (char *p = group; *p; p++)
		if (*p == '-')
			*p = '_';
	rc = trace_find(live->opts.req, live->root, group, &live->found, &notices, err);
	if (!rc)
		print_lines(live, &notices);
	tfs_strvec_release(&notices);
	if (!rc)
		rc = trace_events(live->opts.req, &live->events);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot look up the events") : rc;
}

/* PROGRAM.PID for the main buffer, PROGRAM.PID.N for the others */
static int choose_instances(struct trace_live *live, struct tfs_err *err)
{
	struct trace_request *req = live->opts.req;
	struct tfs_instance main_buffer;
	char part[24];
	int rc = 0;

	tfs_instance_private(&main_buffer, live->opts.program);
	for (size_t i = 1; i < req->n_buffers && !rc; i++) {
		snprintf(part, sizeof(part), "%zu", i);
		rc = tfs_instance_beside(&req->buffers[i].inst, &main_buffer, part);
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot name an instance");
	return trace_choose_instances(req, live->root, live->journal, &main_buffer, err);
}

static int set_up(struct trace_live *live, struct tfs_err *err)
{
	struct trace_request *req = live->opts.req;
	int rc = choose_instances(live, err);

	if (!rc)
		trace_pids_begin(&live->pids, live->root, live->journal);
	if (!rc && req->command)
		rc = tc_child_fork(&live->command.child, req->command, live->opts.user, err);
	if (!rc)
		rc = trace_find_tasks(req, live->command.child.pid, &live->pids, err);
	if (!rc)
		rc = trace_plan(req, &live->found, live->plan, err);
	if (!rc)
		rc = tfs_plan_apply(live->plan, err);
	if (!rc)
		rc = trace_joins_complete(req, live->root, err);
	if (!rc)
		print_notices(live);
	return rc;
}

/* Only one that nobody else reads events of counts what others had put there. */
static unsigned int known_signs(const struct trace_live *live)
{
	const bool counts = live->opts.flags & TRACE_LIVE_NO_SOURCE;

	if (counts && (live->signs & TFS_WATCH_ADDED))
		return (live->signs & ~TFS_WATCH_ADDED) | TFS_DAT_LOST_EVENTS;
	return live->signs & ~TFS_WATCH_ADDED;
}

unsigned int trace_live_signs(struct trace_live *live)
{
	const struct trace_request *req = live->opts.req;

	for (size_t i = 0; live->watches && !live->off && i < req->n_buffers; i++)
		live->signs |= tfs_watch_look(&live->watches[i], !trace_turns_off(req));
	return known_signs(live);
}

/* Traces the tasks, too, that came into the cgroups. */
static void take_joins(struct trace_live *live)
{
	struct trace_request *req = live->opts.req;

	if (live->off || !trace_joins_look(&live->joins, req, live->root))
		return;
	trace_live_signs(live);
	trace_joins_list(req, live->root, NULL);
	for (size_t i = 0; live->watches && i < req->n_buffers; i++)
		tfs_watch_listed(&live->watches[i]);
}

/* From here on changes are not this program's doing. Without memory nobody watches. */
static void begin_watches(struct trace_live *live)
{
	const struct trace_request *req = live->opts.req;

	live->watches = calloc(req->n_buffers, sizeof(*live->watches));
	for (size_t i = 0; live->watches && i < req->n_buffers; i++)
		if (trace_is_used(req, &req->buffers[i]))
			tfs_watch_begin(&live->watches[i], live->root, &req->buffers[i].inst);
}

static void free_watches(struct trace_live *live)
{
	for (size_t i = 0; live->watches && i < live->opts.req->n_buffers; i++)
		tfs_watch_release(&live->watches[i]);
	free(live->watches);
	live->watches = NULL;
}

int trace_live_stop(struct trace_live *live, struct tfs_err *err)
{
	if (live->off)
		return 0;
	trace_live_signs(live);
	live->off = true;
	if (!live->ended_ns)
		live->ended_ns = trace_live_now_ns();
	return trace_switch_off(live->opts.req, live->root, err);
}

/* A zombie does nothing any more, whenever its parent waits for it (proc(5): /proc/PID/stat). */
static bool is_alive(const char *pid)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[64];
	const char *state = NULL;
	bool alive;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	if (!tfs_read_path(path, &text))
		state = strrchr(text.s, ')');
	alive = state && state[1] && state[2] != 'Z' && state[2] != 'X';
	tfs_strbuf_release(&text);
	return alive;
}

static bool is_own_thread(const char *tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%.20s", tid);
	return !access(path, F_OK);
}

/* This program, with the threads it makes, may stand for tasks to come (trace_buffer.nobody). */
static bool is_any_alive(const struct tfs_strvec *pids)
{
	for (size_t i = 0; i < pids->n; i++)
		if (!is_own_thread(pids->v[i]) && is_alive(pids->v[i]))
			return true;
	return false;
}

/*
 * The kernel adds children to the list, if they are followed, and removes those that have ended
 * (kernel: trace/ftrace.rst). In a container its numbers say nothing to /proc.
 */
static bool is_any_followed(const struct trace_live *live, const struct trace_buffer *buf)
{
	struct tfs_strvec pids = TFS_STRVEC_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool any;

	/* As long as that cannot be known, there may be some. */
	any = tfs_instance_read(live->root, &buf->inst, "set_event_pid", &text, NULL) ||
	      tfs_strvec_split(&pids, text.s, "\n") ||
	      (tfs_proc_shows_events() ? is_any_alive(&pids) : pids.n > 0);
	tfs_strvec_release(&pids);
	tfs_strbuf_release(&text);
	return any;
}

/* Has every task ended that the run is restricted to? */
static bool have_tasks_ended(struct trace_live *live)
{
	const struct trace_request *req = live->opts.req;
	const struct trace_buffer *buf = &req->buffers[0];
	const uint64_t now = trace_live_now_ns();

	if (!buf->threads.n || now < live->looked_ns + LOOK_NS)
		return false;
	if (buf->nobody)
		return false;
	live->looked_ns = now;
	return trace_follows(req, buf) ? !is_any_followed(live, buf) : !is_any_alive(&buf->tasks);
}

/* Handles signals and looks around. Return: 1 when the run is to end at once, 0, -errno */
static int look(struct trace_live *live, struct tfs_err *err)
{
	const struct trace_request *req = live->opts.req;
	const bool until_last = (live->opts.flags & TRACE_LIVE_UNTIL_LAST) &&
				req->buffers[0].threads.n;
	struct trace_command *c = &live->command;
	bool end = false;
	int sig;

	take_joins(live);
	while ((sig = trace_command_signal(c))) {
		if (c->ended_by)
			return 1;
		c->ended_by = sig;
		end = true;
	}
	if (!end && req->command && !until_last)
		end = c->has_status;
	else if (!end)
		end = have_tasks_ended(live);
	return end ? trace_live_stop(live, err) : 0;
}

static int tick(void *context, struct tfs_err *err)
{
	struct trace_live *live = context;
	int rc = look(live, err);

	if (rc || !live->opts.tick)
		return rc;
	rc = live->opts.tick(live->opts.context, err);
	/* Events until now are still shown. */
	return rc > 0 ? trace_live_stop(live, err) : rc;
}

static int page(void *context, unsigned int cpu, const void *page, struct tfs_err *err)
{
	struct trace_live *live = context;

	return live->opts.page(live->opts.context, cpu, page, err);
}

static int open_source(struct trace_live *live, struct tfs_err *err)
{
	const struct tfs_live_opts opts = {
		.root = live->root,
		.inst = &live->opts.req->buffers[0].inst,
		.events = &live->events,
		.keep_open = true,
		.at_once = live->opts.flags & TRACE_LIVE_AT_ONCE,
		.follow = live->opts.flags & TRACE_LIVE_FOLLOW,
		.stop_fd = -1,
		.tick = tick,
		.page = live->opts.page ? page : NULL,
		.context = live,
	};
	struct tfs_dat *dat = NULL;
	int rc = tfs_live_open(&opts, &dat, &live->source, err);

	return rc ? rc : tfs_trace_open_dat(dat, NULL, &live->trace, err);
}

static int roll_back(struct trace_live *live, struct tfs_err *err)
{
	struct tfs_err undo = TFS_ERR_INIT;
	int rc;

	trace_pids_end(&live->pids);
	if (!live->plan)
		return 0;
	rc = tfs_plan_rollback(live->plan, &undo);
	print_notices(live);
	tfs_journal_done(live->journal);
	tfs_plan_set_journal(live->plan, NULL);
	live->journal = NULL;
	if (rc && !err->code)
		*err = undo;
	else if (rc)
		tc_msg_error(live->opts.program, &undo);
	return rc;
}

static void free_live(struct trace_live *live)
{
	tfs_plan_free(live->plan);
	trace_found_release(&live->found);
	tfs_strvec_release(&live->events);
	tfs_strvec_release(&live->own);
	tfs_root_free(live->root);
	tfs_close(&live->command.signals);
	free(live);
}

/* Others read or changed the ring buffer. */
static void show_disturbed(const struct trace_live *live)
{
	struct tfs_strvec lines = TFS_STRVEC_INIT;
	struct tfs_dat_lost lost = { .taken = 0 };

	if (!live->started)
		return;
	if (live->source)
		lost = tfs_live_lost(live->source);
	lost.signs |= known_signs(live);
	if (lost.dropped)
		tc_msg_notice(live->opts.program,
			      "%" PRIu64 " events found no room in the ring buffer, which another "
			      "program set not to overwrite: they are missing here",
			      lost.dropped);
	if (!tfs_dat_lost_say(&lost, &lines))
		tc_msg_notices(live->opts.program, &lines);
	tfs_strvec_release(&lines);
}

static void close_source(struct trace_live *live)
{
	tfs_event_source_free(live->source);
	tfs_trace_free(live->trace);
	live->source = NULL;
	live->trace = NULL;
}

/* Whatever can fail before something is changed */
static int prepare(struct trace_live *live, int *status, struct tfs_err *err)
{
	char **command = live->opts.req->command;
	int rc = command ? tc_child_find(command[0], err) : 0;

	if (rc) {
		*status = trace_command_refused(rc);
		return rc;
	}
	rc = tfs_root_open(NULL, &live->root, err);
	if (!rc)
		trace_lock_wait(live->root, live->opts.program,
				is_quiet(live) ? TRACE_LOCK_QUIET : 0);
	if (!rc)
		rc = tfs_plan_new(live->root, &live->plan);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot plan the tracing") : rc;
}

/* Probes of the program itself are there before events are looked up. */
static int find_all(struct trace_live *live, int *status, struct tfs_err *err)
{
	struct trace_request *req = live->opts.req;
	int rc = live->opts.define ?
			 live->opts.define(live->opts.context, live->root, live->plan, err) :
			 0;

	if (!rc && live->opts.define)
		rc = trace_check(req, err);
	if (!rc)
		rc = find(live, err);
	if (rc == -ENOENT && live->found.names.n)
		*status = TC_EXIT_USAGE;
	return rc;
}

int trace_live_open(const struct trace_live_opts *opts, struct trace_live **out, int *status,
		    struct tfs_err *err)
{
	struct trace_live *live = calloc(1, sizeof(*live));
	int rc;

	*status = TC_EXIT_FAILED;
	if (!live)
		return tfs_err_set(err, -ENOMEM, "cannot trace");
	live->opts = *opts;
	live->opts.req->joins = true;
	live->command = (struct trace_command)TRACE_COMMAND_INIT;
	tc_signals_accept();
	rc = prepare(live, status, err);
	if (!rc) {
		live->command.signals = tc_signals_fd(err);
		rc = live->command.signals < 0 ? live->command.signals : 0;
	}
	if (!rc) {
		live->journal = trace_journal_begin(live->root, opts->program,
						    is_quiet(live) ? TRACE_JOURNAL_QUIET : 0);
		tfs_plan_set_journal(live->plan, live->journal);
		rc = find_all(live, status, err);
	}
	if (!rc)
		rc = set_up(live, err);
	if (!rc && !(opts->flags & TRACE_LIVE_NO_SOURCE))
		rc = open_source(live, err);
	if (rc) {
		tc_child_kill(&live->command.child);
		close_source(live);
		roll_back(live, err);
		free_live(live);
		return rc;
	}
	*out = live;
	return 0;
}

const struct tfs_root *trace_live_root(const struct trace_live *live)
{
	return live->root;
}

const struct trace_found *trace_live_found(const struct trace_live *live)
{
	return &live->found;
}

struct tfs_trace *trace_live_trace(struct trace_live *live)
{
	return live->trace;
}

struct tfs_event_source *trace_live_source(struct trace_live *live)
{
	return live->source;
}

const struct tfs_strvec *trace_live_events(const struct trace_live *live)
{
	return &live->events;
}

const struct tfs_strvec *trace_live_own(const struct trace_live *live)
{
	return &live->own;
}

struct tfs_journal *trace_live_journal(struct trace_live *live)
{
	return live->journal;
}

const struct trace_command *trace_live_command(const struct trace_live *live)
{
	return &live->command;
}

uint64_t trace_live_started_ns(const struct trace_live *live)
{
	return live->started_ns;
}

uint64_t trace_live_ended_ns(const struct trace_live *live)
{
	return live->ended_ns;
}

int trace_live_start(struct trace_live *live, struct tfs_err *err)
{
	struct trace_command *c = &live->command;
	struct tfs_strvec *own = &live->own;
	const char *notice = NULL;
	int rc = tfs_threads_add("self", own);

	if (!rc)
		rc = trace_pids_own(&live->pids, c->child.pid > 0, own, &notice);
	trace_pids_end(&live->pids);
	if (!rc && notice && !is_quiet(live))
		tc_msg_notice(live->opts.program, "%s", notice);
	if (rc)
		tfs_err_set(err, rc, "cannot list the threads of this program");
	else
		rc = trace_plan_start(live->opts.req, &live->found, own, live->plan, err);
	if (!rc)
		rc = tfs_plan_apply(live->plan, err);
	if (!rc) {
		begin_watches(live);
		print_notices(live);
	}
	live->started_ns = trace_live_now_ns();
	if (!rc && c->child.pid > 0) {
		rc = tc_child_go(&c->child, err);
		live->refused = rc && c->child.pid <= 0;
	}
	live->started = !rc;
	return rc;
}

int trace_live_wait(struct trace_live *live, int64_t ns, struct tfs_err *err)
{
	const uint64_t until = trace_live_now_ns() + (ns > 0 ? (uint64_t)ns : 0);
	struct pollfd fd = { .fd = live->command.signals, .events = POLLIN };
	int rc;

	for (;;) {
		uint64_t now, wait = LOOK_NS, joins;

		rc = look(live, err);
		if (rc || live->off)
			return rc < 0 ? rc : 1;
		now = trace_live_now_ns();
		if (ns >= 0 && now >= until)
			return 0;
		if (ns >= 0 && until - now < wait)
			wait = until - now;
		joins = trace_joins_wait(&live->joins);
		if (trace_has_groups(live->opts.req) && joins < wait)
			wait = joins;
		poll(&fd, 1, (int)((wait + NS_PER_MS - 1) / NS_PER_MS));
	}
}

int trace_live_end(struct trace_live *live, int rc, struct tfs_err *err)
{
	struct trace_command *c = &live->command;
	int off, undone, status = TC_EXIT_FAILED;

	off = trace_live_stop(live, rc ? NULL : err);
	show_disturbed(live);
	free_watches(live);
	close_source(live);
	if (!live->started)
		tc_child_kill(&c->child);
	undone = roll_back(live, err);
	if (c->child.pid > 0 && err->code) {
		/* At once: COMMAND may go on for hours. */
		if (err->code != -EPIPE)
			tc_msg_error(live->opts.program, err);
		tfs_err_clear(err);
	}
	if (live->started)
		trace_command_wait(c);
	if (live->refused)
		status = trace_command_refused(rc);
	else if (live->started && !rc && !off && !undone)
		status = trace_command_status(c, live->opts.req->command);
	free_live(live);
	return status;
}
