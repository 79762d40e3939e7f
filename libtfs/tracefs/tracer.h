/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_TRACER_H
#define TFS_TRACEFS_TRACER_H

#include <stdbool.h>

struct tfs_err;
struct tfs_instance;
struct tfs_journal;
struct tfs_plan;
struct tfs_root;
struct tfs_strvec;

/** tfs_tracer_check() - is there such a tracer? 0; -ENOENT with near names; -errno */
int tfs_tracer_check(const struct tfs_root *root, const char *name, struct tfs_err *err);

/**
 * enum tfs_tracer_where - where the kernel offers a tracer
 * @TFS_TRACER_ANYWHERE: in every instance
 * @TFS_TRACER_TOP: at the top level only, as function_graph before 6.11
 */
enum tfs_tracer_where { TFS_TRACER_ANYWHERE, TFS_TRACER_TOP };

/**
 * tfs_tracer_find() - where a tracer is offered that is there
 * @journal: for an instance that is made to look; NULL for none
 *
 * The tracers that instances may have are read in one that exists. Where there is none, one is made
 * and removed at once; a user who may not do that gets TFS_TRACER_ANYWHERE.
 */
enum tfs_tracer_where tfs_tracer_find(const struct tfs_root *root, struct tfs_journal *journal,
				      const char *name);

/** tfs_tracer_is_function() - does it trace functions by itself: function, function_graph? Pure */
bool tfs_tracer_is_function(const char *name);
/** tfs_tracer_is_latency() - does it keep the longest of something, in a buffer of its own? Pure */
bool tfs_tracer_is_latency(const char *name);

/**
 * tfs_tracer_plan() - add the step that makes it the instance's tracer
 *
 * The kernel empties the instance's ring buffer with it. Pure but for @plan. Return: 0 or -ENOMEM.
 */
int tfs_tracer_plan(const struct tfs_instance *inst, const char *name, struct tfs_plan *plan);

#endif
