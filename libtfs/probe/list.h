/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_LIST_H
#define TFS_PROBE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/type.h"

struct tfs_err;
struct tfs_plan;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * struct tfs_probe_event - a line of a control file, taken apart
 * @ret: a return probe
 * @location: SYMBOL+OFFSET or PATH:0xOFFSET
 * @args: the rest, "" for none
 * @line: all of it
 */
struct tfs_probe_event {
	enum tfs_probe_type type;
	bool ret;
	char *group;
	char *event;
	char *location;
	char *args;
	char *line;
};

/** struct tfs_probe_events - in the order of the files; an event with several places has several */
struct tfs_probe_events {
	struct tfs_probe_event *v;
	size_t n;
};

void tfs_probe_events_release(struct tfs_probe_events *events);

/**
 * tfs_probe_events_parse() - the probes of one type in its control file; other lines are skipped
 * @events: appended to. Pure. Return: 0 or -ENOMEM.
 */
int tfs_probe_events_parse(enum tfs_probe_type type, const char *text,
			   struct tfs_probe_events *events);
/**
 * tfs_probe_events_read() - all probes that are defined
 * Return: 0, also when the kernel offers but one of the files; the error of the last if none.
 */
int tfs_probe_events_read(const struct tfs_root *root, struct tfs_probe_events *events,
			  struct tfs_err *err);
/** tfs_probe_events_names() - GROUP/EVENT, each once; 0 or -ENOMEM */
int tfs_probe_events_names(const struct tfs_probe_events *events, struct tfs_strvec *names);

/**
 * tfs_probe_event_matches() - is it meant by [GROUP:]EVENT, both globs? Without GROUP: any
 */
bool tfs_probe_event_matches(const struct tfs_probe_event *event, const char *glob);

/** tfs_probe_event_arg_names() - "a b c": the names of its arguments; 0 or -ENOMEM */
int tfs_probe_event_arg_names(const struct tfs_probe_event *event, struct tfs_strbuf *sb);

/**
 * tfs_probe_delete_plan() - steps that delete all events that a glob of @globs means, and the links
 * (tracefs/link.h) that no other event is on
 * @deleted: GROUP:EVENT of each is appended
 *
 * Return: 0; -ENOENT, naming the glob that stands for no event; -ENOMEM.
 */
int tfs_probe_delete_plan(const struct tfs_probe_events *events, const struct tfs_strvec *globs,
			  struct tfs_plan *plan, struct tfs_strvec *deleted, struct tfs_err *err);

#endif
