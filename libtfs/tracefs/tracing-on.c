/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/tracing-on.h"

#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define ON_FILE "tracing_on"

/* In the order in which they are turned off */
static const char *const files[] = { TFS_TRACING_COPY_FILE, ON_FILE };

struct file {
	char path[sizeof(((struct tfs_instance *)0)->prefix) + sizeof(TFS_TRACING_COPY_FILE)];
};

static int path_of(const struct tfs_instance *inst, const char *file, struct file *out)
{
	return tfs_instance_path(inst, file, out->path, sizeof(out->path));
}

static int write_to(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		    const char *text, struct tfs_err *err)
{
	struct file f;
	int rc = path_of(inst, file, &f);

	return rc ? tfs_err_set(err, rc, "cannot write '%s'", file) :
		    tfs_file_write(root, f.path, TFS_WRITE_TRUNC, text, 1, err);
}

/* Older kernels have no copies, and the top level has the markers themselves. */
static bool has_file(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		     const struct file *f)
{
	return strcmp(file, TFS_TRACING_COPY_FILE) != 0 ||
	       (inst->name[0] && tfs_file_exists(root, f->path));
}

static int is_set(const struct tfs_root *root, const struct tfs_instance *inst, const char *file,
		  bool *set, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct file f;
	int rc = path_of(inst, file, &f);

	*set = false;
	if (rc || !has_file(root, inst, file, &f))
		return rc;
	rc = tfs_file_read(root, f.path, &text, err);
	*set = !rc && text.s[0] == '1';
	tfs_strbuf_release(&text);
	return rc;
}

int tfs_tracing_copy_plan(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	struct file f;
	int rc = path_of(inst, TFS_TRACING_COPY_FILE, &f);

	if (!rc)
		rc = tfs_plan_write(plan, f.path, "1");
	if (!rc)
		rc = inst->shared ? tfs_plan_undo_restore(plan) :
				    tfs_plan_undo_write(plan, f.path, "0");
	return rc ? rc : tfs_plan_optional(plan, "what programs write to trace_marker is missing");
}

int tfs_tracing_pause_plan(const struct tfs_root *root, const struct tfs_instance *inst,
			   struct tfs_plan *plan, struct tfs_err *err)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !rc; i++) {
		struct file f;
		bool set;

		rc = is_set(root, inst, files[i], &set, err);
		if (rc || !set)
			continue;
		rc = path_of(inst, files[i], &f);
		if (!rc)
			rc = tfs_plan_write(plan, f.path, "0");
		if (!rc)
			rc = tfs_plan_undo_write(plan, f.path, "1");
	}
	return rc;
}

int tfs_tracing_off(const struct tfs_root *root, const struct tfs_instance *inst, bool *copied,
		    struct tfs_err *err)
{
	bool had = false;
	int rc;

	/* Whatever becomes of the copies, tracing is turned off. */
	if (!is_set(root, inst, TFS_TRACING_COPY_FILE, &had, NULL) && had)
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
