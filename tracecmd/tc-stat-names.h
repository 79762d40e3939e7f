/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_NAMES_H
#define TC_STAT_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tc_clauses;
struct tfs_err;
struct tfs_root;

/** STAT_READ - instead of an instance of its own: the event is read from the main buffer */
#define STAT_READ SIZE_MAX

/**
 * struct stat_event - something that is counted, a row of the output
 * @name: "system:event", or the probe as it was typed, up to its arguments. Owned
 * @text: what to give to -e or -p; borrowed from the request, or @name
 * @filter: kernel filter, NULL for none; borrowed from the request
 * @probe: @text is a probe
 * @buffer: number of the instance that has nothing else, whose counters count it; STAT_READ: none.
 *	Set by stat_choose()
 */
struct stat_event {
	char *name;
	const char *text;
	const char *filter;
	bool probe;
	size_t buffer;
};

/** struct stat_events - in the order typed; a zeroed one is empty */
struct stat_events {
	struct stat_event *v;
	size_t n;
};

void stat_events_release(struct stat_events *events);

/**
 * stat_events_find() - the events that the clauses name, each of a system or a glob on its own
 * @clauses: their matches are set
 *
 * Return: 0; -ENOENT with suggestions, or with the tool for a counter of perf's that is not an
 * event of tracefs; -errno.
 */
int stat_events_find(struct tc_clauses *clauses, const struct tfs_root *root,
		     struct stat_events *events, struct tfs_err *err);

/**
 * stat_is_counter() - is it one of the counters of perf_event_open(2) that perf knows by name?
 * @instead: set to a tracepoint that counts nearly the same, NULL if there is none
 */
bool stat_is_counter(const char *name, const char **instead);

#endif
