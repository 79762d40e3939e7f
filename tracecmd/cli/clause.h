/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_CLAUSE_H
#define TC_CLI_CLAUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

struct tfs_err;
struct tfs_event_spec;

/**
 * struct tc_clauses - options whose order matters: -e EVENT -f FILTER -R TRIGGER -v -e EVENT ...
 * @events: one for each -e and -p, in the order typed; their lists are owned
 * @n: number of @events
 * @cap: allocated
 * @exclude: -v was met: the -e options that follow disable events
 * @filters: owns the filters of @events
 *
 * An -f belongs to the -e or -p before it. Several for one must all hold, as trace-cmd joins them:
 * "(first)&&(second)"; a single one stays as it was typed, so that the kernel's caret fits it.
 * Pure: nothing here touches the system. A zeroed structure is empty.
 */
struct tc_clauses {
	struct tfs_event_spec *events;
	size_t n;
	size_t cap;
	bool exclude;
	struct tfs_strvec filters;
};

/** tc_clauses_release() - free what the clauses own; they are empty afterwards */
void tc_clauses_release(struct tc_clauses *c);

/**
 * tc_clauses_event() - an -e
 * @text: borrowed until tc_clauses_release()
 *
 * Return: 0, -EINVAL for an empty name, -ENOMEM.
 */
int tc_clauses_event(struct tc_clauses *c, const char *text, struct tfs_err *err);

/**
 * tc_clauses_probe() - a -p with a probe, whose events are not defined yet
 * @text: borrowed until tc_clauses_release()
 *
 * Return: 0, -EINVAL after a -v (probes cannot be disabled there), -ENOMEM.
 */
int tc_clauses_probe(struct tc_clauses *c, const char *text, struct tfs_err *err);

/**
 * tc_clauses_filter() - an -f for the -e or -p before it
 *
 * Return: 0; -EINVAL when there is none before it, when that -e disables events, or for an
 * empty filter; -ENOMEM.
 */
int tc_clauses_filter(struct tc_clauses *c, const char *text, struct tfs_err *err);

/**
 * tc_clauses_filter_all() - a filter that must hold for the events of every -e and -p so far
 *
 * Besides the filters that they have. Return: 0 or -ENOMEM.
 */
int tc_clauses_filter_all(struct tc_clauses *c, const char *text, struct tfs_err *err);

/**
 * tc_clauses_trigger() - an -R for the -e or -p before it; after -v the events only set off the
 *	trigger and are not recorded
 *
 * Return: 0; -EINVAL when there is none before it, or for an empty trigger; -ENOMEM.
 */
int tc_clauses_trigger(struct tc_clauses *c, const char *text, struct tfs_err *err);

/** tc_clauses_exclude() - a -v */
void tc_clauses_exclude(struct tc_clauses *c);

enum tc_clauses_flags {
	TC_CLAUSES_REQUIRED = 1 << 0, /* they are all there is to record: no tracer was given */
};

/**
 * tc_clauses_check() - check that they make sense together
 * @flags: TC_CLAUSES_*
 *
 * Return: 0; -EINVAL when a -v has no -e after it, or, with TC_CLAUSES_REQUIRED, when every -e
 * switches events off and none has a trigger.
 */
int tc_clauses_check(const struct tc_clauses *c, unsigned int flags, struct tfs_err *err);

#endif
