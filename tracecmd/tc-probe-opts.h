/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_PROBE_OPTS_H
#define TC_PROBE_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strvec.h"
#include "cli/opt.h"

struct tfs_err;

/** enum probe_action - what is to be done; one a run */
enum probe_action {
	PROBE_NONE,
	PROBE_ADD,
	PROBE_PRINT, /* -D */
	PROBE_DELETE,
	PROBE_LIST,
	PROBE_FUNCS,
	PROBE_LINES,
	PROBE_VARS,
	PROBE_EXPLAIN,
	PROBE_PLAN,
	PROBE_APPLY,
};

/**
 * struct probe_request - what tc-probe was asked for
 * @action: set by probe_check() from the options
 * @add, @print: definitions of -a and -D; operands are one of -a
 * @delete: globs of -d
 * @list_glob: of -l, NULL for all
 * @funcs_glob: of -F, NULL for what @filter or the default says
 * @point: of -L, -V and --explain
 * @names: --explain: the variables
 * @plan: file that definitions of @add or @print are written to; @apply: file they are read from
 */
struct probe_request {
	enum probe_action action;
	struct tfs_strvec add, print, delete;
	bool list, funcs;
	const char *list_glob, *funcs_glob, *filter;
	const char *lines, *vars, *explain;
	const char *plan, *apply;
	struct tfs_strvec names;
	bool externs, range;
	const char *exec, *vmlinux, *module;
	const char *symfs, *source;
	uint64_t target_ns, pid;
	bool fprobe;
	bool force, all, dry_run, no_inlines, verbose, quiet;
	uint64_t max_probes, maxactive;
};

extern const struct tc_option probe_options[];

void probe_init(void *request);
void probe_release(void *request);

/**
 * probe_check() - one action, and options that go with it
 * @argv: operands: a definition, or the variables of --explain
 *
 * Pure. Return: 0, -EINVAL, -ENOMEM.
 */
int probe_check(struct probe_request *req, int argc, char **argv, struct tfs_err *err);

#endif
