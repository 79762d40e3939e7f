/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-date.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracedat/dat-format.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

/* The best of several: the one between whose two looks at the wall clock least time passed. */
#define TRIES 10

int trace_marker_time(const char *trace, uint64_t *usec)
{
	const char *mark = strstr(trace, ": tracing_mark_write:");
	const char *p = mark;
	char *end;

	if (!mark)
		return -ENOENT;
	while (p > trace && p[-1] != ' ' && p[-1] != '\n')
		p--;
	*usec = strtoull(p, &end, 10);
	if (*end == '.')
		*usec = *usec * 1000000 + strtoull(end + 1, &end, 10);
	return end == mark && p < mark ? 0 : -ENOENT;
}

static uint64_t wall_usec(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

/* One mark: the wall clock's time of it less the trace clock's, and how uncertain that is. */
static int compare(const struct tfs_root *root, const struct tfs_instance *inst, int64_t *diff,
		   uint64_t *doubt, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char trace[sizeof(inst->prefix) + 8], marker[sizeof(inst->prefix) + 16];
	uint64_t before, after, usec = 0;
	int rc;

	snprintf(trace, sizeof(trace), "%strace", inst->prefix);
	snprintf(marker, sizeof(marker), "%strace_marker", inst->prefix);
	rc = tfs_file_write(root, trace, TFS_WRITE_TRUNC, "", 0, err);
	before = wall_usec();
	if (!rc)
		rc = tfs_file_write(root, marker, TFS_WRITE_TRUNC, "now\n", 4, err);
	after = wall_usec();
	if (!rc)
		rc = tfs_file_read(root, trace, &text, err);
	if (!rc && trace_marker_time(text.s, &usec))
		rc = tfs_err_say(err, -EIO, "no mark in '%s/%s'", inst->prefix, "trace");
	if (!rc) {
		*doubt = after - before;
		*diff = (int64_t)(before + *doubt / 2 - usec);
	}
	tfs_strbuf_release(&text);
	return rc;
}

static int plan_clock(const char *clock, const struct tfs_instance *inst, struct tfs_plan *plan)
{
	int rc = tfs_instance_plan(inst, plan);

	if (!rc && clock)
		rc = tfs_instance_write(inst, "trace_clock", clock, NULL, plan);
	return rc ? rc : tfs_instance_write(inst, "tracing_on", "1", NULL, plan);
}

/* In an instance of its own: a mark in the recording would be an event more. */
static int wall_offset(const struct tfs_root *root, const char *clock, struct tfs_journal *journal,
		       int64_t *usec, struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	struct tfs_instance inst;
	uint64_t best = UINT64_MAX, doubt;
	int64_t diff;
	int rc, undone;

	tfs_instance_private(&inst, "tc-date");
	rc = tfs_plan_new(root, &plan);
	if (rc)
		return tfs_err_set(err, rc, "cannot compare the clocks");
	tfs_plan_set_journal(plan, journal);
	rc = plan_clock(clock, &inst, plan);
	if (!rc)
		rc = tfs_plan_apply(plan, err);
	for (int i = 0; i < TRIES && !rc; i++) {
		rc = compare(root, &inst, &diff, &doubt, err);
		if (!rc && doubt < best) {
			best = doubt;
			*usec = diff;
		}
	}
	undone = tfs_plan_rollback(plan, rc ? NULL : err);
	tfs_plan_free(plan);
	return rc ? rc : undone;
}

int trace_date(const struct tfs_root *root, const char *clock, struct tfs_journal *journal,
	       struct trace_date *date, struct tfs_err *err)
{
	int64_t usec = 0;
	int rc = wall_offset(root, clock, journal, &usec, err);

	if (rc)
		tfs_err_prefix(err, "option --date");
	snprintf(date->text, sizeof(date->text), "0x%" PRIx64, (uint64_t)usec);
	date->option =
		(struct tfs_session_option){ TFS_DAT_DATE, date->text, strlen(date->text) + 1 };
	return rc;
}
