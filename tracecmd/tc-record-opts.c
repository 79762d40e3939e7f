/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-opts.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/strbuf-core.h"
#include "cli/child.h"
#include "cli/shell.h"
#include "record/session.h"
#include "relay/bucket.h"
#include "relay/spool.h"
#include "tc-record-net.h"
#include "tc-record-session.h"
#include "trace-names.h"
#include "tracefs/event.h"

/* An hour */
#define INTERVAL_MAX (3600 * 1000000ULL)
#define KIB UINT64_C(1024)
/* Larger than any disk, so that only typing errors exceed it */
#define SIZE_LIMIT (UINT64_C(1) << 60)
#define AT(member) .offset = offsetof(struct record_request, member)

static int on_switch(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return tfs_switch_output_parse(arg, &req->switch_output, err);
}

static int on_mode(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return trace_mode(arg, &req->mode, err);
}

static int on_output(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	(void)err;
	req->output = arg;
	req->has_output = true;
	return 0;
}

static int on_profile(void *request, const struct tc_option *opt, const char *arg,
		      struct tfs_err *err)
{
	struct record_request *req = request;

	(void)opt;
	return record_profile_parse(arg, &req->profile, err);
}

/* Hints of more than one row */
static const char sums[] =
	"select events with -e; tc-report --graph --summary, --latency and --profile sum up";
static const char guests[] =
	"tc-record on both machines, then tc-attach, records a guest and its host";
static const char dry_run[] = "--dry-run prints the equivalent shell commands";

static const struct tc_option absent_options[] = {
	TC_OPT_WITHOUT(
		0, "profile",
		"--profile-cpu samples what runs; tc-report --profile shows what tasks wait for"),
	TC_OPT_WITHOUT('G', NULL, sums),
	TC_OPT_WITHOUT('H', NULL, sums),
	TC_OPT_WITHOUT('S', NULL, sums),
	TC_OPT_WITHOUT(0, "by-comm", sums),
	TC_OPT_WITHOUT(0, "temp", "temporary files are beside the file that -o names"),
	TC_OPT_WITHOUT(0, "poll", "-s USEC reads the ring buffers more often"),
	TC_OPT_WITHOUT(0, "proc-map", "memory maps are recorded where events have user addresses"),
	TC_OPT_WITHOUT(0, "nosplice", "reading replaces splicing where that fails"),
	TC_OPT_WITHOUT(0, "fork", "tc-session start --fork does it"),
	TC_OPT_WITHOUT(0, "file-version", "tc-file convert --file-version 6 makes such a file"),
	TC_OPT_WITHOUT(0, "verbose", dry_run),
	TC_OPT_WITHOUT(0, "debug", dry_run),
	TC_OPT_WITHOUT('V', NULL, guests),
	TC_OPT_WITHOUT('A', NULL, guests),
	TC_OPT_WITHOUT(0, "name", guests),
	TC_OPT_WITHOUT(0, "proxy", guests),
	TC_OPT_WITHOUT(0, "tsync-interval", guests),
	TC_OPT_END,
};

