/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-plan.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "event/event-plan.h"
#include "event/event.h"
#include "fs/instance.h"
#include "fs/plan.h"
#include "trace-probe.h"

#define KIB 1024ULL
/* Of a list of pids that goes to the kernel in one write. */
#define PIECE_MAX 1024

void trace_found_release(struct trace_found *found)
{
	tfs_strvec_release(&found->names);
	tfs_probe_defs_release(&found->defs);
}

static int find_events(struct trace_request *req, const struct tfs_root *root,
		       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err)
{
	const struct tc_clauses *c = &req->clauses;
	struct tfs_strvec missing = TFS_STRVEC_INIT;
	unsigned int flags = req->ignore_missing ? TFS_EVENT_IGNORE_MISSING : 0;
	int rc;

	rc = tfs_event_list(root, &found->names, err);
	if (!rc)
		rc = tfs_event_resolve(c->events, c->n, &found->names, flags, &missing, err);
	for (size_t i = 0; i < missing.n && !rc; i++)
		rc = tfs_strvec_pushf(notices, "there is no event '%s'; it is left out",
				      missing.v[i]);
	tfs_strvec_release(&missing);
	return rc;
}

int trace_find(struct trace_request *req, const struct tfs_root *root, const char *group,
	       struct trace_found *found, struct tfs_strvec *notices, struct tfs_err *err)
{
	struct tfs_strvec events = TFS_STRVEC_INIT;
	int rc;

	rc = find_events(req, root, found, notices, err);
	if (!rc)
		rc = trace_probes_resolve(&req->clauses, root, group, &found->defs, notices, err);
	if (!rc)
		rc = trace_probes_name(&req->clauses, &found->defs, &found->names);
	if (!rc)
		rc = trace_events(req, &events);
	if (!rc && !events.n)
		rc = tfs_err_say(err, -ENOENT, "nothing to record: none of the events exists");
	if (rc && !err->code)
		tfs_err_set(err, rc, "cannot look for what is to be recorded");
	tfs_strvec_release(&events);
	return rc;
}

int trace_place(struct trace_request *req, const struct tfs_root *root,
		const struct tfs_instance *main_buffer, struct tfs_err *err)
{
	(void)root;
	(void)err;
	req->buffers[0].inst = *main_buffer;
	return 0;
}

/* The path of a control file of the instance; 0 or -errno. */
static int at(const struct tfs_instance *inst, const char *file, char path[256])
{
	return tfs_instance_path(inst, file, path, 256);
}

/* A write whose undo is the instance's own rmdir. */
static int plan_set(struct tfs_plan *plan, const struct tfs_instance *inst, const char *file,
		    const char *text, const char *message)
{
	char path[256];
	int rc = at(inst, file, path);

	if (!rc)
		rc = tfs_plan_write(plan, path, text);
	if (!rc && message)
		rc = tfs_plan_says(plan, message, NULL);
	return rc;
}

static int plan_size(uint64_t bytes, const struct tfs_instance *inst, struct tfs_plan *plan)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	uint64_t kib = (bytes + KIB - 1) / KIB;
	int rc;

	rc = tfs_strbuf_addf(&sb, "%" PRIu64, kib);
	if (!rc)
		rc = tfs_strbuf_addf(
			&message, "cannot make a ring buffer of %" PRIu64 " KiB for each CPU", kib);
	if (!rc)
		rc = plan_set(plan, inst, "buffer_size_kb", sb.s, message.s);
	/* Its default already, but nothing promises that; without it readers wake too often. */
	if (!rc)
		rc = plan_set(plan, inst, "buffer_percent", "50", NULL);
	if (!rc)
		rc = tfs_plan_optional(plan, "the recorder will be woken more often");
	tfs_strbuf_release(&message);
	tfs_strbuf_release(&sb);
	return rc;
}

static int plan_clock(const char *clock, const struct tfs_instance *inst, struct tfs_plan *plan)
{
	struct tfs_strbuf message = TFS_STRBUF_INIT;
	int rc;

	if (!clock)
		return 0;
	rc = tfs_strbuf_addf(&message, "cannot use the clock '%s'", clock);
	if (!rc)
		rc = plan_set(plan, inst, "trace_clock", clock, message.s);
	tfs_strbuf_release(&message);
	return rc;
}

/* The kernel takes a list of pids in pieces, none longer than a page. */
static int plan_pid_list(const struct tfs_instance *inst, const struct tfs_strvec *pids,
			 struct tfs_plan *plan)
{
	struct tfs_strbuf piece = TFS_STRBUF_INIT;
	char path[256];
	int rc = at(inst, "set_event_pid", path);

