/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracefs/tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "tracefs/file.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define FILE_NAME "available_tracers"

/* Append the tracers that an existing instance may have. */
static int list_tracers(const struct tfs_root *root, const struct tfs_instance *inst,
			struct tfs_strvec *out, struct tfs_err *err)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	char path[sizeof(inst->prefix) + sizeof(FILE_NAME)];
	int rc;

	snprintf(path, sizeof(path), "%s%s", inst->prefix, FILE_NAME);
	rc = tfs_file_read(root, path, &text, err);
	if (!rc) {
		rc = tfs_strvec_split(out, text.s, " \n");
		if (rc)
			tfs_err_set(err, rc, "cannot list the tracers");
	}
	tfs_strbuf_release(&text);
	return rc;
}

/* Some instance that is there; false if there is none. */
static bool some_instance(const struct tfs_root *root, struct tfs_instance *inst)
{
	struct dirent *ent;
	DIR *dir;
	int fd;

	inst->name[0] = '\0';
	if (tfs_file_open(root, "instances", O_RDONLY | O_DIRECTORY, &fd, NULL))
		return false;
	dir = fdopendir(fd);
	if (!dir) {
		tfs_close(&fd);
		return false;
	}
	while (!inst->name[0] && (ent = readdir(dir))) {
		if (ent->d_name[0] != '.')
			tfs_instance_named(inst, ent->d_name, NULL);
	}
	closedir(dir);
	return inst->name[0];
}

/* In an instance that is made for it, and is in the journal as long as it is there. */
static int list_of_new(const struct tfs_root *root, struct tfs_journal *journal,
		       struct tfs_strvec *out)
{
	struct tfs_plan *plan = NULL;
	struct tfs_instance inst;
	int rc;

	tfs_instance_private(&inst, "tc-look");
	rc = tfs_plan_new(root, &plan);
	if (rc)
		return rc;
	tfs_plan_set_journal(plan, journal);
	rc = tfs_instance_plan(&inst, plan);
	if (!rc)
		rc = tfs_plan_apply(plan, NULL);
	if (!rc)
		rc = list_tracers(root, &inst, out, NULL);
	tfs_plan_rollback(plan, NULL);
	tfs_plan_free(plan);
	return rc;
}

/* Tracers that instances may have: 0, or -errno if that is unknown. */
static int list_of_instances(const struct tfs_root *root, struct tfs_journal *journal,
			     struct tfs_strvec *out)
{
	struct tfs_instance inst;

	/* Others' may go at any time; then one is made after all. */
	if (some_instance(root, &inst) && !list_tracers(root, &inst, out, NULL))
		return 0;
	return list_of_new(root, journal, out);
}

int tfs_tracer_check(const struct tfs_root *root, const char *name, struct tfs_err *err)
{
	struct tfs_strvec all = TFS_STRVEC_INIT;
	struct tfs_instance top;
	int rc;

	tfs_instance_top(&top);
	rc = list_tracers(root, &top, &all, err);
	if (!rc && !tfs_strvec_has(&all, name)) {
		rc = tfs_err_say(err, -ENOENT, "this kernel has no tracer '%s'", name);
		tfs_suggest_hint(err, name, &all,
				 "available_tracers in tracefs lists those that it is built with");
	}
	tfs_strvec_release(&all);
	return rc;
}

enum tfs_tracer_where tfs_tracer_find(const struct tfs_root *root, struct tfs_journal *journal,
				      const char *name)
{
	enum tfs_tracer_where where = TFS_TRACER_ANYWHERE;
	struct tfs_strvec some = TFS_STRVEC_INIT;

	if (!list_of_instances(root, journal, &some) && !tfs_strvec_has(&some, name))
		where = TFS_TRACER_TOP;
	tfs_strvec_release(&some);
	return where;
}

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (!strcmp(name, *names))
			return true;
	}
	return false;
}

bool tfs_tracer_is_function(const char *name)
{
	static const char *const names[] = { "function", "function_graph", NULL };

	return is_one_of(name, names);
}

bool tfs_tracer_is_latency(const char *name)
{
	static const char *const names[] = { "irqsoff", "preemptoff", "preemptirqsoff",
					     "wakeup",  "wakeup_rt",  "wakeup_dl",
					     NULL };

	return is_one_of(name, names);
}

int tfs_tracer_plan(const struct tfs_instance *inst, const char *name, struct tfs_plan *plan)
{
	struct tfs_strbuf says = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&says, "cannot use the tracer '%s'", name);

	if (!rc && tfs_tracer_is_latency(name))
		rc = tfs_instance_write(inst, "tracing_max_latency", "0", says.s, plan);
	if (!rc)
		rc = tfs_instance_write(inst, "current_tracer", name, says.s, plan);
	tfs_strbuf_release(&says);
	return rc;
}