const struct tc_option record_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Events and tracers" },
	{ 0, "profile-cpu", "HZ",
	  "sample what runs, with stacks: HZ times a second on each CPU (97; 997 with COMMAND), or "
	  "at each tick",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG | TC_OPT_ONCE, .call = on_profile, .complete = "none" },
	{ .type = TC_OPT_TABLE, .table = trace_event_options },
	{ 0, "markers", NULL,
	  "record also what is written with trace_printk() and to trace_marker: the top level's "
	  "buffer",
	  TC_OPT_FLAG, AT(markers) },
	{ .type = TC_OPT_GROUP, .help = "Selecting tasks" },
	{ .type = TC_OPT_TABLE, .table = trace_task_options },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ .type = TC_OPT_GROUP, .help = "Starting and stopping" },
	{ 0, "delay", "TIME", "start recording this long after COMMAND", TC_OPT_DURATION,
	  AT(delay_ns), .complete = "none" },
	{ 0, "max-events", "N", "stop after this many events", TC_OPT_U64, TC_OPT_POLICY,
	  AT(max_events), .min = 1, .complete = "none" },
	{ 0, "duration", "TIME", "stop after this time: 10, 1.5, 200ms, 2m", TC_OPT_DURATION,
	  TC_OPT_POLICY, AT(duration_ns), .complete = "none" },
	{ .type = TC_OPT_GROUP, .help = "Buffers and output" },
	{ .type = TC_OPT_TABLE, .table = trace_buffer_options },
	{ 'o', "output", "FILE", "file to write (trace.dat)", TC_OPT_CALL, TC_OPT_ONCE,
	  .call = on_output, .complete = "file" },
	{ 'N', "network", "[HOST:]PORT", "send the recording to tc-listen or trace-cmd listen",
	  TC_OPT_STRING, AT(listener), .complete = "none" },
	{ 't', "tcp", NULL, "with -N: use TCP (it always does)", TC_OPT_FLAG, AT(tcp) },
	{ 0, "mode", "MODE", "permissions of FILE, in octal (0600)", TC_OPT_CALL, TC_OPT_ONCE,
	  .call = on_mode, .complete = "none" },
	{ 0, "compression", "NAME[:LEVEL]", "zstd, zlib or none", TC_OPT_STRING, AT(compression),
	  .complete = "compression" },
	{ 'a', "all-formats", NULL, "store the formats of all events in the file", TC_OPT_FLAG,
	  AT(all_formats) },
	{ 0, "kallsyms", NULL, "store the kernel's symbols in the file, whatever is recorded",
	  TC_OPT_FLAG, AT(kallsyms) },
	{ 'k', "keep", NULL, "leave instances and probes in place when recording ends", TC_OPT_FLAG,
	  AT(keep) },
	{ 'r', "priority", "PRIO", "run the recorder with this real-time priority (SCHED_FIFO)",
	  TC_OPT_U64, AT(priority), .min = 1, .max = 99, .complete = "none" },
	{ 's', "interval", "USEC", "read the ring buffers at least this often", TC_OPT_U64,
	  AT(interval_us), .min = 0, .max = INTERVAL_MAX, .complete = "none" },
	{ 0, "date", NULL, "make reports show the time of day", TC_OPT_FLAG, TC_OPT_POLICY,
	  AT(date) },
	{ 0, "ts-offset", "OFFSET", "make reports add this to time stamps, in ns", TC_OPT_STRING,
	  AT(ts_offset_text), .complete = "none" },
	{ 0, "tsc2nsec", NULL, "make reports convert the clock's cycles to ns", TC_OPT_FLAG,
	  AT(tsc2nsec) },
	{ 0, "daemonize", NULL, "go into the background once recording has started", TC_OPT_FLAG,
	  AT(daemonize) },
	{ 0, "stderr", NULL, "print to standard error (it always does)", TC_OPT_FLAG,
	  AT(to_stderr) },
	{ 'm', "max-cpu-size", "SIZE",
	  "keep only the newest data of each CPU, in KiB or with K, M, G", TC_OPT_SIZE,
	  AT(cap_bytes), .min = TFS_SESSION_CAP_MIN, .max = SIZE_LIMIT, .unit = KIB,
	  .complete = "size" },
	{ 0, "max-size", "SIZE", "stop when FILE has this size, in KiB or with K, M, G",
	  TC_OPT_SIZE, AT(max_bytes), .min = KIB, .max = SIZE_LIMIT, .unit = KIB,
	  .complete = "size" },
	{ 0, "switch-output", "WHEN",
	  "switch to a new file: at a size (100M), after a time (10m), on SIGUSR2 (signal)",
	  TC_OPT_CALL, TC_OPT_OPTIONAL_ARG | TC_OPT_ONCE, .call = on_switch, .complete = "none" },
	{ 0, "switch-max-files", "N", "with --switch-output: keep only the newest N files",
	  TC_OPT_U64, AT(switch_output.max_files), .min = 1, .max = 1000000, .complete = "none" },
	{ 0, "fail-on-lost", NULL, "exit with status 1 if events were lost", TC_OPT_FLAG,
	  TC_OPT_POLICY, AT(fail_on_lost) },
	{ 0, "recover", "FILE", "complete FILE after its recorder was killed; record nothing",
	  TC_OPT_STRING, AT(recover), .complete = "file" },
	{ 0, "clock-probe", NULL, "answer requests for the time on standard input; record nothing",
	  TC_OPT_FLAG, AT(clock_probe) },
	{ .type = TC_OPT_GROUP, .help = "Streams" },
	{ 0, "stream", NULL, "write the recording to standard output while it is made", TC_OPT_FLAG,
	  TC_OPT_POLICY, AT(stream.on) },
	{ 0, "stream-id", "NAME", "obey the receiver, and keep what it has not received as NAME",
	  TC_OPT_STRING, TC_OPT_ONCE | TC_OPT_POLICY,
	  .offset = offsetof(struct record_request, stream.id), .complete = "none" },
	{ 0, "spool", "DIR", "keep what is to be sent in this folder (/var/tmp/tracecraft-UID)",
	  TC_OPT_STRING, AT(stream.spool), .complete = "file" },
	{ 0, "spool-size", "SIZE", "keep at most this much, in KiB or with K, M, G (256M)",
	  TC_OPT_SIZE, TC_OPT_POLICY, AT(stream.size), .min = TFS_RELAY_QUOTA_MIN,
	  .max = SIZE_LIMIT, .unit = KIB, .complete = "size" },
	{ 0, "spool-full", "WHICH", "if it is full, do without the newest or the oldest events",
	  TC_OPT_STRING, TC_OPT_POLICY, AT(stream.full_text), .complete = "none" },
	{ 0, "bwlimit", "RATE", "send at most RATE KiB per second, or with K, M, G", TC_OPT_SIZE,
	  TC_OPT_POLICY, AT(stream.rate), .min = KIB, .max = TFS_RELAY_BUCKET_MAX, .unit = KIB,
	  .complete = "size" },
	{ 0, "resume", "NAME", "send what is kept as NAME; record nothing", TC_OPT_STRING,
	  TC_OPT_POLICY, AT(stream.resume), .complete = "none" },
	{ 0, "spools", NULL, "list what is kept", TC_OPT_FLAG, TC_OPT_POLICY, AT(stream.list) },
	{ 0, "stop-spool", "NAME", "end the recording into NAME", TC_OPT_STRING, TC_OPT_POLICY,
	  AT(stream.stop), .complete = "none" },
	{ 0, "remove-spool", "NAME", "remove what is kept as NAME", TC_OPT_STRING, TC_OPT_POLICY,
	  AT(stream.remove), .complete = "none" },
	{ 0, "policy", "FILE", "do what a client asked sshd for, within the limits of FILE",
	  TC_OPT_STRING, TC_OPT_ONCE, AT(policy.file), .complete = "file" },
	{ .type = TC_OPT_GROUP, .help = "Other options" },
	{ 0, "dry-run", NULL, "print the equivalent shell commands; record nothing", TC_OPT_FLAG,
	  TC_OPT_POLICY, AT(dry_run) },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, TC_OPT_POLICY, AT(quiet) },
	{ .type = TC_OPT_TABLE, .table = absent_options },
	TC_OPT_END,
};

