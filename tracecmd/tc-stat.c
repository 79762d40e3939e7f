/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "base/out.h"
#include "base/output-file.h"
#include "base/stats.h"
#include "base/strbuf-core.h"
#include "cli/msg.h"
#include "cli/xalloc.h"
#include "hist/fields.h"
#include "hist/kernel-hist.h"
#include "hist/rows.h"
#include "main.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "probe/misses.h"
#include "tc-report-syscalls.h"
#include "tc-stat-count.h"
#include "tc-stat-names.h"
#include "tc-stat-opts.h"
#include "tc-stat-plan.h"
#include "tc-stat-print.h"
#include "tc-stat-read.h"
#include "tc-stat-syscalls.h"
#include "trace-command.h"
#include "trace-live.h"
#include "trace-opts.h"
#include "trace-plan.h"
#include "trace-target.h"
#include "tracedat/merge.h"
#include "tracefs/root.h"

#define PROGRAM "tc-stat"
#define NS_PER_SEC UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

/*
 * struct counting - one use of the program
 * @root: where events are looked up
 * @layout: of the output, which goes to @out on @fd
 * @runs: of each event: counts of all runs so far, times STAT_SCALE
 * @times: of all runs
 * @trace, @live, @counters: of the present run, and with STAT_WAY_READ @view
 * @read: what was read in intervals that were printed; @lost of those: in the present one
 * @next_ns, @printed: when the present interval ends, since the beginning; those before it
 * @shown: of each counter: what was printed for earlier intervals
 * @by: fields of --by; @by_text: their names; @by_events: the events for it; @abi: numbering of
 *	system calls
 * @rows: of the present run: counts of threads or values
 * @missed: of each event: hits that the kernel missed before this run
 * @status: exit status of the last run
 * @ended_by: signal that ended it, 0 if none did
 */
struct counting {
	const struct stat_request *req;
	struct tfs_root *root;
	struct stat_events events;
	enum stat_way way;
	struct stat_layout layout;
	int fd;
	struct tfs_out *out;
	struct tfs_stats *runs;
	struct stat_times times;
	struct trace_request trace;
	struct trace_live *live;
	struct stat_counters counters;
	struct tfs_view *view;
	struct stat_read read;
	uint64_t lost;
	bool bound;
	uint64_t next_ns, printed;
	uint64_t *shown;
	struct tfs_hist_fields by;
	struct tfs_hist_event *by_events;
	int abi;
	struct tfs_strbuf by_text;
	struct tfs_hist_rows rows;
	uint64_t *missed, *misses;
	int status;
	int ended_by;
};

static int no_memory(struct tfs_err *err)
{
	return tfs_err_set(err, -ENOMEM, "cannot print the counts");
}

/* Places that the -p clause number @number of the request defined, each name once */
static int misses_of_probe(const struct counting *s, size_t number, uint64_t *misses)
{
	const struct tfs_probe_defs *defs = &trace_live_found(s->live)->defs;
	const struct tfs_probe_def *before = NULL;
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];
		char name[256];
		uint64_t n;

		if (def->request != number || (before && !strcmp(before->event, def->event)))
			continue;
		before = def;
		snprintf(name, sizeof(name), "%s:%s", def->group, def->event);
		rc = tfs_probe_misses(s->root, name, &n);
		*misses += n;
	}
	return rc;
}

static int read_misses(const struct counting *s, uint64_t *misses, struct tfs_err *err)
{
	size_t probes = 0;
	int rc = 0;

	for (size_t i = 0; i < s->events.n && !rc; i++) {
		misses[i] = 0;
		if (s->events.v[i].probe)
			rc = misses_of_probe(s, probes++, &misses[i]);
		else
			rc = tfs_probe_misses(s->root, s->events.v[i].name, &misses[i]);
	}
	return rc ? no_memory(err) : 0;
}

static bool is_keyed(const struct counting *s)
{
	return s->layout.key >= STAT_KEY_THREAD;
}

/* Common to all rows of an event */
static struct stat_row row_of(const struct counting *s, size_t event, uint64_t ns)
{
	const uint64_t ended = trace_live_ended_ns(s->live);
	struct stat_row row = {
		.event = s->events.v[event].name,
		.ns = ns,
		.running_ns = ended ? ended - trace_live_started_ns(s->live) : ns,
		.misses = s->misses[event] - s->missed[event],
	};

