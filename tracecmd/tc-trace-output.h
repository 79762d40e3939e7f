/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_OUTPUT_H
#define TC_TRACE_OUTPUT_H

#include <stdbool.h>
#include <sys/types.h>

struct tfs_err;
struct tfs_out;
struct trace_strace;

/**
 * struct strace_output - where lines go
 * @fd: open for writing
 * @pid: of '|CMD'; 0: none
 * @owned: @fd is to be closed
 * @terminal: it is one
 */
struct strace_output {
	int fd;
	pid_t pid;
	bool owned, terminal;
	struct tfs_out *out;
};

#define STRACE_OUTPUT_INIT \
	{                  \
		.fd = -1   \
	}

/**
 * strace_output_open() - open -o, start its command; without -o @fd
 *
 * Before the signals are blocked (trace_live_open()): the command gets them as they are, but SIGINT
 * is ignored, so that it reads to the end. Return: 0 or -errno with @err set.
 */
int strace_output_open(const struct trace_strace *req, int fd, struct strace_output *output,
		       struct tfs_err *err);

/**
 * strace_output_close() - write what is held, wait for the command of -o
 * @rc: 0, or what failed before
 *
 * Return: @rc; if that is 0, -errno of writing, or -EPIPE with @err set if the command failed.
 */
int strace_output_close(const struct trace_strace *req, struct strace_output *output, int rc,
			struct tfs_err *err);

#endif
