/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_SQL_H
#define TC_TRACE_SQL_H

struct tfs_err;
struct trace_strace;

/**
 * strace_sql_show() - evaluate --sql until the end, and show the table
 *
 * Return: the program's exit status.
 */
int strace_sql_show(struct trace_strace *req, struct tfs_err *err);

#endif
