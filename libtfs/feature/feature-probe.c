/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feature/feature-internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/pid-ns.h"
#include "base/strbuf.h"
#include "tracefs/file.h"
#include "tracefs/plan.h"

/* @text with this process's number in place of '@' */
static int expand(const char *text, struct tfs_strbuf *out)
{
	char tag[TFS_PID_TAG_SIZE];
	int rc = 0;

	tfs_pid_tag(tag, '_');
	for (; *text && !rc; text++) {
		if (*text == '@')
			rc = tfs_strbuf_adds(out, tag);
		else
			rc = tfs_strbuf_addc(out, *text);
	}
	return rc;
}

/*
 * struct words - a probe's texts, expanded
 * @path: of its file in the sandbox's instance
 */
struct words {
	struct tfs_strbuf path, text, undo;
};

static void words_release(struct words *w)
{
	tfs_strbuf_release(&w->path);
	tfs_strbuf_release(&w->text);
	tfs_strbuf_release(&w->undo);
}

static int words_init(struct words *w, struct tfs_sandbox *sandbox,
		      const struct tfs_feature_probe *p, struct tfs_err *err)
{
	int rc = tfs_sandbox_instance(sandbox, err);

	*w = (struct words){ TFS_STRBUF_INIT, TFS_STRBUF_INIT, TFS_STRBUF_INIT };
	if (rc)
		return rc;
	rc = tfs_strbuf_addf(&w->path, "%s%s", sandbox->inst.prefix, p->file ? p->file : "");
	if (!rc)
		rc = expand(p->text ? p->text : "", &w->text);
	if (!rc)
		rc = expand(p->undo ? p->undo : "", &w->undo);
	return rc ? tfs_err_set(err, rc, "cannot prepare the probe") : 0;
}

/*
 * Reads the recorded events, once recording has ended: a probe on the functions that read them
 * would add events for ever.
 */
static int read_trace(struct tfs_sandbox *sandbox, struct tfs_strbuf *trace, struct tfs_err *err)
{
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "%stracing_on", sandbox->inst.prefix);
	rc = tfs_file_write(sandbox->root, path, TFS_WRITE_TRUNC, "0", 1, err);
	snprintf(path, sizeof(path), "%strace", sandbox->inst.prefix);
	return rc ? rc : tfs_file_read(sandbox->root, path, trace, err);
}

/* Apply, look whether it took effect, take back. A probe that cannot be taken back failed. */
static int carry_out(struct tfs_plan *plan, struct tfs_sandbox *sandbox,
		     const struct tfs_feature_probe *p, struct tfs_err *err)
{
	struct tfs_strbuf trace = TFS_STRBUF_INIT;
	int rc = tfs_plan_apply(plan, err), back;

	if (rc)
		return rc;
	if (p->trigger)
		p->trigger();
	if (p->shows) {
		rc = read_trace(sandbox, &trace, err);
		if (!rc && !strstr(trace.s, p->shows))
			rc = tfs_err_say(err, -ENODATA,
					 "the kernel takes it, but nothing was recorded");
	}
	back = tfs_plan_rollback(plan, rc ? NULL : err);
	tfs_strbuf_release(&trace);
	return rc ? rc : back;
}

int tfs_try_read(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		 struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(sandbox->root, p->file, &text, err);

	if (!rc && !text.len)
		rc = tfs_err_say(err, -ENODATA, "'%s' is empty", p->file);
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_try_rewrite(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		    struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(sandbox->root, p->file, &text, err);

	tfs_strbuf_rtrim(&text);
	if (!rc)
		rc = tfs_file_write(sandbox->root, p->file, TFS_WRITE_TRUNC, text.s, text.len, err);
	tfs_strbuf_release(&text);
	return rc;
}

/* Writes to the sandbox's instance are undone with it, except for those with @undo. */
static int write_instance(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
			  enum tfs_write_mode mode, struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	struct words w;
	int rc = words_init(&w, sandbox, p, err);

	if (!rc)
		rc = tfs_sandbox_plan(sandbox, &plan, err);
	if (!rc)
		rc = mode == TFS_WRITE_APPEND ? tfs_plan_append(plan, w.path.s, w.text.s) :
						tfs_plan_write(plan, w.path.s, w.text.s);
	if (!rc && p->undo)
		rc = tfs_plan_undo_append(plan, w.path.s, w.undo.s);
	if (!rc)
		rc = carry_out(plan, sandbox, p, err);
	tfs_plan_free(plan);
	words_release(&w);
	return rc;
}

int tfs_try_write(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err)
{
	return write_instance(sandbox, p, TFS_WRITE_TRUNC, err);
}

int tfs_try_append(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err)
{
	return write_instance(sandbox, p, TFS_WRITE_APPEND, err);
}

/* Steps of an event in the instance: on, and the instance records */
static int plan_event(struct tfs_sandbox *sandbox, const char *enable, struct tfs_plan *plan)
{
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "%s%s", sandbox->inst.prefix, enable);
	rc = tfs_plan_write(plan, path, "1");
	if (!rc)
		rc = tfs_plan_undo_write(plan, path, "0");
	snprintf(path, sizeof(path), "%stracing_on", sandbox->inst.prefix);
	if (!rc)
		rc = tfs_plan_write(plan, path, "1");
	return rc ? rc : tfs_plan_undo_write(plan, path, "0");
}

