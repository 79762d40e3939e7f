/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relay/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "tracedat/dat-clocks.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-private.h"
#include "tracedat/dat-read.h"

#define AHEAD UINT64_C(5000000000)
#define WAY UINT64_C(1000)

/* The number of a request for the clock "mono" */
static unsigned int number_of(const char *line)
{
	unsigned int seq = 0;
	char end = 0;

	assert_int_equal(sscanf(line, "clock 1 %u mono%c", &seq, &end), 2);
	assert_int_equal(end, '\n');
	return seq;
}

/* A host whose clock is AHEAD has a request for @inside ns; each way takes WAY, one @late more */
static void answer(struct tfs_relay_compare *c, const char *line, uint64_t inside, uint64_t late)
{
	char text[TFS_CLOCK_LINE_MAX];
	unsigned long long t1 = c->trip.t0 + WAY + AHEAD;

	snprintf(text, sizeof(text), "clock 1 %u mono %llu %llu", number_of(line), t1, t1 + inside);
	tfs_relay_compare_answer(c, text, c->trip.t0 + 2 * WAY + inside + late);
}

/* One comparison, whose trips take longer and longer. Return: requests */
static size_t compare(struct tfs_relay_compare *c)
{
	char line[TFS_CLOCK_LINE_MAX];
	size_t n = 0;

	while (tfs_relay_compare_ask(c, line))
		answer(c, line, 500, n++ * 100);
	return n;
}

static void the_fastest_trip_is_kept(void **state)
{
	struct tfs_relay_compare c = { .n = 0 };
	char line[TFS_CLOCK_LINE_MAX];

	(void)state;
	assert_false(tfs_relay_compare_ask(&c, line));
	tfs_relay_compare_start(&c, "mono");
	assert_int_equal(compare(&c), 40);
	assert_int_equal(c.state, TFS_RELAY_COMPARE_IDLE);
	assert_int_equal(c.n, 1);
	/* Half of the ways, one for rounding and one for the rates of the clocks */
	assert_in_range(c.samples[0].bound, WAY, WAY + 2);
	assert_int_equal(c.samples[0].local - c.samples[0].ref, AHEAD);
	/* The next one is due in ten seconds, or when it is asked for. */
	assert_false(tfs_relay_compare_ask(&c, line));
	tfs_relay_compare_now(&c);
	assert_int_equal(compare(&c), 40);
	assert_int_equal(c.n, 2);
	/* One that is not complete counts with what it has. */
	tfs_relay_compare_now(&c);
	assert_true(tfs_relay_compare_ask(&c, line));
	answer(&c, line, 500, 0);
	tfs_relay_compare_now(&c);
	assert_int_equal(c.n, 3);
	assert_int_equal(compare(&c), 40);
	assert_int_equal(c.n, 4);
}

static void asks_one_at_a_time(void **state)
{
	struct tfs_relay_compare c = { .n = 0 };
	char line[TFS_CLOCK_LINE_MAX], other[TFS_CLOCK_LINE_MAX];

	(void)state;
	tfs_relay_compare_start(&c, "boot");
	assert_true(tfs_relay_compare_ask(&c, line));
	assert_string_equal(line, "clock 1 1 boot\n");
	assert_false(tfs_relay_compare_ask(&c, other));
	/* A connection that ended while it waited */
	tfs_relay_compare_stop(&c);
	assert_false(tfs_relay_compare_ask(&c, other));
	tfs_relay_compare_start(&c, "boot");
	assert_true(tfs_relay_compare_ask(&c, line));
	assert_string_equal(line, "clock 1 2 boot\n");
}

static void hostile_answers_give_no_sample(void **state)
{
	static const char *const times[] = {
		"18446744073709551615 0",
		"0 18446744073709551615",
		"1000000000 3000000000",
	};
	static const struct {
		int version;
		unsigned int add;
		const char *rest;
	} others[] = {
		{ 1, 1000000, "mono 1 2" }, { 1, 0, "boot 1 2" },
		{ 1, 0, "mono 1" },         { 1, 0, "mono 1 99999999999999999999999" },
		{ 2, 0, "mono 1 2" },       { 1, 0, "mono 1 2 3" },
	};
	struct tfs_relay_compare c = { .n = 0 };
	char line[TFS_CLOCK_LINE_MAX], text[TFS_CLOCK_LINE_MAX];
	size_t n = 0;

	(void)state;
	tfs_relay_compare_start(&c, "mono");
	/* An answer that nobody asked for */
	tfs_relay_compare_answer(&c, "clock 1 1 mono 1 2", 100);
	while (tfs_relay_compare_ask(&c, line)) {
		/* Answers to others are waited out. */
		for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
			snprintf(text, sizeof(text), "clock %d %u %s", others[i].version,
				 number_of(line) + others[i].add, others[i].rest);
			tfs_relay_compare_answer(&c, text, c.trip.t0 + 1000);
			assert_true(c.waits);
		}
		snprintf(text, sizeof(text), "clock 1 %u mono %s", number_of(line), times[n++ % 3]);
		tfs_relay_compare_answer(&c, text, c.trip.t0 + 1000);
	}
	assert_int_equal(n, 40);
	assert_int_equal(c.n, 0);
}

static void a_clock_that_the_host_cannot_read_is_not_asked_for_again(void **state)
{
	struct tfs_relay_compare c = { .n = 0 };
	char line[TFS_CLOCK_LINE_MAX];

	(void)state;
	tfs_relay_compare_start(&c, "mono");
	assert_true(tfs_relay_compare_ask(&c, line));
	tfs_relay_compare_answer(&c, "clock 1 1 mono unknown", 1);
	assert_int_equal(c.state, TFS_RELAY_COMPARE_OFF);
	/* Units of these are not nanoseconds. */
	tfs_relay_compare_start(&c, "x86-tsc");
	assert_int_equal(c.state, TFS_RELAY_COMPARE_OFF);
	tfs_relay_compare_start(&c, "counter");
	assert_int_equal(c.state, TFS_RELAY_COMPARE_OFF);
	tfs_relay_compare_start(&c, "local");
	assert_string_equal(c.clock, "real");
}

