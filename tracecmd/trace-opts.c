/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-opts.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "cli/xalloc.h"
#include "probe/validate.h"
#include "trace-probe.h"
#include "tracefs/event.h"

#define KIB 1024ULL
#define GIB (1024 * 1024 * KIB)
/* A tenth of a second at the 40 MB/s of a busy CPU; the kernel's default of 1.4 MiB is less. */
#define BUFFER_DEFAULT (4096 * KIB)
/* The kernel keeps at least two sub-buffers; more than BUFFER_MAX is a typing error. */
#define BUFFER_MIN (4 * KIB)
#define BUFFER_MAX (1024 * GIB)
/* The kernel allows an order of 7; sub-buffers of 64 KiB pages are that large. */
#define SUBBUF_MAX (8 * 1024 * KIB)
/* PID_MAX_LIMIT of the kernel on 64-bit machines. */
#define PID_LIMIT (4 * 1024 * 1024)
#define DEPTH_MAX INT32_MAX
#define MODE_DIGITS 4
#define MODE_MAX 0777u
#define MODE_OWNER 0600u

/* The buffer that the current options belong to */
static struct trace_buffer *buffer_now(struct trace_request *req)
{
	return &req->buffers[req->n_buffers - 1];
}

struct trace_buffer *trace_add_buffer(struct trace_request *req, const char *name)
{
	struct trace_buffer *buf;

	req->buffers = xreallocarray(req->buffers, req->n_buffers + 1, sizeof(*req->buffers));
	buf = &req->buffers[req->n_buffers++];
	*buf = (struct trace_buffer){ .name = name, .first = req->clauses.n };
	return buf;
}

/* The member of the buffer that a row's offset names. */
static void *member_of(void *request, const struct tc_option *opt)
{
	return (char *)buffer_now(request) + opt->offset;
}

static int on_list(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	int rc = tfs_strvec_push(member_of(request, opt), arg);

	return rc ? tfs_err_set(err, rc, "cannot keep '%s'", arg) : 0;
}

static int on_string(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	(void)err;
	*(const char **)member_of(request, opt) = arg;
	return 0;
}

static int on_size(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	return tfs_parse_size(arg, opt->unit, opt->min, opt->max, member_of(request, opt), err);
}

static int on_event(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct trace_request *req = request;

	(void)opt;
	return tc_clauses_event(&req->clauses, arg, err);
}

static int on_filter(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct trace_request *req = request;

	(void)opt;
	return tc_clauses_filter(&req->clauses, arg, err);
}

static int on_trigger(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct trace_request *req = request;

	(void)opt;
	return tc_clauses_trigger(&req->clauses, arg, err);
}

/* An argument with a colon is a probe: names of tracers have none. */
static int on_plugin(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct trace_request *req = request;
	struct trace_buffer *buf = buffer_now(req);
	int rc;

	(void)opt;
	if (strchr(arg, ':'))
		return tc_clauses_probe(&req->clauses, arg, err);
	if (!*arg || strpbrk(arg, " \t\n/"))
		return tfs_err_say(err, -EINVAL, "'%s' is not a tracer", arg);
	if (buf->tracer && strcmp(buf->tracer, arg) != 0) {
		rc = tfs_err_say(err, -EINVAL,
				 "a buffer can have only one tracer, not '%s' and '%s'",
				 buf->tracer, arg);
		tfs_err_hint(err, "give the other one a buffer of its own: -B NAME -p %s", arg);
		return rc;
	}
	buf->tracer = arg;
	return 0;
}

static int on_buffer(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct trace_request *req = request;
	struct tfs_instance inst;
	int rc;

	(void)opt;
	if (req->clauses.exclude) {
		rc = tfs_err_say(err, -EINVAL, "'%s' comes after -v", arg);
		tfs_err_hint(err, "-v disables events; put the buffers before it");
		return rc;
	}
	for (size_t i = 1; i < req->n_buffers; i++) {
		if (!strcmp(req->buffers[i].name, arg))
			return tfs_err_say(err, -EINVAL, "the buffer '%s' is given twice", arg);
	}
	rc = 0;
	if (*arg)
		rc = tfs_instance_named(&inst, arg, err);
	else
		tfs_instance_top(&inst);
	if (!rc)
		trace_add_buffer(req, arg)->inst = inst;
	return rc;
}

