/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-policy.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "cli/conf.h"
#include "cli/shell.h"
#include "cli/xalloc.h"
#include "format/event-format.h"
#include "relay/bucket.h"
#include "relay/spool.h"
#include "tc-record-opts.h"
#include "tracefs/event.h"
#include "tracefs/file.h"

#define PROGRAM "tc-record"
#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define SIZE_LIMIT (UINT64_C(1) << 60)
/* The limits of a policy that does not set them */
#define DEFAULT_DURATION_NS (UINT64_C(60) * NS_PER_SEC)
#define DEFAULT_BUFFER (4 * MIB)
#define DEFAULT_BYTES (1024 * MIB)
#define RECORDINGS_MAX 1000

#define AT(member) .offset = offsetof(struct record_policy, member)

/* The lines of a policy: an option's name and the most that is allowed of it */
static const struct tc_option keys[] = {
	{ 0, "event", "EVENT", "may be recorded", TC_OPT_LIST, AT(events) },
	{ 0, "duration", "TIME", "of a recording", TC_OPT_DURATION, AT(duration_ns) },
	{ 0, "buffer-size", "SIZE", "of each CPU's ring buffer", TC_OPT_SIZE, AT(buffer_bytes),
	  .min = 64 * KIB, .max = SIZE_LIMIT, .unit = KIB },
	{ 0, "spool-size", "SIZE", "of what waits on this host", TC_OPT_SIZE, AT(spool_bytes),
	  .min = TFS_RELAY_QUOTA_MIN, .max = SIZE_LIMIT, .unit = KIB },
	{ 0, "max-size", "SIZE", "of a recording", TC_OPT_SIZE, AT(max_bytes), .min = KIB,
	  .max = SIZE_LIMIT, .unit = KIB },
	{ 0, "bwlimit", "RATE", "of sending", TC_OPT_SIZE, AT(rate), .min = KIB,
	  .max = TFS_RELAY_BUCKET_MAX, .unit = KIB },
	{ 0, "recordings", "N", "at a time", TC_OPT_U64, AT(recordings), .min = 1,
	  .max = RECORDINGS_MAX },
	TC_OPT_END,
};

void record_policy_release(struct record_policy *p)
{
	tfs_strvec_release(&p->events);
	tfs_strvec_release(&p->lines);
	tfs_strvec_release(&p->words);
}

/* @text: NULL: the file */
static int fill(struct record_policy *p, const char *text, size_t len, struct tfs_err *err)
{
	const struct tc_conf_table table = { keys, p };
	const struct tc_conf conf = {
		.path = p->file,
		.tables = &table,
		.n_tables = 1,
		.manual = "tc-record(1)",
		.words = &p->lines,
	};
	int rc;

	p->duration_ns = DEFAULT_DURATION_NS;
	p->buffer_bytes = DEFAULT_BUFFER;
	p->spool_bytes = RECORD_SPOOL_SIZE;
	p->max_bytes = DEFAULT_BYTES;
	p->recordings = 1;
	rc = text ? tc_conf_parse(&conf, text, len, err) : tc_conf_read(&conf, err);
	if (!rc && !p->duration_ns)
		rc = tfs_err_say(err, -ERANGE, "%s: 'duration' is 0", p->file);
	if (!rc && !p->events.n) {
		rc = tfs_err_say(err, -EINVAL, "%s: no events are allowed", p->file);
		tfs_err_hint(err, "event = sched");
	}
	return rc;
}

int record_policy_parse(struct record_policy *p, const char *text, size_t len, struct tfs_err *err)
{
	return fill(p, text, len, err);
}

static int refuse(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)request;
	(void)opt;
	(void)arg;
	return tfs_err_say(err, -EPERM, "not allowed here, by --policy");
}

/*
 * Copies the rows of @from, of which those without TC_OPT_POLICY refuse: they run programs, write
 * files, define probes, or reach beyond an instance. Counts them where @to is NULL.
 */
static size_t copy_rows(const struct tc_option *from, struct tc_option *to)
{
	size_t n = 0;

	for (; from->letter != -1; from++) {
		if (from->type == TC_OPT_TABLE) {
			n += copy_rows(from->table, to ? to + n : NULL);
			continue;
		}
		if (from->type == TC_OPT_GROUP)
			continue;
		if (to) {
			to[n] = *from;
			if (!(from->flags & TC_OPT_POLICY)) {
				to[n].type = TC_OPT_CALL;
				to[n].call = refuse;
			}
		}
		n++;
	}
	return n;
}

