/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/num.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "probe/delete-kinds.h"
#include "tc-session-instances.h"
#include "tc-session.h"
#include "trace-journal.h"
#include "tracefs/busy.h"
#include "tracefs/claim.h"
#include "tracefs/file.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/reset.h"
#include "tracefs/root.h"
#include "tracefs/status.h"

#define KIB 1024ULL
#define BUFFER_MAX (1024ULL * 1024 * 1024 * KIB)

/*
 * struct reset_request - what to undo
 * @selection: the first member, see session_instance_options
 * @buffer_bytes: -b before any -B, -a or -t, 0 without
 * @remove: -d there
 * @probes: kinds of dynamic events to delete; @keep: those to keep of them
 */
struct reset_request {
	struct session_selection selection;
	uint64_t buffer_bytes;
	bool remove, orphans, quiet;
	struct tfs_strvec probes, keep;
};

static int on_size(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct reset_request *req = request;
	struct session_selector *last = session_last_selector(&req->selection);
	uint64_t *bytes = last ? &last->buffer_bytes : &req->buffer_bytes;

	(void)opt;
	return tfs_parse_size(arg, KIB, KIB, BUFFER_MAX, bytes, err);
}

static int on_remove(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct reset_request *req = request;
	struct session_selector *last = session_last_selector(&req->selection);

	(void)opt;
	(void)arg;
	if (last && last->top)
		return tfs_err_say(err, -EINVAL, "the top level cannot be removed");
	*(last ? &last->remove : &req->remove) = true;
	return 0;
}

static int add_kind(struct tfs_strvec *kinds, const char *kind, struct tfs_err *err)
{
	int rc = tfs_probe_check_kind(kind, err);

	if (!rc && tfs_strvec_push(kinds, kind))
		rc = tfs_err_set(err, -ENOMEM, "cannot keep it");
	return rc;
}

static int on_probes(void *request, const struct tc_option *opt, const char *arg,
		     struct tfs_err *err)
{
	struct reset_request *req = request;

	(void)opt;
	return add_kind(&req->probes, arg, err);
}

static int on_keep(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct reset_request *req = request;

	(void)opt;
	return add_kind(&req->keep, arg, err);
}

#define AT(member) .offset = offsetof(struct reset_request, member)

static const struct tc_option options[] = {
	{ 'b', "buffer-size", "SIZE",
	  "set the ring buffer of each CPU to SIZE, in KiB or with K, M, G", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_size, .complete = "size" },
	{ 'd', "delete", NULL, "remove the instance, whoever created it", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_remove },
	{ .type = TC_OPT_TABLE, .table = session_instance_options },
	{ .type = TC_OPT_GROUP, .help = "Other options" },
	{ 0, "orphans", NULL, "undo what killed programs of tracecraft left behind", TC_OPT_FLAG,
	  AT(orphans) },
	{ 0, "probes", "KIND", "delete probes, whoever defined them: kprobe, uprobe, ... or all",
	  TC_OPT_CALL, TC_OPT_REPEATS, .call = on_probes, .complete = "probe-kind" },
	{ 'k', "keep", "KIND", "with --probes: keep those of this KIND", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_keep, .complete = "probe-kind" },
	{ 'q', "quiet", NULL, "print errors only", TC_OPT_FLAG, AT(quiet) },
	TC_OPT_END,
};

/* Makes one reset; *@left: triggers that there were before. @out: the plan, for its notices */
static int try_reset(const struct session_instances *instances, const struct session_instance *p,
		     size_t *left, struct tfs_plan **out, struct tfs_err *err)
{
	struct tfs_status st;
	int rc;

	tfs_status_init(&st);
	rc = tfs_status_read(instances->root, &p->inst, &st, err);
	if (!rc) {
		rc = tfs_plan_new(instances->root, out);
		if (!rc)
			rc = tfs_reset_plan(&st, &p->inst, *out);
		if (rc)
			tfs_err_set(err, rc, "cannot plan the reset");
	}
	*left = st.triggers.n;
	if (!rc)
		rc = tfs_plan_apply(*out, err);
	tfs_status_release(&st);
	return rc;
}