	for (size_t i = 0; i < pids->n && !rc; i++) {
		rc = tfs_strbuf_addf(&piece, "%s%s", piece.len ? " " : "", pids->v[i]);
		if (rc || (i + 1 < pids->n && piece.len < PIECE_MAX))
			continue;
		rc = tfs_plan_append(plan, path, piece.s);
		if (!rc)
			rc = tfs_plan_says(plan, "cannot restrict events to a pid", NULL);
		tfs_strbuf_reset(&piece);
	}
	tfs_strbuf_release(&piece);
	return rc;
}

static int plan_pids(const struct trace_request *req, const struct trace_buffer *buf,
		     struct tfs_plan *plan)
{
	int rc = 0;

	/* Before the pids: what they fork from then on is added (kernel: trace/ftrace.rst). */
	if (req->children)
		rc = plan_set(plan, &buf->inst, "options/event-fork", "1",
			      "cannot follow children (option -c)");
	if (!rc)
		rc = plan_pid_list(&buf->inst, &buf->threads, plan);
	return rc;
}

static int plan_buffer(const struct trace_request *req, const struct trace_buffer *buf,
		       struct tfs_plan *plan)
{
	const struct trace_buffer *main_buffer = &req->buffers[0];
	int rc;

	rc = tfs_instance_plan(&buf->inst, plan);
	if (!rc)
		rc = plan_size(buf->buffer_bytes ? buf->buffer_bytes : main_buffer->buffer_bytes,
			       &buf->inst, plan);
	if (!rc)
		rc = plan_clock(buf->clock ? buf->clock : main_buffer->clock, &buf->inst, plan);
	if (!rc)
		rc = plan_pids(req, buf, plan);
	return rc;
}

/* What is recorded has to be there before the instances are set up. */
int trace_plan(const struct trace_request *req, const struct trace_found *found,
	       struct tfs_plan *plan, struct tfs_err *err)
{
	int rc = tfs_probe_define_plan(&found->defs, plan);

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		const struct trace_buffer *buf = &req->buffers[i];

		if (!trace_is_used(req, buf))
			continue;
		rc = plan_buffer(req, buf, plan);
		if (!rc)
			rc = tfs_event_plan(req->clauses.events + buf->first, buf->n, &found->names,
					    &buf->inst, plan, err);
	}
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot plan the recording");
	return rc;
}

static int plan_notrace(const struct tfs_instance *inst, const struct tfs_strvec *own,
			struct tfs_plan *plan)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	char path[256];
	int rc = at(inst, "set_event_notrace_pid", path);

	for (size_t i = 0; i < own->n && !rc; i++)
		rc = tfs_strbuf_addf(&list, "%s%s", i ? " " : "", own->v[i]);
	if (!rc && own->n)
		rc = tfs_plan_append(plan, path, list.s);
	if (!rc && own->n)
		rc = tfs_plan_optional(plan, "events of the recorder itself are recorded too");
	tfs_strbuf_release(&list);
	return rc;
}

static int plan_on(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	char path[256];
	int rc = plan_set(plan, inst, "tracing_on", "1", "cannot start recording");

	/* Recording ends before anything else is taken back. */
	if (!rc)
		rc = at(inst, "tracing_on", path);
	if (!rc)
		rc = tfs_plan_undo_write(plan, path, "0");
	return rc;
}

int trace_plan_start(const struct trace_request *req, const struct tfs_strvec *own,
		     struct tfs_plan *plan, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		if (trace_is_used(req, &req->buffers[i]))
			rc = plan_notrace(&req->buffers[i].inst, own, plan);
	}
	/* One after the other, as close together as can be. */
	for (size_t i = 0; i < req->n_buffers && !rc; i++) {
		if (trace_is_used(req, &req->buffers[i]))
			rc = plan_on(&req->buffers[i].inst, plan);
	}
	if (rc)
		tfs_err_set(err, rc, "cannot plan the recording");
	return rc;
}

int trace_events(const struct trace_request *req, struct tfs_strvec *out)
{
	int rc = 0;

	for (size_t i = 0; i < req->clauses.n && !rc; i++) {
		const struct tfs_event_spec *spec = &req->clauses.events[i];

		for (size_t k = 0; k < spec->matched.n && !spec->exclude && !rc; k++) {
			if (!tfs_strvec_has(out, spec->matched.v[k]))
				rc = tfs_strvec_push(out, spec->matched.v[k]);
		}
	}
	return rc;
}