void record_init(void *request)
{
	struct record_request *req = request;

	trace_init(&req->trace);
	req->trace.markers = true;
	req->trace.joins = true;
	req->output = "trace.dat";
}

void record_release(void *request)
{
	struct record_request *req = request;

	trace_release(&req->trace);
	record_policy_release(&req->policy);
}

/* Both would have one name in the file. */
static int check_top_name(const struct trace_request *trace, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 1; trace_find_top(trace) && i < trace->n_buffers && !rc; i++) {
		if (!strcmp(trace->buffers[i].name, RECORD_TOP_NAME))
			rc = tfs_err_say(err, -EINVAL,
					 "the buffer of the top level is called '" RECORD_TOP_NAME
					 "' in the file: choose another name for -B");
	}
	return rc;
}

static int check_conflicts(const struct record_request *req, struct tfs_err *err)
{
	int rc = check_top_name(&req->trace, err);

	if (rc)
		return rc;

	if (req->user && !req->trace.command)
		rc = tfs_err_say(err, -EINVAL, "option --user needs a COMMAND to run");
	else if (req->switch_output.max_files && !req->switch_output.on)
		rc = tfs_err_say(err, -EINVAL, "option --switch-max-files needs --switch-output");
	else if (req->switch_output.on && req->max_bytes)
		rc = tfs_err_say(err, -EINVAL,
				 "options --max-size and --switch-output exclude each other: "
				 "with --switch-output=SIZE no file gets larger than about that");
	else if (!*req->output)
		rc = tfs_err_say(err, -EINVAL, "option -o: the file name is empty");
	return rc;
}

