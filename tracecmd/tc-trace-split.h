/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_SPLIT_H
#define TC_TRACE_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;

/** struct strace_split - a file for each thread: PATH.TID (-ff) */
struct strace_split;

/**
 * strace_split_new() - no file is made before a thread has a line
 * @path: borrowed
 * @append: to files that are there already; else they are emptied
 *
 * Return: 0 or -ENOMEM with @err set.
 */
int strace_split_new(const char *path, bool append, struct strace_split **out, struct tfs_err *err);
/** strace_split_free() - what was not written is dropped; takes NULL */
void strace_split_free(struct strace_split *s);

/** strace_split_add() - hold a line of a thread; 0, -ENOMEM, or what writing met */
int strace_split_add(struct strace_split *s, int tid, const char *text, size_t len);

/** strace_split_flush() - write what is held; 0 or -errno with @err set */
int strace_split_flush(struct strace_split *s, struct tfs_err *err);

#endif
