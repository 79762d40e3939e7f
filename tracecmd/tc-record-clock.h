/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_RECORD_CLOCK_H
#define TC_RECORD_CLOCK_H

struct tfs_err;

/**
 * record_answer_clock() - tc-record --clock-probe: answer requests of clock/round-trip.h
 * @in, @out: descriptors
 *
 * Until the end of @in. At most a thousand answers a second: who asks more often waits.
 * Return: 0; -EBADMSG for a line that is not a request; -errno.
 */
int record_answer_clock(int in, int out, struct tfs_err *err);

#endif