	if (s->events.v[event].buffer == STAT_READ) {
		row.lost = s->lost;
		row.bound = s->bound;
	}
	if (s->runs)
		row.runs = s->runs[event];
	return row;
}

/* Rows of an event: one, or one for each CPU that is online or had events */
static int print_counters(struct counting *s, size_t event, struct stat_row row,
			  struct tfs_strbuf *sb)
{
	const struct stat_counters *c = &s->counters;
	const bool per_cpu = s->req->per_cpu;
	int rc = 0;

	for (size_t i = 0; i < (per_cpu ? c->n_cpus : 1) && !rc; i++) {
		const size_t cpu = per_cpu ? i : SIZE_MAX;
		uint64_t *shown = &s->shown[event * c->n_cpus + i];
		const uint64_t now = stat_counters_get(c, event, cpu);
		char key[24];

		if (per_cpu && !now && !tfs_cpus_has(&c->online, c->cpus[i]))
			continue;
		snprintf(key, sizeof(key), "%u", c->cpus[i]);
		row.key = per_cpu ? key : NULL;
		row.count = now - *shown;
		*shown = now;
		rc = stat_print_row(&s->layout, &row, sb);
	}
	return rc;
}

/* One for each thread that had the event, or for each combination of values */
static int print_keyed(struct counting *s, size_t event, struct stat_row row, struct tfs_strbuf *sb)
{
	struct tfs_hist_row **list;
	size_t n;
	int rc = tfs_hist_rows_list(&s->rows, event, &list, &n);

	if (rc)
		return rc;
	for (size_t i = 0; i < n && !rc; i++) {
		struct tfs_hist_row *keyed = list[i];
		char key[64];

		snprintf(key, sizeof(key), "%s-%" PRIu64, *keyed->comm ? keyed->comm : "<...>",
			 keyed->number);
		row.key = keyed->text ? keyed->text : key;
		row.count = keyed->count - keyed->shown;
		keyed->shown = keyed->count;
		if (!s->req->top || i < s->req->top)
			rc = stat_print_row(&s->layout, &row, sb);
	}
	free(list);
	return rc;
}

static int print_event(struct counting *s, size_t event, uint64_t ns, struct tfs_strbuf *sb)
{
	const struct stat_row row = row_of(s, event, ns);

	return is_keyed(s) ? print_keyed(s, event, row, sb) : print_counters(s, event, row, sb);
}

static int write_text(struct counting *s, struct tfs_strbuf *sb, int rc, struct tfs_err *err)
{
	if (rc)
		return no_memory(err);
	rc = tfs_out_write(s->out, sb->s, sb->len);
	if (!rc)
		rc = tfs_out_flush(s->out);
	return rc ? tfs_err_set(err, rc, "cannot write the counts") : 0;
}

static int print_rows(struct counting *s, uint64_t ns, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	for (size_t i = 0; i < s->events.n && !rc; i++)
		rc = print_event(s, i, ns, &sb);
	rc = write_text(s, &sb, rc, err);
	tfs_strbuf_release(&sb);
	return rc;
}

/* CPUs that went or came while events were counted */
static void report_cpus(struct counting *s)
{
	struct tfs_cpus now;

	stat_online(&now);
	for (size_t i = 0; i < s->counters.n_cpus && !s->req->quiet; i++) {
		const unsigned int cpu = s->counters.cpus[i];

		if (tfs_cpus_has(&s->counters.online, cpu) && !tfs_cpus_has(&now, cpu))
			tc_msg_notice(PROGRAM,
				      "CPU %u went offline; its events until then are counted",
				      cpu);
		else if (!tfs_cpus_has(&s->counters.online, cpu) && tfs_cpus_has(&now, cpu))
			tc_msg_notice(PROGRAM, "CPU %u came online and is counted from then on",
				      cpu);
	}
	s->counters.online = now;
}

static void report_resets(struct counting *s)
{
	if (s->counters.resets && !s->req->quiet)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " counters went back to 0 meanwhile, as when a module is "
			      "unloaded: events before that since the last reading are not counted",
			      s->counters.resets);
	s->counters.resets = 0;
}

/* Losses since the last time: any event may be among them. */
static void take_losses(struct counting *s, struct stat_read now)
{
	s->lost = now.lost - s->read.lost;
	s->bound = now.uncounted && !s->read.uncounted;
	s->read = now;
}

