/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_STACKS_H
#define TC_TRACE_STACKS_H

#include <stdbool.h>

struct tfs_event;
struct tfs_names;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct strace_stacks - the user stacks of calls (-k), from ftrace:user_stack
 *
 * While a thread is in a call, the registers of its program do not change: the stack of the first
 * event in the call is that of the call.
 */
struct strace_stacks;

/**
 * strace_stacks_new() - 0 or -ENOMEM
 * @trace: outlives it
 * @names: what gives addresses names while recording, outlives it; NULL: the recording has them
 */
int strace_stacks_new(struct tfs_trace *trace, struct tfs_names *names, struct strace_stacks **out);
void strace_stacks_free(struct strace_stacks *stacks);

/** strace_stacks_event() - every event; 0 or -ENOMEM */
int strace_stacks_event(struct strace_stacks *stacks, const struct tfs_event *event);
/** strace_stacks_enter() - a call of a thread begins; 0 or -ENOMEM */
int strace_stacks_enter(struct strace_stacks *stacks, int tid);
/** strace_stacks_end() - a thread ended */
void strace_stacks_end(struct strace_stacks *stacks, int tid);

/**
 * strace_stacks_print() - the stack of the call that a thread returns from
 * @json: as the member that tc-trace(1) describes; else lines as strace -k prints them
 *
 * Return: 0 or -errno.
 */
int strace_stacks_print(struct strace_stacks *stacks, int tid, bool json, struct tfs_strbuf *out);

#endif
