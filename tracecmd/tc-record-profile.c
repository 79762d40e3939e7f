/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-profile.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/io.h"
#include "base/macros.h"
#include "base/num.h"
#include "base/pid-ns.h"
#include "base/strvec.h"
#include "base/time.h"
#include "cli/xalloc.h"
#include "record/kconfig.h"
#include "record/sampler.h"
#include "tc-record-opts.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-profile.h"
#include "tracefs/event.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"

#define HZ_DEFAULT 97
#define HZ_TASKS 997
#define SAMPLES "samples"
#define RUNTIME "runtime"
#define EVENT_TIMER "sched:sched_waking"
#define EVENT_TICK "irq_vectors:local_timer_entry"
#define EVENT_HRTIMER "timer:hrtimer_expire_entry"
#define EVENT_RUNTIME "sched:sched_stat_runtime"
#define EVENT_SWITCH "sched:sched_switch"
#define EVENT_FORK "sched:sched_process_fork"
#define NOT_IDLE "common_pid != 0"
/* Four seconds of samples at 997 Hz, and a second of 50,000 changes of tasks */
#define SAMPLES_BYTES (UINT64_C(1) << 20)
#define RUNTIME_BYTES (UINT64_C(2) << 20)
#define BITS_PER_WORD 32

int record_profile_parse(const char *arg, struct record_profile_opts *opts, struct tfs_err *err)
{
	opts->on = true;
	if (!arg)
		return 0;
	if (!strcmp(arg, "tick")) {
		opts->tick = true;
		return 0;
	}
	if (*arg < '0' || *arg > '9') {
		tfs_err_say(err, -EINVAL, "'%s' is neither a number of samples per second nor tick",
			    arg);
		tfs_err_hint(err, "--profile-cpu=%d takes that many of each CPU", HZ_TASKS);
		return -EINVAL;
	}
	return tfs_parse_u64(arg, 1, TFS_SAMPLER_HZ_MAX, &opts->hz, err);
}

/* Are only some tasks profiled? */
static bool has_tasks(const struct trace_buffer *buf)
{
	return buf->pid_words.n || buf->cgroups.n || buf->container ||
	       (buf->flags & TRACE_BUFFER_COMMAND);
}

static int add_buffer(struct record_request *req, const char *name, uint64_t bytes, size_t *index,
		      struct tfs_err *err)
{
	struct trace_request *trace = &req->trace;
	const struct trace_buffer *main_buffer;
	struct trace_buffer *buf;
	struct tfs_instance inst;
	int rc;

	for (size_t i = 1; i < trace->n_buffers; i++) {
		if (!strcmp(trace->buffers[i].name, name))
			return tfs_err_say(err, -EINVAL,
					   "option --profile-cpu: the buffer '%s' is its own: "
					   "choose another name for -B",
					   name);
	}
	*index = trace->n_buffers;
	rc = tfs_instance_named(&inst, name, err);
	if (rc)
		return rc;
	buf = trace_add_buffer(trace, name);
	main_buffer = &trace->buffers[0];
	buf->inst = inst;
	buf->clock = main_buffer->clock;
	buf->cpumask = main_buffer->cpumask;
	buf->cpus = main_buffer->cpus;
	buf->flags = TRACE_BUFFER_RECORDER;
	if (trace_has_default_size(main_buffer))
		buf->buffer_bytes = bytes;
	return 0;
}

/* The tasks of the main buffer, or COMMAND */
static int add_tasks(struct record_request *req, struct trace_buffer *buf)
{
	const struct trace_buffer *main_buffer = &req->trace.buffers[0];
	int rc = 0;

	for (size_t i = 0; i < main_buffer->pid_words.n && !rc; i++)
		rc = tfs_strvec_push(&buf->pid_words, main_buffer->pid_words.v[i]);
	for (size_t i = 0; i < main_buffer->cgroups.n && !rc; i++)
		rc = tfs_strvec_push(&buf->cgroups, main_buffer->cgroups.v[i]);
	buf->container = main_buffer->container;
	if (req->trace.command && (!has_tasks(buf) || req->trace.only_command))
		buf->flags |= TRACE_BUFFER_COMMAND;
	return rc;
}