static int on_stacktrace(void *request, const struct tc_option *opt, const char *arg,
			 struct tfs_err *err)
{
	(void)arg;
	return on_list(request, opt, "stacktrace", err);
}

static int on_flag(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)arg;
	(void)err;
	*(bool *)member_of(request, opt) = true;
	return 0;
}

static int on_exclude(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct trace_request *req = request;

	(void)opt;
	(void)arg;
	(void)err;
	tc_clauses_exclude(&req->clauses);
	return 0;
}

#define AT(member) .offset = offsetof(struct trace_request, member)
/* For rows whose value belongs to a buffer */
#define IN(member) .offset = offsetof(struct trace_buffer, member)

const struct tc_option trace_event_options[] = {
	{ 'e', "event", "EVENT", "event, system, glob, SYSTEM:EVENT or all", TC_OPT_CALL,
	  TC_OPT_REPEATS | TC_OPT_POLICY, .call = on_event, .complete = "event" },
	{ 'f', "filter", "FILTER",
	  "record the events of the preceding -e or -p only where FILTER holds", TC_OPT_CALL,
	  TC_OPT_REPEATS | TC_OPT_POLICY, .call = on_filter, .complete = "none" },
	{ 'R', "trigger", "TRIGGER", "set TRIGGER on the events of the preceding -e or -p",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_trigger, .complete = "trigger" },
	{ 'v', "exclude", NULL, "disable the events of the -e options that follow", TC_OPT_CALL,
	  TC_OPT_REPEATS | TC_OPT_POLICY, .call = on_exclude },
	{ 'i', "ignore-missing", NULL, "skip events that do not exist", TC_OPT_FLAG, TC_OPT_POLICY,
	  AT(ignore_missing) },
	{ 'p', "probe", "TRACER|PROBE",
	  "use TRACER, or define a probe: kprobe:FUNC or uprobe:FILE:FUNC, with arguments",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_plugin, .complete = "record-probe" },
	{ 0, "target-ns", "PID", "look up FILE of -p uprobe:FILE:FUNC as this process sees it",
	  TC_OPT_U64, AT(target_ns), .min = 1, .max = INT_MAX, .complete = "pid" },
	{ 0, "maxactive", "N", "-p kretprobe and fexit: follow at most N calls at a time",
	  TC_OPT_U64, AT(maxactive), .min = 1, .max = TFS_PROBE_MAXACTIVE_MAX, .complete = "none" },
	{ 'l', "function", "FUNC", "trace only these functions: name, glob, ^regex, regex$",
	  TC_OPT_CALL, TC_OPT_REPEATS, IN(functions.only), .call = on_list,
	  .complete = "kernel-function" },
	{ 'n', "no-function", "FUNC", "do not trace these functions", TC_OPT_CALL, TC_OPT_REPEATS,
	  IN(functions.except), .call = on_list, .complete = "kernel-function" },
	{ 'g', "graph-function", "FUNC", "function_graph: trace these functions and what they call",
	  TC_OPT_CALL, TC_OPT_REPEATS, IN(functions.graph), .call = on_list,
	  .complete = "kernel-function" },
	{ 0, "module", "MODULE", "-l and -n: only functions of this module", TC_OPT_CALL,
	  IN(functions.module), .call = on_string, .complete = "kernel-module" },
	{ 0, "max-graph-depth", "DEPTH", "function_graph: the maximum call depth; 0: no limit",
	  TC_OPT_CALL, IN(graph_depth), .call = on_string, .complete = "none" },
	{ 0, "func-stack", NULL, "record a stack trace of each function (only with -l)",
	  TC_OPT_CALL, IN(func_stack), .call = on_flag },
	{ 'T', "stacktrace", NULL, "record a stack trace of each event", TC_OPT_CALL, IN(options),
	  .call = on_stacktrace },
	{ 'O', "option", "OPTION", "set a trace option; a leading 'no' clears it", TC_OPT_CALL,
	  TC_OPT_REPEATS, IN(options), .call = on_list, .complete = "trace-option" },
	{ 'd', "no-func-trace", NULL, "keep latency tracers from tracing functions", TC_OPT_FLAG,
	  AT(no_function) },
	{ 'D', "no-ftrace", NULL, "as -d, and disable function tracing on the whole system",
	  TC_OPT_FLAG, AT(no_ftrace) },
	TC_OPT_END,
};

