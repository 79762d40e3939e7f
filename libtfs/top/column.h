/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TOP_COLUMN_H
#define TFS_TOP_COLUMN_H

#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_top_values;

/**
 * enum tfs_top_by - what events are counted by: a row for each
 * @TFS_TOP_EVENT: the event's name, SYSTEM:EVENT
 * @TFS_TOP_TASK: the task that recorded it. Times: how long it ran, from sched_switch
 * @TFS_TOP_SYSCALL: system calls, counted when they return. Times: from entry to exit
 * @TFS_TOP_SYMBOL: the kernel function that the event is about. Times: of function_graph
 * @TFS_TOP_FILE: a field that holds a path, else device and inode
 * @TFS_TOP_CGROUP: the control group of the task that recorded it
 * @TFS_TOP_STACK: the innermost function of the event's stack
 */
enum tfs_top_by {
	TFS_TOP_EVENT,
	TFS_TOP_TASK,
	TFS_TOP_SYSCALL,
	TFS_TOP_SYMBOL,
	TFS_TOP_FILE,
	TFS_TOP_CGROUP,
	TFS_TOP_STACK,
	TFS_TOP_N_BY,
};

/** tfs_top_by_name() - "event", "task", ... as it is typed */
const char *tfs_top_by_name(enum tfs_top_by by);
/** tfs_top_by_heading() - of the column that holds the names */
const char *tfs_top_by_heading(enum tfs_top_by by);
/** tfs_top_by_parse() - Return: 0; -EINVAL with @err set, which lists the names */
int tfs_top_by_parse(const char *text, enum tfs_top_by *by, struct tfs_err *err);

/**
 * enum tfs_top_column - what is shown of a row, from left to right
 * @TFS_TOP_RATE: per second, in the interval
 * @TFS_TOP_RATE_10S: per second, in the last ten seconds
 * @TFS_TOP_TOTAL: since the row appeared
 * @TFS_TOP_SHARE: of the interval's times, or without times of its events
 * @TFS_TOP_TIME, @TFS_TOP_MEAN, @TFS_TOP_P99, @TFS_TOP_MAX: of what ended in the interval
 * @TFS_TOP_ERRORS: calls that failed in the interval
 * @TFS_TOP_COMM: name of the tasks that most of the interval's time, or without times most of its
 *	events, belong to; "+" after it: tasks of other names have the rest
 * @TFS_TOP_NAME: always shown, after the others
 */
enum tfs_top_column {
	TFS_TOP_RATE,
	TFS_TOP_RATE_10S,
	TFS_TOP_TOTAL,
	TFS_TOP_SHARE,
	TFS_TOP_TIME,
	TFS_TOP_MEAN,
	TFS_TOP_P99,
	TFS_TOP_MAX,
	TFS_TOP_ERRORS,
	TFS_TOP_COMM,
	TFS_TOP_NAME,
	TFS_TOP_N_COLUMNS,
};

/** tfs_top_columns() - those that rows of this kind have: 1 << enum tfs_top_column, ... */
unsigned int tfs_top_columns(enum tfs_top_by by);
/** tfs_top_column_name() - as it is typed; @tfs_top_column_heading(): as it is shown */
const char *tfs_top_column_name(enum tfs_top_column column);
const char *tfs_top_column_heading(enum tfs_top_column column);
/** tfs_top_column_width() - characters of its cells */
unsigned int tfs_top_column_width(enum tfs_top_column column);
/** tfs_top_column_parse() - Return: 0; -EINVAL with @err set, which lists the names */
int tfs_top_column_parse(const char *text, enum tfs_top_column *column, struct tfs_err *err);

/** TFS_TOP_CELL - bytes of a cell's text at most, with the NUL */
#define TFS_TOP_CELL 32

/** tfs_top_cell() - the text of a cell, "" if the row has no such value; not of TFS_TOP_NAME */
void tfs_top_cell(const struct tfs_top_values *values, enum tfs_top_column column,
		  char text[TFS_TOP_CELL]);
/** tfs_top_compare() - < 0 if @a has less in the column than @b, as qsort() takes it */
int tfs_top_compare(const struct tfs_top_values *a, const struct tfs_top_values *b,
		    enum tfs_top_column column);

/** tfs_top_duration() - nanoseconds in four significant digits and a unit: "12.34us" */
void tfs_top_duration(uint64_t ns, char text[TFS_TOP_CELL]);
/** tfs_top_rate() - per second: one decimal below 100, none above; from 10^9 on "1234M" */
void tfs_top_rate(double rate, char text[TFS_TOP_CELL]);

#endif
