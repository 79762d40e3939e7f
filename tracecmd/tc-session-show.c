/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-show.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "tc-session-events.h"
#include "tc-session-exclude.h"
#include "cli/inert-text.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

#define PIECE (64 * 1024)
#define PATH_SIZE 512
/* How soon what was traced is shown; the kernel wakes a poll() only when half a buffer is full. */
#define FOLLOW_MS 100

/*
 * struct show_request - what to show
 * @selection: the first member, see session_instance_options
 * @live: --events; @events: what belongs to it
 * @files: control files that were asked for
 * @hists, @triggers: events whose files were asked for
 */
struct show_request {
	struct session_selection selection;
	bool pipe, snapshot, name, raw_output;
	bool live;
	const char *cpu;
	struct session_events events;
	struct tfs_strvec files, hists, triggers;
};

/* Control files with an option of their own, which is named almost, or not at all, as the file */
enum show_file {
	SHOW_TRACING_ON,
	SHOW_CURRENT_TRACER,
	SHOW_BUFFER_SIZE,
	SHOW_BUFFER_TOTAL_SIZE,
	SHOW_BUFFER_SUBBUF_SIZE,
	SHOW_BUFFER_PERCENT,
	SHOW_FTRACE_FILTER,
	SHOW_FTRACE_NOTRACE,
	SHOW_FTRACE_PID,
	SHOW_GRAPH_FUNCTION,
	SHOW_GRAPH_NOTRACE,
	SHOW_CPUMASK,
	SHOW_MAX_LATENCY,
};

static int on_file(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	static const char *const files[] = {
		[SHOW_TRACING_ON] = "tracing_on",
		[SHOW_CURRENT_TRACER] = "current_tracer",
		[SHOW_BUFFER_SIZE] = "buffer_size_kb",
		[SHOW_BUFFER_TOTAL_SIZE] = "buffer_total_size_kb",
		[SHOW_BUFFER_SUBBUF_SIZE] = "buffer_subbuf_size_kb",
		[SHOW_BUFFER_PERCENT] = "buffer_percent",
		[SHOW_FTRACE_FILTER] = "set_ftrace_filter",
		[SHOW_FTRACE_NOTRACE] = "set_ftrace_notrace",
		[SHOW_FTRACE_PID] = "set_ftrace_pid",
		[SHOW_GRAPH_FUNCTION] = "set_graph_function",
		[SHOW_GRAPH_NOTRACE] = "set_graph_notrace",
		[SHOW_CPUMASK] = "tracing_cpumask",
		[SHOW_MAX_LATENCY] = "tracing_max_latency",
	};
	struct show_request *req = request;
	int rc = tfs_strvec_push(&req->files, files[opt->value]);

	(void)arg;
	return rc ? tfs_err_set(err, rc, "cannot keep it") : 0;
}

/* --json, --csv */
static int on_export(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct session_events *events = &((struct show_request *)request)->events;

	if (arg && strcmp(arg, "text") != 0)
		return tfs_err_say(err, -EINVAL, "'%s': --%s takes nothing, or =text", arg,
				   opt->name);
	if (events->export && events->style != (enum tfs_export_style)opt->value)
		return tfs_err_say(err, -EINVAL, "--json and --csv are two kinds of output");
	events->export = true;
	events->style = (enum tfs_export_style)opt->value;
	events->export_text |= arg != NULL;
	return 0;
}

#define AT(member) .offset = offsetof(struct show_request, member)
#define FILE_ROW(id, name, help)                                                                 \
	{                                                                                        \
		0, name, NULL, help, TC_OPT_CALL, TC_OPT_REPEATS, .call = on_file, .value = (id) \
	}

