/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_TIME_RANGE_H
#define TFS_FILTER_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/prefix.h"

struct tfs_err;
struct tfs_strvec;

/** struct tfs_window - a part of a recording's time; both ends belong to it */
struct tfs_window {
	uint64_t from, to;
};

/** struct tfs_windows - in order of time, apart from each other; all of time if there is none */
struct tfs_windows {
	struct tfs_window *v;
	size_t n;
};

/**
 * struct tfs_window_clock - what the text of a window refers to
 * @first, @last: time stamps of the recording's first and last record, as they are shown
 * @empty: there is no record, and @first and @last mean nothing
 * @format: how time stamps are shown
 */
struct tfs_window_clock {
	uint64_t first, last;
	bool empty;
	enum tfs_time_format format;
};

/**
 * tfs_windows_parse() - turn what was typed into windows; pure
 * @specs: each one or more of these with blanks between them:
 *         "FROM,TO" times as they are shown, either may be empty, TO may be "+DURATION";
 *         "+DURATION" from the first record on, "-DURATION" up to the last;
 *         "A%-B%" and "A%/N" (the Nth part of A percent), several with commas between them
 * @out: release with tfs_windows_release(), also on failure
 *
 * A time with at most six digits behind the point stands for what is shown so when stamps are
 * shown in microseconds. Windows that overlap become one.
 *
 * Return: 0; -EINVAL or -ERANGE, with the recording's own range where that helps; -ENOMEM.
 */
int tfs_windows_parse(const struct tfs_strvec *specs, const struct tfs_window_clock *clock,
		      struct tfs_windows *out, struct tfs_err *err);
/**
 * tfs_window_before_offset() - where to look for a time that is shown with an offset
 * @offset: what is added to time stamps, modulo 2^64
 */
uint64_t tfs_window_before_offset(uint64_t ts, uint64_t offset);
void tfs_windows_release(struct tfs_windows *w);

#endif
