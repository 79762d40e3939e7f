/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_PLAN_H
#define TFS_TRACEFS_PLAN_H

#include <stddef.h>

#include "tracefs/file.h"

struct tfs_err;
struct tfs_journal;
struct tfs_plan;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_plan - ordered changes to tracefs, each with what takes it back
 *
 * Building a plan touches nothing. tfs_plan_apply() makes the changes in order; when one fails,
 * those made before are taken back in reverse. Undo actions are written to a journal (see
 * tracefs/journal.h) before the change they belong to, so that a killed program's changes can be
 * taken back by the next. One thread at a time.
 */

/** tfs_plan_new() - @root is borrowed and must outlive the plan; may be NULL for printing only */
int tfs_plan_new(const struct tfs_root *root, struct tfs_plan **out);
/** tfs_plan_free() - frees the plan; undoes nothing */
void tfs_plan_free(struct tfs_plan *plan);

/**
 * tfs_plan_set_journal() - keep @journal up to date while the plan is applied and taken back
 * @journal: borrowed, must outlive the plan; NULL for none. Several plans may share one.
 *
 * A journal that cannot be written does not fail the plan: it is one of the notices.
 */
void tfs_plan_set_journal(struct tfs_plan *plan, struct tfs_journal *journal);

/*
 * Adding a step. Paths and bytes are copied. A newline is added to @text, as by echo(1) (it ends a
 * word for the kernel's parsers); an empty @text only empties a list.
 * Return: 0 or -ENOMEM.
 */

/** tfs_plan_mkdir() - make a directory; its undo is rmdir. That of an instance is claimed, too */
int tfs_plan_mkdir(struct tfs_plan *plan, const char *path);
/**
 * tfs_plan_claim() - claim the ring buffer of an instance that is there (see tracefs/claim.h)
 *
 * Until the plan is taken back or freed. No shell command does that: it is not printed.
 * @path: "instances/NAME", or "" for the top level
 */
int tfs_plan_claim(struct tfs_plan *plan, const char *path);
/** tfs_plan_write() - write @text, truncating (see enum tfs_write_mode) */
int tfs_plan_write(struct tfs_plan *plan, const char *path, const char *text);
/** tfs_plan_append() - write @text, appending */
int tfs_plan_append(struct tfs_plan *plan, const char *path, const char *text);

/**
 * tfs_plan_link() - make a symbolic link (see tracefs/link.h); its undo removes it, whoever made
 * it, unless a probe is on it
 * @link: absolute
 */
int tfs_plan_link(struct tfs_plan *plan, const char *link, const char *target);
/** tfs_plan_unlink() - remove it unless a probe is on it by then; its undo makes it again */
int tfs_plan_unlink(struct tfs_plan *plan, const char *link, const char *target);

/* About the step added last. Return: 0 or -ENOMEM. */

/** tfs_plan_undo_write() - undo by writing @text to @path, truncating */
int tfs_plan_undo_write(struct tfs_plan *plan, const char *path, const char *text);
/** tfs_plan_undo_append() - undo by appending @text to @path */
int tfs_plan_undo_append(struct tfs_plan *plan, const char *path, const char *text);
/**
 * tfs_plan_undo_restore() - undo by writing back what the file held when the step was applied
 * (see tracefs/restore.h); a file whose state cannot be read that way fails the step
 */
int tfs_plan_undo_restore(struct tfs_plan *plan);
/**
 * tfs_plan_optional() - a refusal of this step does not fail the plan
 * @what: what is missing then, for the notice ("recorder threads will be traced")
 */
int tfs_plan_optional(struct tfs_plan *plan, const char *what);
/**
 * tfs_plan_partial() - a refusal is a notice if the file then reads 1 or X
 *
 * For the enable file of a system: the kernel goes on to the next event when one refuses, and
 * answers with the first refusal's errno.
 * @what: for the notice ("not every event of 'sched' is recorded")
 */
int tfs_plan_partial(struct tfs_plan *plan, const char *what);
/**
 * tfs_plan_group() - refusals of this and its neighbours of the same @group do not fail the plan
 * as long as one of them is accepted; there is one notice for all that were refused
 * @group: a number of tfs_plan_new_group()
 * @what: as in tfs_plan_optional(); that of the first refusal counts
 */
int tfs_plan_group(struct tfs_plan *plan, unsigned int group, const char *what);
/** tfs_plan_new_group() - a number that no other group of this plan has */
unsigned int tfs_plan_new_group(struct tfs_plan *plan);
/**
 * tfs_plan_says() - how to begin the message when this step fails, before file and errno
 * ("cannot enable event 'sched:sched_switch'"); the kernel's error_log is added where it is ours
 * @input: what the user typed (a filter), for the caret line; may be NULL
 */
int tfs_plan_says(struct tfs_plan *plan, const char *message, const char *input);

/**
 * tfs_plan_apply() - make the changes; on failure everything is as before and @err says why
 *
 * Steps added after an apply are made by the next one, and only those are taken back when it fails.
 */
int tfs_plan_apply(struct tfs_plan *plan, struct tfs_err *err);
/**
 * tfs_plan_rollback() - take the applied steps back in reverse; goes on after a failure
 *
 * A busy file or directory is tried again for TFS_BUSY_WAIT_MS in all (see tracefs/busy.h). Steps
 * that could not be undone stay applied, so that a second call tries them again. A missing file or
 * directory counts as undone.
 * @err: the first failure; what could not be undone is in the hint as shell commands
 *
 * Return: 0, or the first failure. If the only obstacle is that others keep something busy, and the
 * journal has it, the next program takes it back: that is a notice, which names them, and 0.
 */
int tfs_plan_rollback(struct tfs_plan *plan, struct tfs_err *err);
/**
 * enum tfs_plan_print_flags - what tfs_plan_print() shows
 * @TFS_PLAN_UNDO: after the steps a comment line "# undo", then what takes them back, last first
 */
enum tfs_plan_print_flags { TFS_PLAN_UNDO = 1 << 0 };
/**
 * tfs_plan_print() - the steps as shell commands a person could type
 *
 * Paths are below the root's, or /sys/kernel/tracing without a root. An undo writes back the
 * current contents of the file if it can be read, else a comment says what to write.
 * Return: 0 or -ENOMEM.
 */
int tfs_plan_print(const struct tfs_plan *plan, unsigned int flags, struct tfs_strbuf *sb);

/**
 * tfs_plan_notices() - number of optional steps that were refused by the last apply, or of what the
 * last rollback left to the journal
 */
size_t tfs_plan_notices(const struct tfs_plan *plan);
/** tfs_plan_notice() - the n-th of them; borrowed, valid until the next apply or rollback */
const struct tfs_err *tfs_plan_notice(const struct tfs_plan *plan, size_t n);

#endif