/* Settings that stay: the first is the failure that main() prints, the others come before it. */
static int report_left(const struct tfs_plan *plan, struct tfs_err *err)
{
	size_t n = plan ? tfs_plan_notices(plan) : 0;

	for (size_t i = 1; i < n; i++)
		tc_msg_error(SESSION_PROGRAM, tfs_plan_notice(plan, i));
	if (n)
		*err = *tfs_plan_notice(plan, 0);
	return n ? err->code : 0;
}

/*
 * Resets to the kernel's defaults, since the previous settings are unknown. The kernel refuses to
 * remove a trigger that another one depends on, which may be one of another event: as long as some
 * go, those that were refused are tried again.
 */
static int to_defaults(const struct session_instances *instances, const struct session_instance *p,
		       struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	size_t left = SIZE_MAX, before;
	int rc;

	do {
		tfs_plan_free(plan);
		plan = NULL;
		before = left;
		rc = try_reset(instances, p, &left, &plan, err);
	} while (!rc && tfs_plan_notices(plan) && left && left < before);
	if (!rc)
		rc = report_left(plan, err);
	tfs_plan_free(plan);
	return rc;
}

static bool is_there(const struct session_instances *instances, const struct session_instance *p)
{
	char path[256];

	return !tfs_instance_path(&p->inst, "tracing_on", path, sizeof(path)) &&
	       tfs_file_exists(instances->root, path);
}

static int resize(const struct session_instances *instances, const struct session_instance *p,
		  uint64_t bytes, struct tfs_err *err)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (bytes + KIB - 1) / KIB);
	return session_write(instances, p, "buffer_size_kb", text, err);
}

static int cannot_undo(const struct session_instance *p, const char *why, struct tfs_err *err)
{
	char option[256];

	session_option(&p->inst, option, sizeof(option));
	return tfs_err_say(err, -EBUSY, "'tc-session reset%s' undoes nothing: %s", option, why);
}

/*
 * Others end what they run: a flight recorder has its lock for as long as it runs, and who
 * reads the ring buffer claims it. Who reads it for a moment is waited for. @claim: keeps others
 * from it until the reset is done
 */
static int take_from_others(const struct session_instances *instances,
			    const struct session_instance *p, int *claim, struct tfs_err *err)
{
	struct tfs_busy busy = { .left_ms = TFS_BUSY_WAIT_MS };
	int rc;

	if (p->inst.name[0] && session_flight_runs(p->inst.name)) {
		rc = cannot_undo(p, "a flight recorder of this name runs", err);
		tfs_err_hint(err,
			     "end it, which ends its session: 'systemctl stop "
			     "tracecraft-flight@%s', or SIGTERM",
			     p->inst.name);
		return rc;
	}
	do
		rc = tfs_claim_take(instances->root, &p->inst, claim, NULL);
	while (tfs_busy_again(&busy, rc));
	if (rc != -EBUSY)
		return 0;
	rc = cannot_undo(p, "another program of tracecraft reads the ring buffer", err);
	tfs_busy_hint(instances->root, p->inst.prefix, "end that first", err);
	return rc;
}

/*
 * Undoes a session with its journal. The instance of the default name is removed even without a
 * journal, since nobody else uses it.
 */
