/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_TIME_RANGE_H
#define TFS_FILTER_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/prefix.h"

struct tfs_err;
struct tfs_strvec;

/** struct tfs_time_range - a part of a recording's time; both ends belong to it */
struct tfs_time_range {
	uint64_t from, to;
};

/** struct tfs_time_ranges - in order of time, apart from each other; none: all of time */
struct tfs_time_ranges {
	struct tfs_time_range *v;
	size_t n;
};

/**
 * struct tfs_time_range_clock - what the text of a range refers to
 * @first, @last: time stamps of the recording's first and last record, as they are shown
 * @empty: there is no record, and @first and @last mean nothing
 * @format: how time stamps are shown
 */
struct tfs_time_range_clock {
	uint64_t first, last;
	bool empty;
	enum tfs_time_format format;
};

/**
 * tfs_time_ranges_parse() - turn what was typed into ranges; pure
 * @specs: each one or more of these with blanks between them:
 *         "FROM,TO" times as they are shown, either may be empty, TO may be "+DURATION";
 *         "+DURATION" from the first record on, "-DURATION" up to the last;
 *         "A%-B%" and "A%/N" (the Nth part of A percent), several with commas between them
 * @out: release with tfs_time_ranges_release(), also on failure
 *
 * A time with at most six decimals stands for all stamps that are shown like that in
 * microseconds. Ranges that overlap become one.
 *
 * Return: 0; -EINVAL or -ERANGE, with the recording's own range where that helps; -ENOMEM.
 */
int tfs_time_ranges_parse(const struct tfs_strvec *specs, const struct tfs_time_range_clock *clock,
			  struct tfs_time_ranges *out, struct tfs_err *err);
/**
 * tfs_time_before_offset() - where to look for a time that is shown with an offset
 * @offset: what is added to time stamps, modulo 2^64
 */
uint64_t tfs_time_before_offset(uint64_t ts, uint64_t offset);
void tfs_time_ranges_release(struct tfs_time_ranges *w);

#endif
