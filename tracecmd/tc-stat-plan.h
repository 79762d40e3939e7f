/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_PLAN_H
#define TC_STAT_PLAN_H

#include <stddef.h>

struct tfs_hist_fields;
struct stat_events;
struct stat_request;
struct tfs_err;
struct trace_request;

/**
 * enum stat_way - how events are counted
 * @STAT_WAY_STATS: each has a tiny instance of its own, whose counters the kernel keeps
 * @STAT_WAY_READ: they are in one instance, and are read
 * @STAT_WAY_HIST: the kernel counts them by value in histograms, which are in one instance
 */
enum stat_way { STAT_WAY_STATS, STAT_WAY_READ, STAT_WAY_HIST };

/** STAT_OWN_MAX - with more events than this they are read: each instance takes 30 to 100 ms */
#define STAT_OWN_MAX 4

/**
 * stat_choose() - how to count the events; sets which instance each of them is in
 * @by: the fields of --by
 *
 * An event that is named a second time, with another filter, has an instance of its own whatever
 * the way: an instance has one filter for each event.
 * Return: 0; with @err set -E2BIG: too many are named twice; -EINVAL: some are, and cannot be.
 */
int stat_choose(const struct stat_request *req, const struct tfs_hist_fields *by,
		struct stat_events *events, enum stat_way *way, struct tfs_err *err);

/**
 * stat_plan() - what is to be traced
 * @trace: filled; release with trace_release(), also after a failure
 *
 * Pure. Return: 0 or -errno with @err set.
 */
int stat_plan(const struct stat_request *req, const struct tfs_hist_fields *by,
	      const struct stat_events *events, enum stat_way way, struct trace_request *trace,
	      struct tfs_err *err);

#endif