static struct tfs_hists hists_of(const struct counting *s)
{
	return (struct tfs_hists){
		.fields = &s->by,
		.events = s->by_events,
		.n = s->events.n,
		.root = trace_live_root(s->live),
		.inst = &s->trace.buffers[0].inst,
	};
}

static int command_hists(const struct counting *s, const char *command, struct tfs_err *err)
{
	const struct tfs_hists hists = hists_of(s);

	return tfs_hists_command(&hists, command, err);
}

/* They have counted since they were made. */
static int begin_hists(const struct counting *s, struct tfs_err *err)
{
	const struct tfs_hists hists = hists_of(s);

	return s->trace.only_command ?
		       tfs_hists_from_exec(&hists, trace_live_command(s->live)->child.pid, err) :
		       tfs_hists_command(&hists, "clear", err);
}

static int read_hist(struct counting *s, struct tfs_err *err)
{
	struct stat_read now = { 0 };
	const struct tfs_hists hists = hists_of(s);
	int rc = tfs_hists_read(&hists, &s->rows, &now.lost, err);

	if (!rc)
		take_losses(s, now);
	return rc;
}

/* Whatever is not read by itself */
static int read_counts(struct counting *s, struct tfs_err *err)
{
	int rc = stat_counters_read(&s->counters, err);

	if (!rc)
		rc = read_misses(s, s->misses, err);
	if (!rc && s->way == STAT_WAY_HIST)
		rc = read_hist(s, err);
	if (!rc && s->view)
		take_losses(s, stat_read_get(s->view));
	return rc;
}

/* Reads everything before printing, so that rows of one interval belong together. */
static int take_interval(struct counting *s, uint64_t ns, struct tfs_err *err)
{
	int rc = read_counts(s, err);

	if (!rc) {
		report_cpus(s);
		report_resets(s);
		rc = print_rows(s, ns, err);
	}
	return rc;
}

/* When there is something to do, in ns since the beginning */
static uint64_t next_time(const struct counting *s)
{
	const uint64_t end = s->req->timeout_ms ? s->req->timeout_ms * NS_PER_MS : UINT64_MAX;

	return s->next_ns < end ? s->next_ns : end;
}

/* It is that time. Return: 1 to end, 0, -errno */
static int on_time(struct counting *s, struct tfs_err *err)
{
	if (next_time(s) != s->next_ns || ++s->printed == s->req->intervals)
		return 1;
	s->next_ns += s->req->interval_ms * NS_PER_MS;
	return take_interval(s, trace_live_now_ns() - trace_live_started_ns(s->live), err);
}

/* Every 10 ms while events are read */
static int tick(void *context, struct tfs_err *err)
{
	struct counting *s = context;
	const uint64_t begun = s->view ? trace_live_started_ns(s->live) : 0;

	if (!begun || trace_live_ended_ns(s->live) || trace_live_now_ns() - begun < next_time(s))
		return 0;
	return on_time(s, err);
}

static int read_events(struct counting *s, struct tfs_err *err)
{
	struct tfs_event_source *source = trace_live_source(s->live);
	const struct tfs_merge_opts merge = { .source = source };
	const struct tfs_run_input input = {
		.trace = trace_live_trace(s->live),
		.merge = &merge,
		.source = source,
	};
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };

	return tfs_run(s->view, s->out, &run, err);
}

/* Until the run is to end; prints intervals on the way. */
static int wait_for_end(struct counting *s, struct tfs_err *err)
{
	const uint64_t begun = trace_live_started_ns(s->live);
	int rc = 0;

	if (s->way == STAT_WAY_READ)
		return read_events(s, err);
	while (!rc) {
		const uint64_t until = next_time(s);
		const uint64_t now = trace_live_now_ns() - begun;

		if (until == UINT64_MAX)
			rc = trace_live_wait(s->live, -1, err);
		else
			rc = trace_live_wait(s->live, until > now ? (int64_t)(until - now) : 0,
					     err);
		if (!rc)
			rc = on_time(s, err);
	}
	return rc < 0 ? rc : 0;
}

static uint64_t ns_of(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NS_PER_SEC + (uint64_t)tv->tv_usec * NS_PER_US;
}

/* The kernel counted all events, whether they could be read or not. */
static void count_losses(struct counting *s)
{
	const uint64_t all = stat_counters_main(&s->counters);
	const struct stat_read read = stat_read_get(s->view);
	const uint64_t lost = all > read.events ? all - read.events : 0;

	if (!s->req->interval_ms) {
		s->lost = lost;
		s->bound = false;
	}
	if (lost && !s->req->quiet)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " of %" PRIu64 " events were lost before they could be "
			      "read: the counts are lower bounds",
			      lost, all);
}

