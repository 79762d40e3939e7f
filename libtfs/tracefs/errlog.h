/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_ERRLOG_H
#define TFS_TRACEFS_ERRLOG_H

#include <stdbool.h>

struct tfs_err;
struct tfs_root;

/**
 * tfs_errlog_add() - add the newest error_log entry to @err if it is about @command
 * @prefix: the instance's prefix, "" for the top level
 * @command: the bytes that were refused
 *
 * The kernel's message ("event filter parse error: error: Field not found") goes to err->kernel,
 * its Command to err->input and the caret's position to err->caret. Another's entry (the kernel
 * logs nothing for many a refusal: an unknown clock, tracer or event) is left out.
 * Kernel documentation: Documentation/trace/ftrace.rst, "error_log".
 */
void tfs_errlog_add(const struct tfs_root *root, const char *prefix, const char *command,
		    struct tfs_err *err);

/**
 * tfs_errlog_parse() - the same for an error_log that was read already; pure
 * Return: whether the newest entry is about @command.
 */
bool tfs_errlog_parse(const char *log, const char *command, struct tfs_err *err);

#endif
