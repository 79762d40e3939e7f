/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-time.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "data/dat-format.h"
#include "fs/file.h"
#include "fs/instance.h"
#include "fs/plan.h"
#include "tc-record-opts.h"

/* The best of several: the one between whose two looks at the wall clock least time passed. */
#define TRIES 10

int record_marker_time(const char *trace, uint64_t *usec)
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
	if (!rc && record_marker_time(text.s, &usec))
		rc = tfs_err_say(err, -EIO, "no mark in '%s/%s'", inst->prefix, "trace");
	if (!rc) {
		*doubt = after - before;
		*diff = (int64_t)(before + *doubt / 2 - usec);
	}
	tfs_strbuf_release(&text);
	return rc;
}

static int plan_clock(const struct record_request *req, const struct tfs_instance *inst,
		      struct tfs_plan *plan)
{
	const char *clock = req->trace.buffers[0].clock;
	int rc = tfs_instance_plan(inst, plan);

	if (!rc && clock)
		rc = tfs_instance_write(inst, "trace_clock", clock, NULL, plan);
	return rc ? rc : tfs_instance_write(inst, "tracing_on", "1", NULL, plan);
}

/* In an instance of its own: a mark in the recording would be an event more. */
static int wall_offset(const struct record_request *req, const struct tfs_root *root,
		       struct tfs_journal *journal, int64_t *usec, struct tfs_err *err)
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
	rc = plan_clock(req, &inst, plan);
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

static void add_option(struct record_time *time, uint16_t id, const void *data, size_t size)
{
	time->list[time->n++] = (struct tfs_session_option){ id, data, size };
}

static int add_date(const struct record_request *req, const struct tfs_root *root,
		    struct tfs_journal *journal, struct record_time *time, struct tfs_err *err)
{
	int64_t usec = 0;
	int rc = wall_offset(req, root, journal, &usec, err);

	if (rc) {
		tfs_err_prefix(err, "option --date");
		return rc;
	}
	snprintf(time->date, sizeof(time->date), "0x%" PRIx64, (uint64_t)usec);
	add_option(time, TFS_DAT_DATE, time->date, strlen(time->date) + 1);
	return 0;
}

/* What perf is told of the cycle counter: ns = (cycles * mult) >> shift (perf_event_open(2)) */
static int tsc_factors(uint32_t *mult, uint32_t *shift, struct tfs_err *err)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	const struct perf_event_mmap_page *page;
	int rc = 0, fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd < 0)
		return tfs_err_set(err, -errno, "cannot ask perf for the speed of the clock");
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		rc = tfs_err_set(err, -errno, "cannot ask perf for the speed of the clock");
	} else if (!page->cap_user_time) {
		rc = tfs_err_say(err, -EOPNOTSUPP,
				 "the kernel does not tell the speed of the cycle "
				 "counter: it is not constant here");
	} else {
		*mult = page->time_mult;
		*shift = page->time_shift;
	}
	if (page != MAP_FAILED)
		munmap((void *)page, size);
	tfs_close(&fd);
	return rc;
}

int record_time_options(const struct record_request *req, const struct tfs_root *root,
			struct tfs_journal *journal, struct record_time *time, struct tfs_err *err)
{
	int rc = 0;

	*time = (struct record_time){ .n = 0 };
	if (req->date)
		rc = add_date(req, root, journal, time, err);
	if (!rc && req->ts_offset_text) {
		snprintf(time->offset, sizeof(time->offset), "%" PRId64, req->ts_offset);
		add_option(time, TFS_DAT_OFFSET, time->offset, strlen(time->offset) + 1);
	}
	if (!rc && req->tsc2nsec) {
		rc = tsc_factors(&time->tsc.mult, &time->tsc.shift, err);
		add_option(time, TFS_DAT_TSC2NSEC, &time->tsc, sizeof(time->tsc));
	}
	return rc;
}
