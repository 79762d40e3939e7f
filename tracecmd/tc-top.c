/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/signals.h"
#include "decode/clock.h"
#include "decode/trace.h"
#include "main.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "tc-report-syscalls.h"
#include "tc-top-cgroups.h"
#include "tc-top-keys.h"
#include "tc-top-opts.h"
#include "tc-top-record.h"
#include "tc-top-screen.h"
#include "strace/call-abi.h"
#include "top/top.h"
#include "trace-live.h"
#include "trace-plan.h"
#include "tracedat/dat-read.h"
#include "tracedat/event-source.h"
#include "tracedat/merge.h"

#define NS_PER_SEC UINT64_C(1000000000)
#define NS_PER_MS 1000000

/* Names of tasks are read four times a second at most. */
#define NAMES_TICKS 25

/* A terminal whose size is not known, as old as they come */
#define WIDTH 80
#define HEIGHT 24

/*
 * One run. Objects in the order in which they are made
 * @signals: of a recording that is played: what ends the program
 * @sizes: SIGWINCH and SIGTSTP; -1: without a screen
 * @begun: when the interval began, CLOCK_MONOTONIC; @cpu: own CPU time then
 * @record: of a live run
 * @pages: shown so far; @wrote: 0, or why the last was not written
 * @done: a key, or the number of pages, ended it
 * @status: of the program, if it is not 0 after a failure
 */
struct top {
	const struct top_request *req;
	struct top_state state;
	struct top_cgroups cgroups;
	struct trace_live *live;
	struct tfs_trace *trace;
	struct tfs_top *top;
	struct tfs_view *view;
	struct tfs_out *out;
	struct top_screen *screen;
	struct top_record record;
	int signals, sizes;
	int abi;
	uint64_t begun, cpu, pages;
	int wrote;
	bool done;
	int status;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * NS_PER_SEC + (uint64_t)t.tv_nsec;
}

/* The size of the page: of the screen, of the terminal, or without limits */
static void set_size(struct top *t)
{
	struct tfs_top_page_opts *o = &t->state.opts;
	struct winsize size;

	if (t->screen) {
		top_screen_size(t->screen, &o->width, &o->height);
	} else if (t->req->plain || (!t->req->batch && isatty(STDOUT_FILENO))) {
		bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col && size.ws_row;

		o->width = known ? size.ws_col : WIDTH;
		o->height = known ? size.ws_row - 1U : HEIGHT - 1;
	}
}

/* Make the page and show it. On paper there is an empty line between two. */
static int show(struct top *t)
{
	int rc;

	set_size(t);
	t->state.recording = t->record.keep != NULL;
	rc = top_state_page(&t->state);
	if (rc)
		return rc;
	if (t->screen) {
		top_screen_draw(t->screen, &t->state.page);
		return 0;
	}
	rc = t->pages > 1 ? tfs_out_puts(t->out, "\n") : 0;
	if (!rc)
		rc = tfs_out_write(t->out, t->state.page.text.s, t->state.page.text.len);
	t->wrote = rc ? rc : tfs_out_flush(t->out);
	return t->wrote;
}

/* The caller decides whether a closed pipe (-EPIPE) is worth a message. */
static int not_shown(const struct top *t, int rc, struct tfs_err *err)
{
	return tfs_err_set(err, rc, t->wrote ? "cannot write the table" : "cannot show the table");
}

/* An interval is over */
static int next_page(struct top *t)
{
	int rc = 0;

	t->pages++;
	if (t->req->pages && t->pages >= t->req->pages)
		t->done = true;
	if (!t->state.frozen)
		rc = tfs_top_snapshot(t->top, &t->state.snap);
	return rc ? rc : show(t);
}

/* Say on the bottom line how the file ended. */
static void end_record(struct top *t)
{
	struct tfs_strbuf said = TFS_STRBUF_INIT;

	top_record_end(&t->record, &said);
	top_state_say(&t->state, t->record.failed.code ? t->record.failed.msg : said.s);
	tfs_strbuf_release(&said);
}

/* The key w */
static void switch_record(struct top *t)
{
	struct tfs_err err = TFS_ERR_INIT;

	if (!t->live)
		top_state_say(&t->state, "this is a recording already");
	else if (t->record.keep)
		end_record(t);
	else if (top_record_begin(&t->record, t->live, &t->req->trace.buffers[0].inst, NULL, &err))
		top_state_say(&t->state, err.msg);
	else
		top_state_say(&t->state, "what happens from here on is recorded; w ends it");
}

