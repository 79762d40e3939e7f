/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/digits.h"
#include "base/macros.h"

static void check(uint64_t n)
{
	char want[64], got[64];
	unsigned int width;

	snprintf(want, sizeof(want), "%" PRIu64, n);
	*tfs_digits_dec(got, n) = '\0';
	assert_string_equal(got, want);
	assert_true(strlen(got) <= TFS_DIGITS_MAX);
	snprintf(want, sizeof(want), "%" PRId64, (int64_t)n);
	*tfs_digits_sdec(got, (int64_t)n) = '\0';
	assert_string_equal(got, want);
	assert_true(strlen(got) <= TFS_DIGITS_MAX);
	for (width = 0; width <= 20; width++) {
		snprintf(want, sizeof(want), "%0*" PRIx64, (int)width, n);
		*tfs_digits_hex(got, n, width) = '\0';
		assert_string_equal(got, want);
		if (width > 16)
			continue;
		*tfs_digits_hex_roomy(got, n, width) = '\0';
		assert_string_equal(got, want);
	}
}

/* Around each power of two and of ten, where lengths change. */
static void numbers_are_printf_s(void **state)
{
	uint64_t ten = 1;
	unsigned int i;
	int d;

	(void)state;
	for (i = 0; i < 64; i++)
		for (d = -2; d <= 2; d++)
			check((UINT64_C(1) << i) + (uint64_t)d);
	for (i = 0; i < 20; i++, ten *= 10)
		for (d = -2; d <= 2; d++)
			check(ten + (uint64_t)d);
	for (i = 0; i < 1200; i++)
		check(i);
}

static void fixed_numbers_have_all_their_digits(void **state)
{
	static const uint32_t numbers[] = { 0, 1, 9, 10, 99, 100, 123456789, 999999999 };
	char want[64], got[64];
	unsigned int width, i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		snprintf(want, sizeof(want), "%" PRIu32, numbers[i]);
		for (width = (unsigned int)strlen(want); width <= 10; width++) {
			snprintf(want, sizeof(want), "%0*" PRIu32, (int)width, numbers[i]);
			*tfs_digits_fixed(got, numbers[i], width) = '\0';
			assert_string_equal(got, want);
		}
	}
}

static void six_digits_are_printf_s(void **state)
{
	char want[16], got[16];
	uint32_t n;

	(void)state;
	for (n = 0; n < 1000000; n++) {
		snprintf(want, sizeof(want), "%06" PRIu32, n);
		*tfs_digits_six(got, n) = '\0';
		assert_string_equal(got, want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_printf_s),
		cmocka_unit_test(fixed_numbers_have_all_their_digits),
		cmocka_unit_test(six_digits_are_printf_s),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
