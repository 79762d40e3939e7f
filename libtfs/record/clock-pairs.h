/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_CLOCK_PAIRS_H
#define TFS_RECORD_CLOCK_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/round-trip.h"
#include "tracedat/dat-clocks.h"

struct tfs_dat_writer;
struct tfs_instance;
struct tfs_record_remote;
struct tfs_root;

/** TFS_CLOCK_PAIRS_NS - how often the clocks of a recording are compared */
#define TFS_CLOCK_PAIRS_NS INT64_C(10000000000)

/**
 * struct tfs_clock_pairs - the trace clock compared with CLOCK_REALTIME, again and again
 * @inst: whose trace clock it is; @cpu: one that it has
 * @clock: its name, borrowed: "mono"
 * @remote: whose clock is compared as well; NULL: nobody's
 * @reference: the name of that clock; "": it was not
 * @most: pairs that are kept; if there are more, every other one is dropped
 * @v, @n: the pairs; @written: so many are in a file that was completed
 * @next_ns: CLOCK_MONOTONIC of the next comparison
 *
 * One thread at a time. Zero-initialise, set the first five, tfs_clock_pairs_release() it.
 */
struct tfs_clock_pairs {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	unsigned int cpu;
	const char *clock;
	const struct tfs_record_remote *remote;
	char reference[TFS_CLOCK_REFERENCE_MAX];
	size_t most;
	struct tfs_dat_clock_pair *v;
	size_t n, cap, written;
	int64_t next_ns;
};

void tfs_clock_pairs_release(struct tfs_clock_pairs *pairs);

/**
 * tfs_clock_pairs_take() - compare the clocks now
 *
 * A clock that cannot be read gives no pair, which is not an error. Return: 0 or -ENOMEM.
 */
int tfs_clock_pairs_take(struct tfs_clock_pairs *pairs);
/** tfs_clock_pairs_compare() - compare it with the clock of @remote only; 0 or -ENOMEM */
int tfs_clock_pairs_compare(struct tfs_clock_pairs *pairs);
/** tfs_clock_pairs_left() - ns until the next comparison is due; 0: now */
int64_t tfs_clock_pairs_left(const struct tfs_clock_pairs *pairs);
/**
 * tfs_clock_pairs_write() - an option with the kind of clock and the pairs of this file
 * @last: the file is complete after it: the next one gets what comes after, and the last pair
 */
int tfs_clock_pairs_write(struct tfs_clock_pairs *pairs, struct tfs_dat_writer *writer, bool last);

/** tfs_clock_pairs_kind() - enum tfs_dat_clock_kind of a trace clock */
uint32_t tfs_clock_pairs_kind(const char *clock);

#endif
