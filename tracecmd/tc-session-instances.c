/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-session-instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "cli/xalloc.h"
#include "cli/command.h"
#include "tc-session.h"
#include "trace-lock.h"
#include "tracefs/file.h"
#include "tracefs/journal.h"
#include "tracefs/plan.h"
#include "tracefs/root.h"
#include "tracefs/status.h"
#include "tracefs/tracing-on.h"

static struct session_selector *add_selector(struct session_selection *sel)
{
	sel->v = xreallocarray(sel->v, sel->n + 1, sizeof(*sel->v));
	memset(&sel->v[sel->n], 0, sizeof(*sel->v));
	return &sel->v[sel->n++];
}

static int on_name(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct tfs_instance inst;
	int rc = tfs_instance_named(&inst, arg, err);

	(void)opt;
	if (!rc)
		add_selector(request)->name = arg;
	return rc;
}

static int on_all(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)opt;
	(void)arg;
	(void)err;
	add_selector(request)->all = true;
	return 0;
}

static int on_top(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	(void)opt;
	(void)arg;
	(void)err;
	add_selector(request)->top = true;
	return 0;
}

const struct tc_option session_instance_options[] = {
	{ .type = TC_OPT_GROUP, .help = "Selecting instances" },
	{ 'B', "buffer", "NAME", "this instance; may be given more than once", TC_OPT_CALL,
	  TC_OPT_REPEATS, .call = on_name, .complete = "instance" },
	{ 'a', "all", NULL, "every instance", TC_OPT_CALL, TC_OPT_REPEATS, .call = on_all },
	{ 't', "top", NULL, "the top level of tracefs", TC_OPT_CALL, TC_OPT_REPEATS,
	  .call = on_top },
	TC_OPT_END,
};

struct session_selector *session_last_selector(struct session_selection *sel)
{
	return sel->n ? &sel->v[sel->n - 1] : NULL;
}

void session_selection_release(void *selection)
{
	struct session_selection *sel = selection;

	free(sel->v);
	sel->v = NULL;
	sel->n = 0;
}

/*
 * struct search - state of session_open()
 * @existing: names of all instances
 * @kept: names of instances with a session, "" for the top level
 */
struct search {
	struct session_instances *found;
	struct tfs_strvec existing, kept;
};

/* An instance that is selected twice is added once; its last options count. */
static void add_instance(struct search *s, const char *name, const struct session_selector *c)
{
	struct session_instances *ps = s->found;
	struct session_instance *p = NULL;

	for (size_t i = 0; i < ps->n && !p; i++) {
		if (!strcmp(ps->v[i].inst.name, name))
			p = &ps->v[i];
	}
	if (!p) {
		ps->v = xreallocarray(ps->v, ps->n + 1, sizeof(*ps->v));
		p = &ps->v[ps->n++];
		memset(p, 0, sizeof(*p));
		tfs_instance_top(&p->inst);
		if (*name)
			tfs_instance_named(&p->inst, name, NULL);
		p->ours = tfs_strvec_has(&s->kept, name);
	}
	if (c && c->buffer_bytes)
		p->buffer_bytes = c->buffer_bytes;
	if (c && c->remove)
		p->remove = true;
}

static int no_such_instance(const struct search *s, const char *name, struct tfs_err *err)
{
	int rc = tfs_err_say(err, -ENOENT, "there is no instance '%s'", name);

	tfs_suggest_hint(err, name, &s->existing, "'tc-session status' lists the instances");
	return rc;
}

static int no_session(const struct search *s, struct tfs_err *err)
{
	int rc = tfs_err_say(err, -ENOENT, "there is no session");

	if (s->kept.n)
		tfs_err_hint(err, "there is one of another name: -B %s", s->kept.v[s->kept.n - 1]);
	else
		tfs_err_hint(err, "tc-session start -e EVENT starts one; -t is the top level of "
				  "tracefs, -B NAME another instance");
	return rc;
}

/* A killed reset removed the instance, but its journal still has changes to undo. */
static bool is_half_reset(const struct search *s, const char *name, unsigned int flags)
{
	return (flags & SESSION_HALF_RESET) && tfs_strvec_has(&s->kept, name);
}

static int find_selected(struct search *s, const struct session_selector *c, unsigned int flags,
			 struct tfs_err *err)
{
	if (c->top || (c->all && (flags & SESSION_ALL_WITH_TOP)))
		add_instance(s, "", c);
	for (size_t i = 0; c->all && i < s->existing.n; i++)
		add_instance(s, s->existing.v[i], c);
	for (size_t i = 0; c->all && (flags & SESSION_HALF_RESET) && i < s->kept.n; i++) {
		if (*s->kept.v[i] && !tfs_strvec_has(&s->existing, s->kept.v[i]))
			add_instance(s, s->kept.v[i], c);
	}
	if (!c->name)
		return 0;
	if (!tfs_strvec_has(&s->existing, c->name) && !is_half_reset(s, c->name, flags))
		return no_such_instance(s, c->name, err);
	add_instance(s, c->name, c);
	return 0;
}

