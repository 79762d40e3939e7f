/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_KNOWN_TASKS_H
#define TFS_RECORD_KNOWN_TASKS_H

#include <stdint.h>

#include "base/hashmap.h"

struct tfs_dat_clock;
struct tfs_map_event;
struct tfs_strbuf;

/** TFS_KNOWN_TASKS_MAX - more are not kept */
#define TFS_KNOWN_TASKS_MAX (1u << 18)

/**
 * struct tfs_known_task - a thread that was met while recording, and may be gone
 * @from: when it began, by the trace clock; 0: not known
 */
struct tfs_known_task {
	uint32_t tid, tgid, ppid;
	uint64_t from;
	char comm[16];
};

/** struct tfs_known_tasks - the latest of each number; zeroed it is empty */
struct tfs_known_tasks {
	struct tfs_hashmap map;
};

void tfs_known_tasks_release(struct tfs_known_tasks *t);
/** tfs_known_tasks_event() - threads that begin, and programs that they run */
void tfs_known_tasks_event(struct tfs_known_tasks *t, const struct tfs_map_event *event);
/** tfs_known_tasks_tgid() - the process of a thread that lives, or was met; 0: unknown */
uint32_t tfs_known_tasks_tgid(struct tfs_known_tasks *t, uint32_t tid);
/**
 * tfs_known_tasks_list() - every thread of the system, and those that are gone, see record/tasks.h
 * Return: 0 or -ENOMEM.
 */
int tfs_known_tasks_list(const struct tfs_known_tasks *t, const struct tfs_dat_clock *now,
			 struct tfs_strbuf *payload);

#endif
