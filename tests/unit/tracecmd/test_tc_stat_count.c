/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/fake.h"
#include "tc-stat-count.h"
#include "tc-stat-names.h"
#include "trace-opts.h"

#define CPUS 2

struct fixture {
	struct fake fake;
	struct trace_buffer buffer;
	struct trace_request req;
	struct stat_event event;
	struct stat_events events;
	struct stat_counters counters;
};

static void stats(struct fixture *f, unsigned int cpu, unsigned int entries, unsigned int overrun)
{
	char name[64], text[256];

	snprintf(name, sizeof(name), "per_cpu/cpu%u/stats", cpu);
	snprintf(text, sizeof(text),
		 "entries: %u\noverrun: %u\ncommit overrun: 3\nbytes: 5\n"
		 "oldest event ts: 1.0\nnow ts: 2.0\ndropped events: 20\nread events: 100\n",
		 entries, overrun);
	fake_put(&f->fake, name, text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	fake_new(&f->fake, "x86_64-6.18");
	f->req.buffers = &f->buffer;
	f->req.n_buffers = 1;
	stats(f, 0, 1000, 20000);
	stats(f, 1, 7, 0);
	f->events = (struct stat_events){ &f->event, 1 };
	assert_int_equal(stat_counters_init(&f->counters, f->fake.root, &f->req, &f->events, NULL),
			 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	stat_counters_release(&f->counters);
	fake_free(&f->fake);
	free(f);
	return 0;
}

static void everything_that_happened_counts_read_overwritten_or_dropped(void **state)
{
	struct fixture *f = *state;

	assert_true(f->counters.n_cpus >= CPUS);
	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	assert_int_equal(stat_counters_get(&f->counters, 0, 0), 1000 + 20000 + 3 + 20 + 100);
	assert_int_equal(stat_counters_get(&f->counters, 0, 1), 7 + 3 + 20 + 100);
	assert_int_equal(f->counters.resets, 0);
}

static void a_second_reading_adds_the_difference(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	stats(f, 1, 10, 500);
	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	assert_int_equal(stat_counters_get(&f->counters, 0, 1), 10 + 500 + 3 + 20 + 100);
	assert_int_equal(stat_counters_get(&f->counters, 0, SIZE_MAX), 633 + 21123);
}

static void counts_all_of_the_main_buffer_if_an_event_is_read(void **state)
{
	struct fixture *f = *state;

	f->event.buffer = STAT_READ;
	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	assert_int_equal(stat_counters_get(&f->counters, 0, SIZE_MAX), 0);
	assert_int_equal(stat_counters_main(&f->counters), 21123 + 130);
}

static void a_count_that_goes_back_was_reset(void **state)
{
	struct stat_counter c = { 0 };

	(void)state;
	assert_true(stat_counter_update(&c, 1000));
	assert_true(stat_counter_update(&c, 1500));
	assert_false(stat_counter_update(&c, 30));
	assert_int_equal(c.total, 1530);
	assert_true(stat_counter_update(&c, 31));
	assert_int_equal(c.total, 1531);
}

static void resets_are_noted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	stats(f, 0, 5, 0);
	assert_int_equal(stat_counters_read(&f->counters, NULL), 0);
	assert_int_equal(f->counters.resets, 1);
	assert_int_equal(stat_counters_get(&f->counters, 0, 0), 21123 + 128);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(everything_that_happened_counts_read_overwritten_or_dropped),
		TEST(a_second_reading_adds_the_difference),
		TEST(counts_all_of_the_main_buffer_if_an_event_is_read),
		TEST(a_count_that_goes_back_was_reset),
		TEST(resets_are_noted),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