static struct tc_option *make_table(void)
{
	const size_t n = copy_rows(record_options, NULL);
	struct tc_option *table = xcalloc(n + 1, sizeof(*table));

	copy_rows(record_options, table);
	table[n] = (struct tc_option)TC_OPT_END;
	return table;
}

/* "tc-record", or a path of it */
static int check_program(const struct tfs_strvec *words, struct tfs_err *err)
{
	const char *name = words->n ? strrchr(words->v[0], '/') : NULL;

	name = name ? name + 1 : words->n ? words->v[0] : "";
	if (!strcmp(name, PROGRAM))
		return 0;
	tfs_err_say(err, -EPERM, "only " PROGRAM " may be run here, not '%s'", name);
	tfs_err_hint(err, "tc-fleet without --copy, or: " PROGRAM " --stream -e EVENT ...");
	return -EPERM;
}

int record_policy_take(struct record_request *req, const char *line, size_t *n_operands,
		       struct tfs_err *err)
{
	struct tfs_strvec *words = &req->policy.words;
	struct tc_opt_result res = { .action = TC_OPT_RUN };
	struct tc_option *table;
	int rc;

	if (!line)
		return tfs_err_say(err, -EINVAL,
				   "option --policy: there is no command in " RECORD_POLICY_VARIABLE
				   ": sshd(8) puts it there for command=\"...\" in "
				   "authorized_keys");
	rc = tc_shell_split(words, line, err);
	if (!rc)
		rc = check_program(words, err);
	if (rc)
		return rc;
	table = make_table();
	rc = tc_opt_parse(table, (int)words->n, words->v, req, &res, err);
	free(table);
	if (rc)
		return rc;
	*n_operands = words->n - (size_t)res.first;
	if (res.action == TC_OPT_VERSION)
		return 1;
	return res.action == TC_OPT_RUN ?
		       0 :
		       tfs_err_say(err, -EPERM,
				   "only options that record are allowed here, by --policy");
}

/* The client may have set some of it. Nothing here needs more than a PATH. */
static char *empty_environment(void)
{
	const char *line = getenv(RECORD_POLICY_VARIABLE), *path = getenv("PATH");
	char *kept = line ? xstrdup(line) : NULL, *dirs = path ? xstrdup(path) : NULL;

	clearenv();
	if (dirs)
		setenv("PATH", dirs, 1);
	free(dirs);
	return kept;
}

int record_policy_begin(struct record_request *req, size_t *n_operands, struct tfs_err *err)
{
	char *line;
	int rc;

	if (*n_operands)
		return tfs_err_say(err, -EINVAL,
				   "option --policy: the command is in " RECORD_POLICY_VARIABLE
				   ", not on the command line");
	if (!req->stream.spool) {
		tfs_err_say(err, -EINVAL, "option --policy needs --spool");
		tfs_err_hint(err, "the holder of the key may fetch and remove what is in that "
				  "folder: --spool /var/tmp/tracecraft-KEY");
		return -EINVAL;
	}
	rc = fill(&req->policy, NULL, 0, err);
	if (rc)
		return rc;
	line = empty_environment();
	rc = record_policy_take(req, line, n_operands, err);
	free(line);
	return rc;
}

static int too_much(const char *option, uint64_t bytes, struct tfs_err *err)
{
	return tfs_err_say(err, -EPERM, "option %s: at most %" PRIu64 " KiB are allowed", option,
			   bytes / KIB);
}

int record_policy_limit(struct record_request *req, struct tfs_err *err)
{
	const struct record_policy *p = &req->policy;
	struct trace_buffer *buf = &req->trace.buffers[0];
	struct record_stream_opts *stream = &req->stream;

	if (p->rate && (!stream->rate || stream->rate > p->rate))
		stream->rate = p->rate;
	/* Programs of everybody write markers, and no line "event" allows to read them. */
	req->trace.markers = false;
	if (record_is_about_spools(req))
		return 0;
	if (req->trace.command)
		return tfs_err_say(err, -EPERM, "COMMAND is not allowed here, by --policy");
	if (!stream->on)
		return tfs_err_say(err, -EPERM,
				   "a file is not allowed here, by --policy: --stream");
	/* Not of the client: it is on the key's line. */
	if (req->trace.n_buffers > 1)
		return tfs_err_say(err, -EPERM, "options -B and --policy exclude each other");
	if (req->duration_ns > p->duration_ns)
		return tfs_err_say(err, -EPERM, "option --duration: at most %g s are allowed",
				   (double)p->duration_ns / NS_PER_SEC);
	if (!req->duration_ns)
		req->duration_ns = p->duration_ns;
	if (trace_has_default_size(buf) && buf->buffer_bytes > p->buffer_bytes)
		buf->buffer_bytes = p->buffer_bytes;
	if (buf->buffer_bytes > p->buffer_bytes)
		return too_much("--buffer-size", p->buffer_bytes, err);
	if (!stream->size)
		stream->size = p->spool_bytes < RECORD_SPOOL_SIZE ? p->spool_bytes :
								    RECORD_SPOOL_SIZE;
	if (stream->size > p->spool_bytes)
		return too_much("--spool-size", p->spool_bytes, err);
	stream->wait_ns = p->duration_ns;
	stream->max_bytes = p->max_bytes;
	stream->max_spools = p->recordings;
	return 0;
}