const struct tc_option trace_task_options[] = {
	{ 'P', "pid", "PID", "only this thread; takes a list with commas", TC_OPT_CALL,
	  TC_OPT_REPEATS | TC_OPT_POLICY, IN(pid_words), .call = on_list, .complete = "pid" },
	{ 'F', "only-command", NULL, "only COMMAND", TC_OPT_FLAG, AT(only_command) },
	{ 'c', "children", NULL, "with -P or -F: also the threads and children they create",
	  TC_OPT_FLAG, TC_OPT_POLICY, AT(children) },
	{ 0, "cgroup", "PATH", "only tasks in this cgroup and those below it, and their children",
	  TC_OPT_CALL, TC_OPT_REPEATS, IN(cgroups), .call = on_list, .complete = "cgroup" },
	{ 0, "container", "PID", "only tasks in the pid namespace of this process", TC_OPT_CALL,
	  IN(container), .call = on_string, .complete = "pid" },
	{ 'M', "cpumask", "HEX", "only these CPUs, as a mask; -1: all", TC_OPT_CALL, TC_OPT_POLICY,
	  IN(cpumask), .call = on_string, .complete = "none" },
	{ 0, "cpus", "CPUS", "only these CPUs, as a list: 0-3,8", TC_OPT_CALL, TC_OPT_POLICY,
	  IN(cpus), .call = on_string, .complete = "cpu" },
	{ 0, "cpu", "CPUS", "the same as --cpus", TC_OPT_CALL, TC_OPT_POLICY, IN(cpus),
	  .call = on_string, .complete = "cpu" },
	{ 0, "no-filter", NULL, "trace the recorder, too", TC_OPT_FLAG, AT(no_filter) },
	TC_OPT_END,
};

const struct tc_option trace_buffer_options[] = {
	{ 'B', "buffer", "NAME",
	  "the options that follow are for a separate buffer, NAME; '': the top level", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_buffer, .complete = "instance" },
	{ 'b', "buffer-size", "SIZE", "size of each CPU's ring buffer, in KiB or with K, M, G (4M)",
	  TC_OPT_CALL, TC_OPT_POLICY, IN(buffer_bytes), .min = BUFFER_MIN, .max = BUFFER_MAX,
	  .unit = KIB, .call = on_size, .complete = "size" },
	{ 0, "subbuf-size", "SIZE", "size of a sub-buffer, in KiB or with K", TC_OPT_CALL,
	  IN(subbuf_bytes), .min = KIB, .max = SUBBUF_MAX, .unit = KIB, .call = on_size,
	  .complete = "size" },
	{ 'C', "clock", "CLOCK", "clock of the time stamps", TC_OPT_CALL, TC_OPT_POLICY, IN(clock),
	  .call = on_string, .complete = "clock" },
	{ 0, "cmdlines-size", "N", "number of task names that the kernel keeps", TC_OPT_U64,
	  AT(cmdlines_size), .min = 1, .max = INT32_MAX, .complete = "none" },
	{ 'K', "keep-before", NULL, "do not empty an existing buffer of -B", TC_OPT_FLAG,
	  AT(keep_before) },
	TC_OPT_END,
};

void trace_init(struct trace_request *req)
{
	trace_add_buffer(req, NULL)->buffer_bytes = BUFFER_DEFAULT;
}