static const struct tc_option options[] = {
	{ .type = TC_OPT_GROUP, .help = "Parts of the ring buffer" },
	{ 'p', "pipe", NULL, "take events out, oldest first, and wait for more", TC_OPT_FLAG,
	  AT(pipe) },
	{ 's', "snapshot", NULL, "the snapshot", TC_OPT_FLAG, AT(snapshot) },
	{ 'c', "cpu", "CPU", "of this CPU alone", TC_OPT_STRING, AT(cpu), .complete = "cpu" },
	{ 'f', "file", NULL, "print the path of the control file first", TC_OPT_FLAG, AT(name) },
	{ 0, "raw-output", NULL, "control characters as they are on a terminal, too", TC_OPT_FLAG,
	  AT(raw_output) },
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	{ .type = TC_OPT_GROUP, .help = "Events as they happen" },
	{ 0, "events", NULL, "print events as they happen, as tc-report prints them", TC_OPT_FLAG,
	  AT(live) },
	{ 'F', "filter", "EVENTS[:EXPR]", "only these events, those whose fields satisfy EXPR",
	  TC_OPT_LIST, TC_OPT_REPEATS, AT(events.filters), .complete = "event" },
	{ 0, "select", "GLOB", "only these: event, system, SYSTEM:EVENT, globs", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(events.names), .complete = "event" },
	{ 0, "pid", "LIST", "only events by or about these tasks", TC_OPT_LIST, TC_OPT_REPEATS,
	  AT(events.pids), .complete = "pid" },
	{ 0, "comm", "GLOB", "as --pid, for tasks with these names when it begins", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(events.comms), .complete = "none" },
	{ 'R', "raw", NULL, "all fields as name=value", TC_OPT_FLAG, AT(events.raw) },
	{ 'l', "latency-format", NULL, "the latency format", TC_OPT_FLAG, AT(events.latency) },
	{ 0, "nanoseconds", NULL, "time stamps with all digits", TC_OPT_FLAG, AT(events.nsecs) },
	{ 0, "json", "text", "one object per line; =text: with the print format's text",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG, .call = on_export, .value = TFS_EXPORT_JSON,
	  .complete = "none" },
	{ 0, "csv", "text", "rows of values; =text: the print format's text, not fields",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG, .call = on_export, .value = TFS_EXPORT_CSV,
	  .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Instead of the ring buffer" },
	FILE_ROW(SHOW_TRACING_ON, "tracing_on", "is it written to?"),
	FILE_ROW(SHOW_CURRENT_TRACER, "current_tracer", "the tracer"),
	FILE_ROW(SHOW_BUFFER_SIZE, "buffer_size", "KiB of the ring buffer of a CPU"),
	FILE_ROW(SHOW_BUFFER_TOTAL_SIZE, "buffer_total_size", "KiB of all of them"),
	FILE_ROW(SHOW_BUFFER_SUBBUF_SIZE, "buffer_subbuf_size", "KiB of a sub-buffer"),
	FILE_ROW(SHOW_BUFFER_PERCENT, "buffer_percent",
		 "how full a CPU's buffer is before a reader is woken"),
	FILE_ROW(SHOW_FTRACE_FILTER, "ftrace_filter", "functions that are traced"),
	FILE_ROW(SHOW_FTRACE_NOTRACE, "ftrace_notrace", "functions that are not traced"),
	FILE_ROW(SHOW_FTRACE_PID, "ftrace_pid", "threads whose functions are traced"),
	FILE_ROW(SHOW_GRAPH_FUNCTION, "graph_function", "functions that are graphed"),
	FILE_ROW(SHOW_GRAPH_NOTRACE, "graph_notrace", "functions that are not graphed"),
	FILE_ROW(SHOW_CPUMASK, "cpumask", "CPUs that are traced"),
	FILE_ROW(SHOW_MAX_LATENCY, "max_latency", "the greatest latency so far, in microseconds"),
	{ 0, "hist", "EVENT", "histograms of the event", TC_OPT_LIST, TC_OPT_REPEATS, AT(hists),
	  .complete = "event" },
	{ 0, "trigger", "EVENT", "triggers of the event", TC_OPT_LIST, TC_OPT_REPEATS, AT(triggers),
	  .complete = "event" },
	TC_OPT_END,
};

int session_check_cpu(const char *cpu, struct tfs_err *err)
{
	uint64_t n;
	int rc = cpu ? tfs_parse_u64(cpu, 0, 1U << 16, &n, err) : 0;

	if (rc)
		tfs_err_prefix(err, "option -c");
	return rc;
}

int session_path(const struct session_instance *p, const char *cpu, const char *file, char *buf,
		 size_t size, struct tfs_err *err)
{
	int n;

	if (cpu)
		n = snprintf(buf, size, "%sper_cpu/cpu%s/%s", p->inst.prefix, cpu, file);
	else
		n = snprintf(buf, size, "%s%s", p->inst.prefix, file);
	if (n < 0 || (size_t)n >= size)
		return tfs_err_set(err, -ENAMETOOLONG, "cannot open '%s'", file);
	return 0;
}

int session_copy(const struct session_view *v, const char *file, struct tfs_err *err)
{
	const struct tfs_root *root = v->instances->root;
	char path[PATH_SIZE], buf[PIECE];
	struct tc_inert_text text;
	ssize_t n = 0;
	int fd, rc, put = 0;

	rc = session_path(v->place, v->cpu, file, path, sizeof(path), err);
	if (!rc)
		rc = tfs_file_open(root, path, O_RDONLY, &fd, err);
	if (rc)
		return rc;
	tc_inert_text_begin(&text, v->raw ? TC_INERT_TEXT_RAW : 0);
	do {
		n = read(fd, buf, sizeof(buf));
		if (n > 0)
			put = tc_inert_text_write(&text, buf, (size_t)n);
	} while (!put && ((n > 0 && !(v->exclusion && session_exclude_interrupted(v->exclusion))) ||
			  (n < 0 && errno == EINTR)));
	if (n < 0)
		rc = tfs_err_set(err, -errno, "cannot read '%s/%s'", tfs_root_path(root), path);
	if (tc_inert_text_end(&text) == -ENOMEM || put == -ENOMEM)
		rc = tfs_err_set(err, -ENOMEM, "cannot show '%s'", path);
	tfs_close(&fd);
	return rc;
}

/* Is more to be expected in the pipe? */
static bool is_on(const struct session_instances *instances, const struct session_instance *p)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	char path[PATH_SIZE];
	bool on;

	on = !session_path(p, NULL, "tracing_on", path, sizeof(path), NULL) &&
	     !tfs_file_read(instances->root, path, &sb, NULL) && sb.s[0] == '1';
	tfs_strbuf_release(&sb);
	return on;
}

