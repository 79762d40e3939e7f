/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_LIST_OPTS_H
#define TC_LIST_OPTS_H

#include <stdbool.h>

#include "base/strvec.h"
#include "cli/opt.h"

struct tfs_err;

/**
 * struct list_request - the options of tc-list
 * @event_globs, @func_globs, @probe_globs: names have to match one of them; empty: all
 * @features_of: argument of --features: comma-separated names, NULL for all
 * @any: lists were requested rather than the overview; set by list_check()
 */
struct list_request {
	bool events, systems, tracers, funcs, clocks, options, plugins, plugin_options;
	bool instances, compression, probes, features;
	struct tfs_strvec event_globs, func_globs, probe_globs;
	const char *features_of;
	bool fields, full, filters, triggers, proto;
	bool json, quiet;
	bool any;
};

extern const struct tc_option list_options[];

void list_release(void *request);

/**
 * list_check() - assign the operands to a list, and check options that need others
 * @argv: operands: patterns of the requested list, or of events if none was requested
 *
 * Pure. Return: 0, -EINVAL, -ENOMEM.
 */
int list_check(struct list_request *req, int argc, char **argv, struct tfs_err *err);

#endif
