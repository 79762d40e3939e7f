/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-session.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "cli/msg.h"
#include "cli/xalloc.h"
#include "record/session.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-recorder.h"
#include "tracefs/plan.h"

#define KPTR_RESTRICT "/proc/sys/kernel/kptr_restrict"

static bool are_hidden(void)
{
	struct tfs_strbuf now = TFS_STRBUF_INIT;
	bool hidden = !tfs_read_path(KPTR_RESTRICT, &now) && now.s[0] == '2';

	tfs_strbuf_release(&now);
	return hidden;
}

/* Plans the step that shows them; if it is refused, functions have no names. */
static int plan_show(struct tfs_plan *plan)
{
	int rc = tfs_plan_write(plan, KPTR_RESTRICT, "1");

	if (!rc)
		rc = tfs_plan_undo_write(plan, KPTR_RESTRICT, "2");
	return rc ? rc : tfs_plan_optional(plan, "functions will have no names");
}

/*
 * Two files for each CPU can exceed the usual soft limit. COMMAND was forked before and keeps its
 * own limit.
 */
static void allow_many_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	/* If this fails, opening one file too many fails later, with a message. */
	setrlimit(RLIMIT_NOFILE, &limit);
}

int trace_session_new(const struct tfs_session_opts *so, const char *program,
		      struct tfs_journal *journal, struct tfs_session **out, struct tfs_err *err)
{
	struct tfs_err undo_err = TFS_ERR_INIT;
	struct tfs_plan *plan = NULL;
	int rc;

	allow_many_files();
	if (!are_hidden())
		return tfs_session_new(so, out, err);
	rc = tfs_plan_new(so->root, &plan);
	if (!rc) {
		tfs_plan_set_journal(plan, journal);
		rc = plan_show(plan);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot plan the change of kptr_restrict");
	else
		rc = tfs_plan_apply(plan, err);
	if (!rc)
		rc = tfs_session_new(so, out, err);
	if (plan && tfs_plan_rollback(plan, &undo_err))
		tc_msg_error(program, &undo_err);
	tfs_plan_free(plan);
	return rc;
}

int trace_session_own(struct tfs_session *session, const struct tfs_strvec *own)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_session_option option = { .id = TFS_DAT_PRIVATE_RECORDER };
	uint32_t *tids;
	int rc;

	if (!own->n)
		return 0;
	tids = xcalloc(own->n + 1, sizeof(*tids));
	for (size_t i = 0; i < own->n; i++)
		tids[i] = (uint32_t)strtoul(own->v[i], NULL, 10);
	rc = tfs_dat_recorder_put(&payload, tids, own->n);
	option.data = payload.s;
	option.size = payload.len;
	if (!rc)
		rc = tfs_session_option(session, &option);
	tfs_strbuf_release(&payload);
	free(tids);
	return rc;
}