/*
 * trace-cmd's protocol has one size of a page for all buffers. Readers hold back more of a file
 * with a limit, the larger sub-buffers are.
 */
static void choose_subbufs(struct record_request *req)
{
	if (req->listener || req->max_bytes || req->switch_output.on)
		return;
	for (size_t i = 0; i < req->trace.n_buffers; i++)
		req->trace.buffers[i].flags |= TRACE_BUFFER_LARGE_SUBBUFS;
}

/* "tsc2nsec" is not a clock of the kernel: it means the cycle counter, converted to ns. */
static void take_clocks(struct record_request *req)
{
	for (size_t i = 0; i < req->trace.n_buffers; i++) {
		struct trace_buffer *buf = &req->trace.buffers[i];

		if (!buf->clock || strcmp(buf->clock, "tsc2nsec") != 0)
			continue;
		buf->clock = "x86-tsc";
		req->tsc2nsec = true;
	}
}

/* Appends " COMMAND 'ARG 1'", quoted for a shell. */
static int add_words(char **words, struct tfs_strbuf *sb)
{
	int rc = 0;

	for (; *words && !rc; words++) {
		rc = tfs_strbuf_addc(sb, ' ');
		if (!rc)
			rc = tc_shell_quote(sb, *words);
	}
	return rc;
}

/* trace-cmd and perf have verbs: "tc-record record -e sched" would run a COMMAND called record. */
static int check_verb(const struct record_request *req, char **argv, struct tfs_err *err)
{
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	const bool asks = req->trace.clauses.n || req->trace.n_buffers > 1 || req->profile.on ||
			  req->trace.buffers[0].tracer;
	int rc = 0;

	if (asks || strcmp(argv[0], "record") != 0)
		return 0;
	if (add_words(argv + 1, &line))
		rc = tfs_err_set(err, -ENOMEM, "cannot read the arguments");
	else
		rc = tfs_err_say(err, -EINVAL, "tc-record has no verb 'record': leave it out");
	if (rc == -EINVAL)
		tfs_err_hint(err, "tc-record%s", line.s);
	tfs_strbuf_release(&line);
	return rc;
}

/* "perf record -e EVENT -aR COMMAND": there -R has no argument */
static int check_raw(const struct record_request *req, char **argv, struct tfs_err *err)
{
	const struct tc_clauses *c = &req->trace.clauses;
	const struct tfs_strvec *t = c->n ? &c->events[c->n - 1].triggers : NULL;
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	const char *trigger;
	int rc = 0;

	if (!t || t->n != 1)
		return 0;
	trigger = t->v[0];
	if (trace_is_trigger(trigger) || strpbrk(trigger, ": \t") || tc_child_find(trigger, NULL))
		return 0;
	for (size_t i = 0; i < c->n && !rc; i++) {
		rc = tfs_strbuf_adds(&line, c->events[i].probe ? " -p " : " -e ");
		if (!rc)
			rc = tc_shell_quote(&line, c->events[i].text);
	}
	if (!rc)
		rc = tfs_strbuf_addf(&line, " -- %s", trigger);
	if (!rc)
		rc = add_words(argv, &line);
	if (rc) {
		tfs_err_set(err, rc, "cannot read the arguments");
	} else {
		rc = tfs_err_say(err, -EINVAL, "option -R takes a trigger, but '%s' is a program",
				 trigger);
		tfs_err_hint(err, "perf's -a and -R are not needed here: tc-record%s", line.s);
	}
	tfs_strbuf_release(&line);
	return rc;
}

/* --markers: the buffer of the top level, of which nothing but its markers is asked for */
static void add_top(struct record_request *req)
{
	struct trace_buffer *buf;

	if (!req->markers || trace_find_top(&req->trace))
		return;
	buf = trace_add_buffer(&req->trace, "");
	tfs_instance_top(&buf->inst);
	/* No event is restricted to a task, nor the recorder excluded: there are none. */
	buf->flags = TRACE_BUFFER_ALL_TASKS | TRACE_BUFFER_RECORDER;
}

