/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_FUNC_FILTER_H
#define TFS_TRACEFS_FUNC_FILTER_H

#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"

struct tfs_err;
struct tfs_instance;
struct tfs_plan;
struct tfs_root;

/**
 * struct tfs_func_filter - which functions a function tracer traces
 *
 * A name, a glob as the kernel matches it (*, ?, [...]), or what has a ^ at its beginning or a $ at
 * its end: an extended regular expression over the names. Also "GLOB:mod:MODULE".
 * @only: these functions (set_ftrace_filter); none: all
 * @except: not these (set_ftrace_notrace)
 * @graph: of function_graph: these and what they call (set_graph_function)
 * @module: of @only and @except, what is in this module; NULL: anywhere. Alone, all of the module
 *
 * A zeroed one is empty.
 */
struct tfs_func_filter {
	struct tfs_strvec only, except, graph;
	const char *module;
};

void tfs_func_filter_release(struct tfs_func_filter *f);

/**
 * tfs_func_filter_resolve() - put the names that they match in place of regular expressions, and
 * see that a plain name is there
 *
 * Nothing is looked up where nobody may read the list of functions: then the kernel decides.
 * Return: 0; -ENOENT with near names; -EINVAL for a wrong expression; -EPERM and the like when an
 * expression needs the list.
 */
int tfs_func_filter_resolve(struct tfs_func_filter *f, const struct tfs_root *root,
			    struct tfs_err *err);

/**
 * tfs_func_filter_plan() - add the steps that set the filter; before the tracer's, which would
 * trace all functions until then
 *
 * set_graph_function is there once for all instances: what it held is put back. Pure but for
 * @plan. Return: 0 or -ENOMEM.
 */
int tfs_func_filter_plan(const struct tfs_func_filter *f, const struct tfs_instance *inst,
			 struct tfs_plan *plan);

/** tfs_func_graph_depth_plan() - add the step that limits function_graph's depth; 0: no limit */
int tfs_func_graph_depth_plan(uint64_t depth, struct tfs_plan *plan);

#endif
