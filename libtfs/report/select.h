/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_SELECT_H
#define TFS_REPORT_SELECT_H

#include <stdbool.h>

struct tfs_cpus;
struct tfs_err;
struct tfs_record;
struct tfs_strvec;
struct tfs_trace;

/**
 * struct tfs_select_opts - which records are wanted; NULL or empty: no restriction
 * @events: "event", "system", "system:event" and globs of these; a record matches any of them
 * @pids: decimal numbers, several in one string separated by commas
 * @cpus: NULL or empty: all
 * @comms: globs of task names, separated by commas; matched against the names stored in the file
 *
 * A task is matched as trace-cmd report's --pid does it: who recorded the event, and also the
 * event's own fields pid and next_pid. A stack trace goes with the record before it. @pids and
 * @comms add up; @events restricts further.
 */
struct tfs_select_opts {
	const struct tfs_strvec *events;
	const struct tfs_strvec *pids;
	const struct tfs_strvec *comms;
	const struct tfs_cpus *cpus;
};

struct tfs_select;

/**
 * tfs_select_new() - check and prepare
 * @out: set on success; to be freed before @trace
 *
 * Return: 0; -ENOENT for an event or task name that is not in the file, with near names; -EINVAL or
 * -ERANGE for a pid that is none; -ENOMEM.
 */
int tfs_select_new(struct tfs_trace *trace, const struct tfs_select_opts *opts,
		   struct tfs_select **out, struct tfs_err *err);
void tfs_select_free(struct tfs_select *sel);
/** tfs_select_match() - is the record wanted? One thread: parses formats as they are met */
bool tfs_select_match(struct tfs_select *sel, const struct tfs_record *rec);
/** tfs_select_cpu() - is anything of this CPU wanted? */
bool tfs_select_cpu(const struct tfs_select *sel, unsigned int cpu);

/** tfs_select_event_glob() - does "system:event" or the like name this event? Pure */
bool tfs_select_event_glob(const char *glob, const char *system, const char *event);

#endif