static void report_dropped(const struct counting *s)
{
	if (s->read.lost && !s->req->quiet)
		tc_msg_notice(PROGRAM,
			      "%" PRIu64 " events found no room in the kernel's histograms: the "
			      "counts are lower bounds",
			      s->read.lost);
}

/* After tracing is off and COMMAND was waited for */
static int collect(struct counting *s, struct tfs_err *err)
{
	const struct trace_command *c = trace_live_command(s->live);
	const uint64_t ns = trace_live_ended_ns(s->live) - trace_live_started_ns(s->live);
	int rc = 0;

	if (s->way == STAT_WAY_HIST)
		rc = command_hists(s, "pause", err);
	if (!rc)
		rc = read_counts(s, err);
	if (rc)
		return rc;
	report_cpus(s);
	report_resets(s);
	if (s->view)
		count_losses(s);
	else
		report_dropped(s);
	tfs_stats_add(&s->times.elapsed, ns);
	s->times.has_usage = c->has_status;
	s->times.user = ns_of(&c->usage.ru_utime);
	s->times.sys = ns_of(&c->usage.ru_stime);
	for (size_t i = 0; i < s->events.n && s->runs; i++)
		tfs_stats_add(&s->runs[i],
			      stat_counters_get(&s->counters, i, SIZE_MAX) * STAT_SCALE);
	s->ended_by = c->ended_by;
	return s->req->interval_ms ? print_rows(s, ns, err) : 0;
}

static int join(const char *before, const struct tfs_strvec *words, const char *after,
		struct tfs_strbuf *sb)
{
	int rc = tfs_strbuf_adds(sb, before);

	for (size_t i = 0; i < words->n && !rc; i++)
		rc = tfs_strbuf_addf(sb, "%s%s", i ? "," : "", words->v[i]);
	return rc ? rc : tfs_strbuf_adds(sb, after);
}

/* The subject of the counts, as perf stat names it */
static int describe(const struct stat_request *req, struct tfs_strbuf *sb)
{
	const struct trace_target *t = &req->target;
	int rc = 0;

	if (t->pids.n)
		return join("process id '", &t->pids, "'", sb);
	if (t->tids.n)
		return join("thread id '", &t->tids, "'", sb);
	if (t->comms.n)
		return join("tasks named '", &t->comms, "'", sb);
	if (t->cgroups.n)
		return join("cgroup '", &t->cgroups, "'", sb);
	if (t->container)
		return tfs_strbuf_addf(sb, "container of process '%s'", t->container);
	if (t->cpus)
		return tfs_strbuf_addf(sb, "'CPU(s) %s'", t->cpus);
	if (t->all || !req->command)
		return tfs_strbuf_adds(sb, "'system wide'");
	for (char **word = req->command; *word && !rc; word++)
		rc = tfs_strbuf_addf(sb, "%s%s", word == req->command ? "'" : " ", *word);
	return rc ? rc : tfs_strbuf_adds(sb, "'");
}

static int print_head(struct counting *s, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT, what = TFS_STRBUF_INIT;
	int rc = describe(s->req, &what);

	if (!rc)
		rc = stat_print_head(&s->layout, what.s, s->req->repeat, &sb);
	rc = write_text(s, &sb, rc, err);
	tfs_strbuf_release(&sb);
	tfs_strbuf_release(&what);
	return rc;
}

static int print_foot(struct counting *s, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = write_text(s, &sb, stat_print_foot(&s->layout, &s->times, &sb), err);

	tfs_strbuf_release(&sb);
	return rc;
}

static int print_all(struct counting *s, struct tfs_err *err)
{
	int rc = print_head(s, err);

	if (!rc)
		rc = print_rows(s, 0, err);
	return rc ? rc : print_foot(s, err);
}

static bool is_last(const struct counting *s, uint64_t run)
{
	return run + 1 >= s->req->repeat || s->ended_by;
}

static int make_view(struct counting *s, struct tfs_err *err)
{
	const struct stat_read_opts opts = {
		.trace = trace_live_trace(s->live),
		.events = &s->events,
		.defs = &trace_live_found(s->live)->defs,
		.counters = &s->counters,
		.key = s->layout.key,
		.by = &s->by,
		.rows = &s->rows,
	};
	int rc = stat_read_new(&opts, &s->view, err);

	return rc && !err->code ? no_memory(err) : rc;
}

