/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_TIME_H
#define TC_RECORD_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "record/session.h"

struct record_request;
struct tfs_err;
struct tfs_journal;
struct tfs_root;

/**
 * struct record_time - options of the file that turn stamps into times: see struct tfs_session_opts
 * @list: they point into this very structure
 */
struct record_time {
	struct tfs_session_option list[3];
	size_t n;
	char date[32], offset[32];
	struct {
		uint32_t mult, shift;
		uint64_t offset;
	} tsc;
};

/**
 * record_time_options() - what --date, --ts-offset and --tsc2nsec put into the file
 * @journal: an instance is made, and removed, to compare the clocks in; NULL for none
 *
 * Return: 0 or -errno with @err set.
 */
int record_time_options(const struct record_request *req, const struct tfs_root *root,
			struct tfs_journal *journal, struct record_time *time, struct tfs_err *err);

/**
 * record_marker_time() - the time stamp of the first tracing_mark_write in the text of a trace
 * @usec: set to it in microseconds; of a clock that counts, to the number
 *
 * Pure. Return: 0 or -ENOENT.
 */
int record_marker_time(const char *trace, uint64_t *usec);

#endif
