/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_STAT_PRINT_H
#define TC_STAT_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stats.h"
#include "tc-stat-opts.h"

struct tfs_strbuf;

/** enum stat_key - what a row is about besides its event */
enum stat_key { STAT_KEY_NONE, STAT_KEY_CPU, STAT_KEY_THREAD, STAT_KEY_VALUE };

/**
 * struct stat_layout - what all rows have in common
 * @key: what struct stat_row.key is; @by: with STAT_KEY_VALUE, the fields
 * @interval: rows begin with a time (-I)
 * @repeat: rows have deviations (-r)
 */
struct stat_layout {
	enum stat_style style;
	const char *separator;
	enum stat_key key;
	const char *by;
	bool interval;
	bool repeat;
};

/**
 * struct stat_row - a count
 * @event: name
 * @key: CPU number, "comm-tid", or values with commas; NULL: none
 * @count: events, with a layout of one run
 * @runs: of several: the count of each run, times STAT_SCALE
 * @ns: time stamp of the interval's end since the beginning
 * @running_ns: how long was counted
 * @lost: events that were lost before they could be counted; @bound: and more, whose number is
 *        unknown: the count is a lower bound
 * @misses: hits of a probe that the kernel did not record
 */
struct stat_row {
	const char *event;
	const char *key;
	uint64_t count;
	struct tfs_stats runs;
	uint64_t ns;
	uint64_t running_ns;
	uint64_t lost;
	bool bound;
	uint64_t misses;
};

/** STAT_SCALE - unit of struct stat_row.runs: its statistics are integers */
#define STAT_SCALE UINT64_C(1000000)

/**
 * struct stat_times - the foot of the text
 * @elapsed: ns of each run
 * @user, @sys: CPU time of COMMAND in ns; printed with @has_usage
 */
struct stat_times {
	struct tfs_stats elapsed;
	uint64_t user, sys;
	bool has_usage;
};

/* Each appends to @sb. Return: 0 or -ENOMEM. */

/**
 * stat_print_head() - the line before all rows of text; nothing for other styles
 * @what: "'ls -l'", "process id '12'", "'system wide'"
 * @runs: -r, 0 without
 */
int stat_print_head(const struct stat_layout *layout, const char *what, uint64_t runs,
		    struct tfs_strbuf *sb);
int stat_print_row(const struct stat_layout *layout, const struct stat_row *row,
		   struct tfs_strbuf *sb);
int stat_print_foot(const struct stat_layout *layout, const struct stat_times *times,
		    struct tfs_strbuf *sb);
/** stat_print_losses() - the last row of --syscalls -j, where at least @lost events were lost */
int stat_print_losses(uint64_t lost, struct tfs_strbuf *sb);

/** stat_standard_error() - of the mean, in percent of it; 0 with less than two runs */
double stat_standard_error(const struct tfs_stats *runs);

#endif
