/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/meaning.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void names_are_found_by_value_and_values_by_name(void **state)
{
	struct tfs_meaning m = { .n = 0 };
	uint64_t value;

	(void)state;
	assert_int_equal(tfs_meaning_add(&m, 7, "RW"), 0);
	assert_int_equal(tfs_meaning_add(&m, 0xffffffff, "NEVER"), 0);
	assert_int_equal(tfs_meaning_add(&m, 0, "RD"), 0);
	tfs_meaning_sort(&m);
	assert_int_equal(m.kind, TFS_MEANS_NAME);
	assert_string_equal(tfs_meaning_name(&m, 7, 4), "RW");
	assert_string_equal(tfs_meaning_name(&m, 0, 4), "RD");
	assert_null(tfs_meaning_name(&m, 1, 4));
	/* -1, extended to 64 bits */
	assert_string_equal(tfs_meaning_name(&m, UINT64_MAX, 4), "NEVER");
	assert_null(tfs_meaning_name(&m, UINT64_MAX, 8));
	assert_true(tfs_meaning_value(&m, "RWX", 2, &value));
	assert_int_equal(value, 7);
	assert_false(tfs_meaning_value(&m, "RWX", 3, &value));
	assert_false(tfs_meaning_value(&m, "R", 1, &value));
	tfs_meaning_release(&m);
}

static void the_first_of_equal_values_is_shown(void **state)
{
	static const char *const names[] = { "FIRST", "LOW", "HIGH", "OTHER" };
	static const uint64_t values[] = { 5, 5, 9, 5 };
	struct tfs_meaning m = { .n = 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(tfs_meaning_add(&m, values[i], names[i]), 0);
	tfs_meaning_sort(&m);
	assert_int_equal(m.n, 2);
	assert_string_equal(tfs_meaning_name(&m, 5, 8), "FIRST");
	assert_string_equal(tfs_meaning_name(&m, 9, 8), "HIGH");
	tfs_meaning_release(&m);
}

static void a_copy_is_the_same_and_another_is_not(void **state)
{
	struct tfs_meaning a = { .n = 0 }, b, c = { .kind = TFS_MEANS_FLOAT };

	(void)state;
	assert_int_equal(tfs_meaning_add(&a, 1, "ONE"), 0);
	assert_int_equal(tfs_meaning_copy(&b, &a), 0);
	assert_true(tfs_meaning_same(&a, &b));
	assert_false(tfs_meaning_same(&a, &c));
	assert_int_equal(tfs_meaning_add(&b, 2, "TWO"), 0);
	assert_false(tfs_meaning_same(&a, &b));
	tfs_meaning_release(&a);
	tfs_meaning_release(&b);
}

static void bits_have_a_sign_of_their_own(void **state)
{
	struct tfs_meaning m = { .bits = 3 }, copy;

	(void)state;
	assert_int_equal(tfs_meaning_extend(5, 25), -7);
	assert_int_equal(tfs_meaning_extend(5, 15), 15);
	assert_int_equal(tfs_meaning_extend(5, (uint64_t)-7), -7);
	assert_int_equal(tfs_meaning_extend(32, 4294967294), -2);
	assert_int_equal(tfs_meaning_extend(64, UINT64_MAX), -1);
	assert_int_equal(tfs_meaning_extend(0, 25), 25);
	assert_false(tfs_meaning_is_plain(&m));
	assert_int_equal(tfs_meaning_add(&m, 6, "LOW"), 0);
	assert_string_equal(tfs_meaning_name(&m, 6, 4), "LOW");
	assert_string_equal(tfs_meaning_name(&m, (uint64_t)-2, 4), "LOW");
	assert_null(tfs_meaning_name(&m, (uint64_t)-1, 4));
	assert_int_equal(tfs_meaning_copy(&copy, &m), 0);
	assert_true(tfs_meaning_same(&copy, &m));
	copy.bits = 4;
	assert_false(tfs_meaning_same(&copy, &m));
	tfs_meaning_release(&copy);
	tfs_meaning_release(&m);
}

static void names_beyond_the_limits_are_refused(void **state)
{
	char name[TFS_MEANING_NAME_MAX + 2];
	struct tfs_meaning m = { .n = 0 };

	(void)state;
	memset(name, 'x', sizeof(name));
	name[TFS_MEANING_NAME_MAX + 1] = '\0';
	assert_int_equal(tfs_meaning_add(&m, 1, name), -E2BIG);
	assert_int_equal(tfs_meaning_add(&m, 1, name + 1), 0);
	for (size_t i = 1; i < TFS_MEANING_NAMES_MAX; i++)
		assert_int_equal(tfs_meaning_add(&m, i, "n"), 0);
	assert_int_equal(tfs_meaning_add(&m, 1, "n"), -E2BIG);
	tfs_meaning_release(&m);
}

static void check_double(double number, const char *text)
{
	char out[TFS_FLOAT_MAX + 1];
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	*tfs_float_put(out, bits, 8) = '\0';
	assert_string_equal(out, text);
}

static void check_float(float number, const char *text)
{
	char out[TFS_FLOAT_MAX + 1];
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	*tfs_float_put(out, bits, 4) = '\0';
	assert_string_equal(out, text);
}

/* Python's repr() of these has the same digits. */
static void floating_point_numbers_have_the_fewest_digits(void **state)
{
	(void)state;
	check_double(0.1, "0.1");
	check_double(2, "2");
	check_double(-1024.0625, "-1024.0625");
	check_double(1.0 / 3, "0.3333333333333333");
	check_double(5e-324, "5e-324");
	check_double(-1.7976931348623157e308, "-1.7976931348623157e+308");
	check_float(0.1F, "0.1");
	check_float(16777216.0F, "16777216");
	check_float(3.4028235e38F, "3.4028235e+38");
}

static void nan_and_infinity_are_printed_as_words(void **state)
{
	char out[TFS_FLOAT_MAX + 1];

	(void)state;
	*tfs_float_put(out, 0x7ff0000000000000, 8) = '\0';
	assert_string_equal(out, "inf");
	*tfs_float_put(out, 0xff800000, 4) = '\0';
	assert_string_equal(out, "-inf");
	*tfs_float_put(out, 0xfff8000000000001, 8) = '\0';
	assert_string_equal(out, "nan");
	assert_false(tfs_float_is_finite(0x7fc00000, 4));
	assert_true(tfs_float_is_finite(0x7fc00000, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_found_by_value_and_values_by_name),
		cmocka_unit_test(the_first_of_equal_values_is_shown),
		cmocka_unit_test(a_copy_is_the_same_and_another_is_not),
		cmocka_unit_test(bits_have_a_sign_of_their_own),
		cmocka_unit_test(names_beyond_the_limits_are_refused),
		cmocka_unit_test(floating_point_numbers_have_the_fewest_digits),
		cmocka_unit_test(nan_and_infinity_are_printed_as_words),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
