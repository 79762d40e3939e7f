/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_WIDE_ROW_H
#define TFS_VIEW_WIDE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "printfmt/flags.h"

struct tfs_err;
struct tfs_event;
struct tfs_trace;
struct tfs_wide_type;

/*
 * Rows of the table "events", which every format for database engines has: tc-report-json(5) says
 * what is in the columns. A row is an event, a record without a format, or a loss.
 */

/**
 * enum tfs_wide_column - the columns in order. Engines and people know them by name: new ones are
 * added at the end, and none is renamed or removed
 */
enum tfs_wide_column {
	TFS_WIDE_HOST,
	TFS_WIDE_FILE,
	TFS_WIDE_TS,
	TFS_WIDE_TS_BOUND,
	TFS_WIDE_CPU,
	TFS_WIDE_TID,
	TFS_WIDE_COMM,
	TFS_WIDE_FLAGS,
	TFS_WIDE_EVENT,
	TFS_WIDE_FIELDS,
	TFS_WIDE_LOST,
	TFS_WIDE_BUFFER,
	TFS_WIDE_COLUMNS,
};

/** tfs_wide_name() - name of a column */
const char *tfs_wide_name(enum tfs_wide_column column);

/** struct tfs_wide_text - bytes that need not be UTF-8; @s NULL: null */
struct tfs_wide_text {
	const char *s;
	size_t len;
};

/**
 * struct tfs_wide_row - a row; texts are valid until the next row is made
 * @fields: an object of JSON, which is UTF-8
 * @lost: events, or 0 for null
 * @input, @buffer_index: for tfs_wide_buffer()
 */
struct tfs_wide_row {
	struct tfs_wide_text host, file, comm, flags, event, fields;
	uint64_t ts, lost;
	uint32_t input, buffer_index;
	unsigned int cpu;
	int tid;
	bool has_tid;
	char flags_text[TFS_FLAGS_MAX];
};

/**
 * struct tfs_wide_source - a recording
 * @file: what it is called; borrowed
 * @host: the machine's name; borrowed from @trace
 * @bound: ts_bound of its rows, in ns; valid if @has_bound, else they have null
 */
struct tfs_wide_source {
	struct tfs_trace *trace;
	struct tfs_wide_text file, host;
	uint32_t bound;
	bool has_bound;
};

/**
 * struct tfs_wide_input - recordings to make rows of; borrowed
 * @traces, @n: the recordings
 * @files: what each of them is called
 * @bounds: how far time stamps of each may be from a clock that all share, in ns; more than
 *	UINT32_MAX: not known. NULL: of none
 */
struct tfs_wide_input {
	struct tfs_trace *const *traces;
	const char *const *files;
	const uint64_t *bounds;
	size_t n;
};

/**
 * tfs_wide_sources_new() - the recordings, each with the host that it names, if it does
 * @out: release with free()
 *
 * Return: 0; -EOPNOTSUPP, with @err set, for a latency tracer's text, which has no columns;
 * -ENOMEM.
 */
int tfs_wide_sources_new(const struct tfs_wide_input *input, struct tfs_wide_source **out,
			 struct tfs_err *err);

/** tfs_wide_buffer() - name of the instance of a row; "" for the top one */
struct tfs_wide_text tfs_wide_buffer(const struct tfs_wide_source *s, uint32_t buffer);

/**
 * struct tfs_wide_maker - makes rows; for one thread
 * @sources, @n: the recordings; borrowed
 * @types: of each recording, by index of the type; NULL: not met yet
 */
struct tfs_wide_maker {
	const struct tfs_wide_source *sources;
	size_t n;
	struct tfs_wide_type ***types;
	struct tfs_strbuf fields;
};

/** tfs_wide_maker_init() - 0 or -ENOMEM; release in any case */
int tfs_wide_maker_init(struct tfs_wide_maker *m, const struct tfs_wide_source *sources, size_t n);
void tfs_wide_maker_release(struct tfs_wide_maker *m);
/** tfs_wide_head() - the same as tfs_wide_event(), but @fields is null */
int tfs_wide_head(struct tfs_wide_maker *m, const struct tfs_event *event,
		  struct tfs_wide_row *row);
/** tfs_wide_event() - the row of an event; 0 or -ENOMEM */
int tfs_wide_event(struct tfs_wide_maker *m, const struct tfs_event *event,
		   struct tfs_wide_row *row);
/** tfs_wide_loss() - the row of the loss before an event, or of what is missing */
void tfs_wide_loss(struct tfs_wide_maker *m, const struct tfs_event *event,
		   struct tfs_wide_row *row);

#endif
