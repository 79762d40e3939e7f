/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_WHY_H
#define TFS_STRACE_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "span/span.h"
#include "strace/call.h"

struct tfs_err;
struct tfs_event;
struct tfs_trace;

/** TFS_WHY_MAX - wakers and requests of a call that are named one by one; others are counted */
#define TFS_WHY_MAX 4

/**
 * struct tfs_why_waker - who woke a task
 * @tid: the task that ran, whether it did it or an @interrupt of it
 * @comm: its name; "": not known
 * @n: how often
 */
struct tfs_why_waker {
	int tid;
	char comm[TFS_CALL_COMM];
	bool interrupt;
	uint32_t n;
};

/**
 * struct tfs_why_request - a request that a block device got from a task (block:block_rq_issue)
 * @dev: major << 20 | minor
 * @rwbs: "R", "WS", ... as the kernel has it
 * @ns: until it was completed; @is_complete: that was recorded
 */
struct tfs_why_request {
	uint32_t dev, bytes;
	char rwbs[12];
	uint64_t sector, issued, ns;
	bool is_complete;
};

/**
 * struct tfs_why_call - what a task did not do itself while it was in a system call
 * @tid: whose call; @begin: of the call
 * @is_partial: something of it was not recorded: times are at least as long
 * @is_out: it left its CPU, and that it came back was not recorded
 * @ns, @n: how long and how often it was in each state but running; their sum is the time off CPU
 * @wakers: @n_wakers of them; @wakeups: by all
 * @requests: the first of @n_requests; @bytes: of all
 * @faults: page faults
 */
struct tfs_why_call {
	int tid;
	uint64_t begin;
	bool is_partial, is_out;
	uint64_t ns[TFS_TASK_STATES];
	uint32_t n[TFS_TASK_STATES];
	struct tfs_why_waker wakers[TFS_WHY_MAX];
	size_t n_wakers;
	uint32_t wakeups;
	struct tfs_why_request requests[TFS_WHY_MAX];
	size_t n_requests;
	uint64_t bytes;
	uint32_t faults;
};

/**
 * struct tfs_why - explains calls by the events between their entry and exit
 *
 * Reads sched:sched_switch and sched:sched_waking by the model of span/, block:block_rq_issue and
 * _complete, exceptions:page_fault_kernel and _user. One thread. Memory: that of the model, and
 * calls that are open.
 */
struct tfs_why;

/**
 * struct tfs_why_opts - what is explained
 * @trace: outlives it
 * @comm: the name of a task that woke another one, "" if it is not known. Names are kept for a
 *	while, and asked for again
 * @ctx: for @comm
 */
struct tfs_why_opts {
	struct tfs_trace *trace;
	void (*comm)(void *ctx, int tid, char comm[TFS_CALL_COMM]);
	void *ctx;
};

/** tfs_why_new() - 0 or -ENOMEM */
int tfs_why_new(const struct tfs_why_opts *opts, struct tfs_why **out);
void tfs_why_free(struct tfs_why *why);

/** tfs_why_event(), tfs_why_lost() - every event and every loss, in order of time; 0 or -ENOMEM */
int tfs_why_event(struct tfs_why *why, const struct tfs_event *event);
int tfs_why_lost(struct tfs_why *why, const struct tfs_event *event);

/**
 * tfs_why_enter() - a call of a thread begins
 * @begin: when it did; what happened between that and @now is not known
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_why_enter(struct tfs_why *why, int tid, uint64_t begin, uint64_t now);
/** tfs_why_call() - of the call of the thread that began then; NULL: not known */
const struct tfs_why_call *tfs_why_call(const struct tfs_why *why, int tid, uint64_t begin);
/** tfs_why_leave() - it is over */
void tfs_why_leave(struct tfs_why *why, int tid);

/** tfs_why_is_empty() - did it wait for nothing? */
bool tfs_why_is_empty(const struct tfs_why_call *call);
/** tfs_why_off_ns() - the time off CPU */
uint64_t tfs_why_off_ns(const struct tfs_why_call *call);

#endif
