/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/instance.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/pid-ns.h"
#include "tracefs/file.h"
#include "tracefs/plan.h"

static void set_name(struct tfs_instance *inst, const char *name)
{
	*inst = (struct tfs_instance){ 0 };
	snprintf(inst->name, sizeof(inst->name), "%s", name);
	if (inst->name[0])
		snprintf(inst->prefix, sizeof(inst->prefix), "instances/%s/", inst->name);
}

void tfs_instance_top(struct tfs_instance *inst)
{
	set_name(inst, "");
	inst->shared = true;
}

bool tfs_instance_exists(const struct tfs_root *root, const struct tfs_instance *inst)
{
	return !inst->name[0] || tfs_file_exists(root, inst->prefix);
}

void tfs_instance_private(struct tfs_instance *inst, const char *program)
{
	char name[sizeof(inst->name)], tag[TFS_PID_TAG_SIZE];

	if (!strncmp(program, "tc-", 3))
		program += 3;
	tfs_pid_tag(tag, '.');
	snprintf(name, sizeof(name), "tc-%.70s.%s", program, tag);
	set_name(inst, name);
	inst->own = true;
}

int tfs_instance_beside(struct tfs_instance *inst, const struct tfs_instance *main,
			const char *part)
{
	char name[sizeof(inst->name)];

	if ((size_t)snprintf(name, sizeof(name), "%s.%s", main->name, part) >= sizeof(name))
		return -ENAMETOOLONG;
	set_name(inst, name);
	inst->own = main->own;
	return 0;
}

int tfs_instance_named(struct tfs_instance *inst, const char *name, struct tfs_err *err)
{
	const char *why = NULL;

	if (!name[0])
		why = "it is empty";
	else if (strchr(name, '/'))
		why = "it contains a slash";
	else if (strspn(name, ".") == strlen(name))
		why = "it is made of dots only";
	else if (strlen(name) >= sizeof(inst->name))
		why = "it is too long";
	if (why)
		return tfs_err_say(err, -EINVAL, "'%s' cannot name an instance: %s", name, why);
	set_name(inst, name);
	return 0;
}

int tfs_instance_path(const struct tfs_instance *inst, const char *file, char *buf, size_t size)
{
	int n = snprintf(buf, size, "%s%s", inst->prefix, file);

	return n < 0 || (size_t)n >= size ? -ENAMETOOLONG : 0;
}

int tfs_instance_read(const struct tfs_root *root, const struct tfs_instance *inst,
		      const char *file, struct tfs_strbuf *sb, struct tfs_err *err)
{
	char path[sizeof(inst->prefix) + NAME_MAX];
	int rc = tfs_instance_path(inst, file, path, sizeof(path));

	return rc ? rc : tfs_file_read(root, path, sb, err);
}

static int set(const struct tfs_instance *inst, const char *file, const char *text,
	       enum tfs_write_mode mode, struct tfs_plan *plan)
{
	char path[sizeof(inst->prefix) + NAME_MAX];
	int rc = tfs_instance_path(inst, file, path, sizeof(path));

	if (!rc && mode == TFS_WRITE_APPEND)
		rc = tfs_plan_append(plan, path, text);
	else if (!rc)
		rc = tfs_plan_write(plan, path, text);
	if (!rc && inst->shared)
		rc = tfs_plan_undo_restore(plan);
	return rc;
}

int tfs_instance_write(const struct tfs_instance *inst, const char *file, const char *text,
		       const char *says, struct tfs_plan *plan)
{
	int rc = set(inst, file, text, TFS_WRITE_TRUNC, plan);

	return rc || !says ? rc : tfs_plan_says(plan, says, NULL);
}

int tfs_instance_write_number(const struct tfs_instance *inst, const char *file, uint64_t n,
			      const char *says, struct tfs_plan *plan)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, n);
	return tfs_instance_write(inst, file, text, says, plan);
}

int tfs_instance_append(const struct tfs_instance *inst, const char *file, const char *text,
			const char *says, struct tfs_plan *plan)
{
	int rc = set(inst, file, text, TFS_WRITE_APPEND, plan);

	return rc || !says ? rc : tfs_plan_says(plan, says, NULL);
}

int tfs_instance_plan(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	char path[sizeof(inst->prefix)];
	char says[sizeof(inst->name) + 64];
	int rc;

	snprintf(path, sizeof(path), inst->name[0] ? "instances/%s" : "%s", inst->name);
	if (inst->shared) {
		rc = tfs_plan_claim(plan, path);
	} else {
		snprintf(says, sizeof(says), "cannot create instance '%s'", inst->name);
		rc = tfs_plan_mkdir(plan, path);
		if (!rc)
			rc = tfs_plan_says(plan, says, NULL);
	}
	/* A new instance traces at once; its ring buffer is to stay empty until all is set up. */
	return rc ? rc : tfs_instance_write(inst, "tracing_on", "0", NULL, plan);
}

int tfs_instance_clear(const struct tfs_instance *inst, struct tfs_plan *plan)
{
	char path[sizeof(inst->prefix) + NAME_MAX];
	int rc = tfs_instance_path(inst, "trace", path, sizeof(path));

	return rc ? rc : tfs_plan_write(plan, path, "");
}
