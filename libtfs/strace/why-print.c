/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/why-print.h"

#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "strace/line.h"
#include "strace/why.h"

#define MINOR_BITS 20
#define MINORS ((1u << MINOR_BITS) - 1)
#define SECTOR_BYTES 512

/* As a task goes through them */
static const enum tfs_task_state order[] = {
	TFS_TASK_PREEMPTED, TFS_TASK_SLEEPING, TFS_TASK_BLOCKED, TFS_TASK_STOPPED,
	TFS_TASK_PARKED,    TFS_TASK_IDLE,     TFS_TASK_DEAD,    TFS_TASK_RUNNABLE,
};

bool tfs_why_is_empty(const struct tfs_why_call *call)
{
	for (size_t i = 0; i < TFS_TASK_STATES; i++)
		if (call->n[i])
			return false;
	return !call->n_requests && !call->faults && !call->is_out;
}

uint64_t tfs_why_off_ns(const struct tfs_why_call *call)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < TFS_TASK_STATES; i++)
		ns += call->ns[i];
	return ns;
}

/* The second and later parts are after "; ". */
static int begin_part(size_t start, struct tfs_strbuf *out)
{
	return out->len > start ? tfs_strbuf_adds(out, "; ") : 0;
}

/* "sleeping 0.001200 (2), runnable 0.000034 (2)" */
static int add_states(const struct tfs_why_call *call, unsigned int digits, struct tfs_strbuf *out)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(order) && !rc; i++) {
		const enum tfs_task_state state = order[i];

		if (!call->n[state])
			continue;
		rc = tfs_strbuf_addf(out, "%s%s ", any ? ", " : "", tfs_task_state_name(state));
		if (!rc)
			rc = tfs_line_seconds(call->ns[state], 0, digits, out);
		if (!rc)
			rc = tfs_strbuf_addf(out, " (%" PRIu32 ")", call->n[state]);
		any = true;
	}
	return rc;
}

static int add_off(const struct tfs_why_call *call, unsigned int digits, struct tfs_strbuf *out)
{
	bool any = false;
	int rc;

	for (size_t i = 0; i < TFS_TASK_STATES; i++)
		any |= call->n[i] != 0;
	if (!any && !call->is_out)
		return 0;
	rc = tfs_strbuf_addf(out, "off CPU %s", call->is_partial ? "at least " : "");
	if (!rc)
		rc = tfs_line_seconds(tfs_why_off_ns(call), 0, digits, out);
	if (!rc && any)
		rc = tfs_strbuf_adds(out, ": ");
	return rc ? rc : add_states(call, digits, out);
}

/* "woken by sshd-123, an interrupt in cat-456 (3), 7 more" */
static int add_wakers(const struct tfs_why_call *call, size_t start, struct tfs_strbuf *out)
{
	uint32_t more = call->wakeups;
	int rc = call->wakeups ? begin_part(start, out) : 0;

	for (size_t i = 0; i < call->n_wakers && !rc; i++) {
		const struct tfs_why_waker *w = &call->wakers[i];

		rc = tfs_strbuf_addf(out, "%s%s%s-%d", i ? ", " : "woken by ",
				     w->interrupt ? "an interrupt in " : "",
				     *w->comm ? w->comm : "<...>", w->tid);
		if (!rc && w->n > 1)
			rc = tfs_strbuf_addf(out, " (%" PRIu32 ")", w->n);
		more -= w->n;
	}
	return rc || !more ? rc : tfs_strbuf_addf(out, ", %" PRIu32 " more", more);
}

/* "block 254:0 R 2048 + 8 <0.000120>": sectors, as the kernel's own text has them */
static int add_requests(const struct tfs_why_call *call, unsigned int digits, size_t start,
			struct tfs_strbuf *out)
{
	const size_t n = call->n_requests < TFS_WHY_MAX ? call->n_requests : TFS_WHY_MAX;
	int rc = n ? begin_part(start, out) : 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tfs_why_request *r = &call->requests[i];

		rc = tfs_strbuf_addf(out, "%s%" PRIu32 ":%" PRIu32 " %s %" PRIu64 " + %" PRIu32,
				     i ? ", " : "block ", r->dev >> MINOR_BITS, r->dev & MINORS,
				     r->rwbs, r->sector, r->bytes / SECTOR_BYTES);
		if (!rc && r->is_complete)
			rc = tfs_strbuf_adds(out, " <");
		if (!rc && r->is_complete)
			rc = tfs_line_seconds(r->ns, 0, digits, out);
		if (!rc && r->is_complete)
			rc = tfs_strbuf_addc(out, '>');
	}
	return rc || call->n_requests <= n ?
		       rc :
		       tfs_strbuf_addf(out, ", %zu more, %" PRIu64 " bytes in all",
				       call->n_requests - n, call->bytes);
}

