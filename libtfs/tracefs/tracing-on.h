/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_TRACING_ON_H
#define TFS_TRACEFS_TRACING_ON_H

#include <stdbool.h>

struct tfs_err;
struct tfs_instance;
struct tfs_plan;
struct tfs_root;

/*
 * Tracing of an instance on and off, and the kernel's copies of markers to it (the option
 * copy_trace_marker of Linux 6.16). While an instance that asks for them takes nothing, because
 * its tracing is off, its full ring buffer keeps the oldest events or tracing_cpumask leaves the
 * CPU out, each write to trace_marker fails with EBADF, whichever program makes it, and reaches no
 * other instance (kernel/trace/trace.c, tracing_mark_write()). So the copies are asked for when
 * tracing is on already, and ended before it is turned off. The top level, whose option of that
 * name is on as the kernel boots, is left as it is.
 */

/** TFS_TRACING_COPY_OPTION - the option of an instance, and its file below the directory */
#define TFS_TRACING_COPY_OPTION "copy_trace_marker"
#define TFS_TRACING_COPY_FILE "options/" TFS_TRACING_COPY_OPTION
/** tfs_tracing_copy_plan() - add the step that asks for the copies; 0 or -errno */
int tfs_tracing_copy_plan(const struct tfs_instance *inst, struct tfs_plan *plan);
/**
 * tfs_tracing_pause_plan() - add the steps that turn off what is on now
 *
 * Their undo turns it on again. Return: 0 or -errno, also when it cannot be read what is on.
 */
int tfs_tracing_pause_plan(const struct tfs_root *root, const struct tfs_instance *inst,
			   struct tfs_plan *plan, struct tfs_err *err);
/**
 * tfs_tracing_off() - turn tracing off at once; 0 or -errno
 * @copied: set to whether the instance had copies of markers; may be NULL
 */
int tfs_tracing_off(const struct tfs_root *root, const struct tfs_instance *inst, bool *copied,
		    struct tfs_err *err);
/** tfs_tracing_on() - turn tracing on, and the copies if it is to have them; 0 or -errno */
int tfs_tracing_on(const struct tfs_root *root, const struct tfs_instance *inst, bool copied,
		   struct tfs_err *err);

#endif
