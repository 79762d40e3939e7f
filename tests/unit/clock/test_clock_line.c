/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two clocks whose true relation is known, since the test makes it: offset, drift, wander and the
 * delays of messages. No estimate may be further from the truth than its bound.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/macros.h"
#include "base/time.h"
#include "clock/clock-line.h"
#include "clock/round-trip.h"

#define RUNS 10000
#define SECONDS 60
#define EVERY 10 /* seconds between bursts */
#define TRIPS 10 /* in a burst */
#define LOOKS 40 /* at a line */
#define BEYOND 2 /* seconds */
#define KNOTS (SECONDS + 2 * BEYOND + 1)
#define LOCAL0 (3600 * (uint64_t)NS_PER_SEC)
#define REF0 (1700000000 * (uint64_t)NS_PER_SEC)

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}

/* Evenly from @from to @to */
static double even(uint64_t *state, double from, double to)
{
	return from + (to - from) * (double)(next(state) >> 11) / 9007199254740992.0;
}

/* The true reference: @gain ns at each whole second, with a constant rate in between */
struct truth {
	uint64_t base;
	double gain[KNOTS];
};

/* An offset of up to a second, a drift of up to 50 ppm, which wanders by up to 4 ppm either way */
static void make_truth(uint64_t *state, struct truth *t)
{
	double drift = even(state, -50000, 50000), wander = 0;

	t->base = REF0 - LOCAL0 + (uint64_t)(int64_t)even(state, -1e9, 1e9);
	t->gain[0] = 0;
	for (size_t i = 1; i < KNOTS; i++) {
		wander += even(state, -400, 400);
		wander = wander > 4000 ? 4000 : wander < -4000 ? -4000 : wander;
		t->gain[i] = t->gain[i - 1] + drift + wander;
	}
}

/* @local is from LOCAL0 - BEYOND s to LOCAL0 + (SECONDS + BEYOND) s */
static uint64_t true_ref(const struct truth *t, uint64_t local)
{
	uint64_t past = local - (LOCAL0 - BEYOND * (uint64_t)NS_PER_SEC);
	size_t i = (size_t)(past / NS_PER_SEC);
	double part = (double)(past % NS_PER_SEC) / NS_PER_SEC;
	double gain = t->gain[i];

	if (i + 1 < KNOTS)
		gain += (t->gain[i + 1] - t->gain[i]) * part;
	return local + t->base + (uint64_t)(int64_t)gain;
}

/* Delays of the ways there and back, in ns */
struct delays {
	const char *name;
	double there, back; /* typical */
	double spread;      /* how often it may double, as a power of two */
};

static const struct delays delays[] = {
	{ "idle", 20000, 20000, 1 },
	{ "loaded", 40000, 40000, 8 },
	{ "asymmetric", 15000, 600000, 2 },
};

static double delay(uint64_t *state, double typical, double spread)
{
	double ns = typical * even(state, 0.7, 1.3);

	for (; spread >= 1 && next(state) & 1; spread--)
		ns *= 2;
	return ns;
}

static void one_trip(uint64_t *state, const struct truth *t, const struct delays *d, uint64_t at,
		     struct tfs_clock_trip *trip)
{
	trip->t1 = at;
	trip->t2 = at + (uint64_t)even(state, 200, 20000);
	trip->t0 = true_ref(t, trip->t1) - (uint64_t)delay(state, d->there, d->spread);
	trip->t3 = true_ref(t, trip->t2) + (uint64_t)delay(state, d->back, d->spread);
}

static size_t sample(uint64_t *state, const struct truth *t, const struct delays *d,
		     struct tfs_clock_sample *out)
{
	size_t n = 0;

	for (uint64_t second = 0; second <= SECONDS; second += EVERY) {
		struct tfs_clock_burst burst = TFS_CLOCK_BURST_INIT;
		struct tfs_clock_trip trip;
		uint64_t at = LOCAL0 + second * NS_PER_SEC;

		for (int i = 0; i < TRIPS; i++, at += 5 * NS_PER_MSEC) {
			one_trip(state, t, d, at, &trip);
			tfs_clock_burst_add(&burst, &trip);
		}
		assert_int_equal(burst.n, TRIPS);
		assert_int_equal(tfs_clock_trip_sample(&burst.best, &out[n++]), 0);
	}
	return n;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	int64_t d = (int64_t)(a - b);

	return (uint64_t)(d < 0 ? -d : d);
}

struct seen {
	uint64_t looks, outside, over_half; /* of the bound */
	uint64_t worst_error, widest;
	double errors, bounds; /* sums */
};

static void look(uint64_t *state, const struct truth *t, const struct tfs_clock_line *line,
		 struct seen *seen)
{
	const double beyond = BEYOND * 1e9 - 1;
	struct tfs_clock_sample at, back;
	uint64_t local, error;