/* A key was pressed: do what it asks for */
static int press(struct top *t, int key, struct tfs_err *err)
{
	unsigned int effect = top_state_key(&t->state, key);
	int rc = 0;

	if (effect & TOP_EFFECT_QUIT)
		t->done = true;
	if (effect & TOP_EFFECT_ZERO)
		tfs_top_zero(t->top);
	if (effect & TOP_EFFECT_RECORD)
		switch_record(t);
	if (effect & TOP_EFFECT_INTERVAL)
		tfs_top_set_interval(t->top, t->state.interval);
	if (effect & TOP_EFFECT_COUNT)
		rc = tfs_top_show(t->top, t->state.by, t->state.task, err);
	/* An empty table until the interval is over */
	if (!rc && effect & (TOP_EFFECT_COUNT | TOP_EFFECT_ZERO)) {
		t->state.frozen = false;
		t->state.snap.n = 0;
		t->state.snap.by = t->state.by;
	}
	return rc;
}

/* Back to the shell, until it lets us go on: what it would do without a screen */
static void stop(struct top *t)
{
	top_screen_pause(t->screen);
	kill(getpid(), SIGSTOP);
	top_screen_resize(t->screen);
}

/* Keys, and signals about the terminal. 0 or -errno */
static int look(struct top *t, struct tfs_err *err)
{
	struct signalfd_siginfo info;
	bool any = false;
	int key, rc = 0;

	if (!t->screen)
		return 0;
	while (read(t->sizes, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGTSTP)
			stop(t);
		else
			top_screen_resize(t->screen);
		any = true;
	}
	while (!rc && !t->done && (key = top_screen_key(t->screen)) != TOP_KEY_NONE) {
		rc = press(t, key, err);
		any = true;
	}
	return rc || !any || t->done ? rc : show(t);
}

/* Every 10 ms of a live run: 1 ends it */
static int tick(void *context, struct tfs_err *err)
{
	struct top *t = context;
	uint64_t now = now_ns(CLOCK_MONOTONIC), cpu;
	int rc = t->top ? look(t, err) : 0;

	top_record_tick(&t->record);
	if (rc || !t->top || t->done || now - t->begun < t->state.interval)
		return rc ? rc : t->done;
	cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	t->state.opts.cpu = (double)(cpu - t->cpu) / (double)(now - t->begun);
	tfs_top_end_interval(t->top, now - t->begun);
	t->begun = now;
	t->cpu = cpu;
	rc = next_page(t);
	return rc ? not_shown(t, rc, err) : t->done;
}

static int page(void *context, unsigned int cpu, const void *data, struct tfs_err *err)
{
	struct top *t = context;
	bool records = t->record.keep;

	(void)err;
	top_record_page(&t->record, cpu, data);
	if (records && !t->record.keep)
		top_state_say(&t->state, t->record.failed.msg);
	return 0;
}

/* The events since the last page */
static int last_page(struct top *t, struct tfs_err *err)
{
	uint64_t now = now_ns(CLOCK_MONOTONIC);
	int rc;

	tfs_top_end_interval(t->top, now - t->begun);
	rc = next_page(t);
	return rc ? not_shown(t, rc, err) : 0;
}

/* Keys for so long; negative: until the end. 0 or -errno */
static int wait_for_keys(struct top *t, int64_t ns, struct tfs_err *err)
{
	struct pollfd fds[] = {
		{ .fd = t->signals, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = t->sizes, .events = POLLIN },
	};
	uint64_t end = now_ns(CLOCK_MONOTONIC) + (uint64_t)(ns < 0 ? 0 : ns);
	int rc = 0;

	while (!rc && !t->done) {
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		int ms = ns < 0 ? -1 : (int)((end - now) / NS_PER_MS + 1);

		if (ns >= 0 && now >= end)
			break;
		poll(fds, 3, ms);
		/* SIGTERM, or the terminal is gone */
		if (fds[0].revents || fds[1].revents & (POLLHUP | POLLERR))
			t->done = true;
		else
			rc = look(t, err);
	}
	return rc;
}

/* An interval of a recording is over. On a screen it takes as long as it took then. */
static int played(void *context, struct tfs_strbuf *out)
{
	struct top *t = context;
	int rc = next_page(t);

	(void)out;
	if (!rc && t->screen)
		rc = wait_for_keys(t, (int64_t)t->state.snap.elapsed, NULL);
	return rc ? rc : t->done ? -ECANCELED : 0;
}

