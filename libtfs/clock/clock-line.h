/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CLOCK_CLOCK_LINE_H
#define TFS_CLOCK_CLOCK_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_clock_sample - two clocks compared at one moment, in ns
 * @local: what the one clock showed
 * @ref: what the reference showed at that moment, give or take @bound
 */
struct tfs_clock_sample {
	uint64_t local, ref, bound;
};

/**
 * struct tfs_clock_limits - how the rates of two clocks may differ, in parts per 10^9
 * @rate_ppb: the most that one gains or loses against the other, without being set
 * @wander_ppb: how much that rate may change within about sixteen samples; where the samples
 *	prove that it changed more, they are believed
 */
struct tfs_clock_limits {
	double rate_ppb, wander_ppb;
};

/**
 * TFS_CLOCK_LIMITS - two hosts, each of whose clocks NTP may slew by 500 ppm
 *
 * A quartz changes by less than 1 ppm with temperature; the rest is for the discipline's steps.
 */
#define TFS_CLOCK_LIMITS ((struct tfs_clock_limits){ 1000000, 10000 })

/**
 * struct tfs_clock_line - what a reference shows as a function of a local clock, with a bound
 *
 * Each sample says in which interval the difference was at its time. Between samples it may have
 * moved as far as the limits allow: the true difference is in the intersection of all samples'
 * intervals, widened in this way. Its middle is the estimate, half its width the bound. Samples are
 * never averaged: a slow one is only wider, and does not make the result worse.
 *
 * Where not even the limit of the rate lets two neighbouring samples be true, one of the clocks was
 * set in between: the line breaks there. Constant once made, for any number of threads.
 */
struct tfs_clock_line;

/**
 * tfs_clock_line_new() - a line through @n samples, in any order
 * @samples: copied
 *
 * Hostile numbers give a useless line, no failure. Return: 0, -EINVAL without samples, -ENOMEM.
 */
int tfs_clock_line_new(const struct tfs_clock_sample *samples, size_t n,
		       const struct tfs_clock_limits *limits, struct tfs_clock_line **out);
void tfs_clock_line_free(struct tfs_clock_line *line);

/**
 * tfs_clock_line_at() - what the reference showed when the local clock showed @local
 * @out: its @local is @local
 *
 * Before the first and after the last sample the bound grows. A bound of UINT64_MAX: not known.
 */
void tfs_clock_line_at(const struct tfs_clock_line *line, uint64_t local,
		       struct tfs_clock_sample *out);
/**
 * tfs_clock_line_back() - what the local clock showed when the reference showed @ref
 *
 * To a few ns, the inverse of tfs_clock_line_at(): @out's @ref is @ref.
 */
void tfs_clock_line_back(const struct tfs_clock_line *line, uint64_t ref,
			 struct tfs_clock_sample *out);

/** tfs_clock_line_n() - number of samples with different local times */
size_t tfs_clock_line_n(const struct tfs_clock_line *line);
/** tfs_clock_line_local() - local time of sample @i of these, in order */
uint64_t tfs_clock_line_local(const struct tfs_clock_line *line, size_t i);
/** tfs_clock_line_breaks() - how often one of the clocks was set */
size_t tfs_clock_line_breaks(const struct tfs_clock_line *line);
/**
 * tfs_clock_line_drift() - how fast the reference gains on the local clock, over all samples
 * @ppb: in parts per 10^9; breaks are left out
 *
 * Return: false with fewer than two samples between breaks.
 */
bool tfs_clock_line_drift(const struct tfs_clock_line *line, double *ppb);

#endif
