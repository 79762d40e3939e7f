/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "relay/bucket.h"

#define MS UINT64_C(1000000)
#define SECONDS 10

/* Bytes that go in ten seconds when a sender asks for pieces of @piece all the time */
static uint64_t send_for_ten_seconds(uint64_t rate, size_t piece)
{
	struct tfs_relay_bucket b = { .rate = rate };
	uint64_t now = 5 * MS, sent = 0;
	const uint64_t end = now + SECONDS * 1000 * MS;

	while (now < end) {
		int wait;
		size_t n = tfs_relay_bucket_take(&b, now, piece, &wait);

		assert_true(n <= piece);
		assert_true(n || (wait > 0 && wait <= 1000));
		sent += n;
		now += n ? 1000 : (uint64_t)wait * MS;
	}
	return sent;
}

static void bytes_in_ten_seconds_are_the_rate_times_ten(void **state)
{
	static const uint64_t rates[] = { 1024, 5000, 65536, 1000003, 100000000 };
	static const size_t pieces[] = { 100, 4096, 40000, 200000 };

	(void)state;
	for (size_t r = 0; r < sizeof(rates) / sizeof(*rates); r++)
		for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
			const uint64_t sent = send_for_ten_seconds(rates[r], pieces[p]);
			/* A full bucket, or a piece that must be whole, makes a difference. */
			const uint64_t slack =
				rates[r] / 10 + TFS_RELAY_BUCKET_MIN + rates[r] * SECONDS / 10;

			/* Pieces of 100 bytes are not sent faster than the loop asks. */
			if (pieces[p] == 100 && rates[r] > 10000000)
				continue;
			assert_true(sent <=
				    rates[r] * SECONDS + rates[r] / 10 + 2 * TFS_RELAY_BUCKET_MIN);
			assert_true(sent + slack >= rates[r] * SECONDS);
		}
}

static void without_a_rate_all_may_go(void **state)
{
	struct tfs_relay_bucket b = { .rate = 0 };
	int wait;

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_int_equal(tfs_relay_bucket_take(&b, 7, 1 << 20, &wait), 1 << 20);
}

static void an_idle_sender_saves_no_more_than_a_bucket(void **state)
{
	struct tfs_relay_bucket b = { .rate = 1000000 };
	uint64_t sent = 0;
	size_t n;
	int wait;

	(void)state;
	tfs_relay_bucket_take(&b, MS, 4096, &wait);
	while ((n = tfs_relay_bucket_take(&b, 3600 * 1000 * MS, 4096, &wait)))
		sent += n;
	assert_in_range(sent, 90000, 100000);
	tfs_relay_bucket_give_back(&b, 4096);
	assert_int_equal(tfs_relay_bucket_take(&b, 3600 * 1000 * MS, 4096, &wait), 4096);
}

static void a_clock_that_jumps_does_no_harm(void **state)
{
	struct tfs_relay_bucket b = { .rate = 1 };
	int wait;

	(void)state;
	tfs_relay_bucket_take(&b, UINT64_MAX, 1, &wait);
	assert_int_equal(tfs_relay_bucket_take(&b, 0, 1, &wait), 1);
	b.rate = UINT64_C(1) << 60;
	assert_true(tfs_relay_bucket_take(&b, 100, 1 << 20, &wait) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_in_ten_seconds_are_the_rate_times_ten),
		cmocka_unit_test(without_a_rate_all_may_go),
		cmocka_unit_test(an_idle_sender_saves_no_more_than_a_bucket),
		cmocka_unit_test(a_clock_that_jumps_does_no_harm),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
