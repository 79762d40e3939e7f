/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_THREADS_H
#define TFS_RECORD_THREADS_H

#include <sys/types.h>

struct tfs_err;
struct tfs_strvec;

/*
 * Numbers of existing threads, as set_event_pid and set_ftrace_pid take them. They are added to a
 * vector that belongs to the caller, each once; threads that end meanwhile are left out.
 */

/**
 * tfs_threads_add() - add the threads of a process
 * @pid: its number, or "self"
 *
 * Return: 0, also if there is no such process; -ENOMEM.
 */
int tfs_threads_add(const char *pid, struct tfs_strvec *out);

/**
 * tfs_threads_add_cgroup() - add the threads of a control group and of those below it
 * @name: as /proc/PID/cgroup has it after "0::", with or without the slash, or the directory
 *
 * Kernel documentation: admin-guide/cgroup-v2.rst, "Processes" and "Threads".
 * Return: 0, also if there are no tasks in it; -ESRCH if there is no such group; -ENOMEM, which is
 * not described.
 */
int tfs_threads_add_cgroup(const char *name, struct tfs_strvec *out, struct tfs_err *err);

/**
 * tfs_threads_add_container() - add the threads in the pid namespace of a process, or below it
 *
 * Return: 0; -EINVAL if the namespace is that of the caller; -errno if it cannot be read; -ENOMEM,
 * which is not described.
 */
int tfs_threads_add_container(pid_t pid, struct tfs_strvec *out, struct tfs_err *err);

#endif
