/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_TRACE_OPTION_H
#define TFS_TRACEFS_TRACE_OPTION_H

struct tfs_err;
struct tfs_instance;
struct tfs_plan;
struct tfs_root;
struct tfs_strvec;

/**
 * tfs_trace_option_list() - append the names of the options that tracing has here, sorted
 *
 * Those in options/, with those of tracers that are not in use.
 */
int tfs_trace_option_list(const struct tfs_root *root, struct tfs_strvec *out, struct tfs_err *err);

/**
 * tfs_trace_option_check() - is @text an option, or one with "no" before it?
 * @names: of tfs_trace_option_list()
 *
 * Pure. Return: 0; -ENOENT with near names.
 */
int tfs_trace_option_check(const char *text, const struct tfs_strvec *names, struct tfs_err *err);

/**
 * tfs_trace_option_plan() - add the step that switches the option on, or with "no" before it off
 * @names: of tfs_trace_option_list()
 *
 * Its undo writes back what it was, also in an instance that will be removed. Pure but for @plan.
 * Return: 0 or -ENOMEM.
 */
int tfs_trace_option_plan(const struct tfs_instance *inst, const char *text,
			  const struct tfs_strvec *names, struct tfs_plan *plan);

#endif
