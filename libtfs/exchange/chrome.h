/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_CHROME_H
#define TFS_EXCHANGE_CHROME_H

#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"

struct tfs_err;
struct tfs_strvec;
struct tfs_symbolize;
struct tfs_trace;
struct tfs_view;

/** TFS_CHROME_SLICES - viewers hold the whole file as text, and about so many slices at most */
#define TFS_CHROME_SLICES 2000000

/**
 * struct tfs_chrome_opts - what is written; borrowed while the view lives, but @syscalls
 * @path: the file; "-" is standard output
 * @traces, @n: the recordings
 * @files: what each of them is called
 * @symbolize: tasks of each, which outlive the view; NULL: not known
 * @pairs, @syscall, @syscalls: as in struct tfs_spans_opts (span/span.h)
 */
struct tfs_chrome_opts {
	const char *path;
	struct tfs_trace *const *traces;
	const char *const *files;
	const struct tfs_symbolize *const *symbolize;
	size_t n;
	const struct tfs_strvec *pairs;
	tfs_syscall_name_func *syscall;
	const void *const *syscalls;
};

/**
 * tfs_chrome_new() - a file in the JSON format of chrome://tracing, which others read as well
 *
 * A row for each CPU: tasks, and interrupts in them; a row for each task: system calls, calls of
 * function_graph and pairs; other events are instants. Losses are slices. Slices are written when
 * they end; of those that begin at the same time the longer one comes first. Memory is that of what
 * is open. Return: 0, -ENOMEM, or -errno with @err set. Release with tfs_view_free(), which removes
 * a file that is not complete.
 */
int tfs_chrome_new(const struct tfs_chrome_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
