/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_STAT_H
#define TFS_REPORT_STAT_H

#include <stdbool.h>

struct tfs_out;
struct tfs_sink;
struct tfs_trace;

/**
 * tfs_stat_new() - what a recording holds, CPU by CPU
 * @kernel_only: only trace-cmd report --stat's text: the kernel's counters as recorded and where
 *               the data lie; else a table of what was found in the data follows
 *
 * Return: 0 or -ENOMEM. Release with tfs_stat_free().
 */
int tfs_stat_new(struct tfs_trace *trace, struct tfs_out *out, bool kernel_only,
		 struct tfs_sink **sink);
void tfs_stat_free(struct tfs_sink *sink);

/** tfs_stat_uname() - trace-cmd report --uname's text: where and with what the file was made */
int tfs_stat_uname(struct tfs_trace *trace, struct tfs_out *out);

#endif