/* After the instances of a run were made */
static int begin_run(struct counting *s, struct tfs_err *err)
{
	int rc = stat_counters_init(&s->counters, trace_live_root(s->live), &s->trace, &s->events,
				    err);
	size_t n;

	if (rc)
		return rc;
	n = s->events.n * s->counters.n_cpus;
	s->shown = xcalloc(n ? n : 1, sizeof(*s->shown));
	s->next_ns = s->req->interval_ms ? s->req->interval_ms * NS_PER_MS : UINT64_MAX;
	s->printed = 0;
	s->read = (struct stat_read){ 0 };
	rc = read_misses(s, s->missed, err);
	if (!rc && s->way == STAT_WAY_READ)
		rc = make_view(s, err);
	if (!rc && s->way == STAT_WAY_HIST)
		rc = begin_hists(s, err);
	return rc;
}

static void end_run(struct counting *s, int rc, struct tfs_err *err)
{
	tfs_view_free(s->view);
	s->view = NULL;
	s->status = trace_live_end(s->live, rc, err);
	s->live = NULL;
	stat_counters_release(&s->counters);
	tfs_hist_rows_release(&s->rows);
	free(s->shown);
	s->shown = NULL;
}

/* COMMAND once, or until the tasks or the user end it. @run: number, from 0 */
static int count_once(struct counting *s, uint64_t run, struct tfs_err *err)
{
	const struct trace_live_opts opts = {
		.program = PROGRAM,
		.req = &s->trace,
		.user = s->req->user,
		.flags = (s->way == STAT_WAY_READ ? 0 : TRACE_LIVE_NO_SOURCE) |
			 (s->req->quiet ? TRACE_LIVE_QUIET : 0),
		.tick = tick,
		.context = s,
	};
	int rc = stat_plan(s->req, &s->by, &s->events, s->way, &s->trace, err);

	s->status = rc ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	if (!rc)
		rc = trace_live_open(&opts, &s->live, &s->status, err);
	if (rc) {
		trace_release(&s->trace);
		return rc;
	}
	rc = begin_run(s, err);
	if (!rc && s->req->interval_ms)
		rc = print_head(s, err);
	if (!rc)
		rc = trace_live_start(s->live, err);
	if (!rc)
		rc = wait_for_end(s, err);
	if (!rc)
		rc = trace_live_stop(s->live, err);
	if (!rc)
		rc = collect(s, err);
	if (!rc && is_last(s, run) && !s->req->interval_ms)
		rc = print_all(s, err);
	end_run(s, rc, err);
	trace_release(&s->trace);
	return rc;
}

/*
 * --log-fd is a descriptor that this program was started with: all that it opens by itself is
 * closed by an execve(). COMMAND does not get it, but keeps its standard output and error.
 */
static int take_log_fd(const struct stat_request *req, struct tfs_err *err)
{
	const int fd = stat_rows_fd(req);
	const int flags = fcntl(fd, F_GETFD);
	int rc;

	if (!req->log_fd)
		return 0;
	if (flags < 0 || flags & FD_CLOEXEC || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) {
		rc = tfs_err_say(err, -EBADF,
				 "option --log-fd: descriptor %d is not open for writing", fd);
		tfs_err_hint(err, "the shell opens it: %d>FILE", fd);
		return rc;
	}
	if (fd > STDERR_FILENO && fcntl(fd, F_SETFD, FD_CLOEXEC))
		return tfs_err_set(err, -errno, "option --log-fd: cannot use descriptor %d", fd);
	return 0;
}

static int open_output(struct counting *s, struct tfs_err *err)
{
	const struct stat_request *req = s->req;
	int rc = 0;

	/* without a file it is standard error, which is not this function's to close */
	if (req->output)
		rc = tfs_output_file_open(req->output, req->append ? O_APPEND : O_TRUNC, 0666,
					  &s->fd, err);
	else
		s->fd = stat_rows_fd(req);
	if (rc)
		return rc;
	rc = tfs_out_new(s->fd, &s->out);
	if (rc)
		return no_memory(err);
	tfs_out_set_inert(s->out, isatty(s->fd));
	return 0;
}

