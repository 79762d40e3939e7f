/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/plan-print.h"

#include <errno.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "tracefs/plan-internal.h"
#include "tracefs/restore.h"
#include "tracefs/root.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789"
			    "_-+=:,./@%";

/* One word of a POSIX shell: as it is, or between single quotes. */
static int add_quoted(struct tfs_strbuf *sb, const char *s, size_t len)
{
	size_t i;
	int rc;

	if (len && strspn(s, plain) >= len)
		return tfs_strbuf_add(sb, s, len);
	rc = tfs_strbuf_addc(sb, '\'');
	for (i = 0; !rc && i < len; i++) {
		if (s[i] == '\'')
			rc = tfs_strbuf_adds(sb, "'\\''");
		else
			rc = tfs_strbuf_addc(sb, s[i]);
	}
	return rc ? rc : tfs_strbuf_addc(sb, '\'');
}

static int add_path(const struct tfs_plan *plan, const char *path, struct tfs_strbuf *sb)
{
	struct tfs_strbuf full = TFS_STRBUF_INIT;
	int rc;

	if (path[0] == '/')
		rc = tfs_strbuf_adds(&full, path);
	else
		rc = tfs_strbuf_addf(&full, "%s/%s",
				     plan->root ? tfs_root_path(plan->root) : "/sys/kernel/tracing",
				     path);
	if (!rc)
		rc = add_quoted(sb, full.s, full.len);
	tfs_strbuf_release(&full);
	return rc;
}

/* echo(1) of some shells takes options and backslashes for its own. */
static int add_echo(const char *text, size_t len, struct tfs_strbuf *sb)
{
	int rc;

	if (text[0] == '-' || memchr(text, '\\', len))
		rc = tfs_strbuf_adds(sb, "printf '%s\\n' ");
	else
		rc = tfs_strbuf_adds(sb, "echo ");
	return rc ? rc : add_quoted(sb, text, len);
}

static int print_write(const struct tfs_plan *plan, const struct tfs_plan_action *a,
		       const char *text, size_t len, const char *redirect, struct tfs_strbuf *sb)
{
	int rc;

	rc = len ? add_echo(text, len, sb) : tfs_strbuf_adds(sb, ":");
	if (!rc)
		rc = tfs_strbuf_addf(sb, " %s ", redirect);
	if (!rc)
		rc = add_path(plan, a->path, sb);
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

/* A list takes one command a line: the first empties it, the others add to it. */
static int print_lines(const struct tfs_plan *plan, const struct tfs_plan_action *a,
		       struct tfs_strbuf *sb)
{
	const char *redirect = a->op == TFS_PLAN_APPEND ? ">>" : ">";
	const char *text = a->text;
	size_t len;
	int rc;

	do {
		len = strcspn(text, "\n");
		rc = print_write(plan, a, text, len, redirect, sb);
		redirect = ">>";
		text += len;
		text += *text == '\n';
	} while (!rc && *text);
	return rc;
}

static int print_link(const struct tfs_plan *plan, const struct tfs_plan_action *a,
		      struct tfs_strbuf *sb)
{
	const char *slash = strrchr(a->path, '/');
	size_t dir = slash ? (size_t)(slash - a->path) : 0;
	int rc = tfs_strbuf_adds(sb, "mkdir -p -m 700 ");

	if (!rc)
		rc = add_quoted(sb, a->path, dir);
	if (!rc)
		rc = tfs_strbuf_adds(sb, " && ln -sfn ");
	if (!rc)
		rc = add_quoted(sb, a->text, strlen(a->text));
	if (!rc)
		rc = tfs_strbuf_addc(sb, ' ');
	if (!rc)
		rc = add_path(plan, a->path, sb);
	return rc ? rc : tfs_strbuf_addc(sb, '\n');
}

int tfs_plan_print_action(const struct tfs_plan *plan, const struct tfs_plan_action *a,
			  struct tfs_strbuf *sb)
{
	int rc;

	switch (a->op) {
	case TFS_PLAN_MKDIR:
	case TFS_PLAN_RMDIR:
		rc = tfs_strbuf_adds(sb, a->op == TFS_PLAN_MKDIR ? "mkdir " : "rmdir ");
		if (!rc)
			rc = add_path(plan, a->path, sb);
		return rc ? rc : tfs_strbuf_addc(sb, '\n');
	case TFS_PLAN_WRITE:
	case TFS_PLAN_APPEND:
		return print_lines(plan, a, sb);
	case TFS_PLAN_LINK:
		return print_link(plan, a, sb);
	case TFS_PLAN_UNLINK:
		rc = tfs_strbuf_adds(sb, "rm ");
		if (!rc)
			rc = add_path(plan, a->path, sb);
		return rc ? rc : tfs_strbuf_addc(sb, '\n');
	default:
		return 0;
	}
}

/* A later apply would save the contents of the file; prints them where it can be read. */
static int print_restore(const struct tfs_plan *plan, const struct tfs_plan_step *s,
			 struct tfs_strbuf *sb)
{
	struct tfs_strbuf held = TFS_STRBUF_INIT, text = TFS_STRBUF_INIT;
	struct tfs_plan_action a = { TFS_PLAN_WRITE, s->make.path, NULL };
	int rc = -ENOENT;

	if (plan->root)
		rc = tfs_file_read(plan->root, s->make.path, &held, NULL);
	if (!rc)
		rc = tfs_restore_text(s->make.path, held.s, &text);
	if (!rc) {
		a.text = text.s;
		rc = tfs_plan_print_action(plan, &a, sb);
	} else if (rc != -ENOMEM) {
		rc = tfs_strbuf_adds(sb, "# write back what was there before: ");
		if (!rc)
			rc = add_path(plan, s->make.path, sb);
		if (!rc)
			rc = tfs_strbuf_addc(sb, '\n');
	}
	tfs_strbuf_release(&held);
	tfs_strbuf_release(&text);
	return rc;
}

static int print_undo(const struct tfs_plan *plan, struct tfs_strbuf *sb)
{
	const struct tfs_plan_step *s;
	size_t i;
	int rc;

	rc = tfs_strbuf_adds(sb, "# undo\n");
	for (i = plan->n_steps; !rc && i-- > 0;) {
		s = &plan->steps[i];
		if (s->restore && s->state != TFS_PLAN_APPLIED)
			rc = print_restore(plan, s, sb);
		else
			rc = tfs_plan_print_action(plan, &s->undo, sb);
	}
	return rc;
}

int tfs_plan_print(const struct tfs_plan *plan, unsigned int flags, struct tfs_strbuf *sb)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < plan->n_steps; i++)
		rc = tfs_plan_print_action(plan, &plan->steps[i].make, sb);
	if (!rc && (flags & TFS_PLAN_UNDO))
		rc = print_undo(plan, sb);
	return rc;
}
