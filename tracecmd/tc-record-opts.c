/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-opts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf.h"
#include "event/event-plan.h"
#include "event/event.h"
#include "fs/instance.h"
#include "fs/plan.h"
#include "tc-record-probe.h"

#define KIB 1024ULL
#define GIB (1024 * 1024 * KIB)
/* A tenth of a second at 40 MB/s, which a busy CPU can make; the kernel's 1.4 MiB are not. */
#define BUFFER_DEFAULT (4096 * KIB)
/* The kernel keeps at least two sub-buffers; more than this per CPU is a slip of the finger. */
#define BUFFER_MIN (4 * KIB)
#define BUFFER_MAX (1024 * GIB)
/* PID_MAX_LIMIT of the kernel on 64-bit machines. */
#define PID_LIMIT (4 * 1024 * 1024)
/* Of a list of pids that goes to the kernel in one write. */
#define PIECE_MAX 1024

static int on_event(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return tc_clauses_event(&req->clauses, arg, err);
}

static int on_filter(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return tc_clauses_filter(&req->clauses, arg, err);
}

static int on_probe(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return tc_clauses_probe(&req->clauses, arg, err);
}

static int on_exclude(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	(void)arg;
	(void)err;
	tc_clauses_exclude(&req->clauses);
	return 0;
}

#define AT(member) .offset = offsetof(struct record_request, member)

const struct tc_option record_options[] = {
	{ .type = TC_OPT_GROUP, .help = "What to record" },
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
	{ .type = TC_OPT_GROUP, .help = "Whom to record" },
	{ 'P', "pid", "PID", "only this thread; also a list with commas", TC_OPT_LIST,
	  TC_OPT_REPEATS, AT(pid_words), .complete = "pid" },
	{ 'F', "only-command", NULL, "only COMMAND", TC_OPT_FLAG, AT(only_command) },
	{ 'c', "children", NULL, "with -P or -F: also the threads and children they make",
	  TC_OPT_FLAG, AT(children) },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ 0, "duration", "TIME", "stop after this time: 10, 1.5, 200ms, 2m", TC_OPT_DURATION,
	  AT(duration_ns), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "How to record" },
	{ 'b', "buffer-size", "SIZE", "ring buffer of each CPU, in KiB or with K, M, G (4M)",
	  TC_OPT_SIZE, AT(buffer_bytes), .min = BUFFER_MIN, .max = BUFFER_MAX, .unit = KIB,
	  .complete = "size" },
	{ 'C', "clock", "CLOCK", "clock of the time stamps", TC_OPT_STRING, AT(clock),
	  .complete = "clock" },
	{ 'o', "output", "FILE", "file to write (trace.dat)", TC_OPT_STRING, AT(output),
	  .complete = "file" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none", TC_OPT_STRING, AT(compression),
	  .complete = "compression" },
	{ 0, "dry-run", NULL, "print what would be done as shell commands; record nothing",
	  TC_OPT_FLAG, AT(dry_run) },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

void record_init(void *request)
{
	struct record_request *req = request;

	req->buffer_bytes = BUFFER_DEFAULT;
	req->output = "trace.dat";
}

void record_release(void *request)
{
	struct record_request *req = request;

	tc_clauses_release(&req->clauses);
	tfs_strvec_release(&req->pid_words);
	free(req->pids);
	req->pids = NULL;
	req->n_pids = 0;
}

static int check_pids(struct record_request *req, struct tfs_err *err)
{
	struct tfs_strvec words = TFS_STRVEC_INIT;
	uint64_t pid;
	int rc = 0;

	for (size_t i = 0; i < req->pid_words.n && !rc; i++)
		rc = tfs_strvec_split(&words, req->pid_words.v[i], ",");
	if (rc) {
		tfs_err_set(err, rc, "cannot keep the list of -P");
		goto out;
	}
	if (req->pid_words.n && !words.n) {
		rc = tfs_err_say(err, -EINVAL, "option -P: there is no pid in '%s'",
				 req->pid_words.v[0]);
		goto out;
	}
	free(req->pids);
	req->n_pids = 0;
	req->pids = calloc(words.n + 1, sizeof(*req->pids));
	if (!req->pids) {
		rc = tfs_err_set(err, -ENOMEM, "cannot keep the list of -P");
		goto out;
	}
	for (size_t i = 0; i < words.n; i++) {
		rc = tfs_parse_u64(words.v[i], 1, PID_LIMIT, &pid, err);
		if (rc) {
			tfs_err_prefix(err, "option -P");
			goto out;
		}
		req->pids[req->n_pids++] = (pid_t)pid;
	}
out:
	tfs_strvec_release(&words);
	return rc;
}