void trace_release(struct trace_request *req)
{
	tc_clauses_release(&req->clauses);
	for (size_t i = 0; i < req->n_buffers; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->pid_words);
		tfs_strvec_release(&buf->tasks);
		tfs_strvec_release(&buf->threads);
		tfs_strvec_release(&buf->joined);
		tfs_strvec_release(&buf->options);
		tfs_strvec_release(&buf->cgroups);
		tfs_func_filter_release(&buf->functions);
		free(buf->pids);
		free(buf->mask);
	}
	free(req->buffers);
	req->buffers = NULL;
	req->n_buffers = 0;
}

const char *trace_pid_option(const struct trace_request *req)
{
	return req->pid_option ? req->pid_option : "-P";
}

static int check_pids(struct trace_buffer *buf, const char *option, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	uint64_t pid;
	int rc = 0;

	for (size_t i = 0; i < buf->pid_words.n && !rc; i++)
		rc = tfs_strvec_split(&words, buf->pid_words.v[i], ",");
	if (rc) {
		tfs_err_set(err, rc, "cannot keep the list of %s", option);
		goto out;
	}
	if (buf->pid_words.n && !words.n) {
		rc = tfs_err_say(err, -EINVAL, "option %s: no pid in '%s'", option,
				 buf->pid_words.v[0]);
		goto out;
	}
	free(buf->pids);
	buf->n_pids = 0;
	buf->pids = xcalloc(words.n + 1, sizeof(*buf->pids));
	for (size_t i = 0; i < words.n; i++) {
		rc = tfs_parse_u64(words.v[i], 1, PID_LIMIT, &pid, err);
		if (rc) {
			tfs_err_prefix(err, "option %s", option);
			goto out;
		}
		buf->pids[buf->n_pids++] = (pid_t)pid;
	}
out:
	tfs_strvec_release(&words);
	return rc;
}

static int check_container(struct trace_buffer *buf, struct tfs_err *err)
{
	uint64_t pid;
	int rc;

	if (!buf->container)
		return 0;
	rc = tfs_parse_u64(buf->container, 1, PID_LIMIT, &pid, err);
	if (rc)
		tfs_err_prefix(err, "option --container");
	else
		buf->container_pid = (pid_t)pid;
	return rc;
}

/* Checks the -p options without looking anything up. */
static int check_probes(const struct trace_request *req, struct tfs_err *err)
{
	struct trace_probe probe = { 0 };
	bool user = false, returns = false;
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		if (req->clauses.events[i].probe)
			rc = trace_probe_parse(req->clauses.events[i].text, &probe, err);
		user |= probe.exec != NULL;
		returns |= !probe.exec && probe.spec.ret;
		trace_probe_release(&probe);
	}
	if (!rc && req->target_ns && !user) {
		rc = tfs_err_say(err, -EINVAL, "--target-ns needs -p uprobe:FILE:FUNCTION");
		tfs_err_hint(err, "there is no FILE to look up in process %" PRIu64,
			     req->target_ns);
	} else if (!rc && req->maxactive && !returns) {
		rc = tfs_err_say(err, -EINVAL,
				 "--maxactive needs -p kretprobe:FUNCTION or fexit:FUNCTION");
		tfs_err_hint(err, "return probes of programs have no such limit");
	}
	return rc;
}

/* A set of CPUs in the kernel's syntax */
static char *mask_of(const struct tfs_cpus *cpus)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	bool begun = false;
	char *mask = NULL;
	int rc = 0;

	for (unsigned int word = TFS_CPUS_MAX / 32; word-- > 0 && !rc;) {
		uint32_t bits = 0;

		for (unsigned int bit = 0; bit < 32; bit++) {
			if (tfs_cpus_has(cpus, word * 32 + bit))
				bits |= UINT32_C(1) << bit;
		}
		if (!bits && !begun)
			continue;
		rc = tfs_strbuf_addf(&sb, begun ? ",%08" PRIx32 : "%" PRIx32, bits);
		begun = true;
	}
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &mask);
	tfs_strbuf_release(&sb);
	return rc ? NULL : mask;
}