	for (int i = 0; i < LOOKS; i++) {
		local = LOCAL0 + (uint64_t)(int64_t)even(state, -beyond, SECONDS * 1e9 + beyond);
		tfs_clock_line_at(line, local, &at);
		error = difference(at.ref, true_ref(t, local));
		seen->looks++;
		seen->outside += error > at.bound;
		seen->over_half += error > at.bound / 2;
		seen->errors += (double)error;
		seen->bounds += (double)at.bound;
		seen->worst_error = error > seen->worst_error ? error : seen->worst_error;
		seen->widest = at.bound > seen->widest ? at.bound : seen->widest;
		tfs_clock_line_back(line, at.ref, &back);
		assert_true(difference(back.local, local) <= 2);
	}
}

/* Errors and bounds in 10,000 recordings with each kind of delays, as a table in the output */
static void true_offset_is_within_the_bound(void **context)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	uint64_t state = 20260105;

	(void)context;
	for (size_t k = 0; k < ARRAY_SIZE(delays); k++) {
		struct seen seen = { .looks = 0 };

		for (int run = 0; run < RUNS; run++) {
			struct tfs_clock_sample samples[SECONDS / EVERY + 1];
			struct tfs_clock_line *line;
			struct truth t;
			double drift;
			size_t n;

			make_truth(&state, &t);
			n = sample(&state, &t, &delays[k], samples);
			assert_int_equal(tfs_clock_line_new(samples, n, &limits, &line), 0);
			assert_int_equal(tfs_clock_line_breaks(line), 0);
			assert_true(tfs_clock_line_drift(line, &drift));
			look(&state, &t, line, &seen);
			tfs_clock_line_free(line);
		}
		print_message("# %-10s error: mean %.1f us, worst %.1f us; bound: mean %.1f us, "
			      "worst %.1f us; outside %d of %d\n",
			      delays[k].name, seen.errors / (double)seen.looks / 1e3,
			      (double)seen.worst_error / 1e3,
			      seen.bounds / (double)seen.looks / 1e3, (double)seen.widest / 1e3,
			      (int)seen.outside, (int)seen.looks);
		assert_int_equal(seen.outside, 0);
		/* A bound that no truth comes near to would be within any error, and of no use. */
		if (delays[k].there * 2 < delays[k].back)
			assert_true(seen.over_half > seen.looks / 2);
	}
}

static struct tfs_clock_line *line_of(const struct tfs_clock_sample *samples, size_t n)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	struct tfs_clock_line *line = NULL;

	assert_int_equal(tfs_clock_line_new(samples, n, &limits, &line), 0);
	return line;
}

/* Without drift, samples of bound b give at most b + wander * length / 4 between them. */
static void bound_between_samples_is_theirs_and_the_wander(void **context)
{
	const uint64_t s = NS_PER_SEC;
	const struct tfs_clock_sample samples[] = {
		{ 10 * s, 500 * s, 1000 },
		{ 20 * s, 510 * s, 1000 },
		{ 30 * s, 520 * s, 1000 },
	};
	struct tfs_clock_line *line = line_of(samples, 3);
	struct tfs_clock_sample at;
	double drift;

	(void)context;
	tfs_clock_line_at(line, 15 * s, &at);
	assert_true(at.ref == 505 * s);
	/* 10 ppm of 10 s, a quarter of it: 25 us */
	assert_in_range(at.bound, 25000, 26002);
	tfs_clock_line_at(line, 20 * s, &at);
	assert_in_range(at.bound, 999, 1002);
	assert_true(tfs_clock_line_drift(line, &drift));
	assert_true(drift > -1 && drift < 1);
	/* Nothing contradicts a change of the rate by the limit of the wander after the end. */
	tfs_clock_line_at(line, 31 * s, &at);
	assert_true(at.bound > 1000 + 10000);
	tfs_clock_line_free(line);
}

static void slow_round_trip_does_not_change_the_estimate(void **context)
{
	const uint64_t s = NS_PER_SEC;
	const struct tfs_clock_sample samples[] = {
		{ 10 * s, 500 * s, 1000 },
		/* true, as its bound says, and 4 ms off */
		{ 20 * s, 510 * s + 4000000, 5000000 },
		{ 30 * s, 520 * s, 1000 },
	};
	struct tfs_clock_line *line = line_of(samples, 3);
	struct tfs_clock_sample at;

	(void)context;
	tfs_clock_line_at(line, 20 * s, &at);
	assert_true(difference(at.ref, 510 * s) <= 1);
	/* the chord of its neighbours: their bound, and 10 ppm of 20 s, a quarter of it */
	assert_in_range(at.bound, 50000, 51002);
	assert_int_equal(tfs_clock_line_breaks(line), 0);
	tfs_clock_line_free(line);
}

