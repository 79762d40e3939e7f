/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_PROC_H
#define TC_TRACE_PROC_H

#include <stdbool.h>
#include <stdint.h>

#include "strace/call.h"

struct tfs_dat;
struct tfs_fd_seen;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * struct strace_proc - what /proc says of tasks, or said while a recording was made
 *
 * Questions are asked while an event is shown, and @at is its time (0: before any). A recording has
 * the answers to those that were asked then (tracedat/dat-calls.h), others it cannot answer.
 */
struct strace_proc;

/**
 * strace_proc_live() - ask /proc
 * @command: COMMAND's process; 0: none
 * @keep: for strace_proc_kept()
 * @memory: for strace_proc_text()
 *
 * Return: 0 or -ENOMEM.
 */
int strace_proc_live(int command, bool keep, bool memory, struct strace_proc **out);
/** strace_proc_file() - the answers that a recording has; @dat outlives it */
int strace_proc_file(const struct tfs_dat *dat, struct strace_proc **out);
void strace_proc_free(struct strace_proc *proc);

/** strace_proc_command() - COMMAND's process; 0: none, or not known */
int strace_proc_command(const struct strace_proc *proc);
/**
 * strace_proc_kept() - the payload of TFS_DAT_PRIVATE_CALLS: all that was answered
 *
 * Bounded: after 64 MiB nothing is added. NULL: nothing is kept.
 */
const struct tfs_strbuf *strace_proc_kept(const struct strace_proc *proc);

/** strace_proc_learn() - note the threads that a process has before any event; 0 or -ENOMEM */
int strace_proc_learn(struct strace_proc *proc, int tgid);
/** strace_proc_task() - the process of a thread, 0: not known; and its name, "": not known */
int strace_proc_task(struct strace_proc *proc, uint64_t at, int tid, char comm[TFS_CALL_COMM]);
/** strace_proc_threads() - append the numbers of a process's threads, as known; 0 or -ENOMEM */
int strace_proc_threads(const struct strace_proc *proc, int tgid, struct tfs_strvec *tids);
/**
 * strace_proc_look() - what file a descriptor is
 * @seen: tid, tgid, fd; gets the rest. Its text is valid until the next call
 * @sockets: names of sockets have their protocol
 *
 * Return: 1; 0: not known.
 */
int strace_proc_look(struct strace_proc *proc, uint64_t at, bool sockets, struct tfs_fd_seen *seen);
/**
 * strace_proc_text() - a text in the memory of a thread, as it is now
 * @text: a guess at what it was; valid until the next call
 *
 * Nothing that no name of a file would be: control characters. Nothing of a recording.
 * Return: 1; 0: it cannot be read, or is none.
 */
int strace_proc_text(struct strace_proc *proc, int tid, uint64_t address,
		     struct tfs_call_text *text);
/** strace_proc_each_fd() - call @call for each descriptor of a thread until it fails; its result */
int strace_proc_each_fd(struct strace_proc *proc, uint64_t at, int tid,
			int (*call)(void *ctx, int fd), void *ctx);
/** strace_proc_next() - the first thread above @tid that was looked at before any event; 0: none */
int strace_proc_next(const struct strace_proc *proc, int tid);

#endif
