/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_PROFILE_WINDOW_H
#define TFS_STACK_PROFILE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/profile.h"

/*
 * The windows of a CPU profile: in each, a task's run time is shared by its samples. A window is
 * complete when a later event is at least a window after its end, and the stacks of all its samples
 * have come.
 */

struct tfs_profile_window;

/**
 * struct tfs_profile_windows - those that are not complete; zeroed, there are none
 * @flags: enum tfs_profile_flags
 */
struct tfs_profile_windows {
	struct tfs_profile_window *first;
	uint64_t newest;
	unsigned int flags;
};

/**
 * struct tfs_profile_share - what a sample stands for, or the run time of a task without samples
 * @spread: the part of @ns that is of other tasks with the same name (TFS_PROFILE_BY_NAME)
 * @sampled: @token's sample; else @who has no sample in the window
 * @bare: the task has no run time in the window
 * @selected: some of its run time was selected
 */
struct tfs_profile_share {
	struct tfs_profile_task who;
	uint64_t token, ns, spread;
	bool sampled, bare, selected;
};

/** tfs_profile_share_func - 0, or -errno, which ends the call */
typedef int tfs_profile_share_func(void *ctx, const struct tfs_profile_share *share);

/** tfs_profile_share_ns() - the part of sample @i, of @n, in @ns; all parts add up to it. Pure */
uint64_t tfs_profile_share_ns(uint64_t ns, uint32_t i, uint32_t n);

/** tfs_profile_windows_advance() - time is @ts: give what is complete */
int tfs_profile_windows_advance(struct tfs_profile_windows *w, uint64_t ts,
				tfs_profile_share_func *give, void *ctx);
/** tfs_profile_windows_end() - give what is left */
int tfs_profile_windows_end(struct tfs_profile_windows *w, tfs_profile_share_func *give, void *ctx);

/**
 * tfs_profile_window_sample() - a sample of a task at @ts
 * @wanted: tfs_profile_window_token() follows
 *
 * Return: 0 or -ENOMEM, as the following two.
 */
int tfs_profile_window_sample(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			      uint64_t ts, bool wanted);
/** tfs_profile_window_token() - what stands for a sample at @ts */
int tfs_profile_window_token(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			     uint64_t ts, uint64_t token);
/** tfs_profile_window_runtime() - the task ran for @ns up to @ts */
int tfs_profile_window_runtime(struct tfs_profile_windows *w, const struct tfs_profile_task *who,
			       uint64_t ts, uint64_t ns, bool selected);

void tfs_profile_windows_release(struct tfs_profile_windows *w);

#endif