/* "ff,ffffffff": hexadecimal, a comma between words of 32 bits; -1 for all CPUs */
static int check_mask(struct trace_buffer *buf, struct tfs_err *err)
{
	static const char digits[] = "0123456789abcdefABCDEF,";
	const char *text = buf->cpumask;
	struct tfs_cpus cpus;
	int rc = 0;

	free(buf->mask);
	buf->mask = NULL;
	if (text && buf->cpus)
		return tfs_err_say(err, -EINVAL, "options -M and --cpus exclude each other");
	if (text && strcmp(text, "-1") != 0) {
		if (!strncmp(text, "0x", 2))
			text += 2;
		if (!*text || text[strspn(text, digits)] || !text[strspn(text, "0,")]) {
			tfs_err_say(err, -EINVAL, "option -M: '%s' is not a CPU mask", text);
			tfs_err_hint(
				err,
				"a mask is hexadecimal, with a bit for each CPU: 5 is CPUs 0 and "
				"2; --cpus takes a list");
			return -EINVAL;
		}
		buf->mask = xstrdup(text);
	} else if (buf->cpus) {
		rc = tfs_cpus_parse(buf->cpus, &cpus, err);
		if (rc)
			tfs_err_prefix(err, "option --cpus");
		else
			buf->mask = mask_of(&cpus);
		if (!rc && !buf->mask)
			rc = tfs_err_set(err, -ENOMEM, "cannot keep the CPUs");
	}
	return rc;
}

static int check_depth(struct trace_buffer *buf, struct tfs_err *err)
{
	int rc = 0;

	if (buf->graph_depth)
		rc = tfs_parse_u64(buf->graph_depth, 0, DEPTH_MAX, &buf->depth, err);
	if (rc)
		tfs_err_prefix(err, "option --max-graph-depth");
	return rc;
}

/* Options that need a tracer of functions */
static int check_tracer(const struct trace_buffer *buf, struct tfs_err *err)
{
	const struct tfs_func_filter *f = &buf->functions;
	const char *tracer = buf->tracer ? buf->tracer : "nop";
	bool graph = !strcmp(tracer, "function_graph");
	bool none = !strcmp(tracer, "nop") || !strcmp(tracer, "blk");
	const char *option = NULL, *want = "function";

	if (none && (f->only.n || f->except.n || f->module))
		option = f->only.n ? "-l" : f->except.n ? "-n" : "--module";
	if (!option && !graph && (f->graph.n || buf->graph_depth)) {
		option = f->graph.n ? "-g" : "--max-graph-depth";
		want = "function_graph";
	}
	if (!option && buf->func_stack && strcmp(tracer, "function") != 0)
		option = "--func-stack";
	if (option) {
		tfs_err_say(err, -EINVAL, "option %s needs a tracer of functions", option);
		tfs_err_hint(err, "add -p %s", want);
		return -EINVAL;
	}
	if (buf->func_stack && !f->only.n && !f->module)
		return tfs_err_say(
			err, -EINVAL,
			"option --func-stack needs -l: stack traces of all functions would stall "
			"the machine");
	return 0;
}

static int check_buffer(const struct trace_request *req, struct trace_buffer *buf,
			struct tfs_err *err)
{
	const char *clock = buf->clock;
	int rc;

	if (clock && (!*clock || strpbrk(clock, " \t\n[]")))
		return tfs_err_say(err, -EINVAL, "option -C: '%s' is not a clock", clock);
	if (buf->name && !trace_is_used(req, buf)) {
		rc = tfs_err_say(err, -EINVAL, "option -B: nothing is recorded in '%s'", buf->name);
		tfs_err_hint(err, "the options for a buffer follow it: -B %s -e EVENT", buf->name);
		return rc;
	}
	rc = check_pids(buf, trace_pid_option(req), err);
	if (!rc)
		rc = check_container(buf, err);
	if (!rc)
		rc = check_mask(buf, err);
	if (!rc)
		rc = check_depth(buf, err);
	return rc ? rc : check_tracer(buf, err);
}

