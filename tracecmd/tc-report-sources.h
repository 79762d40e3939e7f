/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_SOURCES_H
#define TC_REPORT_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strvec.h"
#include "filter/time-range.h"
#include "pipeline/run.h"
#include "strace/call-abi.h"
#include "tracedat/dat-host.h"
#include "tracedat/merge.h"

struct report_request;
struct tfs_clock_map;
struct tfs_dat_time_opts;
struct tfs_order_check;
struct tfs_timestamp_check;
struct tfs_err;
struct tfs_filter;
struct tfs_select;
struct tfs_event_source;
struct tfs_trace;

/**
 * struct report_source - one recording of a report
 * @file: its name, without folders
 * @name: what stands before its lines when there are several: @file or its host
 * @label: memory of @name; NULL: it is @file
 * @host: name of its host; that of the file where it does not say
 * @clock: number of the first source with the same clock, on the same machine
 * @map: of its time stamps to the first source's time line, and their bound; NULL: as they are
 * @bound: how far its stamps may be from the time line, in ns; UINT64_MAX: not known
 * @after, @until: --after, --until; NULL: not given
 * @source: of a recording that is being made (--follow), or that was not completed; else NULL
 * @missing: of several recordings, what was selected and is not in this one
 * @timestamp_check: --ts-check; NULL: not given
 * @input: what goes into a view of it
 * @abi: of tfs_calls_abi(); set by views that need it
 */
struct report_source {
	const char *file, *name;
	char *label;
	char host[TFS_DAT_HOST_SIZE];
	uint32_t clock;
	struct tfs_clock_map *map;
	uint64_t bound;
	struct tfs_trace *trace;
	struct tfs_select *select;
	struct tfs_filter *after, *until;
	struct tfs_event_source *source;
	struct tfs_strvec missing;
	struct tfs_timestamp_check *timestamp_check;
	struct tfs_merge_opts merge;
	struct tfs_run_input input;
	int abi;
};

/**
 * struct report_sources - all recordings of a report; the first is @v[0]
 * @name_width: of the longest name before a line when there are several
 * @losses: what was lost among all that was come across
 * @run: of the report, but for its inputs and jobs
 * @symbols: the text of --kallsyms; NULL: not given
 * @others: hosts that --host leaves out
 * @clocks: a line for each source, how its time was corrected; none: it was not
 * @order: looks at the order of events of several hosts; NULL: there is one host
 */
struct report_sources {
	struct report_source *v;
	size_t n;
	int name_width;
	struct tfs_time_ranges ranges;
	struct tfs_run_losses losses;
	struct tfs_run_opts run;
	char *symbols;
	struct tfs_strvec others, clocks;
	struct tfs_order_check *order;
};

/** report_source_time() - how its time stamps become those that are shown, but for @ts_offset */
struct tfs_dat_time_opts report_source_time(const struct report_source *src);

/** report_plugin_dir() - of --plugins; NULL: it was not given */
const char *report_plugin_dir(const struct report_request *req);

/**
 * report_sources_open() - open the recordings and everything that depends on what is in them
 * @s: zeroed; report_sources_release() it, also on failure
 * @status: of the program on failure
 */
int report_sources_open(const struct report_request *req, struct report_sources *s, int *status,
			struct tfs_err *err);
void report_sources_release(struct report_sources *s);
/** report_source_release() - close one of them */
void report_source_release(struct report_source *src);

/**
 * report_sources_check_pids() - after a view: was every task of --pid in what was read?
 *
 * Return: 0; -ENOENT with @err set for one that no recording has a name or a record of; -ENOMEM.
 */
int report_sources_check_pids(const struct report_sources *s, struct tfs_err *err);

/**
 * report_sources_check() - everything intact was shown; now say what was not, and what was lost
 *
 * Return: 0, or -errno with @err set: damage of any file, or, with --fail-on-lost, lost events.
 */
int report_sources_check(const struct report_request *req, const struct report_sources *s,
			 struct tfs_err *err);

#endif
