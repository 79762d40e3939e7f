/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PIPELINE_TIMESTAMP_CHECK_H
#define TFS_PIPELINE_TIMESTAMP_CHECK_H

#include <stdint.h>

struct tfs_record;
struct tfs_trace;

/**
 * struct tfs_timestamp_check - looks for time stamps that go backwards (trace-cmd's --ts-check)
 */
struct tfs_timestamp_check;

/**
 * struct tfs_timestamp_report - called for each of them
 * @call: the time stamp of @rec is before @last, that of the previous record on the same CPU of its
 *        buffer. Called by one thread at a time, not always by the one that runs the report
 */
struct tfs_timestamp_report {
	void (*call)(void *context, const struct tfs_record *rec, uint64_t last);
	void *context;
};

/** tfs_timestamp_check_new() - for the records of one recording; @report is copied; 0 or -ENOMEM */
int tfs_timestamp_check_new(struct tfs_trace *trace, const struct tfs_timestamp_report *report,
			    struct tfs_timestamp_check **out);
void tfs_timestamp_check_free(struct tfs_timestamp_check *check);
/** tfs_timestamp_check_record() - the next record, in the order of the report */
void tfs_timestamp_check_record(struct tfs_timestamp_check *check, const struct tfs_record *rec);

#endif
