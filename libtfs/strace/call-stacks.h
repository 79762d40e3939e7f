/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_STACKS_H
#define TFS_STRACE_CALL_STACKS_H

#include <stdbool.h>

struct tfs_event;
struct tfs_names;
struct tfs_strbuf;
struct tfs_trace;

/**
 * struct tfs_call_stacks - the user stacks of calls (-k), from ftrace:user_stack
 *
 * While a thread is in a call, the registers of its program do not change: the stack of the first
 * event in the call is that of the call.
 */
struct tfs_call_stacks;

/**
 * tfs_call_stacks_new() - 0 or -ENOMEM
 * @trace: outlives it
 * @names: what gives addresses names while recording, outlives it; NULL: the recording has them
 */
int tfs_call_stacks_new(struct tfs_trace *trace, struct tfs_names *names,
			struct tfs_call_stacks **out);
void tfs_call_stacks_free(struct tfs_call_stacks *stacks);

/** tfs_call_stacks_event() - every event; 0 or -ENOMEM */
int tfs_call_stacks_event(struct tfs_call_stacks *stacks, const struct tfs_event *event);
/** tfs_call_stacks_enter() - a call of a thread begins; 0 or -ENOMEM */
int tfs_call_stacks_enter(struct tfs_call_stacks *stacks, int tid);
/** tfs_call_stacks_end() - a thread ended */
void tfs_call_stacks_end(struct tfs_call_stacks *stacks, int tid);

/**
 * tfs_call_stacks_print() - the stack of the call that a thread returns from
 * @json: as the member that tc-trace(1) describes; else lines as strace -k prints them
 *
 * Return: 0 or -errno.
 */
int tfs_call_stacks_print(struct tfs_call_stacks *stacks, int tid, bool json,
			  struct tfs_strbuf *out);

#endif