static void describe_way(const struct counting *s)
{
	if (s->way == STAT_WAY_HIST)
		tc_msg_notice(PROGRAM, "%zu events, counted by the kernel, in histograms",
			      s->events.n);
	else if (s->way == STAT_WAY_READ && s->req->by.n)
		tc_msg_notice(PROGRAM, "%zu events, read from one instance and counted by value",
			      s->events.n);
	else if (s->way == STAT_WAY_READ)
		tc_msg_notice(PROGRAM,
			      "%zu events, read from one instance and counted by their ids",
			      s->events.n);
	else
		tc_msg_notice(PROGRAM,
			      "%zu events, each in an instance of its own: counted by the kernel, "
			      "in per_cpu/cpuN/stats",
			      s->events.n);
}

/* The fields of --by; a probe has none yet. */
static int find_fields(struct counting *s, struct tfs_err *err)
{
	s->abi = report_syscall_here();
	s->by.syscall = report_syscall_own_name;
	s->by.syscalls = &s->abi;
	s->by_events = xcalloc(s->events.n + 1, sizeof(*s->by_events));
	for (size_t i = 0; i < s->events.n; i++) {
		const struct stat_event *e = &s->events.v[i];

		s->by_events[i].name = e->probe ? NULL : e->name;
		s->by_events[i].filter = e->filter;
	}
	return tfs_hist_fields_find(&s->req->by, s->by_events, s->events.n, s->root, &s->by, err);
}

/* Everything before the first run */
static int prepare(struct counting *s, struct tfs_err *err)
{
	struct stat_request *req = (struct stat_request *)s->req;
	int rc;

	s->status = TC_EXIT_FAILED;
	if (req->syscalls)
		return open_output(s, err);
	rc = tfs_root_open(NULL, &s->root, err);
	if (rc)
		return rc;
	rc = stat_events_find(&req->clauses, s->root, &s->events, err);
	if (!rc && req->by.n)
		rc = find_fields(s, err);
	if (!rc)
		rc = stat_choose(req, &s->by, &s->events, &s->way, err);
	if (rc == -ENOENT || rc == -E2BIG || rc == -EINVAL)
		s->status = TC_EXIT_USAGE;
	if (rc)
		return rc;
	if (join("", &req->by, "", &s->by_text))
		return no_memory(err);
	s->missed = xcalloc(s->events.n + 1, sizeof(*s->missed));
	s->misses = xcalloc(s->events.n + 1, sizeof(*s->misses));
	if (req->repeat)
		s->runs = xcalloc(s->events.n + 1, sizeof(*s->runs));
	s->layout = (struct stat_layout){
		.style = req->style,
		.separator = req->separator,
		.key = req->per_cpu    ? STAT_KEY_CPU :
		       req->per_thread ? STAT_KEY_THREAD :
		       req->by.n       ? STAT_KEY_VALUE :
					 STAT_KEY_NONE,
		.by = s->by_text.s,
		.interval = req->interval_ms != 0,
		.repeat = req->repeat != 0,
	};
	if (req->verbose)
		describe_way(s);
	return open_output(s, err);
}

static int count_all(struct counting *s, struct tfs_err *err)
{
	const uint64_t n = s->req->repeat ? s->req->repeat : 1;
	int rc = 0;

	for (uint64_t i = 0; i < n && !rc && !s->ended_by; i++)
		rc = count_once(s, i, err);
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct counting s = { .req = request, .fd = -1, .by_text = TFS_STRBUF_INIT };
	int rc;

	if (stat_check(request, argc, argv, err) || take_log_fd(request, err))
		return TC_EXIT_USAGE;
	rc = prepare(&s, err);
	if (!rc)
		rc = s.req->syscalls ? stat_syscalls(s.req, s.out, &s.status, err) :
				       count_all(&s, err);
	if (rc && !s.status)
		s.status = TC_EXIT_FAILED;
	tfs_out_free(s.out);
	if (s.req->output)
		tfs_close(&s.fd);
	stat_events_release(&s.events);
	tfs_hist_fields_release(&s.by);
	free(s.by_events);
	tfs_strbuf_release(&s.by_text);
	free(s.missed);
	free(s.misses);
	free(s.runs);
	tfs_root_free(s.root);
	return s.status;
}

const struct tc_command tc_command = {
	.name = PROGRAM,
	.summary = "count events of the kernel and of programs, exactly and without reading them",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = stat_options,
	.request_size = sizeof(struct stat_request),
	.run = run,
	.release = stat_release,
};
