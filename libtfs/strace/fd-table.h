/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_FD_TABLE_H
#define TFS_STRACE_FD_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_call;
struct tfs_strbuf;

/** TFS_FD_CWD - AT_FDCWD: the current directory, where a descriptor is asked for */
#define TFS_FD_CWD (-100)

/**
 * struct tfs_fd_table - which files the descriptors of processes mean, at each moment of a trace
 *
 * It follows the calls that open, copy and close descriptors, forks and execs, in order of time. A
 * file is called by the name that was typed, where the trace has it, or by what was read of
 * /proc/PID/fd, if no call can have changed the descriptor meanwhile. Otherwise it is not known:
 * after losses, for tasks whose creation was not recorded, and where calls of threads overlap so
 * that one order of them would give another file.
 *
 * A name is that of the time at which the file was opened, or looked up: other processes may have
 * renamed or deleted it since. Memory: tasks that live, and their descriptors below TFS_FD_MAX. One
 * thread.
 */
struct tfs_fd_table;

/** tfs_fd_table_new() - 0 or -ENOMEM */
int tfs_fd_table_new(struct tfs_fd_table **out);
void tfs_fd_table_free(struct tfs_fd_table *t);

/*
 * Events, in order of time. Return: 0 or -ENOMEM, with what could not be kept unknown.
 */

/** tfs_fd_table_enter() - a call began; after this its arguments can be printed */
int tfs_fd_table_enter(struct tfs_fd_table *t, const struct tfs_call *call);
/**
 * tfs_fd_table_returned() - it ended, or will never be seen to end (TFS_CALL_NO_EXIT)
 *
 * After the arguments were printed and before the result is: from here on descriptors mean what
 * the call made of them.
 */
int tfs_fd_table_returned(struct tfs_fd_table *t, const struct tfs_call *call);
/**
 * tfs_fd_table_fork() - @tid created @child
 * @flags: CLONE_ flags, if they are @known
 */
int tfs_fd_table_fork(struct tfs_fd_table *t, int tid, int child, uint64_t flags, bool known,
		      uint64_t ts);
/** tfs_fd_table_exec() - @tid, of process @tgid, runs another program; other threads are gone */
int tfs_fd_table_exec(struct tfs_fd_table *t, int tid, int tgid, uint64_t ts);
/** tfs_fd_table_end() - a thread ended */
void tfs_fd_table_end(struct tfs_fd_table *t, int tid);
/** tfs_fd_table_lost() - events were lost before @ts */
void tfs_fd_table_lost(struct tfs_fd_table *t, uint64_t ts);

/**
 * struct tfs_fd_seen - what /proc said of a descriptor
 * @tid, @tgid: whose; @fd: TFS_FD_CWD for the current directory
 * @text: what /proc/TID/fd/FD, or /proc/TID/cwd, links to
 * @cloexec: 1 or 0, -1: not known
 * @begin, @end: times by the trace's clock before and after it was read
 */
struct tfs_fd_seen {
	int tid, tgid, fd;
	const char *text;
	int cloexec;
	uint64_t begin, end;
};

/**
 * tfs_fd_table_saw() - something was looked up in /proc
 *
 * It counts once the table gets to @end, which may be later, if no call that began before then
 * and ended after @begin can have changed the descriptor. Up to 4096 wait; more are dropped.
 */
int tfs_fd_table_saw(struct tfs_fd_table *t, const struct tfs_fd_seen *seen);

/** tfs_fd_table_reach() - no event before @ts is left: what was looked up until then counts */
int tfs_fd_table_reach(struct tfs_fd_table *t, uint64_t ts);

/**
 * tfs_fd_table_is_since() - is the descriptor known, and what it became at @ts?
 *
 * False if a call has changed it after @ts, or may be changing it.
 */
bool tfs_fd_table_is_since(const struct tfs_fd_table *t, int tid, int fd, uint64_t ts);

/** tfs_fd_table_is_known() - is the descriptor known, so that /proc need not be read? */
bool tfs_fd_table_is_known(const struct tfs_fd_table *t, int tid, int fd);

/**
 * tfs_fd_table_path() - path of the file of a descriptor, by the kernel, else as it was typed
 *
 * NULL: it has none, or it is not known. Until the next call of another function of the table.
 */
const char *tfs_fd_table_path(const struct tfs_fd_table *t, int tid, int fd);

/** enum tfs_fd_style - what is printed of a descriptor: files (-y), and kinds of sockets (-yy) */
enum tfs_fd_style { TFS_FD_FILES, TFS_FD_PROTOCOLS };

/**
 * tfs_fd_table_print() - append what a descriptor means: "</etc/passwd>"; nothing if unknown
 *
 * As strace -y: "<pipe:[123]>", "<anon_inode:[eventfd]>", "</tmp/x>(deleted)". Besides, "<~/lib/x>"
 * is a name as it was typed, and "?" stands for the number of a socket that is not known.
 */
int tfs_fd_table_print(const struct tfs_fd_table *t, int tid, int fd, enum tfs_fd_style style,
		       struct tfs_strbuf *out);

#endif
