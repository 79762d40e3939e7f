/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_SINK_H
#define TFS_REPORT_SINK_H

#include <stddef.h>

struct tfs_err;
struct tfs_merge;
struct tfs_record;

/**
 * struct tfs_sink - one renderer of a stream of records
 *
 * Embedded as first member of the renderer's own struct. Functions return 0 or -errno with @err
 * set; the first failure ends the run (end() is still called). Records come in order of time.
 * @begin: before the first record
 * @record, @lost: both NULL when the view has no use for records
 * @record: one record; @merge is for looking ahead (tfs_merge_peek())
 * @lost: events were lost before @rec on its CPU (rec->lost says how many); comes before @record
 * @text: instead of records: what a latency tracer wrote; NULL when the view has no use for it
 * @end: after the last record; writes out what is held
 */
struct tfs_sink {
	int (*begin)(struct tfs_sink *sink, struct tfs_err *err);
	int (*record)(struct tfs_sink *sink, const struct tfs_record *rec, struct tfs_merge *merge,
		      struct tfs_err *err);
	int (*lost)(struct tfs_sink *sink, const struct tfs_record *rec, struct tfs_err *err);
	int (*text)(struct tfs_sink *sink, const char *text, size_t len, struct tfs_err *err);
	int (*end)(struct tfs_sink *sink, struct tfs_err *err);
};

#endif
