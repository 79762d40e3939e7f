/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_READ_H
#define TC_STAT_READ_H

#include <stdbool.h>
#include <stdint.h>

#include "tc-stat-print.h"

struct tfs_hist_fields;
struct stat_counters;
struct stat_events;
struct tfs_hist_rows;
struct tfs_err;
struct tfs_probe_defs;
struct tfs_trace;
struct tfs_view;

/**
 * struct stat_read_opts - what is read; everything is borrowed while the view lives
 * @trace: the formats of the events
 * @events: what is counted, unless it has an instance of its own
 * @defs: events of the probes among them
 * @counters: an event's counters are increased, of the CPU that it happened on
 * @key: with STAT_KEY_THREAD the counts of @rows are increased instead, by thread,
 *	with STAT_KEY_VALUE by the fields of @by
 */
struct stat_read_opts {
	struct tfs_trace *trace;
	const struct stat_events *events;
	const struct tfs_probe_defs *defs;
	struct stat_counters *counters;
	enum stat_key key;
	const struct tfs_hist_fields *by;
	struct tfs_hist_rows *rows;
};

/**
 * struct stat_read - what was read
 * @events: all, also those that nobody asked for
 * @lost: that the reader was too slow for; @uncounted: and others, whose number is not known
 */
struct stat_read {
	uint64_t events;
	uint64_t lost;
	bool uncounted;
};

/**
 * stat_read_new() - a view that counts events by their ids
 * @view: for tfs_run(); release with tfs_view_free()
 *
 * Return: 0; -ENOENT with @err set: an event has not the fields; -ENOMEM.
 */
int stat_read_new(const struct stat_read_opts *opts, struct tfs_view **view, struct tfs_err *err);

/** stat_read_get() - what was read so far */
struct stat_read stat_read_get(const struct tfs_view *view);

#endif
