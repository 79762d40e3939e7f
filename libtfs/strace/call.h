/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_H
#define TFS_STRACE_CALL_H

#include <stdbool.h>
#include <stdint.h>

struct sys_entry;

/** TFS_CALL_ARGS - registers that a system call takes at most */
#define TFS_CALL_ARGS 6

/** TFS_CALL_COMM - bytes of a task's name, terminated (kernel: TASK_COMM_LEN) */
#define TFS_CALL_COMM 16

/** TFS_CALL_ERRNO_MAX - the kernel's MAX_ERRNO: results from -4095 to -1 are errors */
#define TFS_CALL_ERRNO_MAX 4095

/**
 * enum tfs_call_flags - what is known of a call
 * @TFS_CALL_NO_ENTRY: it began before it was recorded: no arguments, no time
 * @TFS_CALL_NO_EXIT: it did not return, or its return was not recorded
 * @TFS_CALL_DEAD: the task ended in it (with NO_EXIT)
 * @TFS_CALL_CUT: events were lost, or are missing, while it was open: entry and exit may be of two
 *	calls
 * @TFS_CALL_RAW, @TFS_CALL_NAMED: its entry was read from raw_syscalls, from syscalls, or from both
 * @TFS_CALL_NUMBERS: for whoever shows calls: arguments and result are plain numbers
 * @TFS_CALL_HIDDEN: for whoever shows calls: not shown
 * @TFS_CALL_CHOSEN: for whoever shows calls: asked for, shown or not for how it ends
 */
enum tfs_call_flags {
	TFS_CALL_NO_ENTRY = 1 << 0,
	TFS_CALL_NO_EXIT = 1 << 1,
	TFS_CALL_DEAD = 1 << 2,
	TFS_CALL_CUT = 1 << 3,
	TFS_CALL_RAW = 1 << 4,
	TFS_CALL_NAMED = 1 << 5,
	TFS_CALL_HIDDEN = 1 << 6,
	TFS_CALL_NUMBERS = 1 << 7,
	TFS_CALL_CHOSEN = 1 << 8,
};

/**
 * struct tfs_call_text - what an argument points to, where something recorded it
 * @s: @len bytes without a terminating zero; NULL: not known
 * @cut: there was more
 * @guess: it was read later than the call did, and may have changed in between
 */
struct tfs_call_text {
	const char *s;
	uint32_t len;
	bool cut, guess;
};

/**
 * struct tfs_call - one system call of a thread
 * @tid: of the thread
 * @tgid: of its process, @tid while nothing says otherwise
 * @abi: enum sys_abi, whose numbers and names it has
 * @nr: number in that ABI
 * @entry: name and prototype; NULL: no table has the number
 * @before: the thread's call before this one, NULL: none, or not known
 * @args: registers at entry, zero-extended on 32-bit kernels
 * @text: of pointer arguments; borrowed, valid while the call is open and during its callbacks
 * @ret: at exit
 * @begin, @end: time stamps of entry and exit, in the recording's clock
 * @flags: enum tfs_call_flags
 * @losses: for calls.c: losses seen when it began
 * @shown: for whoever prints it: how many arguments were printed at entry
 */
struct tfs_call {
	int tid, tgid;
	int abi;
	unsigned int flags;
	int64_t nr;
	const struct sys_entry *entry, *before;
	uint64_t args[TFS_CALL_ARGS];
	int64_t ret;
	uint64_t begin, end;
	uint64_t losses;
	unsigned int shown;
	struct tfs_call_text text[TFS_CALL_ARGS];
};

/** tfs_call_failed() - it returned an error (also one that restarts the call) */
static inline bool tfs_call_failed(const struct tfs_call *call)
{
	return !(call->flags & TFS_CALL_NO_EXIT) && call->ret < 0 &&
	       call->ret >= -TFS_CALL_ERRNO_MAX;
}

/** tfs_call_has_duration() - are beginning and end known to be of one call? */
static inline bool tfs_call_has_duration(const struct tfs_call *call)
{
	return !(call->flags & (TFS_CALL_NO_ENTRY | TFS_CALL_NO_EXIT | TFS_CALL_CUT));
}

#endif
