/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_INSTANCE_H
#define TFS_TRACEFS_INSTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_plan;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_instance - name of one tracing instance, existing or planned
 * @name: directory below instances/; "" means the top level
 * @prefix: what goes before a control file's name: "instances/NAME/" or ""
 * @shared: it was there before: what is changed in it is put back, and it is not removed
 * @own: this process's, which makes it: one that is there already is another's or a killed one's
 *
 * A plain value; touches nothing by itself.
 */
struct tfs_instance {
	char name[128];
	char prefix[160];
	bool shared, own;
};

/**
 * tfs_instance_private() - the instance a program makes for itself: tc-PROGRAM.PID
 *
 * In another pid namespace than the first one, where pids are not unique: tc-PROGRAM.PID.NAMESPACE.
 */
void tfs_instance_private(struct tfs_instance *inst, const char *program);
/** tfs_instance_beside() - another one for the same process: MAIN.PART; 0 or -ENAMETOOLONG */
int tfs_instance_beside(struct tfs_instance *inst, const struct tfs_instance *main,
			const char *part);
/** TFS_INSTANCE_KEPT - a part for one that is to outlive its process: see tfs_orphans_remove() */
#define TFS_INSTANCE_KEPT "kept"
/** tfs_instance_named() - 0, or -EINVAL for a name with a slash, empty, too long or dots only */
int tfs_instance_named(struct tfs_instance *inst, const char *name, struct tfs_err *err);
/** tfs_instance_path() - "PREFIX" "FILE" into @buf; -ENAMETOOLONG when it does not fit */
int tfs_instance_path(const struct tfs_instance *inst, const char *file, char *buf, size_t size);
/** tfs_instance_read() - append the content of one of its control files: see tfs_file_read() */
int tfs_instance_read(const struct tfs_root *root, const struct tfs_instance *inst,
		      const char *file, struct tfs_strbuf *sb, struct tfs_err *err);
/** tfs_instance_top() - the top level of tracefs, which everybody shares */
void tfs_instance_top(struct tfs_instance *inst);
/** tfs_instance_exists() - is it there? The top level always is */
bool tfs_instance_exists(const struct tfs_root *root, const struct tfs_instance *inst);
/**
 * tfs_instance_plan() - add the steps after which it is there and its tracing is off
 *
 * A shared one was there before: tracing is switched off until the plan is taken back. Any other is
 * created; its undo is rmdir. Both are claimed (tracefs/claim.h).
 */
int tfs_instance_plan(const struct tfs_instance *inst, struct tfs_plan *plan);
/**
 * tfs_instance_clear() - add the step that empties its ring buffer; there is no undo
 */
int tfs_instance_clear(const struct tfs_instance *inst, struct tfs_plan *plan);

/*
 * A step that writes a control file of the instance. In a shared instance the undo restores the
 * contents of the file; elsewhere rmdir removes the setting with the instance.
 * @says: see tfs_plan_says(); NULL for none
 */

/** tfs_instance_write() - write @text, truncating */
int tfs_instance_write(const struct tfs_instance *inst, const char *file, const char *text,
		       const char *says, struct tfs_plan *plan);
/** tfs_instance_write_number() - write @n, truncating */
int tfs_instance_write_number(const struct tfs_instance *inst, const char *file, uint64_t n,
			      const char *says, struct tfs_plan *plan);
/** tfs_instance_append() - write @text, appending */
int tfs_instance_append(const struct tfs_instance *inst, const char *file, const char *text,
			const char *says, struct tfs_plan *plan);

#endif
