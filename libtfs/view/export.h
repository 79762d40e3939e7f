/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_EXPORT_H
#define TFS_VIEW_EXPORT_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_strvec;
struct tfs_trace;
struct tfs_view;

/**
 * enum tfs_export_style - how a row is written
 * @TFS_EXPORT_JSON: an object a line; tc-report-json(5) has every key
 * @TFS_EXPORT_CSV: RFC 4180 with a line feed at the end of a line; names of columns first
 * @TFS_EXPORT_TAB: columns with tabs between them, no names
 */
enum tfs_export_style { TFS_EXPORT_JSON, TFS_EXPORT_CSV, TFS_EXPORT_TAB };

/**
 * struct tfs_export_opts - which rows
 * @columns: as tfs_columns_parse() takes them; NULL or empty: all that the style has
 * @text: with the print format's text: in JSON besides the fields, in CSV instead; without @columns
 * @raw_ts: time stamps are not in nanoseconds: no seconds
 * @inert: for a terminal: see base/inert.h
 * @events_only: no column for losses unless it is named
 * @traces: borrowed; the @n_traces recordings of the report, and @own, the index of this one:
 *	columns may be fields of any, and of all the views only the first prints what they are
 * @host: the machine it is from; borrowed; NULL: not known
 * @file: what this one is called, a column when there are several; borrowed
 */
struct tfs_export_opts {
	enum tfs_export_style style;
	const struct tfs_strvec *columns;
	bool text;
	bool raw_ts;
	bool inert;
	bool events_only;
	struct tfs_trace *const *traces;
	size_t n_traces, own;
	const char *host, *file;
};

/**
 * tfs_export_new() - a row for each record and for each loss, for other programs to read
 * @view: release with tfs_view_free()
 *
 * Return: 0; -EOPNOTSUPP when the recording is a latency tracer's text, which has no columns; what
 * tfs_columns_parse() returns; -ENOMEM.
 */
int tfs_export_new(const struct tfs_export_opts *opts, struct tfs_view **view, struct tfs_err *err);

#endif
