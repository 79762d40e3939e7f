/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_SQL_H
#define TFS_HIST_SQL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"

struct tfs_err;

/*
 * Queries over events, a part of SQL:
 *
 *	SELECT COLUMN, ... FROM EVENT [AS NAME] [JOIN EVENT [AS NAME] ON FIELD = FIELD]
 *		[WHERE CONDITION]
 *
 * A column is one of
 *	FIELD [AS NAME]			a key: there is a row for each combination of all keys
 *	COUNT(*) [AS NAME]		how many events, or pairs of events
 *	SUM(FIELD) [AS NAME]
 *	CAST(FIELD AS SYSCALL)		a key: a number of a system call by its name
 *	CAST(FIELD AS LOG2)		a key: a number by powers of two; also LOG
 *	CAST(FIELD AS _COUNTER_)	SUM(FIELD)
 *	TIMESTAMP_DELTA_USECS [AS NAME]	from the first event to the second; TIMESTAMP_DELTA: in ns
 *	(B.TIMESTAMP_USECS - A.TIMESTAMP_USECS) AS NAME
 *					the same
 *
 * FIELD is that of the event, or, with JOIN, NAME.FIELD. A condition compares a FIELD by == = != <
 * <= > >= & ~ with a number or "text"; AND OR NOT && || ! ( ) join conditions. Each event of JOIN
 * goes together with the last one of FROM whose FIELD is equal, which is used up.
 */

/** enum tfs_sql_what - what a column is */
enum tfs_sql_what { TFS_SQL_KEY, TFS_SQL_COUNT, TFS_SQL_SUM, TFS_SQL_DELTA };

/**
 * struct tfs_sql_field - a field
 * @event: 0: of the event of FROM, 1: of JOIN
 * @name: of the field; owned
 * @at: where it is in the query
 */
struct tfs_sql_field {
	unsigned int event;
	char *name;
	size_t at;
};

/**
 * struct tfs_sql_column - a column
 * @field: of KEY and SUM
 * @name: of the column; owned
 * @syscall: its numbers are those of system calls; @log2: they are counted by powers of two
 * @usecs: DELTA is in microseconds
 */
struct tfs_sql_column {
	enum tfs_sql_what what;
	struct tfs_sql_field field;
	char *name;
	bool syscall, log2;
	bool usecs;
};

/**
 * struct tfs_sql_event - an event of FROM or JOIN
 * @name: as typed, with a colon after the system if that was given; owned
 * @alias: AS; NULL: none
 * @at: where it is in the query
 * @on: its field of ON; name NULL: no JOIN
 * @filter: what WHERE says of it, as a filter of the kernel
 */
struct tfs_sql_event {
	char *name, *alias;
	size_t at;
	struct tfs_sql_field on;
	struct tfs_strbuf filter;
};

/**
 * struct tfs_sql - a query
 * @text: borrowed
 * @v: @n columns
 * @event: @n_events of them: one, or with @join two
 */
struct tfs_sql {
	const char *text;
	struct tfs_sql_column *v;
	size_t n;
	bool join;
	unsigned int n_events;
	struct tfs_sql_event event[2];
};

/**
 * tfs_sql_parse() - parse a query; pure
 * @text: outlives @sql
 * @sql: tfs_sql_release(), also after a failure
 *
 * Return: 0; -EINVAL with the place in @err; -ENOMEM.
 */
int tfs_sql_parse(const char *text, struct tfs_sql *sql, struct tfs_err *err);
void tfs_sql_release(struct tfs_sql *sql);

#endif