int record_profile_request(struct record_request *req, struct tfs_err *err)
{
	struct record_profile_opts *o = &req->profile;
	struct tc_clauses *c = &req->trace.clauses;
	const bool exclude = c->exclude;
	bool tasks = false;
	int rc;

	if (!o->on)
		return 0;
	/* A -v is for the events that were typed after it. */
	c->exclude = false;
	rc = add_buffer(req, SAMPLES, SAMPLES_BYTES, &o->samples, err);
	if (!rc)
		rc = add_tasks(req, &req->trace.buffers[o->samples]);
	if (!rc)
		rc = tc_clauses_event(c, o->tick ? EVENT_TICK : EVENT_TIMER, err);
	if (!rc)
		tasks = has_tasks(&req->trace.buffers[o->samples]);
	if (!rc && !o->hz)
		o->hz = tasks ? HZ_TASKS : HZ_DEFAULT;
	if (!rc)
		rc = add_buffer(req, RUNTIME, RUNTIME_BYTES, &o->runtime, err);
	if (!rc)
		req->trace.buffers[o->runtime].flags |= TRACE_BUFFER_ALL_TASKS;
	if (!rc)
		rc = tc_clauses_event(c, EVENT_RUNTIME, err);
	/* Run time is recorded of all tasks: this event says which of them are children. */
	if (!rc && tasks)
		rc = tc_clauses_event(c, EVENT_FORK, err);
	c->exclude = exclude;
	return rc && !err->code ? tfs_err_set(err, rc, "cannot keep the options") : rc;
}

static bool has_event(const struct tfs_root *root, const char *name)
{
	struct tfs_strbuf path = TFS_STRBUF_INIT;
	const size_t sys = strcspn(name, ":");
	bool has;

	has = !tfs_strbuf_addf(&path, "events/%.*s/%s/enable", (int)sys, name, name + sys + 1) &&
	      tfs_file_exists(root, path.s);
	tfs_strbuf_release(&path);
	return has;
}

/* The event that samples are; its clause is the first of the buffer. */
static int choose_event(struct record_request *req, const struct tfs_root *root,
			struct tfs_strvec *notices, struct tfs_err *err)
{
	struct record_profile_opts *o = &req->profile;
	const size_t first = req->trace.buffers[o->samples].first;
	struct tfs_event_spec *spec = &req->trace.clauses.events[first];
	int rc = 0;

	if (!o->tick && !has_event(root, EVENT_TIMER)) {
		o->tick = true;
		rc = tfs_strvec_push(notices, "this kernel does not have " EVENT_TIMER
					      ": samples are taken at the ticks of the scheduler");
	}
	if (!o->tick)
		return rc;
	spec->text = has_event(root, EVENT_TICK) ? EVENT_TICK : EVENT_HRTIMER;
	if (rc || has_event(root, spec->text))
		return rc;
	rc = tfs_err_say(err, -ENOENT, "this kernel has no event to sample CPUs with");
	tfs_err_hint(err, "it takes one of " EVENT_TIMER ", " EVENT_TICK " and " EVENT_HRTIMER);
	return rc;
}

/* Options of stack traces that the kernel has; without one there are fewer frames. */
static int choose_stacks(struct trace_buffer *buf, const struct tfs_root *root,
			 struct tfs_strvec *notices)
{
	struct tfs_strbuf config = TFS_STRBUF_INIT;
	const bool kernel = tfs_file_exists(root, "options/stacktrace");
	bool user = tfs_file_exists(root, "options/userstacktrace");
	int rc = 0;

	/* The option is there even if the kernel ignores it (kernel/trace/trace.c). */
	if (user && !tfs_kconfig_read(&config))
		user = tfs_kconfig_get(config.s, "CONFIG_USER_STACKTRACE_SUPPORT") == 'y';
	if (kernel)
		rc = tfs_strvec_push(&buf->options, "stacktrace");
	if (!rc && user)
		rc = tfs_strvec_push(&buf->options, "userstacktrace");
	if (!rc && !user)
		rc = tfs_strvec_push(notices, "this kernel does not record stacks of user space: "
					      "samples show functions of the kernel only");
	tfs_strbuf_release(&config);
	return rc;
}

static int choose_runtime(struct record_request *req, const struct tfs_root *root,
			  struct tfs_strvec *notices)
{
	const size_t first = req->trace.buffers[req->profile.runtime].first;
	struct tfs_event_spec *spec = &req->trace.clauses.events[first];

	if (has_event(root, EVENT_RUNTIME))
		return 0;
	spec->text = EVENT_SWITCH;
	return tfs_strvec_push(notices, "this kernel does not have " EVENT_RUNTIME
					": the time between changes of tasks is taken instead, "
					"with the interrupts in it");
}

/* An instance beside the main buffer's: tc-record.PID.NAME */
static int place(struct trace_buffer *buf, const struct tfs_instance *main, struct tfs_err *err)
{
	const int rc = tfs_instance_beside(&buf->inst, main, buf->name);

	return rc ? tfs_err_set(err, rc, "cannot name an instance") : 0;
}

int record_profile_place(struct record_request *req, const struct tfs_instance *main,
			 const struct tfs_root *root, struct tfs_strvec *notices,
			 struct tfs_err *err)
{
	struct trace_buffer *buffers = req->trace.buffers;
	int rc;

