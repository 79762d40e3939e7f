/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_STAT_H
#define TFS_VIEW_STAT_H

struct tfs_trace;
struct tfs_view;

/**
 * enum tfs_stat_kind - how much to print
 * @TFS_STAT_UNAME: trace-cmd report --uname's text: where and with what the file was made
 * @TFS_STAT_VERSION: the second of these alone
 * @TFS_STAT_KERNEL: trace-cmd report --stat's text: the kernel's counters as recorded, and where
 *                   the data lie
 * @TFS_STAT_ALL: that, and a table of what was found in the data
 */
enum tfs_stat_kind { TFS_STAT_UNAME, TFS_STAT_VERSION, TFS_STAT_KERNEL, TFS_STAT_ALL };

/**
 * tfs_stat_new() - what a recording holds, CPU by CPU
 *
 * Return: 0 or -ENOMEM. Release with tfs_view_free().
 */
int tfs_stat_new(struct tfs_trace *trace, enum tfs_stat_kind kind, struct tfs_view **view);

#endif
