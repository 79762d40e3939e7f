/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TOP_RECORD_H
#define TC_TOP_RECORD_H

#include "base/err.h"

struct tfs_instance;
struct tfs_strbuf;
struct trace_keep;
struct trace_live;

/**
 * struct top_record - the key w, and --record: what is counted goes into a file as well
 * @keep: NULL: not now
 * @name: of a file that has no name from an option
 * @failed: why one could not be completed; the table goes on without it
 */
struct top_record {
	struct trace_keep *keep;
	char name[64];
	struct tfs_err failed;
};

/**
 * top_record_begin() - begin a file
 * @file: NULL: tc-top-DATE-TIME.dat in the working directory, or one that is not there yet
 *
 * Return: 0 or -errno with @err set.
 */
int top_record_begin(struct top_record *r, struct trace_live *live, const struct tfs_instance *inst,
		     const char *file, struct tfs_err *err);
/** top_record_page() - trace_live_opts.page; a failure ends the file and is kept in @r */
void top_record_page(struct top_record *r, unsigned int cpu, const void *page);
/** top_record_tick() - likewise; every 10 ms */
void top_record_tick(struct top_record *r);
/** top_record_end() - complete the file, if there is one; @said gets "7 events in FILE" */
void top_record_end(struct top_record *r, struct tfs_strbuf *said);

#endif