/* What can be told of the -p options without looking anything up. */
static int check_probes(const struct record_request *req, struct tfs_err *err)
{
	struct record_probe probe = { 0 };
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		if (req->clauses.events[i].probe)
			rc = record_probe_parse(req->clauses.events[i].text, &probe, err);
		record_probe_release(&probe);
	}
	return rc;
}

static int check_conflicts(const struct record_request *req, struct tfs_err *err)
{
	int rc = 0;

	if (req->only_command && !req->command) {
		rc = tfs_err_say(err, -EINVAL, "option -F needs a COMMAND to restrict itself to");
		tfs_err_hint(err, "tc-record -e EVENT -F COMMAND, or -P PID for a running process");
	} else if (req->user && !req->command) {
		rc = tfs_err_say(err, -EINVAL, "option --user needs a COMMAND to run");
	} else if (req->children && !req->only_command && !req->n_pids) {
		rc = tfs_err_say(err, -EINVAL, "option -c needs -P or -F to add children to");
	} else if (!*req->output) {
		rc = tfs_err_say(err, -EINVAL, "option -o: the name of the file is empty");
	} else if (req->clock && (!*req->clock || strpbrk(req->clock, " \t\n[]"))) {
		rc = tfs_err_say(err, -EINVAL, "option -C: '%s' is no name of a clock", req->clock);
	}
	return rc;
}

int record_check(struct record_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc;

	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "the name of COMMAND is empty");
	req->command = argc > 0 ? argv : NULL;
	rc = tc_clauses_check(&req->clauses, err);
	if (!rc)
		rc = check_probes(req, err);
	if (!rc)
		rc = check_pids(req, err);
	if (!rc)
		rc = check_conflicts(req, err);
	if (rc)
		return rc;
	req->codec = tfs_codec_default();
	req->level = 0;
	if (!req->compression)
		return 0;
	rc = tfs_codec_parse(req->compression, &req->codec, &req->level, err);
	if (rc)
		tfs_err_prefix(err, "option --compression");
	return rc;
}

/* The path of a control file of the instance; 0 or -errno. */
static int at(const struct tfs_instance *inst, const char *file, char path[256])
{
	return tfs_instance_path(inst, file, path, 256);
}

/* A write whose undo is the instance's own rmdir. */
static int plan_set(struct tfs_plan *plan, const struct tfs_instance *inst, const char *file,
		    const char *text, const char *message)
{
	char path[256];
	int rc = at(inst, file, path);

	if (!rc)
		rc = tfs_plan_write(plan, path, text);
	if (!rc && message)
		rc = tfs_plan_says(plan, message, NULL);
	return rc;
}

static int plan_buffer(const struct record_request *req, const struct tfs_instance *inst,
		       struct tfs_plan *plan)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	uint64_t kib = (req->buffer_bytes + KIB - 1) / KIB;
	int rc;

	rc = tfs_strbuf_addf(&sb, "%" PRIu64, kib);
	if (!rc)
		rc = tfs_strbuf_addf(
			&message, "cannot make a ring buffer of %" PRIu64 " KiB for each CPU", kib);
	if (!rc)
		rc = plan_set(plan, inst, "buffer_size_kb", sb.s, message.s);
	/* Its default already, but nothing promises that; without it readers wake too often. */
	if (!rc)
		rc = plan_set(plan, inst, "buffer_percent", "50", NULL);
	if (!rc)
		rc = tfs_plan_optional(plan, "the recorder will be woken more often");
	tfs_strbuf_release(&message);
	tfs_strbuf_release(&sb);
	return rc;
}