static int define(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p, bool enable,
		  struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	char file[256];
	struct words w;
	int rc = words_init(&w, sandbox, p, err);

	if (!rc)
		rc = tfs_sandbox_plan(sandbox, &plan, err);
	if (!rc)
		rc = tfs_plan_append(plan, p->file, w.text.s);
	if (!rc)
		rc = tfs_plan_undo_append(plan, p->file, w.undo.s);
	if (!rc && enable) {
		/* "-:GROUP/EVENT" */
		snprintf(file, sizeof(file), "events/%s/enable", w.undo.s + 2);
		rc = plan_event(sandbox, file, plan);
	}
	if (!rc)
		rc = carry_out(plan, sandbox, p, err);
	tfs_plan_free(plan);
	words_release(&w);
	return rc;
}

int tfs_try_define(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err)
{
	return define(sandbox, p, false, err);
}

int tfs_try_probe(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err)
{
	return define(sandbox, p, true, err);
}

int tfs_try_event(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		  struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	int rc = tfs_sandbox_instance(sandbox, err);

	if (!rc)
		rc = tfs_sandbox_plan(sandbox, &plan, err);
	if (!rc)
		rc = plan_event(sandbox, p->file, plan);
	if (!rc)
		rc = carry_out(plan, sandbox, p, err);
	tfs_plan_free(plan);
	return rc;
}

/*
 * The instance records nothing meanwhile; where functions can be chosen it is but one, so that the
 * kernel patches no other.
 */
int tfs_try_tracer(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		   struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	char path[512];
	int rc = tfs_sandbox_instance(sandbox, err);

	if (!rc)
		rc = tfs_sandbox_plan(sandbox, &plan, err);
	snprintf(path, sizeof(path), "%sset_ftrace_filter", sandbox->inst.prefix);
	if (!rc)
		rc = tfs_plan_write(plan, path, "vfs_read");
	if (!rc)
		rc = tfs_plan_optional(plan, "all functions are patched");
	if (!rc)
		rc = tfs_plan_undo_write(plan, path, "");
	snprintf(path, sizeof(path), "%scurrent_tracer", sandbox->inst.prefix);
	if (!rc)
		rc = tfs_plan_write(plan, path, p->text);
	if (!rc)
		rc = tfs_plan_undo_write(plan, path, "nop");
	if (!rc)
		rc = carry_out(plan, sandbox, p, err);
	tfs_plan_free(plan);
	return rc;
}

/* Would a tracer disturb somebody? 0, or TFS_FEATURE_UNTRIED and who uses the top level */
static int check_idle(struct tfs_sandbox *sandbox, struct tfs_err *err)
{
	static const struct {
		const char *file, *idle, *says;
	} signs[] = {
		{ "current_tracer", "nop\n", "it has the tracer of someone" },
		{ "set_event", "", "events of someone are enabled there" },
		{ "trace", "entries-in-buffer/entries-written: 0/0", "it holds a trace" },
	};
	int rc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(signs) && !rc; i++) {
		struct tfs_strbuf text = TFS_STRBUF_INIT;
		bool idle;

		rc = tfs_file_read(sandbox->root, signs[i].file, &text, err);
		idle = *signs[i].idle ? strstr(text.s, signs[i].idle) != NULL : !text.len;
		tfs_strbuf_release(&text);
		if (rc || idle)
			continue;
		tfs_err_say(err, -EBUSY, "the top level is in use: %s", signs[i].says);
		tfs_err_hint(err, "it is tried when nobody traces there");
		rc = TFS_FEATURE_UNTRIED;
	}
	return rc;
}

/* One function is patched rather than all, if nobody has chosen any. */
static int plan_filter(struct tfs_sandbox *sandbox, struct tfs_plan *plan)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_file_read(sandbox->root, "set_ftrace_filter", &text, NULL);
	const char *end;
	bool unused;

	end = strchr(text.s, '\n');
	unused = !rc && *text.s == '#' && (!end || !end[1]);

	tfs_strbuf_release(&text);
	if (!unused)
		return 0;
	rc = tfs_plan_write(plan, "set_ftrace_filter", "vfs_read");
	if (!rc)
		rc = tfs_plan_optional(plan, "all functions are patched");
	return rc ? rc : tfs_plan_undo_write(plan, "set_ftrace_filter", "");
}

int tfs_try_top(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p, struct tfs_err *err)
{
	struct tfs_plan *plan = NULL;
	int rc = check_idle(sandbox, err);

	if (rc)
		return rc;
	rc = tfs_sandbox_plan(sandbox, &plan, err);
	if (!rc && !strcmp(p->file, "current_tracer"))
		rc = plan_filter(sandbox, plan);
	if (!rc)
		rc = tfs_plan_write(plan, "tracing_on", "0");
	if (!rc)
		rc = tfs_plan_undo_restore(plan);
	if (!rc)
		rc = tfs_plan_write(plan, p->file, p->text);
	if (!rc)
		rc = tfs_plan_undo_restore(plan);
	if (!rc)
		rc = carry_out(plan, sandbox, p, err);
	tfs_plan_free(plan);
	return rc;
}

int tfs_try_instances(struct tfs_sandbox *sandbox, const struct tfs_feature_probe *p,
		      struct tfs_err *err)
{
	(void)p;
	return tfs_sandbox_instance(sandbox, err);
}
