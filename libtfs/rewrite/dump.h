/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_DUMP_H
#define TFS_REWRITE_DUMP_H

struct tfs_dat;
struct tfs_err;
struct tfs_out;

/** enum tfs_dump_part - what tfs_dump() prints: as the options of trace-cmd dump are called */
enum tfs_dump_part {
	TFS_DUMP_HEAD_PAGE = 1 << 0,
	TFS_DUMP_HEAD_EVENT = 1 << 1,
	TFS_DUMP_FTRACE_EVENTS = 1 << 2,
	TFS_DUMP_SYSTEMS = 1 << 3,
	TFS_DUMP_EVENTS = 1 << 4,
	TFS_DUMP_KALLSYMS = 1 << 5,
	TFS_DUMP_PRINTK = 1 << 6,
	TFS_DUMP_CMD_LINES = 1 << 7,
	TFS_DUMP_OPTIONS = 1 << 8,
	TFS_DUMP_FLYRECORD = 1 << 9,
	TFS_DUMP_CLOCK = 1 << 10,
	TFS_DUMP_SECTIONS = 1 << 11,
	TFS_DUMP_STRINGS = 1 << 12,
	TFS_DUMP_SUMMARY = 1 << 13,
	TFS_DUMP_ALL = (1 << 14) - 1,
};

/**
 * tfs_dump() - print what a file holds besides records, in the layout of trace-cmd dump 3.1
 * @parts: enum tfs_dump_part; printed in an order of their own
 * @out: its errors are found when it is flushed
 *
 * Return: 0; -ENOMEM; -EBADMSG or the errno of a read when options cannot be read.
 */
int tfs_dump(struct tfs_dat *dat, unsigned int parts, struct tfs_out *out, struct tfs_err *err);

#endif