static void samples_are_bounded(void **state)
{
	struct tfs_relay_compare c = { .n = 0 };
	uint64_t first;

	(void)state;
	tfs_relay_compare_start(&c, "mono");
	compare(&c);
	first = c.samples[0].local;
	for (int i = 0; i < 3 * TFS_RELAY_SAMPLES; i++) {
		tfs_relay_compare_now(&c);
		compare(&c);
	}
	assert_in_range(c.n, TFS_RELAY_SAMPLES / 2, TFS_RELAY_SAMPLES);
	assert_int_equal(c.samples[0].local, first);
	for (size_t i = 1; i < c.n; i++)
		assert_true(c.samples[i].local > c.samples[i - 1].local);
}

/* A recording with these clocks */
static struct tfs_dat *file_with(const struct tfs_strbuf *payload)
{
	struct dat_spec spec = { .big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	struct dat_builder d;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	if (payload->len)
		dat_option(&d, TFS_DAT_PRIVATE_CLOCKS, payload->s, payload->len);
	return dat_open_built(&d);
}

/* What @c makes of a file with @before, read back. Return: pairs of the source "here" */
static size_t stored(const struct tfs_relay_compare *c, const struct tfs_strbuf *before,
		     struct tfs_dat_clock_pair *out)
{
	struct tfs_strbuf payload = TFS_STRBUF_INIT;
	struct tfs_dat *dat = file_with(before);
	const struct tfs_dat_clock_pair *pairs;
	struct tfs_dat_clocks *clocks;
	size_t n, found = 0;

	assert_int_equal(tfs_relay_compare_put(c, dat, "here", &payload), 0);
	tfs_dat_free(dat);
	dat = file_with(&payload);
	assert_int_equal(tfs_dat_clocks_new(dat, &clocks), 0);
	pairs = tfs_dat_clocks_all(clocks, &n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(tfs_dat_clocks_source(clocks, pairs[i].source), "here");
		assert_int_equal(pairs[i].method, TFS_DAT_CLOCK_TRIP);
		out[found++] = pairs[i];
	}
	tfs_dat_clocks_free(clocks);
	tfs_dat_free(dat);
	tfs_strbuf_release(&payload);
	return found;
}

static void samples_become_pairs_of_a_source_that_the_file_does_not_have(void **state)
{
	const struct tfs_relay_compare none = { .clock = "mono" };
	const struct tfs_relay_compare c = {
		.clock = "mono",
		.samples = { { 1000, 2000, 30 }, { 5000, 6001, 40 } },
		.n = 2,
	};
	const struct tfs_dat_clock_pair theirs = { .source = 7 };
	struct tfs_strbuf before = TFS_STRBUF_INIT;
	struct tfs_dat_clock_pair pairs[4];

	(void)state;
	assert_int_equal(stored(&none, &before, pairs), 0);
	assert_int_equal(stored(&c, &before, pairs), 2);
	assert_int_equal(pairs[0].source, 1);
	assert_int_equal(pairs[1].trace, 5000);
	assert_int_equal(pairs[1].ref, 6001);
	assert_int_equal(pairs[1].bound, 40);
	tfs_dat_private_begin(&before);
	tfs_dat_clocks_add_source(&before, 1, "theirs");
	tfs_dat_clocks_add(&before, &theirs);
	assert_int_equal(stored(&c, &before, pairs), 2);
	assert_int_equal(pairs[0].source, 8);
	tfs_strbuf_release(&before);
}

/* The trace clock is 1 s after CLOCK_REALTIME, by the file. */
static void samples_of_realtime_become_those_of_the_trace_clock(void **state)
{
	const uint64_t real = UINT64_C(1700000000000000000), sec = 1000000000;
	const struct tfs_relay_compare c = {
		.clock = "real",
		.samples = { { real + sec, 500, 30 } },
		.n = 1,
	};
	struct tfs_strbuf before = TFS_STRBUF_INIT;
	struct tfs_dat_clock_pair pairs[4];

	(void)state;
	/* Nothing connects both. */
	assert_int_equal(stored(&c, &before, pairs), 0);
	tfs_dat_private_begin(&before);
	for (uint64_t i = 0; i < 3; i++) {
		const struct tfs_dat_clock_pair pair = {
			.trace = real + (i + 1) * sec,
			.ref = real + i * sec,
			.bound = 100,
		};

		tfs_dat_clocks_add(&before, &pair);
	}
	assert_int_equal(stored(&c, &before, pairs), 1);
	assert_int_equal(pairs[0].trace, real + 2 * sec);
	assert_int_equal(pairs[0].ref, 500);
	/* Both bounds, and what is not known of the rates between */
	assert_in_range(pairs[0].bound, 130, 200);
	tfs_strbuf_release(&before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fastest_trip_is_kept),
		cmocka_unit_test(asks_one_at_a_time),
		cmocka_unit_test(hostile_answers_give_no_sample),
		cmocka_unit_test(a_clock_that_the_host_cannot_read_is_not_asked_for_again),
		cmocka_unit_test(samples_are_bounded),
		cmocka_unit_test(samples_become_pairs_of_a_source_that_the_file_does_not_have),
		cmocka_unit_test(samples_of_realtime_become_those_of_the_trace_clock),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
