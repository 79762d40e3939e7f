/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_PID_NS_H
#define TFS_BASE_PID_NS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The kernel's events have the pids of the first pid namespace. A process in another one, as in
 * most containers, knows itself and what it starts by other numbers.
 */

/**
 * tfs_pid_ns() - number of this process's pid namespace
 *
 * No two that exist at a time have the same. Return: 0 for the first one, and where /proc does not
 * show it.
 */
uint64_t tfs_pid_ns(void);

/**
 * tfs_pid_in_status() - the last number of a line of /proc/PID/status or of a pidfd's fdinfo
 * @key: "\nTgid:"; of "\nNSpid:" it is the number in the process's own namespace, see
 *	proc_pid_status(5)
 *
 * Return: 0: there is no such line.
 */
long tfs_pid_in_status(const char *text, const char *key);

/** TFS_PID_TAG_SIZE - room for what tfs_pid_tag() writes */
#define TFS_PID_TAG_SIZE 48
/**
 * tfs_pid_tag() - a name for this process that no other has, in whatever container
 *
 * "PID" in the first namespace, "PID.NUMBER" in others, with @separator for the dot.
 */
void tfs_pid_tag(char tag[TFS_PID_TAG_SIZE], char separator);

#endif
