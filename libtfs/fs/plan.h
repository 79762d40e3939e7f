/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FS_PLAN_H
#define TFS_FS_PLAN_H

#include <stddef.h>

#include "fs/file.h"

struct tfs_err;
struct tfs_plan;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_plan - ordered changes to tracefs, each with what takes it back
 *
 * Building a plan touches nothing. tfs_plan_apply() makes the changes in order; when one fails,
 * those made before are taken back in reverse. Undo actions are written to a journal (see
 * fs/journal.h) before the change they belong to, so that a killed program's changes can be taken
 * back by the next. One thread at a time.
 */

/** tfs_plan_new() - @root is borrowed and must outlive the plan; may be NULL for printing only */
int tfs_plan_new(const struct tfs_root *root, struct tfs_plan **out);
/** tfs_plan_free() - frees the plan; undoes nothing */
void tfs_plan_free(struct tfs_plan *plan);

/* Adding a step. Paths and bytes are copied. Return: 0 or -ENOMEM. */

/** tfs_plan_mkdir() - make a directory; its undo is rmdir */
int tfs_plan_mkdir(struct tfs_plan *plan, const char *path);
/** tfs_plan_write() - write @text, truncating (see enum tfs_write_mode) */
int tfs_plan_write(struct tfs_plan *plan, const char *path, const char *text);
/** tfs_plan_append() - write @text, appending */
int tfs_plan_append(struct tfs_plan *plan, const char *path, const char *text);

/* About the step added last. Return: 0 or -ENOMEM. */

/** tfs_plan_undo_write() - undo by writing @text to @path, truncating */
int tfs_plan_undo_write(struct tfs_plan *plan, const char *path, const char *text);
/** tfs_plan_undo_append() - undo by appending @text to @path */
int tfs_plan_undo_append(struct tfs_plan *plan, const char *path, const char *text);
/** tfs_plan_undo_restore() - undo by writing back what the file held when the step was applied */
int tfs_plan_undo_restore(struct tfs_plan *plan);
/**
 * tfs_plan_optional() - a refusal of this step does not fail the plan
 * @what: what is missing then, for the notice ("recorder threads will be traced")
 */
int tfs_plan_optional(struct tfs_plan *plan, const char *what);
/**
 * tfs_plan_says() - how to begin the message when this step fails, in place of the bare file name
 * ("cannot enable event 'sched:sched_switch'"); the kernel's error_log is added where it is ours
 * @input: what the user typed (a filter), for the caret line; may be NULL
 */
int tfs_plan_says(struct tfs_plan *plan, const char *message, const char *input);

/** tfs_plan_apply() - make the changes; on failure everything is as before and @err says why */
int tfs_plan_apply(struct tfs_plan *plan, struct tfs_err *err);
/**
 * tfs_plan_rollback() - take the applied steps back in reverse; goes on after a failure
 * @err: the first failure; what could not be undone is in the hint as shell commands
 */
int tfs_plan_rollback(struct tfs_plan *plan, struct tfs_err *err);
/** tfs_plan_print() - the steps as shell commands a person could type; with TFS_PLAN_UNDO also the undo */
enum tfs_plan_print_flags { TFS_PLAN_UNDO = 1 << 0 };
int tfs_plan_print(const struct tfs_plan *plan, unsigned int flags, struct tfs_strbuf *sb);

/** tfs_plan_notices() - number of optional steps that were refused by the last apply */
size_t tfs_plan_notices(const struct tfs_plan *plan);
/** tfs_plan_notice() - the n-th such refusal; borrowed, valid until the next apply */
const struct tfs_err *tfs_plan_notice(const struct tfs_plan *plan, size_t n);

#endif