/*
 * Print what comes out of trace_pipe. While tracing is on, more is waited for; off before a read
 * that finds nothing, there will be no more. (Blocking, the read would wait for ever then.)
 */
static int follow(const struct session_view *v, struct tfs_err *err)
{
	const struct tfs_root *root = v->instances->root;
	char path[PATH_SIZE], buf[PIECE];
	struct tc_inert_text text;
	bool on = true;
	ssize_t n;
	int fd, rc, put = 0;

	rc = session_path(v->place, v->cpu, "trace_pipe", path, sizeof(path), err);
	if (!rc)
		rc = tfs_file_open(root, path, O_RDONLY | O_NONBLOCK, &fd, err);
	if (rc)
		return rc;
	tc_inert_text_begin(&text, v->raw ? TC_INERT_TEXT_RAW : 0);
	while (!put && !ferror(stdout) && !session_exclude_interrupted(v->exclusion)) {
		n = read(fd, buf, sizeof(buf));
		if (n > 0) {
			put = tc_inert_text_write(&text, buf, (size_t)n);
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR) {
			rc = tfs_err_set(err, -errno, "cannot read '%s/%s'", tfs_root_path(root),
					 path);
			break;
		}
		fflush(stdout);
		if (!on)
			break;
		on = is_on(v->instances, v->place);
		if (on)
			poll(NULL, 0, FOLLOW_MS);
	}
	if (tc_inert_text_end(&text) == -ENOMEM || put == -ENOMEM)
		rc = tfs_err_set(err, -ENOMEM, "cannot show '%s'", path);
	tfs_close(&fd);
	return rc;
}