	if (!req->profile.on)
		return 0;
	rc = place(&buffers[req->profile.samples], main, err);
	if (!rc)
		rc = place(&buffers[req->profile.runtime], main, err);
	if (!rc)
		rc = choose_event(req, root, notices, err);
	if (!rc)
		rc = choose_stacks(&buffers[req->profile.samples], root, notices);
	if (!rc)
		rc = choose_runtime(req, root, notices);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot plan the profile") : rc;
}

/* A mask of CPUs in the kernel's syntax, checked before: words of 32 bits, the last one first */
static void parse_mask(const char *mask, struct tfs_cpus *cpus)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int bit = 0;

	for (const char *p = mask + strlen(mask); p-- > mask;) {
		const char *digit = strchr(digits, *p | ('a' - 'A'));

		if (*p == ',') {
			bit = (bit + BITS_PER_WORD - 1) / BITS_PER_WORD * BITS_PER_WORD;
			continue;
		}
		for (unsigned int i = 0; digit && i < 4; i++) {
			if ((digit - digits) >> i & 1 && bit + i < TFS_CPUS_MAX)
				tfs_cpus_add(cpus, bit + i);
		}
		bit += 4;
	}
}

static int start_threads(struct record_profile *p, const struct record_request *req,
			 struct tfs_err *err)
{
	const char *mask = req->trace.buffers[req->profile.samples].mask;
	struct tfs_cpus *cpus = xcalloc(1, sizeof(*cpus));
	const struct tfs_sampler_opts opts = {
		.cpus = mask ? cpus : NULL,
		.period_ns = (uint64_t)NS_PER_SEC / req->profile.hz,
	};
	int rc;

	if (mask)
		parse_mask(mask, cpus);
	rc = tfs_sampler_new(&opts, &p->sampler, err);
	if (rc)
		tfs_err_prefix(err, "option --profile-cpu");
	free(cpus);
	return rc;
}

/* The tick's timer is the one with this function, which older kernels call otherwise. */
static int tick_filter(struct tfs_strbuf *sb)
{
	static const char *const names[] = { " tick_nohz_handler\n", " tick_sched_timer\n" };
	struct tfs_strbuf symbols = TFS_STRBUF_INIT;
	uint64_t address = 0;
	int rc = tfs_read_path("/proc/kallsyms", &symbols);

	for (size_t i = 0; i < ARRAY_SIZE(names) && !rc && !address; i++) {
		const char *at = strstr(symbols.s, names[i]);

		while (at && at > symbols.s && at[-1] != '\n')
			at--;
		address = at ? strtoull(at, NULL, 16) : 0;
	}
	tfs_strbuf_release(&symbols);
	return address ? tfs_strbuf_addf(sb, "function == 0x%" PRIx64 " && " NOT_IDLE, address) :
			 tfs_strbuf_adds(sb, NOT_IDLE);
}

static int make_filter(struct record_profile *p, struct record_request *req)
{
	const struct record_profile_opts *o = &req->profile;
	const size_t first = req->trace.buffers[o->samples].first;
	struct tfs_event_spec *spec = &req->trace.clauses.events[first];
	char comm[TFS_SAMPLER_COMM_SIZE];
	const pid_t *tids = NULL;
	size_t n = 0;
	int rc;

	if (p->sampler && !tfs_pid_ns())
		n = tfs_sampler_tids(p->sampler, &tids);
	tfs_sampler_comm(getpid(), comm);
	if (!o->tick)
		rc = tfs_sampler_filter(tids, n, comm, &p->filter);
	else if (!strcmp(spec->text, EVENT_HRTIMER))
		rc = tick_filter(&p->filter);
	else
		rc = tfs_strbuf_adds(&p->filter, NOT_IDLE);
	spec->filter = p->filter.s;
	return rc;
}

/* The period of the tick: CONFIG_HZ; 0 if the kernel's configuration is not known */
static uint64_t tick_period(void)
{
	struct tfs_strbuf config = TFS_STRBUF_INIT;
	uint64_t hz = 0;

	if (tfs_kconfig_read(&config) || !tfs_kconfig_number(config.s, "CONFIG_HZ", &hz))
		hz = 0;
	tfs_strbuf_release(&config);
	return hz ? (uint64_t)NS_PER_SEC / hz : 0;
}

