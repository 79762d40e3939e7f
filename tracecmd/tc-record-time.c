/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-time.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/io.h"
#include "tc-record-opts.h"
#include "tracedat/dat-format.h"

static void add_option(struct record_time *time, uint16_t id, const void *data, size_t size)
{
	time->list[time->n++] = (struct tfs_session_option){ id, data, size };
}

/* The factors that the kernel gives to perf: ns = (cycles * mult) >> shift (perf_event_open(2)) */
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
		return tfs_err_set(err, -errno, "cannot get the frequency of the clock from perf");
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		rc = tfs_err_set(err, -errno, "cannot get the frequency of the clock from perf");
	} else if (!page->cap_user_time) {
		rc = tfs_err_say(
			err, -EOPNOTSUPP,
			"the kernel does not report the frequency of the cycle counter: it is not "
			"constant here");
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
	if (req->date) {
		rc = trace_date(root, req->trace.buffers[0].clock, journal, &time->date, err);
		time->list[time->n++] = time->date.option;
	}
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
