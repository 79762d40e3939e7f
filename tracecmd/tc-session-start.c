/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-start.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/pid-ns.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/child.h"
#include "cli/live.h"
#include "cli/msg.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "probe/means.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "trace-journal.h"
#include "trace-lock.h"
#include "trace-opts.h"
#include "trace-plan.h"
#include "trace-tasks.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"

/* struct start - one run; @plan holds what reset takes back, and @journal has it on file */
struct start {
	struct session_start_request *req;
	struct tfs_root *root;
	struct tfs_instance inst;
	struct trace_found found;
	struct tfs_journal *journal;
	struct tfs_plan *plan;
	struct tc_child child;
	struct trace_pids pids;
};

#define AT(member) .offset = offsetof(struct session_start_request, member)

static const struct tc_option options[] = {
	{ .type = TC_OPT_GROUP, .help = "Events and tracers" },
	{ .type = TC_OPT_TABLE, .table = trace_event_options },
	{ .type = TC_OPT_GROUP, .help = "Selecting tasks" },
	{ .type = TC_OPT_TABLE, .table = trace_task_options },
	{ 0, "user", "USER", "run COMMAND as this user", TC_OPT_STRING, AT(user),
	  .complete = "user" },
	{ 0, "fork", NULL, "do not wait for COMMAND to end", TC_OPT_FLAG, AT(fork) },
	{ .type = TC_OPT_GROUP, .help = "Buffers" },
	{ .type = TC_OPT_TABLE, .table = trace_buffer_options },
	{ 't', "top", NULL, "use the top level of tracefs, not an instance", TC_OPT_FLAG, AT(top) },
	{ 0, "dry-run", NULL, "print the equivalent shell commands; start nothing", TC_OPT_FLAG,
	  AT(dry_run) },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

static void init(void *request)
{
	struct session_start_request *req = request;

	trace_init(&req->trace);
	req->trace.markers = true;
}

static void release(void *request)
{
	struct session_start_request *req = request;

	trace_release(&req->trace);
}

/* The buffer that is traced into; NULL when it is more than one */
static struct trace_buffer *only_buffer(struct session_start_request *req)
{
	struct trace_buffer *found = NULL;

	for (size_t i = 0; i < req->trace.n_buffers; i++) {
		if (!trace_is_used(&req->trace, &req->trace.buffers[i]))
			continue;
		if (found)
			return NULL;
		found = &req->trace.buffers[i];
	}
	return found;
}

static int check(struct session_start_request *req, int argc, char **argv, struct tfs_err *err)
{
	const struct trace_buffer *buf;
	int rc;

	if (argc > 0 && !*argv[0])
		return tfs_err_say(err, -EINVAL, "COMMAND is empty");
	req->trace.command = argc > 0 ? argv : NULL;
	rc = trace_check(&req->trace, err);
	if (rc)
		return rc;
	buf = only_buffer(req);
	if (!buf) {
		rc = tfs_err_say(err, -EINVAL,
				 "a session has one ring buffer, and this asks for more");
		tfs_err_hint(err, "start one session for each, the second with -B NAME");
	} else if (buf->name && *buf->name && req->top) {
		rc = tfs_err_say(err, -EINVAL, "options -t and -B: '%s' is not the top level",
				 buf->name);
	} else if ((req->fork || req->user) && !argc) {
		rc = tfs_err_say(err, -EINVAL, "option %s needs a COMMAND",
				 req->fork ? "--fork" : "--user");
	}
	return rc;
}

/* 0 if there is no session yet. The journal of one whose instance others removed is undone. */
static int is_free(const struct start *s, struct tfs_err *err)
{
	struct tfs_strvec kept = TFS_STRVEC_INIT;
	bool top = !s->inst.name[0], found, done;
	char path[256], option[256];
	int rc = tfs_journal_kept(TFS_JOURNAL_DIR, &kept);

	found = !rc && tfs_strvec_has(&kept, s->inst.name);
	tfs_strvec_release(&kept);
	if (rc)
		return tfs_err_set(err, rc, "cannot list the sessions");
	snprintf(path, sizeof(path), "instances/%s", s->inst.name);
	if (!top && !tfs_file_exists(s->root, path)) {
		rc = found ? tfs_journal_undo(TFS_JOURNAL_DIR, s->root, &s->inst, &done, err) : 0;
		return rc;
	}
	if (!found && strcmp(s->inst.name, SESSION_NAME) != 0)
		return 0;
	session_option(&s->inst, option, sizeof(option));
	rc = tfs_err_say(err, -EEXIST, "a session already exists%s%s%s", top ? "" : ": '",
			 s->inst.name, top ? " at the top level" : "'");
	tfs_err_hint(err, "'tc-session reset%s' ends it, -B NAME starts another one", option);
	return rc;
}

/* Looks up the names on the command line before anything is changed. */
static int find(struct start *s, struct tfs_err *err)
{
	struct tfs_strvec notices = TFS_STRVEC_INIT;
	char group[64], tag[TFS_PID_TAG_SIZE];
	int rc;

	/* of its own: what this probes is deleted with the session */
	tfs_pid_tag(tag, '_');
	snprintf(group, sizeof(group), "tc_session_%s", tag);
	rc = trace_find(&s->req->trace, s->root, group, &s->found, &notices, err);
	if (!rc && !s->req->quiet)
		tc_msg_notices(SESSION_PROGRAM, &notices);
	tfs_strvec_release(&notices);
	return rc;
}

static void open_journal(struct start *s)
{
	struct tfs_err why = TFS_ERR_INIT;

	tfs_journal_recover(TFS_JOURNAL_DIR, s->root, 0, NULL, &why);
	if (why.code)
		tc_msg_error(SESSION_PROGRAM, &why);
	tfs_err_clear(&why);
	trace_journal_orphans(s->root, SESSION_PROGRAM, s->req->quiet ? TRACE_JOURNAL_QUIET : 0);
	if (tfs_journal_open(TFS_JOURNAL_DIR, SESSION_PROGRAM, s->root, &s->journal, &why)) {
		s->journal = NULL;
		if (!s->req->quiet)
			tc_msg_notice(SESSION_PROGRAM,
				      "no journal, reset cannot restore the previous settings: %s",
				      why.msg);
	}
	tfs_plan_set_journal(s->plan, s->journal);
}

/* Everything before the plan; what is set up to probe the kernel is in the journal. */
static int prepare(struct start *s, struct tfs_err *err)
{
	struct tfs_instance inst;
	int rc = tfs_root_open(NULL, &s->root, err);

	if (!rc)
		trace_lock_wait(s->root, SESSION_PROGRAM, s->req->quiet ? TRACE_LOCK_QUIET : 0);
	if (!rc)
		rc = tfs_instance_named(&inst, SESSION_NAME, err);
	if (!rc && s->req->top)
		tfs_instance_top(&inst);
	if (!rc)
		rc = tfs_plan_new(s->root, &s->plan);
	if (rc)
		return err->code ? rc : tfs_err_set(err, rc, "cannot plan the session");
	rc = find(s, err);
	if (!rc && !s->req->dry_run)
		open_journal(s);
	if (!rc)
		rc = trace_choose_instances(&s->req->trace, s->root, s->journal, &inst, err);
	if (rc)
		return rc;
	s->inst = only_buffer(s->req)->inst;
	return s->req->dry_run ? 0 : is_free(s, err);
}

static int plan_all(struct start *s, struct tfs_err *err)
{
	struct tfs_strvec none = TFS_STRVEC_INIT;
	int rc = trace_find_tasks(&s->req->trace, s->child.pid, &s->pids, err);

	if (!rc)
		rc = trace_plan(&s->req->trace, &s->found, s->plan, err);
	return rc ? rc : trace_plan_start(&s->req->trace, &s->found, &none, s->plan, err);
}

static int dry_run(struct start *s, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = plan_all(s, err);

	if (!rc) {
		rc = tfs_plan_print(s->plan, TFS_PLAN_UNDO, &sb);
		if (rc)
			tfs_err_set(err, rc, "cannot print the plan");
		else
			tc_print_exact(sb.s);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* From here on the session exists, and reset knows what to undo: @kept. */
static int keep(struct start *s, bool *kept, struct tfs_err *err)
{
	int rc;

	if (!s->journal)
		return 0;
	rc = tfs_journal_keep(s->journal, TFS_JOURNAL_DIR, &s->inst, err);
	if (rc)
		return rc;
	*kept = true;
	s->journal = NULL;
	tfs_plan_set_journal(s->plan, NULL);
	return 0;
}

/* Names of values for tc-session extract, which otherwise prints numbers */
static void keep_values(const struct start *s)
{
	struct tfs_err why = TFS_ERR_INIT;

	if (tfs_probe_means_keep(TFS_PROBE_MEANS_DIR, &s->found.defs, &why) && !s->req->quiet)
		tc_msg_notice(SESSION_PROGRAM, "%s", why.msg);
}

static void print_started(const struct start *s)
{
	char option[256];

	for (size_t i = 0; i < tfs_plan_notices(s->plan) && !s->req->quiet; i++)
		tc_msg_notice(SESSION_PROGRAM, "%s", tfs_plan_notice(s->plan, i)->msg);
	if (s->req->quiet || !tc_live_can())
		return;
	session_option(&s->inst, option, sizeof(option));
	tc_msg_line(SESSION_PROGRAM
		    ": tracing; 'tc-session show%s' prints it, 'tc-session reset%s' "
		    "ends it",
		    option, option);
}

/* Wait for COMMAND; a signal that ends this program leaves the session as it is. */
static int wait_for_command(const struct start *s)
{
	int wstatus = 0;
	pid_t pid;

	do {
		pid = waitpid(s->child.pid, &wstatus, 0);
	} while (pid < 0 && errno == EINTR);
	return pid < 0 ? TC_EXIT_FAILED : tc_child_exit_status(wstatus);
}

/* Sets up everything or nothing: signals wait. */
static int set_up(struct start *s, struct tfs_err *err)
{
	struct tfs_err undo = TFS_ERR_INIT;
	sigset_t before;
	bool kept = false, done;
	int rc;

	tc_signals_block(&before);
	rc = plan_all(s, err);
	trace_pids_end(&s->pids);
	if (!rc)
		rc = tfs_plan_apply(s->plan, err);
	if (!rc)
		rc = trace_joins_complete(&s->req->trace, s->root, err);
	if (!rc) {
		print_started(s);
		keep_values(s);
		rc = keep(s, &kept, err);
		if (!rc && s->child.pid > 0)
			rc = tc_child_go(&s->child, err);
		if (rc && tfs_plan_rollback(s->plan, &undo))
			tc_msg_error(SESSION_PROGRAM, &undo);
		/* All in it is undone already. One that another start has kept meanwhile is its. */
		if (rc && kept)
			tfs_journal_undo(TFS_JOURNAL_DIR, s->root, &s->inst, &done, NULL);
	}
	tc_signals_unblock(&before);
	return rc;
}

static int start(struct start *s, struct tfs_err *err)
{
	char **command = s->req->trace.command;
	int rc = 0;

	trace_pids_begin(&s->pids, s->root, s->journal);
	if (command)
		rc = tc_child_fork(&s->child, command, s->req->user, err);
	if (!rc)
		rc = set_up(s, err);
	trace_pids_end(&s->pids);
	if (rc) {
		tc_child_kill(&s->child);
		return TC_EXIT_FAILED;
	}
	return command && !s->req->fork ? wait_for_command(s) : TC_EXIT_OK;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct session_start_request *req = request;
	struct start s = { .req = req, .child = TC_CHILD_INIT };
	int rc, status;

	if (check(req, argc, argv, err))
		return TC_EXIT_USAGE;
	rc = req->trace.command ? tc_child_find(req->trace.command[0], err) : 0;
	if (!rc)
		rc = prepare(&s, err);
	if (rc)
		status = rc == -ENOENT && s.found.names.n ? TC_EXIT_USAGE : TC_EXIT_FAILED;
	else if (req->dry_run)
		status = dry_run(&s, err) ? TC_EXIT_FAILED : TC_EXIT_OK;
	else
		status = start(&s, err);
	tfs_journal_done(s.journal);
	tfs_plan_free(s.plan);
	trace_found_release(&s.found);
	tfs_root_free(s.root);
	return status;
}

const struct tc_command session_start = {
	.name = SESSION_PROGRAM,
	.verb = "start",
	.summary = "trace into the ring buffer of an instance, until reset",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = options,
	.request_size = sizeof(struct session_start_request),
	.init = init,
	.run = run,
	.release = release,
};