static int reset_instance(const struct reset_request *req,
			  const struct session_instances *instances,
			  const struct session_instance *p, struct tfs_err *err)
{
	uint64_t bytes = p->buffer_bytes ? p->buffer_bytes : req->buffer_bytes;
	bool remove = p->remove || req->remove || !strcmp(p->inst.name, SESSION_NAME);
	struct tfs_err other = TFS_ERR_INIT;
	bool done = false;
	char path[256];
	int rc;

	rc = tfs_journal_undo(TFS_JOURNAL_DIR, instances->root, &p->inst, &done, err);
	if (!rc && !done && !is_there(instances, p))
		return tfs_err_say(err, -ENOENT, "another program has removed the instance '%s'",
				   p->inst.name);
	/* if this is not root, and so on, the first write reports it */
	if (!rc && !done)
		rc = to_defaults(instances, p, err);
	if (!is_there(instances, p))
		return rc;
	if (!rc && bytes)
		rc = resize(instances, p, bytes, err);
	if (!remove || !p->inst.name[0])
		return rc;
	snprintf(path, sizeof(path), "instances/%s", p->inst.name);
	if (!rc)
		return tfs_busy_rmdir(instances->root, path, err);
	/* settings that stay go with it */
	if (tfs_busy_rmdir(instances->root, path, &other))
		return rc;
	*err = TFS_ERR_INIT;
	return 0;
}

static void recover_orphans(const struct reset_request *req, const struct tfs_root *root,
			    struct tfs_err *err)
{
	size_t n = 0;

	tfs_journal_recover(TFS_JOURNAL_DIR, root, TFS_JOURNAL_WAIT, &n, err);
	trace_journal_orphans(root, SESSION_PROGRAM,
			      TRACE_JOURNAL_ALL | (req->quiet ? TRACE_JOURNAL_QUIET : 0));
	if (!req->quiet)
		tc_msg_notice(SESSION_PROGRAM, "cleaned up after %zu earlier program%s", n,
			      n == 1 ? "" : "s");
}

/* So that a script may reset twice, it is an error only if an instance was named. */
static void notice_if_none(const struct reset_request *req,
			   const struct session_instances *instances)
{
	if (!instances->n && !req->selection.n && !req->orphans && !req->probes.n && !req->quiet)
		tc_msg_notice(SESSION_PROGRAM, "there is no session, so there is nothing to reset");
}

/* Resets all; main() prints the first failure. */
static int reset_all(const struct reset_request *req, const struct session_instances *instances,
		     struct tfs_err *err)
{
	struct tfs_err why;
	int rc = err->code;

	for (size_t i = 0; i < instances->n; i++) {
		int claim = -1, failed;

		why = TFS_ERR_INIT;
		failed = take_from_others(instances, &instances->v[i], &claim, &why);
		if (!failed)
			failed = reset_instance(req, instances, &instances->v[i], &why);
		tfs_close(&claim);
		if (!failed)
			continue;
		if (rc)
			tc_msg_error(SESSION_PROGRAM, &why);
		else
			*err = why;
		rc = err->code;
	}
	return rc;
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct reset_request *req = request;
	struct session_instances instances = { 0 };
	int rc = 0, status;

	status = session_open(&req->selection, SESSION_ALLOW_NONE | SESSION_HALF_RESET, argc, argv,
			      &instances, err);
	if (status)
		goto out;
	notice_if_none(req, &instances);
	/* asked for these alone, the session stays */
	if (!req->selection.n && (req->orphans || req->probes.n))
		instances.n = 0;
	if (req->orphans)
		recover_orphans(req, instances.root, err);
	rc = reset_all(req, &instances, err);
	if (!rc && req->probes.n)
		rc = tfs_probe_delete_kinds(instances.root, &req->probes, &req->keep, err);
	status = rc ? TC_EXIT_FAILED : TC_EXIT_OK;
out:
	session_close(&instances);
	return status;
}

static void release(void *request)
{
	struct reset_request *req = request;

	tfs_strvec_release(&req->probes);
	tfs_strvec_release(&req->keep);
	session_selection_release(&req->selection);
}

const struct tc_command session_reset = {
	.name = SESSION_PROGRAM,
	.verb = "reset",
	.summary = "undo what start set up, and remove the session",
	.options = options,
	.request_size = sizeof(struct reset_request),
	.run = run,
	.release = release,
};
