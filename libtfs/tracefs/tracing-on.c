/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/tracing-on.h"

#include <limits.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define ON_FILE "tracing_on"

static int path_of(const struct tfs_instance *inst, const char *file, char path[PATH_MAX])
{
	return tfs_instance_path(inst, file, path, PATH_MAX);
}

static int write_to(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		    const char *text, struct tfs_err *err)
{
	char path[PATH_MAX];
	int rc = path_of(inst, file, path);

	return rc ? tfs_err_set(err, rc, "cannot write '%s'", file) :
		    tfs_file_write(root, path, TFS_WRITE_TRUNC, text, 1, err);
}

static int is_on(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		 bool *on, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc = tfs_instance_read(root, inst, file, &text, err);

	*on = !rc && text.s[0] == '1';
	tfs_strbuf_release(&text);
	return rc;
}

/* Older kernels have no copies, and the top level has the markers themselves. */
static int has_copies(const struct tfs_root *root, const struct tfs_instance *inst, bool *has,
		      struct tfs_err *err)
{
	char path[PATH_MAX];
	int rc = path_of(inst, TFS_TRACING_COPY_FILE, path);

	*has = !rc && inst->name[0] && tfs_file_exists(root, path);
	return *has ? is_on(root, inst, TFS_TRACING_COPY_FILE, has, err) : rc;
}

static int plan_pause(const struct tfs_instance *inst, const char *file, struct tfs_plan *plan)
{
	char path[PATH_MAX];
	int rc = path_of(inst, file, path);

	if (!rc)
		rc = tfs_plan_write(plan, path, "0");
	return rc ? rc : tfs_plan_undo_write(plan, path, "1");
}

int tfs_tracing_copy_plan(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	char path[PATH_MAX];
	int rc = path_of(inst, TFS_TRACING_COPY_FILE, path);

	if (!rc)
		rc = tfs_plan_write(plan, path, "1");
	if (!rc)
		rc = inst->shared ? tfs_plan_undo_restore(plan) :
				    tfs_plan_undo_write(plan, path, "0");
	return rc ? rc : tfs_plan_optional(plan, "what programs write to trace_marker is missing");
}

int tfs_tracing_pause_plan(const struct tfs_root *root, const struct tfs_instance *inst,
			   struct tfs_plan *plan, struct tfs_err *err)
{
	bool copies, on;
	int rc = has_copies(root, inst, &copies, err);

	if (!rc && copies)
		rc = plan_pause(inst, TFS_TRACING_COPY_FILE, plan);
	if (!rc)
		rc = is_on(root, inst, ON_FILE, &on, err);
	return !rc && on ? plan_pause(inst, ON_FILE, plan) : rc;
}

int tfs_tracing_off(const struct tfs_root *root, const struct tfs_instance *inst, bool *copied,
		    struct tfs_err *err)
{
	bool had = false;
	int rc;

	/* Whatever becomes of the copies, tracing is turned off. */
	if (!has_copies(root, inst, &had, NULL) && had)
		had = !write_to(root, inst, TFS_TRACING_COPY_FILE, "0", NULL);
	rc = write_to(root, inst, ON_FILE, "0", err);
	if (copied)
		*copied = had;
	return rc;
}

int tfs_tracing_on(const struct tfs_root *root, const struct tfs_instance *inst, bool copied,
		   struct tfs_err *err)
{
	int rc = write_to(root, inst, ON_FILE, "1", err);

	return rc || !copied ? rc : write_to(root, inst, TFS_TRACING_COPY_FILE, "1", err);
}
