/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack/profile-window.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEC TFS_PROFILE_WINDOW
#define SHARES_MAX 256

struct fixture {
	struct tfs_profile_windows w;
	struct tfs_profile_share got[SHARES_MAX];
	size_t n;
	int rc;
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_profile_windows_release(&f->w);
	free(f);
	return 0;
}

static int take(void *ctx, const struct tfs_profile_share *share)
{
	struct fixture *f = ctx;

	if (f->rc)
		return f->rc;
	assert_true(f->n < SHARES_MAX);
	f->got[f->n++] = *share;
	return 0;
}

static struct tfs_profile_task task(int pid)
{
	return (struct tfs_profile_task){ .pid = pid };
}

/* A sample whose stacks come at once */
static void sample(struct fixture *f, int pid, uint64_t ts, uint64_t token)
{
	const struct tfs_profile_task who = task(pid);

	assert_int_equal(tfs_profile_windows_advance(&f->w, ts, take, f), 0);
	assert_int_equal(tfs_profile_window_sample(&f->w, &who, ts, true), 0);
	assert_int_equal(tfs_profile_window_token(&f->w, &who, ts, token), 0);
}

static void runs(struct fixture *f, int pid, uint64_t ts, uint64_t ns)
{
	const struct tfs_profile_task who = task(pid);

	assert_int_equal(tfs_profile_windows_advance(&f->w, ts, take, f), 0);
	assert_int_equal(tfs_profile_window_runtime(&f->w, &who, ts, ns, true), 0);
}

static uint64_t weight_of(const struct fixture *f, uint64_t token)
{
	for (size_t i = 0; i < f->n; i++) {
		if (f->got[i].sampled && f->got[i].token == token)
			return f->got[i].ns;
	}
	return UINT64_MAX;
}

static void shares_add_up_to_the_whole(void **state)
{
	static const uint64_t wholes[] = { 0, 1, 10, 1000003, UINT64_MAX, UINT64_MAX - 1 };
	static const uint32_t parts[] = { 1, 2, 3, 7, 997, 4093 };

	(void)state;
	for (size_t k = 0; k < 6; k++) {
		for (size_t p = 0; p < 6; p++) {
			const uint64_t each = wholes[k] / parts[p];
			uint64_t sum = 0;

			for (uint32_t i = 0; i < parts[p]; i++) {
				uint64_t ns = tfs_profile_share_ns(wholes[k], i, parts[p]);

				/* none differs from another by more than one */
				assert_true(ns == each || ns == each + 1);
				sum += ns;
			}
			assert_true(sum == wholes[k]);
		}
	}
	/* the largest number of samples does not overflow either */
	assert_true(tfs_profile_share_ns(UINT64_MAX, UINT32_MAX - 1, UINT32_MAX) >=
		    UINT64_MAX / UINT32_MAX);
}

static void run_time_is_shared_by_the_samples_of_its_second(void **state)
{
	struct fixture *f = *state;

	sample(f, 7, SEC + 1, 11);
	runs(f, 7, SEC + 100, 90);
	sample(f, 7, SEC + 500, 12);
	sample(f, 8, SEC + 600, 13);
	runs(f, 8, SEC + 700, 50);
	runs(f, 7, SEC + 800, 11);
	/* another second, another price */
	sample(f, 7, 2 * SEC + 400, 14);
	runs(f, 7, 2 * SEC + 500, 333);
	assert_int_equal(f->n, 0);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 4);
	assert_int_equal(weight_of(f, 11) + weight_of(f, 12), 101);
	assert_int_equal(weight_of(f, 11), 50);
	assert_int_equal(weight_of(f, 13), 50);
	assert_int_equal(weight_of(f, 14), 333);
}

static void run_time_before_the_second_belongs_to_the_one_before(void **state)
{
	struct fixture *f = *state;

	sample(f, 7, 2 * SEC - 10, 1);
	sample(f, 7, 2 * SEC + 10, 2);
	/* 1000 ns up to 300 ns after the boundary */
	runs(f, 7, 2 * SEC + 300, 1000);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(weight_of(f, 1), 700);
	assert_int_equal(weight_of(f, 2), 300);
}

static void a_task_without_samples_keeps_its_run_time(void **state)
{
	struct fixture *f = *state;

	sample(f, 7, SEC, 1);
	runs(f, 7, SEC + 5, 5);
	runs(f, 9, SEC + 50, 40);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 2);
	assert_true(f->got[0].sampled);
	assert_false(f->got[1].sampled);
	assert_int_equal(f->got[1].who.pid, 9);
	assert_int_equal(f->got[1].ns, 40);
}

static struct tfs_profile_task named(int pid, uint32_t input, const char *comm)
{
	struct tfs_profile_task who = { .pid = pid, .input = input };

	memcpy(who.comm, comm, strlen(comm) + 1);
	return who;
}

