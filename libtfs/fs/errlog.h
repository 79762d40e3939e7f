/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FS_ERRLOG_H
#define TFS_FS_ERRLOG_H

struct tfs_err;
struct tfs_root;

/**
 * tfs_errlog_add() - add the newest error_log entry to @err if it is about @command
 * @prefix: the instance's prefix, "" for the top level
 * @command: the bytes that were refused
 *
 * The entry's text goes to err->kernel and the caret's position to err->caret with @command as
 * err->input. Another's entry (the kernel sometimes logs nothing for a refusal) is left out.
 * Kernel documentation: Documentation/trace/ftrace.rst, "error_log".
 */
void tfs_errlog_add(const struct tfs_root *root, const char *prefix, const char *command,
		    struct tfs_err *err);

#endif