static int make_option(struct record_profile *p, const struct record_request *req)
{
	const struct record_profile_opts *o = &req->profile;
	const struct trace_request *trace = &req->trace;
	const struct trace_buffer *buf = &trace->buffers[o->samples];
	uint32_t *targets = xcalloc(buf->threads.n + 1, sizeof(*targets));
	char comm[TFS_SAMPLER_COMM_SIZE] = "";
	struct tfs_dat_profile profile = {
		.flags = (o->tick ? TFS_DAT_PROFILE_TICK : 0) |
			 (trace_follows(trace, buf) ? TFS_DAT_PROFILE_CHILDREN : 0),
		.period_ns = o->tick ? tick_period() : (uint64_t)NS_PER_SEC / o->hz,
		.samples = buf->name,
		.runtime = trace->buffers[o->runtime].name,
		.event = trace->clauses.events[buf->first].text,
		.comm = comm,
		.targets = targets,
		.n_targets = buf->threads.n,
	};
	int rc;

	if (!o->tick)
		tfs_sampler_comm(getpid(), comm);
	for (size_t i = 0; i < buf->threads.n; i++)
		targets[i] = (uint32_t)strtoul(buf->threads.v[i], NULL, 10);
	rc = tfs_dat_profile_put(&p->payload, &profile);
	free(targets);
	return rc;
}

int record_profile_begin(struct record_profile *p, struct record_request *req, struct tfs_err *err)
{
	int rc = 0;

	if (!req->profile.on)
		return 0;
	if (req->trace.buffers[req->profile.samples].nobody)
		return tfs_err_say(err, -ESRCH,
				   "option --profile-cpu: there are no tasks in the cgroup");
	if (!req->profile.tick)
		rc = start_threads(p, req, err);
	if (!rc)
		rc = make_filter(p, req);
	if (!rc)
		rc = make_option(p, req);
	return rc && !err->code ? tfs_err_set(err, rc, "cannot plan the profile") : rc;
}

int record_profile_dry_run(struct record_profile *p, struct record_request *req)
{
	return req->profile.on ? make_filter(p, req) : 0;
}

struct tfs_session_option record_profile_option(const struct record_profile *p)
{
	return (struct tfs_session_option){
		.id = TFS_DAT_PRIVATE_PROFILE,
		.data = p->payload.s,
		.size = p->payload.len,
	};
}

int record_profile_own(const struct record_profile *p, struct tfs_strvec *own)
{
	const pid_t *tids;
	size_t n = p->sampler ? tfs_sampler_tids(p->sampler, &tids) : 0;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = tfs_strvec_pushf(own, "%d", (int)tids[i]);
	return rc;
}

void record_profile_start(struct record_profile *p, struct tfs_strvec *notices)
{
	struct tfs_strbuf left_out = TFS_STRBUF_INIT;

	if (!p->sampler)
		return;
	tfs_sampler_start(p->sampler);
	/* A notice that there is no memory for is not worth ending the recording. */
	if (!tfs_sampler_is_realtime(p->sampler))
		tfs_strvec_push(notices, "the threads that sample have no real-time priority, so a "
					 "busy CPU has fewer samples (that takes CAP_SYS_NICE)");
	if (!tfs_sampler_left_out(p->sampler, &left_out) && left_out.len)
		tfs_strvec_pushf(notices,
				 "not sampled: CPUs %s (isolated, nohz_full, not asked for, or not "
				 "allowed)",
				 left_out.s);
	tfs_strbuf_release(&left_out);
}

void record_profile_follow(const struct record_profile *p)
{
	if (p->sampler)
		tfs_sampler_follow(p->sampler);
}

int record_profile_show(const struct record_profile *p, const struct record_request *req,
			struct tfs_strbuf *sb)
{
	struct tfs_sampler_totals t;
	double seconds, cost;
	int rc;

	if (!req->profile.on)
		return 0;
	if (!p->sampler)
		return tfs_strbuf_adds(sb, "tc-record: sampled at the ticks of the scheduler: a "
					   "program that is in step with them has too many samples "
					   "or too few\n");
	tfs_sampler_stop(p->sampler, &t);
	seconds = (double)t.longest_ns / (double)NS_PER_SEC;
	cost = (double)t.cpu_ns / (double)NS_PER_SEC;
	rc = tfs_strbuf_addf(sb,
			     "tc-record: sampled %zu CPU%s %" PRIu64
			     " times in %.3f s, which took %.3f s",
			     t.cpus, t.cpus == 1 ? "" : "s", t.samples, seconds, cost);
	if (!rc && t.cpus && t.longest_ns)
		rc = tfs_strbuf_addf(sb, " of CPU time (%.1f %% of each CPU)",
				     100 * cost / seconds / (double)t.cpus);
	return rc ? rc :
		    tfs_strbuf_adds(sb, "\ntc-record: a user stack has 8 frames at most; code that "
					"runs with interrupts off counts where they are enabled "
					"again\n");
}

void record_profile_release(struct record_profile *p)
{
	tfs_sampler_free(p->sampler);
	tfs_strbuf_release(&p->filter);
	tfs_strbuf_release(&p->payload);
}
