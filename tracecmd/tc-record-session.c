/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-record-session.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/strvec.h"
#include "cli/xalloc.h"
#include "record/session.h"
#include "tc-record-opts.h"
#include "tc-record-profile.h"
#include "tc-record-symbols.h"
#include "tc-record-time.h"
#include "trace-plan.h"
#include "trace-session.h"
#include "trace-values.h"

#define READER_NICE -20

/*
 * The buffers of the file; free() the result. That of the top level has no name where the main
 * buffer is not used, as in a recording of trace-cmd; then it comes first.
 */
static struct tfs_session_buffer *list_buffers(const struct trace_request *trace, size_t *n)
{
	struct tfs_session_buffer *list = xcalloc(trace->n_buffers, sizeof(*list));
	const bool has_main = trace_is_used(trace, &trace->buffers[0]);
	const struct trace_buffer *top = trace_find_top(trace);

	*n = 0;
	if (has_main)
		list[(*n)++] = (struct tfs_session_buffer){
			.inst = &trace->buffers[0].inst,
			.name = "",
		};
	if (top)
		list[(*n)++] = (struct tfs_session_buffer){
			.inst = &top->inst,
			.name = has_main ? RECORD_TOP_NAME : "",
		};
	for (size_t i = 1; i < trace->n_buffers; i++) {
		const struct trace_buffer *buf = &trace->buffers[i];

		if (buf != top && trace_is_used(trace, buf))
			list[(*n)++] = (struct tfs_session_buffer){
				.inst = &buf->inst,
				.name = buf->name,
			};
	}
	return list;
}

/*
 * Readers run before other programs, since a reader that waits for a CPU loses events; it does not
 * need more CPU time for that. A nice value chosen by the user stays, and it is not an error if the
 * value cannot be changed.
 */
static void come_first(const struct tfs_session *s)
{
	const pid_t *tids;
	size_t n = tfs_session_tids(s, &tids);

	errno = 0;
	if (getpriority(PRIO_PROCESS, 0) || errno)
		return;
	for (size_t i = 0; i < n; i++)
		setpriority(PRIO_PROCESS, (id_t)tids[i], READER_NICE);
}

/* -r */
static int set_priority(const struct tfs_session *s, uint64_t priority, struct tfs_err *err)
{
	const struct sched_param param = { .sched_priority = (int)priority };
	const pid_t *tids;
	size_t n = tfs_session_tids(s, &tids);

	for (size_t i = 0; i < n; i++) {
		if (!sched_setscheduler(tids[i], SCHED_FIFO, &param))
			continue;
		tfs_err_set(err, -errno, "option -r: cannot give the recorder the priority %d",
			    param.sched_priority);
		tfs_err_hint(err, "it takes root, or a limit for it: ulimit -r");
		return err->code;
	}
	return 0;
}

/* Further options of the file: conversions of time stamps, and the meaning of probes' numbers */
static int find_options(const struct record_from *from, const struct tfs_strvec *events,
			struct record_time *time, struct trace_values *values, struct tfs_err *err)
{
	int rc = record_time_options(from->req, from->root, from->journal, time, err);

	if (!rc)
		rc = trace_values_find(from->root, from->defs, events, values, err);
	if (!rc && values->payload.len)
		time->list[time->n++] = values->option;
	if (!rc && from->profile->payload.len)
		time->list[time->n++] = record_profile_option(from->profile);
	return rc;
}

int record_session_start(const struct record_from *from, struct tfs_session **out,
			 struct tfs_err *err)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	struct tfs_session_opts so = {
		.root = from->root,
		.output = from->req->output,
		.mode = from->req->mode,
		.codec = from->req->codec,
		.level = from->req->level,
		.cap_bytes = from->req->cap_bytes,
		.max_bytes = from->req->max_bytes,
		.switch_bytes = from->req->switch_output.bytes,
		.events = from->req->all_formats ? from->names : &events,
		.interval_us = from->req->interval_us,
		.sink = from->sink,
		.remote = from->remote,
	};
	struct tfs_session_buffer *buffers = list_buffers(&from->req->trace, &so.n_buffers);
	struct record_time time = { .n = 0 };
	struct trace_values values = { .payload = TFS_STRBUF_INIT };
	const char *why;
	int rc = trace_events(&from->req->trace, &events);

	so.buffers = buffers;
	so.options = time.list;
	so.symbols = record_symbols(from->req, &why);
	if (rc)
		tfs_err_set(err, rc, "cannot list the events");
	else
		rc = find_options(from, so.events, &time, &values, err);
	so.n_options = time.n;
	if (!rc)
		rc = trace_session_new(&so, "tc-record", from->journal, out, err);
	if (!rc)
		rc = tfs_session_start(*out, err);
	if (!rc)
		come_first(*out);
	if (!rc && from->req->priority)
		rc = set_priority(*out, from->req->priority, err);
	free(buffers);
	tfs_strbuf_release(&values.payload);
	tfs_strvec_release(&events);
	return rc;
}
