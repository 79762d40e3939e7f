/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_HOLD_H
#define TC_TRACE_HOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strace_fds;
struct tfs_strbuf;

/**
 * struct strace_hold - lines held back for the file of a descriptor that a call returned (-y)
 *
 * /proc is asked when the call is shown, later than it was made. The answer is the file of the
 * descriptor if nothing has changed that up to the time of the answer, which is known once the
 * trace has got there, some milliseconds later. Until then the line waits, and those after it do.
 * If it changes sooner, the line stays as it was printed. Bounded: a trace that lags by much does
 * not wait.
 */
struct strace_hold;

/** struct strace_hold_sink - takes text of thread @tid, -1: of none, in order; 0 or -errno */
struct strace_hold_sink {
	int (*take)(void *ctx, int tid, const char *text, size_t len);
	void *ctx;
};

/**
 * strace_hold_new() - nothing is held
 * @fds: marks such files from now on; outlives the hold
 * @json: lines are JSON
 *
 * Return: 0 or -ENOMEM.
 */
int strace_hold_new(struct strace_fds *fds, bool json, struct strace_hold **out);
void strace_hold_free(struct strace_hold *h);

/** strace_hold_reach() - an event at @ts comes next: give what waits for nothing any more */
int strace_hold_reach(struct strace_hold *h, uint64_t ts, const struct strace_hold_sink *sink);
/** strace_hold_tick() - the same if events have not come for a while: what there was is shown */
int strace_hold_tick(struct strace_hold *h, const struct strace_hold_sink *sink);
/** strace_hold_all() - give all: nothing comes any more */
int strace_hold_all(struct strace_hold *h, const struct strace_hold_sink *sink);

/**
 * strace_hold_add() - an event appended @out from @start on: take it, if it has to wait
 * @tid: whose; -1: nobody's
 *
 * Return: 0 or -ENOMEM.
 */
int strace_hold_add(struct strace_hold *h, int tid, size_t start, struct tfs_strbuf *out);

#endif