static int plan_clock(const struct record_request *req, const struct tfs_instance *inst,
		      struct tfs_plan *plan)
{
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	int rc;

	if (!req->clock)
		return 0;
	rc = tfs_strbuf_addf(&message, "cannot use the clock '%s'", req->clock);
	if (!rc)
		rc = plan_set(plan, inst, "trace_clock", req->clock, message.s);
	tfs_strbuf_release(&message);
	return rc;
}

/* The kernel takes a list of pids in pieces, none longer than a page. */
static int plan_pid_list(const struct tfs_instance *inst, const struct tfs_strvec *pids,
			 struct tfs_plan *plan)
{
	struct tfs_strbuf piece = TFS_STRBUF_INIT;
	char path[256];
	int rc = at(inst, "set_event_pid", path);

	for (size_t i = 0; i < pids->n && !rc; i++) {
		rc = tfs_strbuf_addf(&piece, "%s%s", piece.len ? " " : "", pids->v[i]);
		if (rc || (i + 1 < pids->n && piece.len < PIECE_MAX))
			continue;
		rc = tfs_plan_append(plan, path, piece.s);
		if (!rc)
			rc = tfs_plan_says(plan, "cannot restrict events to a pid", NULL);
		tfs_strbuf_reset(&piece);
	}
	tfs_strbuf_release(&piece);
	return rc;
}

static int plan_pids(const struct record_request *req, const struct tfs_instance *inst,
		     const struct tfs_strvec *pids, struct tfs_plan *plan)
{
	int rc = 0;

	/* Before the pids: what they fork from then on is added (kernel: trace/ftrace.rst). */
	if (req->children)
		rc = plan_set(plan, inst, "options/event-fork", "1",
			      "cannot follow children (option -c)");
	if (!rc)
		rc = plan_pid_list(inst, pids, plan);
	return rc;
}

int record_plan(const struct record_request *req, const struct tfs_instance *inst,
		const struct tfs_strvec *names, const struct tfs_strvec *pids,
		struct tfs_plan *plan, struct tfs_err *err)
{
	int rc;

	rc = tfs_instance_plan(inst, plan);
	if (!rc)
		rc = plan_buffer(req, inst, plan);
	if (!rc)
		rc = plan_clock(req, inst, plan);
	if (!rc)
		rc = plan_pids(req, inst, pids, plan);
	if (rc)
		return tfs_err_set(err, rc, "cannot plan the recording");
	return tfs_event_plan(req->clauses.events, req->clauses.n, names, inst, plan, err);
}

static int plan_notrace(const struct tfs_instance *inst, const struct tfs_strvec *own,
			struct tfs_plan *plan)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	char path[256];
	int rc = at(inst, "set_event_notrace_pid", path);

	for (size_t i = 0; i < own->n && !rc; i++)
		rc = tfs_strbuf_addf(&list, "%s%s", i ? " " : "", own->v[i]);
	if (!rc && own->n)
		rc = tfs_plan_append(plan, path, list.s);
	if (!rc && own->n)
		rc = tfs_plan_optional(plan, "events of the recorder itself are recorded too");
	tfs_strbuf_release(&list);
	return rc;
}

int record_plan_start(const struct tfs_instance *inst, const struct tfs_strvec *own,
		      struct tfs_plan *plan, struct tfs_err *err)
{
	char path[256];
	int rc = plan_notrace(inst, own, plan);

	if (!rc)
		rc = plan_set(plan, inst, "tracing_on", "1", "cannot start recording");
	/* Recording ends before anything else is taken back. */
	if (!rc)
		rc = at(inst, "tracing_on", path);
	if (!rc)
		rc = tfs_plan_undo_write(plan, path, "0");
	if (rc)
		tfs_err_set(err, rc, "cannot plan the recording");
	return rc;
}

int record_events(const struct record_request *req, struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		const struct tfs_event_spec *spec = &req->clauses.events[i];

		for (size_t k = 0; k < spec->matched.n && !spec->exclude && !rc; k++) {
			if (!tfs_strvec_has(out, spec->matched.v[k]))
				rc = tfs_strvec_push(out, spec->matched.v[k]);
		}
	}
	return rc;
}