static int check_conflicts(const struct trace_request *req, struct tfs_err *err)
{
	size_t n_pids = 0;
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers; i++)
		n_pids += req->buffers[i].n_pids + req->buffers[i].cgroups.n +
			  (req->buffers[i].container != NULL);
	if (req->only_command && !req->command) {
		rc = tfs_err_say(err, -EINVAL, "option -F needs a COMMAND");
		tfs_err_hint(err, "-e EVENT -F COMMAND, or -P PID for a running process");
	} else if (req->children && !req->only_command && !n_pids) {
		rc = tfs_err_say(err, -EINVAL, "option -c needs -P or -F");
	}
	return rc;
}

bool trace_follows(const struct trace_request *req, const struct trace_buffer *buf)
{
	return req->children || buf->cgroups.n || buf->container ||
	       (buf->flags & TRACE_BUFFER_COMMAND);
}

bool trace_has_default_size(const struct trace_buffer *buf)
{
	return buf->buffer_bytes == BUFFER_DEFAULT;
}

bool trace_wants_command(const struct trace_request *req, const struct trace_buffer *buf)
{
	return (buf->flags & TRACE_BUFFER_COMMAND) ||
	       (req->only_command && !(buf->flags & TRACE_BUFFER_ALL_TASKS));
}

struct trace_buffer *trace_find_top(const struct trace_request *req)
{
	for (size_t i = 1; i < req->n_buffers; i++) {
		if (!*req->buffers[i].name)
			return &req->buffers[i];
	}
	return NULL;
}

bool trace_is_used(const struct trace_request *req, const struct trace_buffer *buf)
{
	/* The markers of programs are in the top level's buffer whatever else is. */
	if (buf->name && !*buf->name)
		return true;
	/* "nop" for a -B, or for the only buffer: the markers of programs are wanted */
	return buf->n > 0 || (buf->tracer && (strcmp(buf->tracer, "nop") != 0 || buf->name ||
					      req->n_buffers == 1));
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

int trace_check(struct trace_request *req, struct tfs_err *err)
{
	int rc = tc_clauses_check(&req->clauses, has_tracer(req) ? 0 : TC_CLAUSES_REQUIRED, err);

	for (size_t i = 0; i < req->n_buffers; i++) {
		size_t end = i + 1 < req->n_buffers ? req->buffers[i + 1].first : req->clauses.n;

		req->buffers[i].n = end - req->buffers[i].first;
	}
	if (!rc)
		rc = check_probes(req, err);
	for (size_t i = 0; i < req->n_buffers && !rc; i++)
		rc = check_buffer(req, &req->buffers[i], err);
	return rc ? rc : check_conflicts(req, err);
}

int trace_compression(const char *text, enum tfs_codec_id *codec, int *level, struct tfs_err *err)
{
	int rc;

	*codec = tfs_codec_default();
	*level = 0;
	if (!text)
		return 0;
	rc = tfs_codec_parse(text, codec, level, err);
	if (rc)
		tfs_err_prefix(err, "option --compression");
	return rc;
}

int trace_mode(const char *text, unsigned int *mode, struct tfs_err *err)
{
	const size_t digits = strspn(text, "01234567");
	unsigned long value;

	if (!digits || text[digits] || digits > MODE_DIGITS) {
		tfs_err_say(err, -EINVAL, "'%s' is not a mode", text);
		tfs_err_hint(err, "a mode is octal, as for chmod: 0600, 0640, 0644");
		return -EINVAL;
	}
	value = strtoul(text, NULL, 8);
	if (value > MODE_MAX || (value & MODE_OWNER) != MODE_OWNER) {
		tfs_err_say(err, -EINVAL, "a trace file cannot have the mode %s", text);
		tfs_err_hint(
			err,
			"the mode must be from 0600 to 0777, so that the owner can read and write "
			"the file");
		return -EINVAL;
	}
	*mode = (unsigned int)value;
	return 0;
}
