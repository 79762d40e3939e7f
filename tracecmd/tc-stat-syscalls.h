/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_SYSCALLS_H
#define TC_STAT_SYSCALLS_H

struct stat_request;
struct tfs_err;
struct tfs_out;

/**
 * stat_syscalls() - count system calls by number, and print the table of strace -c
 * @req: with @syscalls; checked
 * @out: where the table goes; flushed
 * @status: exit status of the program, also after a failure
 *
 * Return: 0 or -errno with @err set.
 */
int stat_syscalls(const struct stat_request *req, struct tfs_out *out, int *status,
		  struct tfs_err *err);

#endif