/* Is "system:event" what an -e has matched: itself, or "system:*"? */
static bool is_matched(const struct tfs_event_spec *spec, const char *name)
{
	const size_t system = strcspn(name, ":") + 1;

	for (size_t i = 0; i < spec->matched.n && !spec->exclude; i++) {
		const char *m = spec->matched.v[i];

		if (!strcmp(m, name) || (!strncmp(m, name, system) && !strcmp(m + system, "*")))
			return true;
	}
	return false;
}

static bool is_any_matched(const struct tfs_event_spec *specs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (is_matched(&specs[i], name))
			return true;
	}
	return false;
}

static int refuse_event(const struct record_policy *p, const char *name, struct tfs_err *err)
{
	char list[512] = "";
	size_t len = 0;

	for (size_t i = 0; i < p->events.n && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					p->events.v[i]);
	tfs_err_say(err, -EPERM, "the event %s is not allowed here, by --policy", name);
	tfs_err_hint(err, "allowed: %s", list);
	return -EPERM;
}

/* A filter compares the text that such a field points to, which may be anywhere in memory. */
static bool points_to_text(const char *format, size_t size)
{
	const char *end = format + size, *star;
	struct tfs_format_field field;
	struct tfs_event_format head;

	if (tfs_event_format_parse(format, size, &head) || !head.fields)
		return true;
	format = head.fields;
	while (tfs_format_next(&format, end, &field)) {
		star = memchr(field.decl, '*', field.decl_len);
		if (star && memmem(field.decl, field.decl_len, "char", 4))
			return true;
	}
	return false;
}

static int check_filter(const struct tfs_root *root, const char *name, struct tfs_err *err)
{
	const int system = (int)strcspn(name, ":");
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "events/%.*s/%s/format", system, name,
		 name + system + (name[system] != '\0'));
	rc = tfs_file_read(root, path, &text, err);
	if (!rc && points_to_text(text.s, text.len)) {
		rc = tfs_err_say(err, -EPERM,
				 "option -f: the event %s may not be compared with a text here, by "
				 "--policy: it has a pointer",
				 name);
	}
	tfs_strbuf_release(&text);
	return rc;
}

int record_policy_check_filters(const struct record_request *req, const struct tfs_root *root,
				const struct tfs_strvec *names, struct tfs_err *err)
{
	const struct tc_clauses *c = &req->trace.clauses;
	int rc = 0;

	for (size_t i = 0; i < c->n && !rc; i++) {
		if (!c->events[i].filter || !strpbrk(c->events[i].filter, "\"'"))
			continue;
		for (size_t k = 0; k < names->n && !rc; k++)
			if (is_matched(&c->events[i], names->v[k]))
				rc = check_filter(root, names->v[k], err);
	}
	return rc;
}

int record_policy_check_events(const struct record_request *req, const struct tfs_strvec *names,
			       struct tfs_err *err)
{
	const struct record_policy *p = &req->policy;
	const struct tc_clauses *c = &req->trace.clauses;
	struct tfs_event_spec *allowed = xcalloc(p->events.n, sizeof(*allowed));
	int rc;

	for (size_t i = 0; i < p->events.n; i++)
		allowed[i].text = p->events.v[i];
	/* A policy for several hosts may name events that this one lacks. */
	rc = tfs_event_resolve(allowed, p->events.n, names, TFS_EVENT_IGNORE_MISSING, NULL, err);
	for (size_t i = 0; i < names->n && !rc; i++) {
		if (is_any_matched(c->events, c->n, names->v[i]) &&
		    !is_any_matched(allowed, p->events.n, names->v[i]))
			rc = refuse_event(p, names->v[i], err);
	}
	for (size_t i = 0; i < p->events.n; i++)
		tfs_strvec_release(&allowed[i].matched);
	free(allowed);
	return rc;
}
