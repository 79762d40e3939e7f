/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FS_INSTANCE_H
#define TFS_FS_INSTANCE_H

#include <stddef.h>

struct tfs_err;
struct tfs_plan;
struct tfs_root;

/**
 * struct tfs_instance - name of one tracing instance, existing or planned
 * @name: directory below instances/; "" means the top level
 * @prefix: what goes before a control file's name: "instances/NAME/" or ""
 *
 * A plain value; touches nothing by itself.
 */
struct tfs_instance {
	char name[128];
	char prefix[160];
};

/** tfs_instance_private() - the instance a program makes for itself: tc-PROGRAM.PID */
void tfs_instance_private(struct tfs_instance *inst, const char *program);
/** tfs_instance_named() - 0, or -EINVAL for a name with a slash, empty, too long or dots only */
int tfs_instance_named(struct tfs_instance *inst, const char *name, struct tfs_err *err);
/** tfs_instance_path() - "PREFIX" "FILE" into @buf; -ENAMETOOLONG when it does not fit */
int tfs_instance_path(const struct tfs_instance *inst, const char *file, char *buf, size_t size);
/** tfs_instance_plan() - add the step that creates it (undo: rmdir) with tracing off at once */
int tfs_instance_plan(const struct tfs_instance *inst, struct tfs_plan *plan);

#endif
