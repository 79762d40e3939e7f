/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "top/column.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/macros.h"
#include "top/rows.h"

#define BIT(column) (1u << (column))
#define COUNTS                                                                                 \
	(BIT(TFS_TOP_RATE) | BIT(TFS_TOP_RATE_10S) | BIT(TFS_TOP_TOTAL) | BIT(TFS_TOP_SHARE) | \
	 BIT(TFS_TOP_NAME))
#define WHO BIT(TFS_TOP_COMM)
#define TIMES (BIT(TFS_TOP_TIME) | BIT(TFS_TOP_MEAN) | BIT(TFS_TOP_P99) | BIT(TFS_TOP_MAX))

static const struct {
	const char *name, *heading;
	unsigned int columns;
} kinds[TFS_TOP_N_BY] = {
	[TFS_TOP_EVENT] = { "event", "EVENT", COUNTS | WHO },
	[TFS_TOP_TASK] = { "task", "TASK", COUNTS | TIMES },
	[TFS_TOP_SYSCALL] = { "syscall", "SYSCALL", COUNTS | TIMES | WHO | BIT(TFS_TOP_ERRORS) },
	[TFS_TOP_SYMBOL] = { "symbol", "SYMBOL", COUNTS | TIMES | WHO },
	[TFS_TOP_FILE] = { "file", "FILE", COUNTS | WHO },
	[TFS_TOP_CGROUP] = { "cgroup", "CGROUP", COUNTS | WHO },
	[TFS_TOP_STACK] = { "stack", "STACK TOP", COUNTS | WHO },
};

static const struct {
	const char *name, *heading;
	unsigned int width;
} columns[TFS_TOP_N_COLUMNS] = {
	[TFS_TOP_RATE] = { "rate", "RATE/S", 9 },     [TFS_TOP_RATE_10S] = { "rate10", "10S/S", 9 },
	[TFS_TOP_TOTAL] = { "total", "TOTAL", 10 },   [TFS_TOP_SHARE] = { "share", "SHARE", 6 },
	[TFS_TOP_TIME] = { "time", "TIME", 7 },       [TFS_TOP_MEAN] = { "mean", "MEAN", 7 },
	[TFS_TOP_P99] = { "p99", "P99", 7 },          [TFS_TOP_MAX] = { "max", "MAX", 7 },
	[TFS_TOP_ERRORS] = { "errors", "ERRORS", 7 }, [TFS_TOP_COMM] = { "comm", "COMM", 16 },
	[TFS_TOP_NAME] = { "name", "NAME", 0 },
};

const char *tfs_top_by_name(enum tfs_top_by by)
{
	return kinds[by].name;
}

const char *tfs_top_by_heading(enum tfs_top_by by)
{
	return kinds[by].heading;
}

unsigned int tfs_top_columns(enum tfs_top_by by)
{
	return kinds[by].columns;
}

const char *tfs_top_column_name(enum tfs_top_column column)
{
	return columns[column].name;
}

const char *tfs_top_column_heading(enum tfs_top_column column)
{
	return columns[column].heading;
}

unsigned int tfs_top_column_width(enum tfs_top_column column)
{
	return columns[column].width;
}

int tfs_top_by_parse(const char *text, enum tfs_top_by *by, struct tfs_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].name, text) != 0)
			continue;
		*by = (enum tfs_top_by)i;
		return 0;
	}
	tfs_err_say(err, -EINVAL, "'%s' is not something that rows can be made by", text);
	tfs_err_hint(err, "event, task, syscall, symbol, file, cgroup or stack");
	return -EINVAL;
}

int tfs_top_column_parse(const char *text, enum tfs_top_column *column, struct tfs_err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		if (strcmp(columns[i].name, text) != 0)
			continue;
		*column = (enum tfs_top_column)i;
		return 0;
	}
	tfs_err_say(err, -EINVAL, "'%s' is not a column", text);
	tfs_err_hint(err, "rate, rate10, total, share, time, mean, p99, max, errors, comm or name");
	return -EINVAL;
}

/* With so many digits after the point that there are four in all; never "1000.0" */
static void put_scaled(double value, const char *unit, char text[TFS_TOP_CELL])
{
	int digits = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;

	snprintf(text, TFS_TOP_CELL, "%.*f%s", digits, value, unit);
}

void tfs_top_duration(uint64_t ns, char text[TFS_TOP_CELL])
{
	if (ns < 1000)
		snprintf(text, TFS_TOP_CELL, "%" PRIu64 "ns", ns);
	else if (ns < 999950)
		put_scaled((double)ns / 1e3, "us", text);
	else if (ns < 999950000)
		put_scaled((double)ns / 1e6, "ms", text);
	else
		put_scaled((double)ns / 1e9, "s", text);
}

void tfs_top_rate(double rate, char text[TFS_TOP_CELL])
{
	if (rate < 99.95)
		snprintf(text, TFS_TOP_CELL, "%.1f", rate);
	else if (rate < 999999999.5)
		snprintf(text, TFS_TOP_CELL, "%.0f", rate);
	else
		snprintf(text, TFS_TOP_CELL, "%.0fM", rate / 1e6);
}

void tfs_top_cell(const struct tfs_top_values *v, enum tfs_top_column column,
		  char text[TFS_TOP_CELL])
{
	const uint64_t times[] = { v->time, v->mean, v->p99, v->max };

	*text = '\0';
	switch (column) {
	case TFS_TOP_RATE:
		tfs_top_rate(v->rate, text);
		break;
	case TFS_TOP_RATE_10S:
		tfs_top_rate(v->rate_10s, text);
		break;
	case TFS_TOP_TOTAL:
		snprintf(text, TFS_TOP_CELL, "%" PRIu64, v->total);
		break;
	case TFS_TOP_SHARE:
		snprintf(text, TFS_TOP_CELL, "%.1f%%", v->share * 100);
		break;
	case TFS_TOP_TIME:
	case TFS_TOP_MEAN:
	case TFS_TOP_P99:
	case TFS_TOP_MAX:
		if (v->timed)
			tfs_top_duration(times[column - TFS_TOP_TIME], text);
		break;
	case TFS_TOP_ERRORS:
		if (v->errors)
			snprintf(text, TFS_TOP_CELL, "%" PRIu64, v->errors);
		break;
	case TFS_TOP_COMM:
		snprintf(text, TFS_TOP_CELL, "%s%s", v->comm, v->others ? "+" : "");
		break;
	case TFS_TOP_NAME:
	case TFS_TOP_N_COLUMNS:
		break;
	}
}

#define COMPARE(member) ((a->member > b->member) - (a->member < b->member))

int tfs_top_compare(const struct tfs_top_values *a, const struct tfs_top_values *b,
		    enum tfs_top_column column)
{
	switch (column) {
	case TFS_TOP_RATE:
		return COMPARE(rate);
	case TFS_TOP_RATE_10S:
		return COMPARE(rate_10s);
	case TFS_TOP_TOTAL:
		return COMPARE(total);
	case TFS_TOP_SHARE:
		return COMPARE(share);
	case TFS_TOP_TIME:
		return COMPARE(time);
	case TFS_TOP_MEAN:
		return COMPARE(mean);
	case TFS_TOP_P99:
		return COMPARE(p99);
	case TFS_TOP_MAX:
		return COMPARE(max);
	case TFS_TOP_ERRORS:
		return COMPARE(errors);
	case TFS_TOP_COMM:
		return -strcmp(a->comm, b->comm);
	case TFS_TOP_NAME:
	case TFS_TOP_N_COLUMNS:
		break;
	}
	return 0;
}
