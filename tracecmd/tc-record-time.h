/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_TIME_H
#define TC_RECORD_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "record/session.h"
#include "trace-date.h"

struct record_request;
struct tfs_err;
struct tfs_journal;
struct tfs_root;

/**
 * struct record_time - options of the file that convert time stamps: see struct tfs_session_opts
 * @list: the options, which point into this struct; it has room for two other options
 */
struct record_time {
	struct tfs_session_option list[5];
	size_t n;
	struct trace_date date;
	char offset[32];
	struct {
		uint32_t mult, shift;
		uint64_t offset;
	} tsc;
};

/**
 * record_time_options() - the options of --date, --ts-offset and --tsc2nsec
 * @journal: for the instance that is created temporarily to compare the clocks; NULL for none
 *
 * Return: 0 or -errno with @err set.
 */
int record_time_options(const struct record_request *req, const struct tfs_root *root,
			struct tfs_journal *journal, struct record_time *time, struct tfs_err *err);

#endif
