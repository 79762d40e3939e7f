/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_PROFILE_H
#define TFS_STACK_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_event;
struct tfs_strbuf;
struct tfs_task;
struct tfs_trace;

/** TFS_PROFILE_WINDOW - ns in which a task's run time is spread over its samples */
#define TFS_PROFILE_WINDOW UINT64_C(1000000000)
/** TFS_PROFILE_COMM_SIZE - of a task's name, with its end */
#define TFS_PROFILE_COMM_SIZE 16
/** TFS_PROFILE_NOT_SAMPLED - the frame of run time of which there is no sample */
#define TFS_PROFILE_NOT_SAMPLED "[not sampled]"

/**
 * enum tfs_profile_kind - what an event is to a CPU profile (tc-record --profile-cpu)
 * @TFS_PROFILE_NONE: it has nothing to do with one
 * @TFS_PROFILE_SAMPLE: a sample, whose stacks follow
 * @TFS_PROFILE_OTHER: it belongs to the profile and is not a sample: run time, children
 */
enum tfs_profile_kind { TFS_PROFILE_NONE, TFS_PROFILE_SAMPLE, TFS_PROFILE_OTHER };

/**
 * struct tfs_profile_task - a task with run time and without a sample of it
 * @input: recording; @pid: in it
 * @task: the name by which its other events show it; NULL: it recorded none
 * @comm: its name in the event with its run time
 */
struct tfs_profile_task {
	uint32_t input;
	int pid;
	const struct tfs_task *task;
	char comm[TFS_PROFILE_COMM_SIZE];
};

/**
 * enum tfs_profile_flags - how weights are made
 * @TFS_PROFILE_BY_NAME: run time of tasks without samples is shared by the samples of tasks with
 *	the same name, if there are any in that window: many tasks are too short to be sampled, as
 *	those of a shell script. For sums by name; totals of single tasks are then no longer exact
 */
enum tfs_profile_flags { TFS_PROFILE_BY_NAME = 1 << 0 };

/**
 * struct tfs_profile_ops - receives weights; each returns 0, or -errno, which ends the call
 * @weigh: the sample that was given @token stands for @ns of CPU time
 * @unsampled: a task ran for @ns, and there is no sample of it in that window. Tasks that the
 *	recording was not to profile are left out. NULL: all are
 */
struct tfs_profile_ops {
	int (*weigh)(void *ctx, uint64_t token, uint64_t ns);
	int (*unsampled)(void *ctx, const struct tfs_profile_task *task, uint64_t ns);
};

/**
 * struct tfs_profile - weights of the samples of CPU profiles
 *
 * Windows of a second begin at multiples of TFS_PROFILE_WINDOW. In each, a task's exact run time is
 * shared evenly by its samples; the shares add up to it. The last one or two windows are in memory:
 * a few bytes for each task that ran and each sample. One thread at a time.
 *
 * A sample without run time in its window counts one period of sampling.
 */
struct tfs_profile;

/**
 * tfs_profile_new() - for @n recordings, which outlive it
 * @flags: enum tfs_profile_flags
 * @out: NULL if none of them has a profile
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_profile_new(struct tfs_trace *const *traces, size_t n, unsigned int flags,
		    const struct tfs_profile_ops *ops, void *ctx, struct tfs_profile **out);
void tfs_profile_free(struct tfs_profile *p);

/** tfs_profile_kind() - what an event is; @p may be NULL */
enum tfs_profile_kind tfs_profile_kind(const struct tfs_profile *p, const struct tfs_event *event);
/** tfs_profile_has() - does the recording @input have a profile? @p may be NULL */
bool tfs_profile_has(const struct tfs_profile *p, size_t input);

/**
 * tfs_profile_event() - each event in order of time, whether selected or not
 *
 * Weights of windows that are complete are given to the ops first.
 * Return: 0, -ENOMEM, or what the ops failed with.
 */
int tfs_profile_event(struct tfs_profile *p, const struct tfs_event *event);
/** tfs_profile_lost() - from the lost() of a view with TFS_VIEW_MISSING: data are missing */
void tfs_profile_lost(struct tfs_profile *p, const struct tfs_event *event);
/**
 * tfs_profile_who() - the task of a sample whose stacks are complete
 *
 * By the name that the event has, else by the one that the profile has. Return: borrowed from the
 * recording or @p; NULL: not known.
 */
const struct tfs_task *tfs_profile_who(const struct tfs_profile *p, const struct tfs_event *event);
/**
 * tfs_profile_sample() - the stacks of a sample are complete
 * @event: that is one (tfs_profile_kind()), after tfs_profile_event(), or a copy of it
 * @token: comes back with its weight
 */
int tfs_profile_sample(struct tfs_profile *p, const struct tfs_event *event, uint64_t token);
/** tfs_profile_end() - after the last event: the weights of what is left */
int tfs_profile_end(struct tfs_profile *p);

/**
 * struct tfs_profile_totals - sums, after tfs_profile_end()
 * @samples: of tasks; @runtime_ns: of the tasks that were to be profiled
 * @spread_ns: of these, shared by samples of other tasks; @unsampled_ns: without any sample
 * @bare: samples without run time; @bare_ns: what they counted
 * @lost: events of the profile that were lost, where the number is known
 */
struct tfs_profile_totals {
	uint64_t samples, runtime_ns, spread_ns, unsampled_ns, bare, bare_ns, lost;
};

void tfs_profile_totals(const struct tfs_profile *p, struct tfs_profile_totals *out);
/**
 * tfs_profile_notes() - sentences, a line each: losses, tasks in step with the tick, and what else
 * makes weights uncertain
 *
 * Return: 0, with @out unchanged if there is nothing to say; -ENOMEM.
 */
int tfs_profile_notes(const struct tfs_profile *p, struct tfs_strbuf *out);

#endif