static void clock_that_was_set_breaks_the_line(void **context)
{
	const uint64_t s = NS_PER_SEC;
	const struct tfs_clock_sample samples[] = {
		{ 30 * s, 523 * s, 1000 },
		{ 10 * s, 500 * s, 1000 },
		{ 20 * s, 510 * s, 1000 },
		{ 40 * s, 533 * s, 1000 },
	};
	struct tfs_clock_line *line = line_of(samples, 4);
	struct tfs_clock_sample at;

	(void)context;
	assert_int_equal(tfs_clock_line_n(line), 4);
	assert_true(tfs_clock_line_local(line, 2) == 30 * s);
	assert_int_equal(tfs_clock_line_breaks(line), 1);
	tfs_clock_line_at(line, 15 * s, &at);
	assert_true(at.ref == 505 * s);
	tfs_clock_line_at(line, 35 * s, &at);
	assert_true(at.ref == 528 * s);
	/* When it was set is not known: the bound reaches from before to after. */
	tfs_clock_line_at(line, 25 * s, &at);
	assert_true(at.ref - at.bound <= 515 * s && at.ref + at.bound >= 518 * s);
	tfs_clock_line_free(line);
}

static void greater_wander_than_the_limit_is_believed(void **context)
{
	const uint64_t s = NS_PER_SEC;
	/* 0 and 100 ppm, by samples of 1 us */
	const struct tfs_clock_sample samples[] = {
		{ 10 * s, 500 * s, 1000 },
		{ 20 * s, 510 * s, 1000 },
		{ 30 * s, 520 * s + 1000000, 1000 },
	};
	struct tfs_clock_line *line = line_of(samples, 3);
	struct tfs_clock_sample at;

	(void)context;
	assert_int_equal(tfs_clock_line_breaks(line), 0);
	/* Nothing until 25 s and 200 ppm then, or the reverse; less what the samples leave open */
	tfs_clock_line_at(line, 25 * s, &at);
	assert_true(at.ref - at.bound <= 515 * s + 4000);
	assert_true(at.ref + at.bound >= 515 * s + 996000);
	tfs_clock_line_free(line);
}

static void one_sample_gives_a_bound_that_grows_with_the_rate(void **context)
{
	const uint64_t s = NS_PER_SEC;
	const struct tfs_clock_sample samples[] = { { 10 * s, 500 * s, 1000 } };
	struct tfs_clock_line *line = line_of(samples, 1);
	struct tfs_clock_sample at;
	double drift;

	(void)context;
	assert_false(tfs_clock_line_drift(line, &drift));
	tfs_clock_line_at(line, 9 * s, &at);
	assert_true(at.ref == 499 * s);
	assert_in_range(at.bound, 1001000, 1001002);
	tfs_clock_line_free(line);
}

static void hostile_samples_give_a_line(void **context)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	uint64_t state = 7;

	(void)context;
	for (int run = 0; run < 2000; run++) {
		struct tfs_clock_sample samples[20], at;
		size_t n = 1 + next(&state) % ARRAY_SIZE(samples);
		struct tfs_clock_line *line;
		double drift;

		for (size_t i = 0; i < n; i++) {
			/* few local times, so that some are equal */
			samples[i].local = next(&state) % 4 ? next(&state) % 8 : next(&state);
			samples[i].ref = next(&state) % 2 ? next(&state) : UINT64_MAX;
			samples[i].bound = next(&state) % 2 ? next(&state) : 0;
		}
		assert_int_equal(tfs_clock_line_new(samples, n, &limits, &line), 0);
		for (int i = 0; i < 20; i++) {
			tfs_clock_line_at(line, next(&state), &at);
			tfs_clock_line_back(line, next(&state), &at);
		}
		tfs_clock_line_drift(line, &drift);
		tfs_clock_line_free(line);
	}
}

static void no_samples_are_refused(void **context)
{
	const struct tfs_clock_limits limits = TFS_CLOCK_LIMITS;
	struct tfs_clock_line *line = NULL;

	(void)context;
	assert_int_not_equal(tfs_clock_line_new(NULL, 0, &limits, &line), 0);
	assert_null(line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(true_offset_is_within_the_bound),
		cmocka_unit_test(bound_between_samples_is_theirs_and_the_wander),
		cmocka_unit_test(slow_round_trip_does_not_change_the_estimate),
		cmocka_unit_test(clock_that_was_set_breaks_the_line),
		cmocka_unit_test(greater_wander_than_the_limit_is_believed),
		cmocka_unit_test(one_sample_gives_a_bound_that_grows_with_the_rate),
		cmocka_unit_test(hostile_samples_give_a_line),
		cmocka_unit_test(no_samples_are_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
