/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_OUTER_PID_H
#define TFS_RECORD_OUTER_PID_H

#include <stdbool.h>
#include <sys/types.h>

#include "tracefs/instance.h"

struct tfs_err;
struct tfs_journal;
struct tfs_plan;
struct tfs_root;
struct tfs_strvec;

/*
 * Events, set_event_pid and the like have the pids of the first pid namespace. A process in another
 * one does not see them, unless a /proc of the first one is mounted somewhere.
 */

/**
 * tfs_outer_pid() - the number of a task in the first pid namespace, by a /proc of that
 * @tid: its number here; of a thread, too
 * @mounts: the file that lists them: /proc/self/mountinfo
 *
 * Return: the number; -ENXIO if no such /proc is mounted, or it does not show the task.
 */
pid_t tfs_outer_pid(pid_t tid, const char *mounts);

/**
 * tfs_proc_shows_events() - does /proc have the numbers that events have?
 *
 * Where it is that of another namespace, what it shows under such a number is of another task.
 */
bool tfs_proc_shows_events(void);

/**
 * struct tfs_pid_look - finds the numbers of this process and of what it starts, by their events
 *
 * An instance of its own records the forks of the calling thread, and a mark that it writes: a
 * kernel that traces at all has these.
 * @self: of the calling thread
 */
struct tfs_pid_look {
	const struct tfs_root *root;
	struct tfs_instance inst;
	struct tfs_plan *plan;
	pid_t self;
};

/** tfs_pid_look_begin() - 0, or -errno with nothing left behind */
int tfs_pid_look_begin(struct tfs_pid_look *look, const struct tfs_root *root,
		       struct tfs_journal *journal, struct tfs_err *err);
/**
 * tfs_pid_look_children() - add the numbers of the processes and threads that the calling thread
 * has started since tfs_pid_look_begin(), in that order
 */
int tfs_pid_look_children(const struct tfs_pid_look *look, struct tfs_strvec *pids,
			  struct tfs_err *err);
/** tfs_pid_look_end() - remove the instance; a zeroed one is fine */
void tfs_pid_look_end(struct tfs_pid_look *look);

#endif