/* Names, and what excludes what */
static int record_stream_check(const struct record_request *req, struct tfs_err *err)
{
	const struct record_stream_opts *o = &req->stream;
	const char *id = o->id ? o->id : o->resume ? o->resume : o->stop ? o->stop : o->remove;

	if (id && !tfs_relay_id_is_valid(id))
		return tfs_err_say(err, -EINVAL,
				   "'%s' cannot be the name of a spool: up to %d letters, digits, "
				   "'-', '_' and '.'",
				   id, TFS_RELAY_ID_MAX);
	if (!o->on && (o->id || o->size || o->full_text))
		return tfs_err_say(err, -EINVAL,
				   "options --stream-id, --spool-size and --spool-full need "
				   "--stream");
	if (!o->on && !o->resume && o->rate)
		return tfs_err_say(err, -EINVAL, "option --bwlimit needs --stream or --resume");
	if (o->full_text && strcmp(o->full_text, "newest") != 0 &&
	    strcmp(o->full_text, "oldest") != 0)
		return tfs_err_say(err, -EINVAL,
				   "option --spool-full: '%s' is neither 'newest' nor 'oldest'",
				   o->full_text);
	if (o->on && (req->has_output || req->listener))
		return tfs_err_say(err, -EINVAL, "option --stream excludes -o and -N");
	if (o->on && (req->cap_bytes || req->max_bytes || req->switch_output.on || req->daemonize ||
		      req->keep))
		return tfs_err_say(err, -EINVAL,
				   "option --stream excludes -m, --max-size, --switch-output, "
				   "--daemonize and -k");
	return 0;
}

bool record_is_about_spools(const struct record_request *req)
{
	return req->stream.resume || req->stream.list || req->stream.stop || req->stream.remove;
}

/* Where there is no zstd, rather no compression than one that few listeners have. */
static int take_listener(struct record_request *req, struct tfs_err *err)
{
	req->output = req->listener;
	if (req->codec == TFS_CODEC_ZLIB)
		req->codec = TFS_CODEC_NONE;
	return tfs_net_host_parse(req->listener, &req->host, err);
}

static int records_nothing(struct tfs_err *err, const char *say)
{
	return tfs_err_say(err, -EINVAL, "%s no events and no COMMAND", say);
}

/* Return: 1: nothing is to be recorded, and nothing that could be is given; 0: go on; -EINVAL */
static int check_other_work(const struct record_request *req, int argc, struct tfs_err *err)
{
	const bool given = argc > 0 || req->trace.clauses.n;
	int rc;

	if (req->clock_probe && (given || req->recover))
		return records_nothing(err, "option --clock-probe records nothing: it takes");
	if (req->clock_probe)
		return 1;
	if (req->recover)
		return given ? records_nothing(err, "option --recover records nothing: it takes") :
			       1;
	rc = record_stream_check(req, err);
	if (rc || !record_is_about_spools(req))
		return rc;
	return given ? records_nothing(err, "options --resume, --spools, --stop-spool and "
					    "--remove-spool record nothing: they take") :
		       1;
}

/* All but --policy */
static int check_request(struct record_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc = check_other_work(req, argc, err);

	if (rc)
		return rc < 0 ? rc : 0;
	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "COMMAND is empty");
	req->trace.command = argc > 0 ? argv : NULL;
	rc = argc > 0 ? check_verb(req, argv, err) : 0;
	if (!rc && argc > 0)
		rc = check_raw(req, argv, err);
	if (rc)
		return rc;
	add_top(req);
	rc = record_profile_request(req, err);
	if (!rc)
		rc = trace_check(&req->trace, err);
	if (!rc)
		rc = check_conflicts(req, err);
	if (!rc && req->ts_offset_text) {
		rc = tfs_parse_s64(req->ts_offset_text, INT64_MIN, INT64_MAX, &req->ts_offset, err);
		if (rc)
			tfs_err_prefix(err, "option --ts-offset");
	}
	if (rc)
		return rc;
	take_clocks(req);
	choose_subbufs(req);
	rc = trace_compression(req->compression, &req->codec, &req->level, err);
	if (!rc)
		rc = record_net_check(req, err);
	return rc || !req->listener ? rc : take_listener(req, err);
}

int record_check(struct record_request *req, int argc, char **argv, struct tfs_err *err)
{
	int rc = check_request(req, argc, argv, err);

	return rc || !req->policy.file ? rc : record_policy_limit(req, err);
}
