/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RELAY_COMPARE_H
#define TFS_RELAY_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clock/clock-line.h"
#include "clock/round-trip.h"

struct tfs_dat;
struct tfs_strbuf;

/** TFS_RELAY_SAMPLES - comparisons that are kept; of more, every other one is dropped */
#define TFS_RELAY_SAMPLES 256

/**
 * enum tfs_relay_compare_state
 * @TFS_RELAY_COMPARE_OFF: nobody answers on this connection, or not for the clock of the recording
 * @TFS_RELAY_COMPARE_IDLE: until the next comparison is due
 * @TFS_RELAY_COMPARE_ASKING: round trips are being made
 */
enum tfs_relay_compare_state {
	TFS_RELAY_COMPARE_OFF,
	TFS_RELAY_COMPARE_IDLE,
	TFS_RELAY_COMPARE_ASKING,
};

/**
 * struct tfs_relay_compare - a host's clock compared with CLOCK_MONOTONIC here, by round trips
 *
 * A comparison is the round trip with the smallest bound of several (clock/round-trip.h). The
 * host's answers are hostile: they can change nothing but the times of its own recording, and
 * neither how often nor how long it is asked. One thread.
 * @clock: of the host, that is asked for: the recording's, or "real"
 * @samples, @n: @local is what that clock showed
 */
struct tfs_relay_compare {
	enum tfs_relay_compare_state state;
	char clock[TFS_CLOCK_NAME_MAX];
	struct tfs_clock_sample samples[TFS_RELAY_SAMPLES];
	size_t n;
	/* private */
	struct tfs_clock_probe probe;
	struct tfs_clock_trip trip;
	struct tfs_clock_burst burst;
	bool waits;
	uint64_t began_ns, next_ns;
};

/** tfs_relay_compare_stop() - the connection has ended; the samples stay */
void tfs_relay_compare_stop(struct tfs_relay_compare *c);
/**
 * tfs_relay_compare_start() - a connection on which the host answers; the first comparison is due
 * @clock: the trace clock of the recording
 */
void tfs_relay_compare_start(struct tfs_relay_compare *c, const char *clock);
/** tfs_relay_compare_now() - a comparison is due now, whenever the last one was */
void tfs_relay_compare_now(struct tfs_relay_compare *c);
/**
 * tfs_relay_compare_ask() - call it often
 * @line: TFS_CLOCK_LINE_MAX bytes; gets a request, to be sent at once
 *
 * Return: there is a request.
 */
bool tfs_relay_compare_ask(struct tfs_relay_compare *c, char *line);
/**
 * tfs_relay_compare_answer() - a line that may be the answer
 * @ns: CLOCK_MONOTONIC when it had come
 */
void tfs_relay_compare_answer(struct tfs_relay_compare *c, const char *line, uint64_t ns);

/**
 * tfs_relay_compare_put() - append the samples as a payload of option TFS_DAT_PRIVATE_CLOCKS
 * @dat: the recording. If its clock was not asked for, its own pairs of CLOCK_REALTIME turn the
 *	samples of "real" into samples of the trace clock
 * @name: of the reference: files compared with a clock of the same name are merged by it
 *
 * Nothing is appended where there are no samples. Return: 0 or -ENOMEM.
 */
int tfs_relay_compare_put(const struct tfs_relay_compare *c, struct tfs_dat *dat, const char *name,
			  struct tfs_strbuf *payload);

#endif
