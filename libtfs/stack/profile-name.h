/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_PROFILE_NAME_H
#define TFS_STACK_PROFILE_NAME_H

#include <stdint.h>

#include "base/hashmap.h"

struct tfs_task;

/*
 * Names of tasks that only the events of a CPU profile have: the kernel stores those of a few
 * thousand tasks at most, and a profile of a build has more.
 */

/** struct tfs_profile_names - zeroed, it is empty */
struct tfs_profile_names {
	struct tfs_hashmap latest;
	struct tfs_profile_name *all;
	uint32_t n;
};

/** tfs_profile_name_learn() - the task is called @comm from now on; 0 or -ENOMEM */
int tfs_profile_name_learn(struct tfs_profile_names *names, uint32_t input, int pid,
			   const char *comm);
/** tfs_profile_name_find() - the task as it is called now; NULL: unknown. Valid until release */
const struct tfs_task *tfs_profile_name_find(const struct tfs_profile_names *names, uint32_t input,
					     int pid);
void tfs_profile_names_release(struct tfs_profile_names *names);

#endif
