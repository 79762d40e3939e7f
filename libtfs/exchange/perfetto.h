/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_PERFETTO_H
#define TFS_EXCHANGE_PERFETTO_H

#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"

struct tfs_err;
struct tfs_strvec;
struct tfs_symbolize;
struct tfs_trace;
struct tfs_view;

/**
 * enum tfs_perfetto_flags - how the file is written
 * @TFS_PERFETTO_OLD_STACKS: stacks as samples of perf, for readers before v58, which count them and
 *	have no weights
 * @TFS_PERFETTO_NO_CLOCKS: time stamps are not those of the recorded clock
 * @TFS_PERFETTO_PLAIN: packets are not compressed
 */
enum tfs_perfetto_flags {
	TFS_PERFETTO_OLD_STACKS = 1 << 0,
	TFS_PERFETTO_NO_CLOCKS = 1 << 1,
	TFS_PERFETTO_PLAIN = 1 << 2,
};

/**
 * struct tfs_perfetto_opts - what is written; borrowed while the view lives, but @syscalls
 * @path: the file; "-" is standard output
 * @traces, @n: the recordings; several are several machines
 * @files: what each of them is called
 * @symbolize: names and tasks of each, which outlive the view; NULL: not known
 * @pairs, @syscall, @syscalls: as in struct tfs_spans_opts (span/span.h)
 * @flags: enum tfs_perfetto_flags
 */
struct tfs_perfetto_opts {
	const char *path;
	struct tfs_trace *const *traces;
	const char *const *files;
	const struct tfs_symbolize *const *symbolize;
	size_t n;
	const struct tfs_strvec *pairs;
	tfs_syscall_name_func *syscall;
	const void *const *syscalls;
	unsigned int flags;
};

/**
 * tfs_perfetto_new() - a file for Perfetto (ui.perfetto.dev, trace_processor)
 *
 * Events that Perfetto knows are written as its own messages, so that it draws tasks, interrupts,
 * system calls and functions; all others with their fields. Time stamps are those of the recording.
 * Memory does not grow with the recording. One view writes all recordings.
 * Return: 0, -ENOMEM, or -errno with @err set. Release with tfs_view_free(), which removes a file
 * that is not complete.
 */
int tfs_perfetto_new(const struct tfs_perfetto_opts *opts, struct tfs_view **view,
		     struct tfs_err *err);

#endif