static int run_view(struct top *t, const struct tfs_merge_opts *merge, struct tfs_err *err)
{
	const struct tfs_run_input input = {
		.trace = t->trace,
		.merge = merge,
		.source = merge->source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	int rc = tfs_run(t->view, t->out, &run, err);

	if (rc == -ECANCELED && t->done) {
		tfs_err_clear(err);
		rc = 0;
	} else if (rc && rc == t->wrote) {
		/* To the reader of events it is text that could not be made. */
		tfs_err_clear(err);
		not_shown(t, rc, err);
	}
	return rc;
}

static int make_view(struct top *t, struct tfs_err *err)
{
	const struct top_request *req = t->req;
	const struct tfs_probe_defs *probes = t->live ? &trace_live_found(t->live)->defs : NULL;
	const struct tfs_top_opts opts = {
		.trace = t->trace,
		.by = t->state.by,
		.task = t->state.task,
		.flags = (req->input ? TFS_TOP_CLOCK : 0) |
			 (req->cumulative ? TFS_TOP_CUMULATIVE : 0),
		.interval = req->interval,
		.syscall = report_syscall_name,
		.syscalls = &t->abi,
		.cgroups = &t->cgroups.find,
		.probes = probes && probes->n ? probes->v[0].group : NULL,
		.ended = played,
		.context = t,
	};
	int rc;

	if (tfs_trace_counts(t->trace, false, 0)) {
		tfs_err_say(err, -EINVAL,
			    "its clock counts something else than time, so there are "
			    "no intervals and rates");
		t->status = TC_EXIT_USAGE;
		return -EINVAL;
	}
	t->abi = tfs_calls_abi(t->trace);
	rc = tfs_top_new(&opts, &t->top, &t->view, err);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot make the table") : rc;
}

/* Before threads: signals of the terminal that are not to act by themselves */
static int take_signals(struct top *t, struct tfs_err *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	sigaddset(&set, SIGTSTP);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return tfs_err_set(err, -errno, "cannot block signals");
	t->sizes = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return t->sizes < 0 ? tfs_err_set(err, -errno, "cannot watch signals") : 0;
}

static bool wants_screen(const struct top_request *req)
{
	return !req->batch && !req->plain && top_screen_can();
}

/* The last to be made, so that errors before it appear as they should */
static int open_output(struct top *t, struct tfs_err *err)
{
	struct tfs_top_page_opts *o = &t->state.opts;
	int rc = tfs_out_new(STDOUT_FILENO, &t->out);

	setlocale(LC_CTYPE, "");
	if (!t->req->ascii && !strcmp(nl_langinfo(CODESET), "UTF-8"))
		o->flags |= TFS_TOP_UTF8;
	if (rc)
		return tfs_err_set(err, rc, "cannot show the table");
	if (wants_screen(t->req)) {
		rc = top_screen_open(tc_live_color(STDOUT_FILENO), &t->screen, err);
		if (rc)
			return rc;
		o->flags |= TFS_TOP_KEYS;
		t->state.snap.by = t->state.by;
		t->state.snap.task = t->state.task;
		rc = show(t);
	}
	t->begun = now_ns(CLOCK_MONOTONIC);
	t->cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	return rc;
}

static void close_output(struct top *t)
{
	top_screen_close(t->screen);
	t->screen = NULL;
	tfs_view_free(t->view);
	t->view = NULL;
	t->top = NULL;
	tfs_out_free(t->out);
	t->out = NULL;
}

static int play(struct top *t, struct tfs_err *err)
{
	static const struct tfs_trace_opts opts = { .no_plugins = true };
	const struct tfs_merge_opts merge = { 0 };
	int rc;

	t->signals = tc_signals_fd(err);
	rc = t->signals < 0 ? t->signals : tfs_trace_open(t->req->input, &opts, &t->trace, err);
	if (!rc)
		rc = make_view(t, err);
	if (!rc)
		rc = open_output(t, err);
	if (!rc)
		rc = run_view(t, &merge, err);
	/* The last page stays. */
	if (!rc && t->screen && !t->done)
		rc = wait_for_keys(t, -1, err);
	close_output(t);
	if (!rc && tfs_dat_damage(tfs_trace_dat(t->trace))) {
		*err = *tfs_dat_damage(tfs_trace_dat(t->trace));
		rc = err->code;
	}
	tfs_trace_free(t->trace);
	tfs_close(&t->signals);
	return rc ? t->status : TC_EXIT_OK;
}

/* The file is completed while the instance is there, with tracing off. Return: @rc, or why not */
static int complete_record(struct top *t, int rc, struct tfs_err *err)
{
	struct tfs_strbuf said = TFS_STRBUF_INIT;

	if (t->record.keep && trace_live_stop(t->live, rc ? NULL : err) && !rc)
		rc = err->code;
	top_record_end(&t->record, &said);
	if (said.len && !t->req->quiet)
		tc_msg_notice(tc_command.name, "%s", said.s);
	tfs_strbuf_release(&said);
	if (rc || !t->record.failed.code)
		return rc;
	*err = t->record.failed;
	return err->code;
}

/*
 * The kernel leaves the program's own events out, but for switches to tasks that are traced: they
 * are recorded by the task that goes.
 */
static int leave_out_own(struct top *t, struct tfs_err *err)
{
	const struct tfs_strvec *own = trace_live_own(t->live);
	int rc = 0;

	for (size_t i = 0; i < own->n && !rc; i++) {
		uint64_t pid;

		if (!tfs_parse_u64(own->v[i], 1, INT_MAX, &pid, NULL))
			rc = tfs_top_leave_out(t->top, (int)pid);
	}
	return rc ? tfs_err_set(err, rc, "cannot leave out this program") : 0;
}

static int watch(struct top *t, struct top_request *req, struct tfs_err *err)
{
	const struct trace_live_opts opts = {
		.program = tc_command.name,
		.req = &req->trace,
		.user = req->user,
		.flags = req->quiet ? TRACE_LIVE_QUIET : 0,
		.tick = tick,
		.page = page,
		.context = t,
	};
	struct tfs_merge_opts merge = { 0 };
	int rc = trace_live_open(&opts, &t->live, &t->status, err);

	if (rc)
		return t->status;
	t->trace = trace_live_trace(t->live);
	merge.source = trace_live_source(t->live);
	merge.source->names_every = NAMES_TICKS;
	merge.source->names_living = true;
	rc = make_view(t, err);
	if (!rc && req->record)
		rc = top_record_begin(&t->record, t->live, &req->trace.buffers[0].inst, req->record,
				      err);
	if (!rc)
		rc = open_output(t, err);
	if (!rc)
		rc = trace_live_start(t->live, err);
	if (!rc)
		rc = leave_out_own(t, err);
	if (!rc)
		rc = run_view(t, &merge, err);
	if (!rc && !t->done && !t->screen)
		rc = last_page(t, err);
	close_output(t);
	rc = complete_record(t, rc, err);
	return trace_live_end(t->live, rc, err);
}

static void report_lost(const struct top *t)
{
	const struct tfs_top_snapshot *snap = &t->state.snap;

	if (!t->req->quiet && (snap->lost_total || snap->uncounted))
		tc_msg_notice(tc_command.name, "%" PRIu64 "%s events were lost", snap->lost_total,
			      snap->uncounted ? " or more" : "");
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct top_request *req = request;
	struct top t = {
		.req = req,
		.record.failed = TFS_ERR_INIT,
		.signals = -1,
		.sizes = -1,
		.status = TC_EXIT_FAILED,
	};
	int status = TC_EXIT_USAGE;

	if (top_check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	tc_signals_accept();
	t.state.by = req->by;
	t.state.zoom_by = req->input || req->calls ? TFS_TOP_SYSCALL : TFS_TOP_EVENT;
	t.state.task = req->task ? (int)req->task : -1;
	snprintf(t.state.task_name, sizeof(t.state.task_name), "%d", t.state.task);
	t.state.sort = req->sort;
	t.state.sort_chosen = req->sort_given;
	t.state.reverse = req->reverse;
	t.state.interval = req->interval;
	t.state.opts.top = req->top;
	t.state.opts.cpu = -1;
	top_cgroups_init(&t.cgroups, !req->input);
	if (top_state_filter(&t.state, req->filter ? req->filter : "", err))
		goto out;
	if (wants_screen(req) && take_signals(&t, err))
		goto out;
	status = req->input ? play(&t, err) : watch(&t, req, err);
	report_lost(&t);
out:
	tfs_close(&t.sizes);
	top_cgroups_release(&t.cgroups);
	top_state_release(&t.state);
	return status;
}

const struct tc_command tc_command = {
	.name = "tc-top",
	.summary = "show what happens most, in a table that is refreshed",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = top_options,
	.request_size = sizeof(struct top_request),
	.init = top_init,
	.run = run,
	.release = top_release,
};
