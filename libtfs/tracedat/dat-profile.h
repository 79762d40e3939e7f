/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_PROFILE_H
#define TFS_TRACEDAT_DAT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/**
 * enum tfs_dat_profile_flags - how a CPU profile was recorded
 * @TFS_DAT_PROFILE_TICK: samples are ticks of the scheduler, not timers of the recorder's own
 * @TFS_DAT_PROFILE_CHILDREN: @targets and what they started
 */
enum tfs_dat_profile_flags {
	TFS_DAT_PROFILE_TICK = 1 << 0,
	TFS_DAT_PROFILE_CHILDREN = 1 << 1,
};

/**
 * struct tfs_dat_profile - the option TFS_DAT_PRIVATE_PROFILE: the recording has a CPU profile
 * @flags: enum tfs_dat_profile_flags
 * @period_ns: mean time between two samples of a CPU; 0: not known
 * @samples: name of the buffer with the samples, each with its stacks
 * @runtime: name of the buffer with the tasks' run time; "": was not recorded
 * @event: "system:event" of a sample: its common_pid is the task
 * @comm: of sched_waking: a sample wakes a task with this name; "": every event is one
 * @targets: threads that were to be profiled; none: all
 * @n_targets: number of them
 *
 * The payload: u32 0x01020304 (in the file's byte order, as is all that follows), u32 flags, u64
 * period, strz samples, strz runtime, strz event, strz comm, u32 number of targets, u32 for each.
 * Later versions may add to the end.
 */
struct tfs_dat_profile {
	uint32_t flags;
	uint64_t period_ns;
	const char *samples, *runtime, *event, *comm;
	const uint32_t *targets;
	size_t n_targets;
};

/** tfs_dat_profile_put() - append the payload in host byte order; 0 or -ENOMEM */
int tfs_dat_profile_put(struct tfs_strbuf *payload, const struct tfs_dat_profile *profile);

/**
 * tfs_dat_profile_get() - the profile of a file
 * @out: strings are borrowed from @dat, targets are in the same allocation; NULL if there is no
 *	profile, or the option is damaged; release with free()
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_profile_get(const struct tfs_dat *dat, struct tfs_dat_profile **out);

#endif
