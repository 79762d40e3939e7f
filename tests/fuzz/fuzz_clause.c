/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of a command line, one a line, through tc-record's whole option table, its checks and,
 * if those are content, the plan it would apply. And the whole as the command of a client under a
 * policy, which must not get beyond it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tc-record-opts.h"
#include "trace-plan.h"
#include "tracefs/event.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define WORDS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Terminates each line of @text with a NUL. */
static int split(char *text, char **argv)
{
	char *end;
	int argc = 0;

	argv[argc++] = (char *)"fuzz";
	while (argc < WORDS_MAX) {
		argv[argc++] = text;
		end = strchr(text, '\n');
		if (!end)
			break;
		*end = '\0';
		text = end + 1;
	}
	argv[argc] = NULL;
	return argc;
}

static void check_request(const struct record_request *req)
{
	const struct tc_clauses *c = &req->trace.clauses;
	size_t used = 0;

	for (size_t i = 0; i < c->n; i++) {
		must(c->events[i].text[0]);
		must(!c->events[i].exclude || !c->events[i].filter);
	}
	for (size_t b = 0; b < req->trace.n_buffers; b++) {
		const struct trace_buffer *buf = &req->trace.buffers[b];

		for (size_t i = 0; i < buf->n_pids; i++)
			must(buf->pids[i] > 0);
		must(buf->buffer_bytes >= 4096 || (b && !buf->buffer_bytes));
		used += trace_is_used(&req->trace, buf);
	}
	must(used > 0);
	must(req->output[0]);
	must(!req->trace.only_command || req->trace.command);
	must(!req->trace.command || req->trace.command[0][0]);
}

/* Lines of @text that begin so. */
static size_t count(const char *text, const char *start)
{
	size_t n = 0;

	for (;; text++) {
		n += !strncmp(text, start, strlen(start));
		text = strchr(text, '\n');
		if (!text)
			return n;
	}
}

/* An instance that is made is there for the plan to be undone, too. */
static void plan(struct record_request *req, const struct tfs_strvec *names)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct trace_found found = { .names = *names };
	struct tfs_instance inst;
	struct tfs_plan *p = NULL;
	int rc;

	if (tfs_instance_named(&inst, "fuzz", NULL) || tfs_plan_new(NULL, &p))
		return;
	rc = tfs_event_resolve(req->trace.clauses.events, req->trace.clauses.n, names,
			       req->trace.ignore_missing ? TFS_EVENT_IGNORE_MISSING : 0, NULL,
			       &err);
	if (!rc)
		rc = trace_choose_instances(&req->trace, NULL, NULL, &inst, &err);
	if (!rc)
		rc = trace_plan(&req->trace, &found, p, &err);
	must(err.code == rc);
	if (!rc) {
		must(!tfs_plan_print(p, TFS_PLAN_UNDO, &text));
		must(count(text.s, "rmdir ") > 0);
	}
	tfs_plan_free(p);
	tfs_strbuf_release(&text);
}

static int add_names(struct tfs_strvec *names)
{
	static const char *const all[] = {
		"irq:irq_handler_entry", "irq:irq_handler_exit",    "sched:sched_switch",
		"sched:sched_wakeup",    "syscalls:sys_enter_read",
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !rc; i++)
		rc = tfs_strvec_push(names, all[i]);
	return rc;
}

/* Nothing but sched is recorded, for ten seconds at most, and nothing is run or written. */
static void check_limited(struct record_request *req, const struct tfs_strvec *names)
{
	const struct tc_clauses *c = &req->trace.clauses;

	must(req->stream.on && !req->has_output && !req->listener && !req->trace.command);
	must(req->duration_ns && req->duration_ns <= 10000000000);
	must(req->trace.n_buffers == 1 && req->trace.buffers[0].buffer_bytes <= 4 << 20);
	must(!req->trace.buffers[0].tracer && !req->trace.buffers[0].options.n);
	if (tfs_event_resolve(c->events, c->n, names, 0, NULL, NULL) ||
	    record_policy_check_events(req, names, NULL))
		return;
	for (size_t i = 0; i < c->n; i++) {
		must(!c->events[i].probe && !c->events[i].triggers.n);
		for (size_t k = 0; k < c->events[i].matched.n; k++)
			must(c->events[i].exclude ||
			     !strncmp(c->events[i].matched.v[k], "sched:", 6));
	}
}

static void ask_policy(const uint8_t *data, size_t size, const struct tfs_strvec *names)
{
	static const char policy[] = "event = sched\nduration = 10s\n";
	struct record_request req = { 0 };
	struct tfs_strbuf line = TFS_STRBUF_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	size_t n = 0;
	int rc = tfs_strbuf_adds(&line, "tc-record --stream ");

	record_init(&req);
	req.policy.file = "fuzz";
	if (!rc)
		rc = tfs_strbuf_add(&line, data, size);
	if (!rc)
		rc = record_policy_parse(&req.policy, policy, sizeof(policy) - 1, &err);
	if (!rc) {
		rc = record_policy_take(&req, line.s, &n, &err);
		must(rc >= 0 || err.msg[0]);
	}
	if (!rc)
		rc = record_check(&req, (int)n, req.policy.words.v + (req.policy.words.n - n),
				  &err);
	if (!rc && !record_is_about_spools(&req))
		check_limited(&req, names);
	record_release(&req);
	tfs_strbuf_release(&line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	struct tfs_err err = TFS_ERR_INIT;
	struct record_request req = { 0 };
	char *argv[WORDS_MAX + 1];
	struct tc_opt_result res;
	char *text;
	int argc, rc;

	text = malloc(size + 1);
	if (!text || add_names(&names))
		goto out;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	argc = split(text, argv);
	record_init(&req);
	rc = tc_opt_parse(record_options, argc, argv, &req, &res, &err);
	if (!rc && res.action == TC_OPT_RUN) {
		rc = record_check(&req, argc - res.first, argv + res.first, &err);
		if (!rc && !req.recover && !req.clock_probe && !record_is_about_spools(&req)) {
			check_request(&req);
			plan(&req, &names);
		}
	}
	must(rc <= 0 && !rc == !err.code);
	must(!rc || err.msg[0]);
	record_release(&req);
	ask_policy(data, size, &names);
out:
	tfs_strvec_release(&names);
	free(text);
	return 0;
}