int tfs_why_text(const struct tfs_why_call *call, unsigned int digits, struct tfs_strbuf *out)
{
	const size_t start = out->len;
	int rc = add_off(call, digits, out);

	if (!rc)
		rc = add_wakers(call, start, out);
	if (!rc)
		rc = add_requests(call, digits, start, out);
	if (!rc && call->faults)
		rc = begin_part(start, out);
	if (!rc && call->faults)
		rc = tfs_strbuf_addf(out, "%" PRIu32 " page fault%s", call->faults,
				     call->faults == 1 ? "" : "s");
	return rc;
}

static int add_time(const char *before, uint64_t ns, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, before);

	return rc ? rc : tfs_line_seconds(ns, 0, 9, out);
}

static int json_states(const struct tfs_why_call *call, struct tfs_strbuf *out)
{
	bool any = false;
	int rc = tfs_strbuf_adds(out, ",\"states\":{");

	for (size_t i = 0; i < ARRAY_SIZE(order) && !rc; i++) {
		const enum tfs_task_state state = order[i];

		if (!call->n[state])
			continue;
		rc = tfs_strbuf_addf(out, "%s\"%s\":{\"count\":%" PRIu32, any ? "," : "",
				     tfs_task_state_name(state), call->n[state]);
		if (!rc)
			rc = add_time(",\"seconds\":", call->ns[state], out);
		if (!rc)
			rc = tfs_strbuf_addc(out, '}');
		any = true;
	}
	return rc ? rc : tfs_strbuf_addc(out, '}');
}

static int json_wakers(const struct tfs_why_call *call, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addf(out, ",\"wakeups\":%" PRIu32 ",\"wakers\":[", call->wakeups);

	for (size_t i = 0; i < call->n_wakers && !rc; i++) {
		const struct tfs_why_waker *w = &call->wakers[i];

		rc = tfs_strbuf_addf(out, "%s{\"pid\":%d,\"comm\":", i ? "," : "", w->tid);
		if (!rc)
			rc = *w->comm ? tfs_json_string(out, w->comm, strlen(w->comm)) :
					tfs_strbuf_adds(out, "null");
		if (!rc)
			rc = tfs_strbuf_addf(out, ",\"interrupt\":%s,\"count\":%" PRIu32 "}",
					     w->interrupt ? "true" : "false", w->n);
	}
	return rc ? rc : tfs_strbuf_addc(out, ']');
}

static int json_requests(const struct tfs_why_call *call, struct tfs_strbuf *out)
{
	const size_t n = call->n_requests < TFS_WHY_MAX ? call->n_requests : TFS_WHY_MAX;
	int rc = tfs_strbuf_addf(out, ",\"requests\":%zu,\"bytes\":%" PRIu64 ",\"block\":[",
				 call->n_requests, call->bytes);

	for (size_t i = 0; i < n && !rc; i++) {
		const struct tfs_why_request *r = &call->requests[i];

		rc = tfs_strbuf_addf(out, "%s{\"dev\":\"%" PRIu32 ":%" PRIu32 "\",\"rwbs\":",
				     i ? "," : "", r->dev >> MINOR_BITS, r->dev & MINORS);
		if (!rc)
			rc = tfs_json_string(out, r->rwbs, strlen(r->rwbs));
		if (!rc)
			rc = tfs_strbuf_addf(out, ",\"sector\":%" PRIu64 ",\"bytes\":%" PRIu32,
					     r->sector, r->bytes);
		if (!rc)
			rc = r->is_complete ? add_time(",\"duration\":", r->ns, out) :
					      tfs_strbuf_adds(out, ",\"duration\":null");
		if (!rc)
			rc = tfs_strbuf_addc(out, '}');
	}
	return rc ? rc : tfs_strbuf_addc(out, ']');
}

int tfs_why_json(const struct tfs_why_call *call, struct tfs_strbuf *out)
{
	int rc;

	if (!call)
		return tfs_strbuf_adds(out, "null");
	rc = add_time("{\"off_cpu\":", tfs_why_off_ns(call), out);
	if (!rc)
		rc = tfs_strbuf_addf(out, ",\"complete\":%s", call->is_partial ? "false" : "true");
	if (!rc)
		rc = json_states(call, out);
	if (!rc)
		rc = json_wakers(call, out);
	if (!rc)
		rc = json_requests(call, out);
	return rc ? rc : tfs_strbuf_addf(out, ",\"faults\":%" PRIu32 "}", call->faults);
}
