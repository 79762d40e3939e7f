/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_COLUMNS_H
#define TFS_VIEW_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_event_type;
struct tfs_strvec;
struct tfs_trace;

/** enum tfs_column_kind - what a column of --fields shows; tc-report(1) has the list */
enum tfs_column_kind {
	TFS_COLUMN_HOST,
	TFS_COLUMN_FILE,
	TFS_COLUMN_TS,
	TFS_COLUMN_TIME,
	TFS_COLUMN_BUFFER,
	TFS_COLUMN_CPU,
	TFS_COLUMN_PID,
	TFS_COLUMN_COMM,
	TFS_COLUMN_FLAGS,
	TFS_COLUMN_EVENT,
	TFS_COLUMN_SYSTEM,
	TFS_COLUMN_ID,
	TFS_COLUMN_RAW,
	TFS_COLUMN_LOST,
	TFS_COLUMN_FIELDS,
	TFS_COLUMN_TEXT,
	TFS_COLUMN_TASK,   /* COMM-PID */
	TFS_COLUMN_SYMBOL, /* of the kernel's code that the event is about */
	TFS_COLUMN_FIELD,  /* one field of events that have it */
};

/**
 * struct tfs_column - one column
 * @name: as typed, which is its heading
 * @event: of a FIELD: glob of the events meant, NULL for all
 * @field: of a FIELD: its name, in @name
 * @optional: a row that has no value leaves it out, where rows name their columns
 */
struct tfs_column {
	enum tfs_column_kind kind;
	char *name;
	char *event;
	const char *field;
	bool optional;
};

/** struct tfs_columns - a zeroed one is empty */
struct tfs_columns {
	struct tfs_column *column;
	size_t n;
};

void tfs_columns_release(struct tfs_columns *columns);
/** tfs_columns_add() - an optional one, not a field; its name is that of its kind; 0 or -ENOMEM */
int tfs_columns_add(struct tfs_columns *columns, enum tfs_column_kind kind);
/**
 * tfs_columns_parse() - add what was asked for
 * @traces: the recordings of which any may have the fields
 * @lists: names with commas between them: a kind's ("time"), a field's ("next_pid"), or
 *	EVENT.FIELD, EVENT as tfs_select_event_glob() has it
 *
 * Return: 0; -ENOENT for a name that is neither, with near names; -EINVAL for one that comes twice;
 * -ENOMEM.
 */
int tfs_columns_parse(struct tfs_trace *const *traces, size_t n_traces,
		      const struct tfs_strvec *lists, struct tfs_columns *columns,
		      struct tfs_err *err);
bool tfs_columns_has(const struct tfs_columns *columns, enum tfs_column_kind kind);
/** tfs_column_is_of() - can @type have a value in a column that is a FIELD? */
bool tfs_column_is_of(const struct tfs_column *column, const struct tfs_event_type *type);

#endif
