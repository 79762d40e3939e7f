/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_ARROW_TABLES_H
#define TFS_EXCHANGE_ARROW_TABLES_H

struct tfs_arrow_opts;
struct tfs_err;
struct tfs_view;

/**
 * tfs_arrow_tables_new() - a table for each type of event, with a column for each of its fields
 * @opts: @path is a directory, which must not exist or be empty
 *
 * A stream of Apache Arrow for each: "sched.sched_switch.arrows". Losses are in "lost.arrows",
 * records without a format in "unknown.arrows". The directory gets its name when it is complete. No
 * more than one file is open at a time, and memory does not grow with the recording. As
 * tfs_arrow_view_new().
 */
int tfs_arrow_tables_new(const struct tfs_arrow_opts *opts, struct tfs_view **view,
			 struct tfs_err *err);

#endif
