/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "cli/xalloc.h"
#include "event/event.h"
#include "trace-probe.h"

#define KIB 1024ULL
#define GIB (1024 * 1024 * KIB)
/* A tenth of a second at 40 MB/s, which a busy CPU can make; the kernel's 1.4 MiB are not. */
#define BUFFER_DEFAULT (4096 * KIB)
/* The kernel keeps at least two sub-buffers; more than this per CPU is a slip of the finger. */
#define BUFFER_MIN (4 * KIB)
#define BUFFER_MAX (1024 * GIB)
/* PID_MAX_LIMIT of the kernel on 64-bit machines. */
#define PID_LIMIT (4 * 1024 * 1024)

/* The buffer that options belong to now. */
static struct trace_buffer *buffer_now(struct trace_request *req)
{
	return &req->buffers[req->n_buffers - 1];
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

static int on_probe(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct trace_request *req = request;

	(void)opt;
	return tc_clauses_probe(&req->clauses, arg, err);
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

#define AT(member) .offset = offsetof(struct trace_request, member)
/* Of a row whose value belongs to one buffer. */
#define IN(member) .offset = offsetof(struct trace_buffer, member)

const struct tc_option trace_what_options[] = {
	{ 'e', "event", "EVENT", "event, system, glob, SYSTEM:EVENT or all", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_event, .complete = "event" },
	{ 'p', "probe", "PROBE", "record kprobe:FUNC or uprobe:FILE:FUNC, with arguments",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_probe, .complete = "record-probe" },
	{ 'f', "filter", "FILTER", "record events of the -e or -p before it only where it holds",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_filter, .complete = "none" },
	{ 'v', "exclude", NULL, "switch off the events of the -e options that follow", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_exclude },
	{ 'i', "ignore-missing", NULL, "an EVENT that does not exist is not an error", TC_OPT_FLAG,
	  AT(ignore_missing) },
	TC_OPT_END,
};

const struct tc_option trace_whom_options[] = {
	{ 'P', "pid", "PID", "only this thread; also a list with commas", TC_OPT_CALL,
	  TC_OPT_REPEATS, IN(pid_words), .call = on_list, .complete = "pid" },
	{ 'F', "only-command", NULL, "only COMMAND", TC_OPT_FLAG, AT(only_command) },
	{ 'c', "children", NULL, "with -P or -F: also the threads and children they make",
	  TC_OPT_FLAG, AT(children) },
	TC_OPT_END,
};

const struct tc_option trace_how_options[] = {
	{ 'b', "buffer-size", "SIZE", "ring buffer of each CPU, in KiB or with K, M, G (4M)",
	  TC_OPT_CALL, IN(buffer_bytes), .min = BUFFER_MIN, .max = BUFFER_MAX, .unit = KIB,
	  .call = on_size, .complete = "size" },
	{ 'C', "clock", "CLOCK", "clock of the time stamps", TC_OPT_CALL, IN(clock),
	  .call = on_string, .complete = "clock" },
	TC_OPT_END,
};

static struct trace_buffer *add_buffer(struct trace_request *req, const char *name)
{
	struct trace_buffer *buf;

	req->buffers = xreallocarray(req->buffers, req->n_buffers + 1, sizeof(*req->buffers));
	buf = &req->buffers[req->n_buffers++];
	*buf = (struct trace_buffer){ .name = name, .first = req->clauses.n };
	return buf;
}

void trace_init(struct trace_request *req)
{
	add_buffer(req, NULL)->buffer_bytes = BUFFER_DEFAULT;
}

void trace_release(struct trace_request *req)
{
	tc_clauses_release(&req->clauses);
	for (size_t i = 0; i < req->n_buffers; i++) {
		struct trace_buffer *buf = &req->buffers[i];

		tfs_strvec_release(&buf->pid_words);
		tfs_strvec_release(&buf->threads);
		free(buf->pids);
	}
	free(req->buffers);
	req->buffers = NULL;
	req->n_buffers = 0;
}

static int check_pids(struct trace_buffer *buf, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	uint64_t pid;
	int rc = 0;

	for (size_t i = 0; i < buf->pid_words.n && !rc; i++)
		rc = tfs_strvec_split(&words, buf->pid_words.v[i], ",");
	if (rc) {
		tfs_err_set(err, rc, "cannot keep the list of -P");
		goto out;
	}
	if (buf->pid_words.n && !words.n) {
		rc = tfs_err_say(err, -EINVAL, "option -P: there is no pid in '%s'",
				 buf->pid_words.v[0]);
		goto out;
	}
	free(buf->pids);
	buf->n_pids = 0;
	buf->pids = xcalloc(words.n + 1, sizeof(*buf->pids));
	for (size_t i = 0; i < words.n; i++) {
		rc = tfs_parse_u64(words.v[i], 1, PID_LIMIT, &pid, err);
		if (rc) {
			tfs_err_prefix(err, "option -P");
			goto out;
		}
		buf->pids[buf->n_pids++] = (pid_t)pid;
	}
out:
	tfs_strvec_release(&words);
	return rc;
}

/* What can be told of the -p options without looking anything up. */
static int check_probes(const struct trace_request *req, struct tfs_err *err)
{
	struct trace_probe probe = { 0 };
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		if (req->clauses.events[i].probe)
			rc = trace_probe_parse(req->clauses.events[i].text, &probe, err);
		trace_probe_release(&probe);
	}
	return rc;
}

static int check_conflicts(const struct trace_request *req, struct tfs_err *err)
{
	size_t n_pids = 0;
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const char *clock = req->buffers[i].clock;

		n_pids += req->buffers[i].n_pids;
		if (clock && (!*clock || strpbrk(clock, " \t\n[]")))
			rc = tfs_err_say(err, -EINVAL, "option -C: '%s' is no name of a clock",
					 clock);
	}
	if (!rc && req->only_command && !req->command) {
		rc = tfs_err_say(err, -EINVAL, "option -F needs a COMMAND to restrict itself to");
		tfs_err_hint(err, "-e EVENT -F COMMAND, or -P PID for a running process");
	} else if (!rc && req->children && !req->only_command && !n_pids) {
		rc = tfs_err_say(err, -EINVAL, "option -c needs -P or -F to add children to");
	}
	return rc;
}

bool trace_is_used(const struct trace_request *req, const struct trace_buffer *buf)
{
	(void)req;
	return buf->n > 0;
}

int trace_check(struct trace_request *req, struct tfs_err *err)
{
	int rc = tc_clauses_check(&req->clauses, err);

	for (size_t i = 0; i < req->n_buffers; i++) {
		size_t end = i + 1 < req->n_buffers ? req->buffers[i + 1].first : req->clauses.n;

		req->buffers[i].n = end - req->buffers[i].first;
	}
	if (!rc)
		rc = check_probes(req, err);
	for (size_t i = 0; i < req->n_buffers && !rc; i++)
		rc = check_pids(&req->buffers[i], err);
	if (!rc)
		rc = check_conflicts(req, err);
	return rc;
}