/* 2 samples of "make" (pids 1 and 2), and 90 ns of a third; another recording's is another. */
static void tasks_that_are_too_short_share_the_samples_of_their_name(void **state)
{
	struct fixture *f = *state;
	const struct tfs_profile_task tasks[] = {
		named(1, 0, "make"), named(2, 0, "make"), named(3, 0, "make"),
		named(4, 0, "sh"),   named(5, 1, "make"),
	};

	f->w.flags = TFS_PROFILE_BY_NAME;
	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(tfs_profile_window_sample(&f->w, &tasks[i], SEC, true), 0);
		assert_int_equal(tfs_profile_window_token(&f->w, &tasks[i], SEC, i + 1), 0);
	}
	for (uint64_t i = 0; i < 5; i++) {
		int rc = tfs_profile_window_runtime(&f->w, &tasks[i], SEC + 500, 10 + 40 * i, true);

		assert_int_equal(rc, 0);
	}
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 4);
	assert_int_equal(weight_of(f, 1), 10 + 45);
	assert_int_equal(weight_of(f, 2), 50 + 45);
	assert_int_equal(f->got[0].spread + f->got[1].spread, 90);
	for (size_t i = 2; i < 4; i++) {
		assert_false(f->got[i].sampled);
		assert_int_equal(f->got[i].ns, f->got[i].who.pid == 4 ? 130 : 170);
	}
}

/* A task keeps its own run time unless it is asked for sums by name. */
static void without_the_flag_no_task_counts_for_another(void **state)
{
	struct fixture *f = *state;
	const struct tfs_profile_task sampled = named(1, 0, "make"), other = named(2, 0, "make");

	assert_int_equal(tfs_profile_window_sample(&f->w, &sampled, SEC, true), 0);
	assert_int_equal(tfs_profile_window_token(&f->w, &sampled, SEC, 1), 0);
	assert_int_equal(tfs_profile_window_runtime(&f->w, &sampled, SEC + 5, 5, true), 0);
	assert_int_equal(tfs_profile_window_runtime(&f->w, &other, SEC + 9, 7, true), 0);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 2);
	assert_int_equal(weight_of(f, 1), 5);
	assert_int_equal(f->got[1].ns, 7);
}

static void a_sample_without_run_time_says_so(void **state)
{
	struct fixture *f = *state;

	sample(f, 7, SEC, 1);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 1);
	assert_true(f->got[0].sampled && f->got[0].bare);
}

static void a_sample_that_is_not_wanted_keeps_its_share(void **state)
{
	const struct tfs_profile_task who = task(7);
	struct fixture *f = *state;

	assert_int_equal(tfs_profile_window_sample(&f->w, &who, SEC, false), 0);
	sample(f, 7, SEC + 1, 1);
	runs(f, 7, SEC + 2, 100);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 1);
	assert_int_equal(weight_of(f, 1), 50);
}

static void a_sample_that_never_comes_has_no_share(void **state)
{
	const struct tfs_profile_task who = task(7);
	struct fixture *f = *state;

	assert_int_equal(tfs_profile_window_sample(&f->w, &who, SEC, true), 0);
	sample(f, 7, SEC + 1, 1);
	runs(f, 7, SEC + 2, 100);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 1);
	assert_int_equal(weight_of(f, 1), 100);
}

/* A window is given once a later one is over, so that run time that comes late still counts. */
static void windows_are_given_when_they_are_complete(void **state)
{
	const struct tfs_profile_task who = task(7);
	struct fixture *f = *state;

	sample(f, 7, SEC, 1);
	runs(f, 7, SEC + 10, 10);
	sample(f, 7, 2 * SEC + 1, 2);
	assert_int_equal(f->n, 0);
	sample(f, 7, 3 * SEC + 1, 3);
	assert_int_equal(f->n, 1);
	assert_int_equal(weight_of(f, 1), 10);
	/* stacks that have not come hold it back */
	assert_int_equal(tfs_profile_window_sample(&f->w, &who, 3 * SEC + 2, true), 0);
	sample(f, 7, 9 * SEC, 4);
	assert_int_equal(f->n, 2);
	assert_int_equal(tfs_profile_window_token(&f->w, &who, 3 * SEC + 2, 5), 0);
	sample(f, 7, 12 * SEC, 6);
	assert_int_equal(f->n, 5);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 6);
}

static void time_may_go_back(void **state)
{
	struct fixture *f = *state;

	for (uint64_t i = 0; i < 100; i++) {
		sample(f, 7, (100 - i) * SEC, i);
		runs(f, 7, (100 - i) * SEC, 1);
	}
	/* at most the last few are kept */
	assert_true(f->n >= 96);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 100);
	runs(f, 7, UINT64_MAX, UINT64_MAX);
	runs(f, 7, 0, UINT64_MAX);
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), 0);
	assert_int_equal(f->n, 102);
}

static void a_failure_of_the_receiver_ends_it(void **state)
{
	struct fixture *f = *state;

	sample(f, 7, SEC, 1);
	sample(f, 7, 2 * SEC, 2);
	f->rc = -EIO;
	assert_int_equal(tfs_profile_windows_end(&f->w, take, f), -EIO);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_add_up_to_the_whole),
		TEST(run_time_is_shared_by_the_samples_of_its_second),
		TEST(run_time_before_the_second_belongs_to_the_one_before),
		TEST(a_task_without_samples_keeps_its_run_time),
		TEST(tasks_that_are_too_short_share_the_samples_of_their_name),
		TEST(without_the_flag_no_task_counts_for_another),
		TEST(a_sample_without_run_time_says_so),
		TEST(a_sample_that_is_not_wanted_keeps_its_share),
		TEST(a_sample_that_never_comes_has_no_share),
		TEST(windows_are_given_when_they_are_complete),
		TEST(time_may_go_back),
		TEST(a_failure_of_the_receiver_ends_it),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