static void print_path(const struct session_instances *instances, const struct session_instance *p,
		       const char *cpu, const char *file)
{
	char path[PATH_SIZE];

	if (!session_path(p, cpu, file, path, sizeof(path), NULL))
		tc_print("%s/%s\n", tfs_root_path(instances->root), path);
}

/* "events/sched/sched_switch/hist" for each event that @spec names */
static int add_event_files(const struct session_instances *instances,
			   const struct tfs_strvec *specs, const char *file, struct tfs_strvec *out,
			   struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = specs->n ? tfs_event_list(instances->root, &names, err) : 0;

	for (size_t i = 0; i < specs->n && !rc; i++) {
		struct tfs_event_spec spec = { .text = specs->v[i] };

		rc = tfs_event_resolve(&spec, 1, &names, 0, NULL, err);
		for (size_t k = 0; k < names.n && !rc; k++) {
			size_t sys = strcspn(names.v[k], ":");

			for (size_t m = 0; m < spec.matched.n && !rc; m++) {
				const char *event = spec.matched.v[m];

				if (strcmp(event, names.v[k]) != 0 &&
				    (strncmp(event, names.v[k], sys + 1) != 0 ||
				     strcmp(event + sys, ":*") != 0))
					continue;
				rc = tfs_strvec_pushf(out, "events/%.*s/%s/%s", (int)sys,
						      names.v[k], names.v[k] + sys + 1, file);
			}
		}
		tfs_strvec_release(&spec.matched);
	}
	tfs_strvec_release(&names);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot list the events") : rc;
}

/* Something that cannot be shown does not hide the rest; @err is that of the last failure. */
static void note_failure(int failed, const struct tfs_err *why, int *rc, struct tfs_err *err)
{
	if (!failed)
		return;
	if (*rc)
		tc_msg_error(SESSION_PROGRAM, err);
	*rc = failed;
	*err = *why;
}

static int show_files(const struct session_view *view, const struct tfs_strvec *wanted, bool name,
		      struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < wanted->n; i++) {
		struct tfs_err why = TFS_ERR_INIT;

		/* with several, the paths show which is which */
		if (name || wanted->n > 1)
			print_path(view->instances, view->place, NULL, wanted->v[i]);
		note_failure(session_copy(view, wanted->v[i], &why), &why, &rc, err);
	}
	return rc;
}

static int show_instance(const struct show_request *req, const struct session_instance *p,
			 const struct tfs_strvec *wanted, const struct session_exclusion *exclusion,
			 struct tfs_err *err)
{
	const struct session_instances *instances = exclusion->instances;
	const char *file = req->pipe ? "trace_pipe" : req->snapshot ? "snapshot" : "trace";
	struct session_view view = { instances, p, NULL, exclusion, req->raw_output };
	struct tfs_strbuf title = TFS_STRBUF_INIT;

	if (instances->n > 1 && !session_title(p, &title))
		tc_print("%s:\n", title.s);
	tfs_strbuf_release(&title);
	if (wanted->n)
		return show_files(&view, wanted, req->name, err);
	if (req->name)
		print_path(instances, p, req->cpu, file);
	view.cpu = req->cpu;
	return req->pipe ? follow(&view, err) : session_copy(&view, file, err);
}

