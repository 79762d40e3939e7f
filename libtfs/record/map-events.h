/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_MAP_EVENTS_H
#define TFS_RECORD_MAP_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/process-maps.h"

struct pollfd;

/**
 * enum tfs_map_event_kind - what happened to a process
 * @TFS_MAP_MAPPED: it mapped a file, or memory without one, to be executed
 * @TFS_MAP_EXEC: it began another program: nothing is mapped any more
 * @TFS_MAP_FORK: it is new, with the maps of another one
 * @TFS_MAP_THREAD: a thread of it is new
 * @TFS_MAP_EXIT: a thread of it ended
 */
enum tfs_map_event_kind {
	TFS_MAP_MAPPED,
	TFS_MAP_EXEC,
	TFS_MAP_FORK,
	TFS_MAP_THREAD,
	TFS_MAP_EXIT,
};

/**
 * struct tfs_map_event - something that happened to a process
 * @tgid, @tid: process and thread; @parent: of TFS_MAP_FORK, the process it is a copy of
 * @ts: when, by the clock that was asked for
 * @comm: of TFS_MAP_EXEC, else ""
 * @map: of TFS_MAP_MAPPED; its name is borrowed
 */
struct tfs_map_event {
	enum tfs_map_event_kind kind;
	uint32_t tgid, tid, parent;
	uint64_t ts;
	const char *comm;
	struct tfs_process_map map;
};

typedef void tfs_map_event_func(void *context, const struct tfs_map_event *event);

/**
 * struct tfs_map_events - the kernel's own record of what processes map, all of them
 *
 * From perf_event_open(2): with the time of each, and of those processes that are gone a moment
 * later. Costs nothing as long as nobody starts a program or loads a library.
 */
struct tfs_map_events;

/**
 * tfs_map_events_new() - begin
 * @clock: a trace clock: its stamps will be those of events
 * @exact: set to false if that clock is not to be had: then @ts are 0
 *
 * Return: 0; -EACCES without the permission (CAP_PERFMON), -ENOSYS and so on.
 */
int tfs_map_events_new(const char *clock, struct tfs_map_events **out, bool *exact);
void tfs_map_events_free(struct tfs_map_events *m);

/** tfs_map_events_n_fds() - how many descriptors there are to poll; @m may be NULL */
size_t tfs_map_events_n_fds(const struct tfs_map_events *m);
/** tfs_map_events_fds() - fill @fds in; borrowed */
void tfs_map_events_fds(const struct tfs_map_events *m, struct pollfd *fds);
/**
 * tfs_map_events_read() - take what there is, in order of time
 * Return: whether to ask again at once.
 */
bool tfs_map_events_read(struct tfs_map_events *m, tfs_map_event_func *f, void *context);
/** tfs_map_events_lost() - how many were lost, for want of being read or of memory */
uint64_t tfs_map_events_lost(const struct tfs_map_events *m);

/**
 * tfs_map_event_parse() - a record of perf_event_open(2), as the kernel wrote it, of @size bytes
 *
 * Return: 1; 0: of no interest, or it is shorter than it says. @lost is added to.
 */
int tfs_map_event_parse(const void *record, size_t size, struct tfs_map_event *out, uint64_t *lost);

#endif
