/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/line-json.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/json.h"
#include "base/strbuf-core.h"
#include "base/time.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "strace/args-signal.h"
#include "strace/args.h"
#include "strace/call.h"
#include "strace/calls.h"
#include "view/export-value.h"

static int add_time(const char *name, uint64_t ns, struct tfs_strbuf *out)
{
	const uint64_t second = NS_PER_SEC;

	return tfs_strbuf_addf(out, "\"%s\":%" PRIu64 ".%09" PRIu64, name, ns / second,
			       ns % second);
}

/* ,"NAME":"TEXT" */
static int add_text(const char *name, const char *text, size_t len, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addf(out, ",\"%s\":", name);

	return rc ? rc : tfs_json_string(out, text, len);
}

/* ,"NAME":TRUE-OR-FALSE */
static int add_flag(const char *name, bool value, struct tfs_strbuf *out)
{
	return tfs_strbuf_addf(out, ",\"%s\":%s", name, value ? "true" : "false");
}

/* @time: "begin" of a call, "time" of what takes none */
static int begin(const struct tfs_line_json_head *head, const char *time, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addc(out, '{');

	if (!rc)
		rc = add_time(time, head->ts, out);
	if (!rc && head->wall_offset)
		rc = tfs_strbuf_addc(out, ',');
	if (!rc && head->wall_offset)
		rc = add_time("realtime", head->ts + (uint64_t)head->wall_offset, out);
	if (!rc)
		rc = tfs_strbuf_addf(out, ",\"pid\":%d", head->tid);
	if (!rc && head->tgid > 0)
		rc = tfs_strbuf_addf(out, ",\"tgid\":%d", head->tgid);
	if (!rc)
		rc = head->comm ? add_text("comm", head->comm, strlen(head->comm), out) :
				  tfs_strbuf_adds(out, ",\"comm\":null");
	return rc;
}

static int end(struct tfs_strbuf *out)
{
	return tfs_strbuf_adds(out, "}\n");
}

/* ,"error":"ENOENT" from "-1 ENOENT (No such file or directory)" */
static int add_error(const struct tfs_call *call, const struct tfs_strbuf *result,
		     struct tfs_strbuf *out)
{
	const char *name = tfs_call_failed(call) ? strchr(result->s, ' ') : NULL;

	return name ? add_text("error", name + 1, strcspn(name + 1, " "), out) :
		      tfs_strbuf_adds(out, ",\"error\":null");
}

static int add_result(const struct tfs_call *call, const struct tfs_strbuf *result,
		      struct tfs_strbuf *out)
{
	int rc;

	if (call->flags & TFS_CALL_NO_EXIT)
		return tfs_strbuf_adds(out, ",\"ret\":null,\"error\":null,\"result\":null");
	rc = tfs_strbuf_adds(out, ",\"ret\":");
	if (!rc)
		rc = tfs_json_signed(out, call->ret);
	if (!rc)
		rc = add_error(call, result, out);
	return rc ? rc : add_text("result", result->s, result->len, out);
}

static int add_duration(const struct tfs_call *call, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_addc(out, ',');

	if (rc)
		return rc;
	return tfs_call_has_duration(call) ? add_time("duration", call->end - call->begin, out) :
					     tfs_strbuf_adds(out, "\"duration\":null");
}

/* ,"args":{...},"text":"..." */
static int add_args(const struct tfs_call *call, const struct tfs_strbuf *text,
		    struct tfs_strbuf *out)
{
	int rc;

	if (call->flags & TFS_CALL_NO_ENTRY)
		return tfs_strbuf_adds(out, ",\"args\":null,\"text\":null");
	rc = tfs_strbuf_adds(out, ",\"args\":{");
	if (!rc)
		rc = tfs_args_json(call, out);
	if (!rc)
		rc = tfs_strbuf_addc(out, '}');
	return rc ? rc : add_text("text", text->s, text->len, out);
}

int tfs_line_json_call(const struct tfs_line_json_head *head, const struct tfs_call *call,
		       const struct tfs_strbuf *text, const struct tfs_strbuf *result,
		       const struct tfs_strbuf *more, struct tfs_strbuf *out)
{
	int rc = begin(head, "begin", out);

	if (!rc)
		rc = add_duration(call, out);
	if (!rc)
		rc = tfs_strbuf_adds(out, ",\"syscall\":\"");
	if (!rc)
		rc = tfs_args_name(call, out);
	if (!rc)
		rc = tfs_strbuf_addf(out, "\",\"nr\":%" PRId64, call->nr);
	if (!rc)
		rc = add_args(call, text, out);
	if (!rc)
		rc = add_result(call, result, out);
	if (!rc)
		rc = add_flag("unfinished", call->flags & TFS_CALL_NO_EXIT, out);
	if (!rc)
		rc = add_flag("unbegun", call->flags & TFS_CALL_NO_ENTRY, out);
	if (!rc)
		rc = add_flag("cut", call->flags & TFS_CALL_CUT, out);
	if (!rc && more->len)
		rc = tfs_strbuf_add(out, more->s, more->len);
	return rc ? rc : end(out);
}

int tfs_line_json_signal(const struct tfs_line_json_head *head, const struct tfs_call_signal *sig,
			 struct tfs_strbuf *out)
{
	int rc = begin(head, "time", out);

	if (!rc)
		rc = tfs_strbuf_adds(out, ",\"signal\":\"");
	if (!rc)
		rc = tfs_args_signal_name(sig->sig, out);
	if (!rc)
		rc = tfs_strbuf_addf(out, "\",\"code\":%d", sig->code);
	return rc ? rc : end(out);
}

int tfs_line_json_end(const struct tfs_line_json_head *head, const struct tfs_task_end *task_end,
		      struct tfs_strbuf *out)
{
	int rc = begin(head, "time", out);

	if (!rc && task_end->fate == TFS_TASK_KILLED) {
		rc = tfs_strbuf_adds(out, ",\"killed\":\"");
		if (!rc)
			rc = tfs_args_signal_name(task_end->value, out);
		if (!rc)
			rc = tfs_strbuf_addc(out, '"');
	} else if (!rc && task_end->fate == TFS_TASK_EXITED) {
		rc = tfs_strbuf_addf(out, ",\"exit\":%d", task_end->value);
	} else if (!rc) {
		rc = tfs_strbuf_adds(out, ",\"exit\":null");
	}
	return rc ? rc : end(out);
}

int tfs_line_json_event(const struct tfs_line_json_head *head, const struct tfs_event *event,
			const struct tfs_strbuf *text, struct tfs_strbuf *out)
{
	int rc = begin(head, "time", out);

	if (!rc)
		rc = tfs_strbuf_addf(out, ",\"event\":\"%s:%.*s\"", event->type->system,
				     (int)event->type->name_len, event->type->name);
	if (!rc)
		rc = add_text("text", text->s, text->len, out);
	return rc ? rc : end(out);
}

int tfs_line_json_lost(const struct tfs_event *event, struct tfs_strbuf *out)
{
	int rc = tfs_strbuf_adds(out, "{\"lost\":");

	if (!rc)
		rc = event->rec.lost > 0 ? tfs_strbuf_addf(out, "%" PRId64, event->rec.lost) :
					   tfs_strbuf_adds(out, "null");
	if (!rc)
		rc = tfs_strbuf_addf(out, ",\"cpu\":%" PRIu32, event->rec.cpu);
	if (!rc && event->missing)
		rc = tfs_strbuf_adds(out, ",\"missing\":true");
	return rc ? rc : end(out);
}
