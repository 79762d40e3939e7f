/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TOP_CGROUPS_H
#define TC_TOP_CGROUPS_H

#include <stdbool.h>

#include "base/hashmap.h"
#include "top/keys.h"

/**
 * struct top_cgroups - the control groups of tasks, as /proc/PID/cgroup has them
 * @find: for struct tfs_top_opts
 * @live: tasks are those of this machine, now; else none is known
 * @tasks: those that were asked for, each once in ten seconds
 */
struct top_cgroups {
	struct tfs_top_cgroups find;
	bool live;
	struct tfs_hashmap tasks;
};

void top_cgroups_init(struct top_cgroups *cgroups, bool live);
void top_cgroups_release(struct top_cgroups *cgroups);
/** top_cgroup_parse() - the path that /proc/PID/cgroup has: of v2, else the first of v1 */
const char *top_cgroup_parse(char *text);

#endif
