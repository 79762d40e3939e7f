/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_LIST_OPTS_H
#define TC_LIST_OPTS_H

#include <stdbool.h>

#include "base/strvec.h"
#include "cli/opt.h"

struct tfs_err;

/**
 * struct list_request - what tc-list was asked for
 * @event_globs, @func_globs, @probe_globs: what names have to match, one of each; none: all
 * @features_of: of --features: names with commas between, NULL for all
 * @any: something is to be listed, not the overview; set by list_check()
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
 * list_check() - whose the operands are, and options that go with others
 * @argv: operands: patterns of the one list that takes them; events where none was asked for
 *
 * Pure. Return: 0, -EINVAL, -ENOMEM.
 */
int list_check(struct list_request *req, int argc, char **argv, struct tfs_err *err);

#endif
