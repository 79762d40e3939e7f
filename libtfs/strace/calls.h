/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALLS_H
#define TFS_STRACE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "strace/call-abi.h"
#include "strace/call-texts.h"
#include "strace/call.h"

struct tfs_err;
struct tfs_event;
struct tfs_trace;

/**
 * struct tfs_call_task - a thread that calls
 * @tgid: its process; @tid while nothing says otherwise
 * @call: the call it is in, if @in_call; @id: its number as recorded, with marks of its ABI
 * @is_new: it was created while recording and has not returned to its program yet
 * @is_counted: it was created while recording, as another thread of its process
 * @compat: its numbers are those of programs of 32 bits; @compat_child: they are, if it turns out
 *	to be the thread that one of 32 bits has created
 * @waits_for_exec: nothing is reported of it until it has executed a program
 * @held: nothing is reported of @call before the texts of its arguments have come
 * @kept: what @call.text points into
 * @early: texts of its next call
 * @comm: its name now, as far as opts.find, task:task_rename and forks say; "": not known
 */
struct tfs_call_task {
	int tid, tgid;
	char comm[TFS_CALL_COMM];
	bool in_call, is_new, is_counted, waits_for_exec, held;
	bool compat, compat_child;
	int64_t id;
	struct tfs_call call;
	struct tfs_call_kept kept;
	struct tfs_call_early early;
};

/** enum tfs_task_fate - how a thread ended */
enum tfs_task_fate {
	TFS_TASK_FATE_UNKNOWN,
	TFS_TASK_EXITED, /* with a status */
	TFS_TASK_KILLED, /* by a signal */
};

/** struct tfs_task_end - a thread's end; @value: exit status or signal number */
struct tfs_task_end {
	enum tfs_task_fate fate;
	int value;
};

/**
 * struct tfs_task_clone - how a thread was created
 * @flags: of clone(2), if @known: clone3's are in memory, and known by task:task_newtask only
 * @thread: it is of the same process
 */
struct tfs_task_clone {
	uint64_t flags;
	bool known, thread;
};

/** struct tfs_call_signal - signal:signal_deliver; @handled: the program has a handler for it */
struct tfs_call_signal {
	int sig, code, error;
	bool handled;
};

/**
 * struct tfs_call_ops - what tfs_calls_event() found; all but @enter and @exit may be NULL
 *
 * Called in order of time, but for @enter of a call whose texts come by later events: it is called
 * after these, or before anything else of that thread. Task and call are valid during the call of
 * the function. 0 or -errno.
 * @begin: a call began: @task->call, by the event of its entry; also before the program of @command
 *	starts, whose other calls are not reported
 * @enter: the same, with its texts
 * @exit: it ended: its flags say whether its entry or its return is missing
 * @signal: a signal was delivered to the thread
 * @fork: @task created thread @child
 * @exec: @task runs another program, @file of it as the kernel has it (NULL: not recorded). Called
 *	before the exit of execve. Other threads of the process are gone
 * @end: the thread ended. A call that it was in was reported by @exit before
 */
struct tfs_call_ops {
	int (*begin)(void *ctx, struct tfs_call_task *task, const struct tfs_event *event);
	int (*enter)(void *ctx, struct tfs_call_task *task, const struct tfs_event *event);
	int (*exit)(void *ctx, struct tfs_call_task *task, const struct tfs_event *event);
	int (*signal)(void *ctx, struct tfs_call_task *task, const struct tfs_call_signal *sig,
		      const struct tfs_event *event);
	int (*fork)(void *ctx, struct tfs_call_task *task, int child,
		    const struct tfs_task_clone *clone, const struct tfs_event *event);
	int (*exec)(void *ctx, struct tfs_call_task *task, const char *file,
		    const struct tfs_event *event);
	int (*end)(void *ctx, struct tfs_call_task *task, const struct tfs_task_end *end,
		   const struct tfs_event *event);
};

/**
 * struct tfs_calls_opts - which events are joined to calls
 * @trace: the recording, or live source; outlives the calls
 * @abi: of tfs_calls_abi()
 * @command: a thread of which nothing is reported before the execve that starts its program (what
 *	a tracer's child does before); 0: none
 * @find: the process of a thread that was there before recording began, 0: not known; and its name,
 *	"" if that is not known; may be NULL
 * @ops, @ctx: called with @ctx
 */
struct tfs_calls_opts {
	struct tfs_trace *trace;
	int abi;
	int command;
	int (*find)(void *ctx, int tid, char comm[TFS_CALL_COMM]);
	const struct tfs_call_ops *ops;
	void *ctx;
};

/**
 * struct tfs_calls - joins entry and exit events to calls, by thread
 *
 * Reads raw_syscalls:sys_enter and sys_exit, syscalls:sys_enter_* and sys_exit_* (alone, or
 * besides the raw ones for the text of strings that kernels from 6.19 on record), events of probes
 * that have such texts (strace/call-texts.h), sched_process_fork, _exec and _exit,
 * task:task_newtask, task:task_rename and signal:signal_deliver, as far as they are recorded. A
 * call's time and order are those of its events. One thread.
 */
struct tfs_calls;

/** tfs_calls_new() - 0 or -ENOMEM */
int tfs_calls_new(const struct tfs_calls_opts *opts, struct tfs_calls **out);
void tfs_calls_free(struct tfs_calls *calls);

/**
 * tfs_calls_event() - the next event in order of time
 *
 * Return: 1: it was one of those above; 0: it was another one, or task_rename; -errno of a
 * callback, or -ENOMEM.
 */
int tfs_calls_event(struct tfs_calls *calls, const struct tfs_event *event);

/** tfs_calls_lost() - events were lost: calls that are open are TFS_CALL_CUT from here on */
void tfs_calls_lost(struct tfs_calls *calls);
/**
 * tfs_calls_missing() - the rest of a CPU's events is missing
 *
 * Calls that end from here on are TFS_CALL_CUT: nobody knows which threads made calls on that CPU.
 */
void tfs_calls_missing(struct tfs_calls *calls);

/** tfs_calls_finish() - after the last event: @exit with NO_EXIT for open calls, by rising tid */
int tfs_calls_finish(struct tfs_calls *calls);

/** tfs_calls_tasks() - number of threads that are known and have not ended */
size_t tfs_calls_tasks(const struct tfs_calls *calls);
/** tfs_calls_task() - a thread that is known, else NULL */
struct tfs_call_task *tfs_calls_task(const struct tfs_calls *calls, int tid);

#endif
