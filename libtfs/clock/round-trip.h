/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CLOCK_ROUND_TRIP_H
#define TFS_CLOCK_ROUND_TRIP_H

#include <stddef.h>
#include <stdint.h>

struct tfs_clock_sample;

/*
 * The clocks of two machines compared over any connection that carries lines of text both ways.
 *
 * The side whose clock is the reference asks, the other one answers:
 *
 *	clock 1 SEQ NAME\n           "clock 1 17 mono"
 *	clock 1 SEQ NAME T1 T2\n     "clock 1 17 mono 81234567890 81234569012"
 *
 * SEQ is the asker's number, repeated in the answer. NAME is the clock to be read: that of the
 * recording if it can be ("mono", "mono_raw", "boot", "tai"), else "real" (CLOCK_REALTIME). T1 is
 * that clock in ns when the request had arrived, T2 when the answer is sent. A clock that is not
 * known is answered with "clock 1 SEQ NAME unknown\n". Lines have at most TFS_CLOCK_LINE_MAX bytes.
 *
 * The asker:
 *
 *	struct tfs_clock_burst burst = TFS_CLOCK_BURST_INIT;
 *	repeat 10 to 100 times, one request at a time:
 *		trip.t0 = reference now;  send tfs_clock_probe_ask(&probe, line)
 *		receive an answer;        trip.t3 = reference now
 *		if (!tfs_clock_probe_parse_answer(answer, &probe))
 *			trip.t1 = probe.t1, trip.t2 = probe.t2, tfs_clock_burst_add(&burst, &trip);
 *	burst.best is a sample for tfs_clock_line_new(): local is the answering side's clock
 *
 * with a burst at the start, every 10 s and at the end. Answers come from tc-record --clock-probe,
 * which reads requests from standard input, or from tfs_clock_probe_answer() in another program.
 * All of it is pure but tfs_clock_probe_answer(), which reads a clock.
 */

/** TFS_CLOCK_LINE_MAX - bytes of a request or an answer, with newline and NUL */
#define TFS_CLOCK_LINE_MAX 128
/** TFS_CLOCK_REFERENCE_MAX - bytes of the name of a machine's clock, with NUL */
#define TFS_CLOCK_REFERENCE_MAX 128
/** TFS_CLOCK_NAME_MAX - bytes of the name of a clock, with NUL */
#define TFS_CLOCK_NAME_MAX 16

/**
 * struct tfs_clock_probe - a request and its answer
 * @seq: number of the request
 * @name: clock to be read
 * @t1, @t2: what it showed, in ns, when the request had come, and when the answer went
 */
struct tfs_clock_probe {
	uint32_t seq;
	char name[TFS_CLOCK_NAME_MAX];
	uint64_t t1, t2;
};

/** tfs_clock_probe_ask() - the request, with its newline; @line has TFS_CLOCK_LINE_MAX bytes */
void tfs_clock_probe_ask(const struct tfs_clock_probe *probe, char *line);
/** tfs_clock_probe_parse_ask() - read a request, with or without newline; 0 or -EBADMSG */
int tfs_clock_probe_parse_ask(const char *line, struct tfs_clock_probe *probe);
/**
 * tfs_clock_probe_answer() - what a request is answered with
 * @probe: of the request, with @t1 from tfs_clock_probe_now() as soon as it had come; gets @t2
 * @line: TFS_CLOCK_LINE_MAX bytes; to be sent at once
 */
void tfs_clock_probe_answer(struct tfs_clock_probe *probe, char *line);
/** tfs_clock_probe_now() - read a clock, in ns; 0 or -EINVAL for one that cannot be read */
int tfs_clock_probe_now(const char *name, uint64_t *ns);
/**
 * tfs_clock_probe_parse_answer() - read an answer, with or without newline
 * @probe: the request; gets @t1 and @t2
 *
 * Return: 0; -EBADMSG: not an answer; -ESTALE: the answer to another request, wait for the next
 * line; -EOPNOTSUPP: the other side cannot read that clock.
 */
int tfs_clock_probe_parse_answer(const char *line, struct tfs_clock_probe *probe);

/**
 * struct tfs_clock_trip - a round trip
 * @t0, @t3: the reference, in ns, when the request was sent and the answer had come
 * @t1, @t2: the answering side's clock, as in struct tfs_clock_probe
 */
struct tfs_clock_trip {
	uint64_t t0, t1, t2, t3;
};

/**
 * tfs_clock_trip_sample() - the comparison that a round trip is
 *
 * The request came after @t0 and the answer left before @t3. Nothing else is known of how the time
 * in between was shared between the two ways: half of it is the bound, whatever the delays.
 *
 * Return: 0; -EINVAL: a clock went backwards, or the answer took longer than the trip.
 */
int tfs_clock_trip_sample(const struct tfs_clock_trip *trip, struct tfs_clock_sample *out);

/**
 * struct tfs_clock_burst - the best of several round trips: the one with the smallest bound
 * @best: valid if @n is not 0
 * @bound: of @best
 * @n: trips that could be used; @bad: that could not
 */
struct tfs_clock_burst {
	struct tfs_clock_trip best;
	uint64_t bound;
	size_t n, bad;
};

/**
 * tfs_clock_reference() - the name of CLOCK_MONOTONIC of this boot of this machine
 *
 * For recordings that were compared with it: those with the same name can be merged.
 * @name: TFS_CLOCK_REFERENCE_MAX bytes
 */
void tfs_clock_reference(char *name);

#define TFS_CLOCK_BURST_INIT ((struct tfs_clock_burst){ .bound = UINT64_MAX })

/** tfs_clock_burst_add() - one more trip */
void tfs_clock_burst_add(struct tfs_clock_burst *burst, const struct tfs_clock_trip *trip);

#endif
