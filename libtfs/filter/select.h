/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_SELECT_H
#define TFS_FILTER_SELECT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_cpus;
struct tfs_err;
struct tfs_filter;
struct tfs_record;
struct tfs_strvec;
struct tfs_trace;

/**
 * struct tfs_select_opts - which records are wanted; NULL or empty: no restriction
 * @events: "event", "system", "system:event" and globs of these; a record matches any of them
 * @filters: see filter/filter.h; from @n_filters on they say what is not wanted
 * @pids: decimal numbers, several in one string separated by commas
 * @comms: globs of task names, separated by commas; matched against the names stored in the file
 * @children: also what those tasks do whom one of @pids or @comms forks, as far as the recording
 *            has sched_process_fork
 * @buffers: names of instances, "" for the top buffer
 * @cpus: NULL or empty: all
 * @no_hardirq, @no_softirq: nothing that was recorded in an interrupt
 * @missing: gets what of @events, @filters, @comms and @buffers the recording does not have, as
 *           "event 'NAME'" and the like; nothing matches it. NULL: that is an error
 *
 * A task is matched as trace-cmd report's --pid does it: who recorded the event, and also the
 * event's own fields pid and next_pid. A stack trace goes with the record before it on its CPU in
 * the same context (task, software or hardware interrupt, NMI), unless a filter is about it. As in
 * trace-cmd report a record is wanted when one of @filters, @pids and @comms says so; all others
 * restrict further.
 */
struct tfs_select_opts {
	const struct tfs_strvec *events;
	const struct tfs_strvec *filters;
	size_t n_filters;
	const struct tfs_strvec *pids;
	const struct tfs_strvec *comms;
	bool children;
	const struct tfs_strvec *buffers;
	const struct tfs_cpus *cpus;
	bool no_hardirq, no_softirq;
	struct tfs_strvec *missing;
};

struct tfs_select;

/**
 * tfs_select_new() - check and prepare
 * @out: set on success; to be freed before @trace
 *
 * Return: 0; -ENOENT for an event, instance or task name that is not in the file, with near names;
 * -EINVAL or -ERANGE for a pid or filter that is none; -ENOMEM.
 */
int tfs_select_new(struct tfs_trace *trace, const struct tfs_select_opts *opts,
		   struct tfs_select **out, struct tfs_err *err);
void tfs_select_free(struct tfs_select *sel);
/** tfs_select_match() - is the record wanted? One thread: parses formats as they are met */
bool tfs_select_match(struct tfs_select *sel, const struct tfs_record *rec);
/** tfs_select_is_all() - is every record wanted? Then none needs to be asked about */
bool tfs_select_is_all(const struct tfs_select *sel);
/** tfs_select_wants_cpu() - is anything of this record's CPU and buffer wanted? */
bool tfs_select_wants_cpu(const struct tfs_select *sel, const struct tfs_record *rec);
/**
 * tfs_select_unmatched_pids() - which of @pids the recording does not seem to have
 * @out: they are appended, as numbers
 *
 * Those of which the recording has neither a name nor a record among all that tfs_select_match()
 * was asked about, wanted or not. Return: 0 or -ENOMEM.
 */
int tfs_select_unmatched_pids(const struct tfs_select *sel, struct tfs_strvec *out);
/** tfs_select_filtered() - does one of the filters that say what is wanted match the record? */
bool tfs_select_filtered(const struct tfs_select *sel, const struct tfs_record *rec);
/** tfs_select_filter() - the filters in their order, for what they say of themselves; NULL: end */
const struct tfs_filter *tfs_select_filter(const struct tfs_select *sel, size_t n);

/** tfs_select_event_glob() - does "system:event" or the like name this event? Pure */
bool tfs_select_event_glob(const char *glob, const char *system, const char *event);

#endif
