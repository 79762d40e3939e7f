/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_STRINGS_H
#define TC_TRACE_STRINGS_H

#include <stdbool.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"

struct tc_clauses;
struct tfs_err;
struct tfs_expr;
struct tfs_plan;
struct tfs_root;

/** STRACE_STRINGS_MAX - bytes of a string that the kernel's events have at most */
#define STRACE_STRINGS_MAX 165

/** enum strace_strings_from - where the texts that arguments point to come from (--strings) */
enum strace_strings_from {
	STRACE_STRINGS_AUTO,
	STRACE_STRINGS_KERNEL,
	STRACE_STRINGS_KPROBE,
	STRACE_STRINGS_EPROBE,
	STRACE_STRINGS_UPROBE,
	STRACE_STRINGS_MEMORY,
	STRACE_STRINGS_NONE,
};

/** strace_strings_parse() - one of these by name; -EINVAL, -EOPNOTSUPP with @err set */
int strace_strings_parse(const char *text, enum strace_strings_from *from, struct tfs_err *err);

/**
 * struct strace_strings - what brings the texts of a run
 * @names: of events, which the clauses borrow
 * @kernel, @kprobe, @eprobe, @uprobe: these do
 * @memory: they are read from the memory of the programs when a line is made
 * @why: with AUTO: why no event has paths; "" if one has, or none is wanted
 * @said: "the kernel's events", for people
 */
struct strace_strings {
	struct tfs_strvec names;
	bool kernel, kprobe, eprobe, uprobe, memory;
	struct tfs_strbuf said, why;
};

void strace_strings_release(struct strace_strings *s);

/**
 * struct strace_strings_opts - what is wanted, and where it is defined; all borrowed
 * @from: what was asked for
 * @keeps: lines are to be shown again, so AUTO takes nothing that a recording does not have
 * @expr: calls that are shown: nothing is done for others
 * @plan: steps are added and applied
 * @clauses: events of the probes are added
 */
struct strace_strings_opts {
	enum strace_strings_from from;
	bool keeps;
	const struct tfs_expr *expr;
	const struct tfs_root *root;
	struct tfs_plan *plan;
	struct tc_clauses *clauses;
};

/**
 * strace_strings_define() - choose, define the probes, and add their events to the clauses
 * @s: zeroed, but for initialised @said and @why
 *
 * Return: 0, with nothing chosen where AUTO finds nothing; -errno with @err set.
 */
int strace_strings_define(struct strace_strings *s, const struct strace_strings_opts *opts,
			  struct tfs_err *err);

#endif