/* The first option given that has a meaning only with --events; NULL: none */
static const char *events_option(const struct session_events *events)
{
	const struct {
		bool given;
		const char *option;
	} options_of[] = {
		{ events->filters.n, "-F" },
		{ events->names.n, "--select" },
		{ events->pids.n, "--pid" },
		{ events->comms.n, "--comm" },
		{ events->raw, "-R" },
		{ events->latency, "-l" },
		{ events->nsecs, "--nanoseconds" },
		{ events->export, "--json or --csv" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(options_of); i++)
		if (options_of[i].given)
			return options_of[i].option;
	return NULL;
}

static int check_events(const struct show_request *req, struct tfs_err *err)
{
	const struct session_events *events = &req->events;
	const char *option = events_option(events);

	if (!req->live)
		return option ? tfs_err_say(err, -EINVAL, "%s needs --events", option) : 0;
	if (req->pipe || req->snapshot || req->name || req->files.n || req->hists.n ||
	    req->triggers.n)
		return tfs_err_say(err, -EINVAL, "--events shows no control file");
	if (events->export && (events->raw || events->latency || events->nsecs))
		return tfs_err_say(err, -EINVAL,
				   "-R, -l and --nanoseconds are layouts of the text, which --json "
				   "and --csv do not have");
	return 0;
}

static int check(const struct show_request *req, struct tfs_err *err)
{
	int rc = check_events(req, err);

	if (rc || req->live)
		return rc;
	if (req->pipe && req->snapshot)
		return tfs_err_say(err, -EINVAL, "options -p and -s are of different buffers");
	return session_check_cpu(req->cpu, err);
}

static int show_events(struct show_request *req, const struct session_instances *instances,
		       struct tfs_err *err)
{
	req->events.cpus = req->cpu;
	req->events.raw_output = req->raw_output;
	return session_events_show(&req->events, instances, &instances->v[0], err);
}

static int show_instances(const struct show_request *req, const struct tfs_strvec *wanted,
			  const struct session_exclusion *exclusion, struct tfs_err *err)
{
	const struct session_instances *instances = exclusion->instances;
	int rc = 0;

	for (size_t i = 0; i < instances->n && !session_exclude_interrupted(exclusion); i++) {
		struct tfs_err why = TFS_ERR_INIT;
		int failed = show_instance(req, &instances->v[i], wanted, exclusion, &why);

		note_failure(failed, &why, &rc, err);
	}
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct session_instances instances = { 0 };
	struct show_request *req = request;
	struct tfs_strvec wanted = TFS_STRVEC_INIT;
	struct session_exclusion exclusion;
	struct tfs_plan *claims = NULL;
	int rc = 0, status;

	if (check(req, err))
		return TC_EXIT_USAGE;
	status = session_open(&req->selection, 0, argc, argv, &instances, err);
	if (status)
		goto out;
	if ((req->pipe || req->live) && instances.n > 1) {
		tfs_err_say(err, -EINVAL, "option %s takes one buffer: it waits for events",
			    req->live ? "--events" : "-p");
		status = TC_EXIT_USAGE;
		goto out;
	}
	for (size_t i = 0; i < req->files.n && !rc; i++)
		rc = tfs_strvec_push(&wanted, req->files.v[i]);
	if (rc)
		tfs_err_set(err, rc, "cannot list the files");
	if (!rc)
		rc = add_event_files(&instances, &req->hists, "hist", &wanted, err);
	if (!rc)
		rc = add_event_files(&instances, &req->triggers, "trigger", &wanted, err);
	if (!rc && (req->pipe || req->live))
		rc = session_claim(&instances, &claims, err);
	if (rc) {
		status = TC_EXIT_FAILED;
		goto out;
	}
	/* It may go on for long: a script that runs it in the background ends it by a signal. */
	tc_signals_accept();
	session_exclude_begin(&exclusion, &instances);
	if (req->live)
		status = show_events(req, &instances, err);
	else
		rc = show_instances(req, &wanted, &exclusion, err);
	session_exclude_end(&exclusion);
	if (rc)
		status = TC_EXIT_FAILED;
out:
	tfs_plan_free(claims);
	tfs_strvec_release(&wanted);
	session_close(&instances);
	return status;
}

static void release(void *request)
{
	struct show_request *req = request;

	session_events_release(&req->events);
	tfs_strvec_release(&req->files);
	tfs_strvec_release(&req->hists);
	tfs_strvec_release(&req->triggers);
	session_selection_release(&req->selection);
}

const struct tc_command session_show = {
	.name = SESSION_PROGRAM,
	.verb = "show",
	.summary = "print the ring buffer, or a setting",
	.options = options,
	.request_size = sizeof(struct show_request),
	.run = run,
	.release = release,
};
