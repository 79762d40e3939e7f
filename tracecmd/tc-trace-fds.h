/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_FDS_H
#define TC_TRACE_FDS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct strace_proc;
struct tfs_call;
struct tfs_strbuf;
struct tfs_expr;

/**
 * struct strace_fds - the files of descriptors that lines show (-y): from the calls of the trace
 * and, of tasks that run, from /proc
 *
 * /proc says what a descriptor is now, which may be later than the trace has got: the answer is
 * used for the lines that come after it, if no call changes the descriptor in between.
 */
struct strace_fds;

/**
 * strace_fds_new() - what @expr->decode asks for
 * @proc: answers what /proc says; outlives it. The trace's clock is CLOCK_MONOTONIC
 *
 * Return: 0 or -ENOMEM.
 */
int strace_fds_new(const struct tfs_expr *expr, struct strace_proc *proc, struct strace_fds **out);
void strace_fds_free(struct strace_fds *fds);

/** strace_fds_read() - all descriptors that a process has now, if it is there; 0 or -ENOMEM */
int strace_fds_read(struct strace_fds *fds, pid_t pid);

/** strace_fds_at() - the time of the event that is shown from now on */
void strace_fds_at(struct strace_fds *fds, uint64_t ts);

/** strace_fds_table() - for tasks and the beginning of calls; owned by @fds */
struct tfs_fd_table *strace_fds_table(struct strace_fds *fds);

/** strace_fds_returned() - as tfs_fd_table_returned(), and a look at what the call made */
int strace_fds_returned(struct strace_fds *fds, const struct tfs_call *call);

/** STRACE_FDS_MARK - before and after the file of a result that is not known yet: no text has it */
#define STRACE_FDS_MARK "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"

/**
 * struct strace_fds_wait - a call returned a descriptor, whose file was looked up
 * @since: when it returned; @until: when the answer counts, if nothing has changed it meanwhile
 */
struct strace_fds_wait {
	int tid, fd;
	uint64_t since, until;
};

/** strace_fds_mark() - files of results that are not known yet are marked from now on */
void strace_fds_mark(struct strace_fds *fds);
/** strace_fds_marked() - that of the event being shown was: *@wait is what it waits for */
bool strace_fds_marked(const struct strace_fds *fds, struct strace_fds_wait *wait);
/** strace_fds_reach() - no event before @ts is left; 0 or -ENOMEM */
int strace_fds_reach(struct strace_fds *fds, uint64_t ts);
/**
 * strace_fds_answer() - append the file that was waited for, as strace_fds_print() does
 *
 * After strace_fds_reach() of @wait->until. Return: 1; 0: it is not known; -ENOMEM.
 */
int strace_fds_answer(struct strace_fds *fds, const struct strace_fds_wait *wait,
		      struct tfs_strbuf *out);

/** strace_fds_path() - for tfs_expr_wants_target(), with @ctx a struct strace_fds */
const char *strace_fds_path(void *ctx, const struct tfs_call *call, int fd);

/** strace_fds_print() - for struct tfs_args_opts, with @ctx a struct strace_fds */
int strace_fds_print(void *ctx, const struct tfs_call *call, int fd, struct tfs_strbuf *out);

#endif