/* Without -B, -a and -t: the session that a plain start makes, or all sessions. */
static int find_default(struct search *s, unsigned int flags, struct tfs_err *err)
{
	if (flags & SESSION_DEFAULT_ALL) {
		for (size_t i = 0; i < s->kept.n; i++) {
			const char *name = s->kept.v[i];

			if (!*name || tfs_strvec_has(&s->existing, name))
				add_instance(s, name, NULL);
		}
	}
	if (tfs_strvec_has(&s->existing, SESSION_NAME) || is_half_reset(s, SESSION_NAME, flags))
		add_instance(s, SESSION_NAME, NULL);
	/* start goes there if the kernel has the tracer nowhere else */
	else if (tfs_strvec_has(&s->kept, ""))
		add_instance(s, "", NULL);
	if (!s->found->n && !(flags & SESSION_ALLOW_NONE))
		return no_session(s, err);
	return 0;
}

int session_open(const struct session_selection *sel, unsigned int flags, int argc, char **argv,
		 struct session_instances *instances, struct tfs_err *err)
{
	struct search s = { .found = instances };
	int rc;

	if (argc) {
		tfs_err_say(err, -EINVAL, "unexpected argument '%s'", argv[0]);
		tfs_err_hint(err, "-B NAME selects an instance");
		return TC_EXIT_USAGE;
	}
	rc = tfs_root_open(NULL, &instances->root, err);
	if (!rc)
		trace_lock_wait(instances->root, SESSION_PROGRAM, 0);
	if (!rc)
		rc = tfs_status_instances(instances->root, &s.existing, err);
	if (!rc) {
		rc = tfs_journal_kept(TFS_JOURNAL_DIR, &s.kept);
		if (rc)
			tfs_err_set(err, rc, "cannot list the sessions");
	}
	for (size_t i = 0; i < sel->n && !rc; i++)
		rc = find_selected(&s, &sel->v[i], flags, err);
	if (!rc && !sel->n)
		rc = find_default(&s, flags, err);
	if (!rc && sel->n && !instances->n && !(flags & SESSION_ALLOW_NONE))
		rc = tfs_err_say(err, -ENOENT, "there is no instance but the top level (-t)");
	tfs_strvec_release(&s.existing);
	tfs_strvec_release(&s.kept);
	return rc ? TC_EXIT_FAILED : TC_EXIT_OK;
}

void session_close(struct session_instances *instances)
{
	free(instances->v);
	tfs_root_free(instances->root);
	memset(instances, 0, sizeof(*instances));
}

int session_claim(const struct session_instances *instances, struct tfs_plan **claims,
		  struct tfs_err *err)
{
	int rc = tfs_plan_new(instances->root, claims);

	for (size_t i = 0; i < instances->n && !rc; i++) {
		const struct tfs_instance *inst = &instances->v[i].inst;
		char path[sizeof(inst->prefix)];

		snprintf(path, sizeof(path), inst->name[0] ? "instances/%s" : "%s", inst->name);
		rc = tfs_plan_claim(*claims, path);
	}
	if (rc)
		return tfs_err_set(err, rc, "cannot claim the ring buffers");
	return tfs_plan_apply(*claims, err);
}

int session_title(const struct session_instance *p, struct tfs_strbuf *sb)
{
	if (!p->inst.name[0])
		return tfs_strbuf_adds(sb, "the top level");
	return tfs_strbuf_addf(sb, "%s '%s'", p->ours ? "session" : "instance", p->inst.name);
}

void session_option(const struct tfs_instance *inst, char *buf, size_t size)
{
	if (!inst->name[0])
		snprintf(buf, size, " -t");
	else if (strcmp(inst->name, SESSION_NAME) != 0)
		snprintf(buf, size, " -B %s", inst->name);
	else
		buf[0] = '\0';
}

bool session_has_markers(const struct session_instance *p)
{
	char path[256];

	return !tfs_instance_path(&p->inst, TFS_TRACING_COPY_FILE, path, sizeof(path)) &&
	       tfs_journal_keeps(TFS_JOURNAL_DIR, &p->inst, path);
}

int session_write_path(const struct session_instances *instances, const char *path,
		       const char *text, struct tfs_err *err)
{
	return tfs_file_write(instances->root, path, TFS_WRITE_TRUNC, text, strlen(text), err);
}

int session_write(const struct session_instances *instances, const struct session_instance *p,
		  const char *file, const char *text, struct tfs_err *err)
{
	char path[256];
	int rc = tfs_instance_path(&p->inst, file, path, sizeof(path));

	if (rc)
		return tfs_err_set(err, rc, "cannot write '%s'", file);
	return session_write_path(instances, path, text, err);
}
