/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/num.h"

#define UNTOUCHED 0x5eed

#define KIB UINT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)
#define TIB (KIB * GIB)
#define MS UINT64_C(1000000)
#define SEC (MS * 1000)

/* @caret is where the fault is expected. */
static void check_fault(const struct tfs_err *err, const char *s, int rc, int want, int caret)
{
	if (rc != want || err->caret != caret)
		fail_msg("'%s': %d with caret %d instead of %d with %d", s, rc, err->caret, want,
			 caret);
	assert_int_equal(err->code, want);
	assert_string_equal(err->input, s);
	/* the text is named */
	assert_non_null(strstr(err->msg, s));
}

static void u64_ok(const char *s, uint64_t want)
{
	uint64_t v = UNTOUCHED;

	assert_int_equal(tfs_parse_u64(s, 0, UINT64_MAX, &v, NULL), 0);
	assert_true(v == want);
}

static void u64_bad(const char *s, uint64_t min, uint64_t max, int want, int caret)
{
	struct tfs_err err = TFS_ERR_INIT;
	uint64_t v = UNTOUCHED;
	int rc = tfs_parse_u64(s, min, max, &v, &err);

	check_fault(&err, s, rc, want, caret);
	assert_true(v == UNTOUCHED);
}

static void u64_takes_decimal_and_hexadecimal(void **state)
{
	(void)state;
	u64_ok("0", 0);
	u64_ok("7", 7);
	u64_ok("010", 10);
	u64_ok("0x10", 16);
	u64_ok("0XaBcDeF", 0xabcdef);
	u64_ok("18446744073709551615", UINT64_MAX);
	u64_ok("0xffffffffffffffff", UINT64_MAX);
	u64_ok("000000000000000000000000001", 1);
}

static void u64_points_to_the_character_that_is_not_a_digit(void **state)
{
	(void)state;
	u64_bad("", 0, 9, -EINVAL, 0);
	u64_bad("x", 0, 9, -EINVAL, 0);
	u64_bad("12x", 0, 99, -EINVAL, 2);
	u64_bad(" 1", 0, 99, -EINVAL, 0);
	u64_bad("1 ", 0, 99, -EINVAL, 1);
	u64_bad("-1", 0, 99, -EINVAL, 0);
	u64_bad("+1", 0, 99, -EINVAL, 0);
	u64_bad("0x", 0, 99, -EINVAL, 1);
	u64_bad("0xg", 0, 99, -EINVAL, 1);
	u64_bad("1e3", 0, 9999, -EINVAL, 1);
	u64_bad("99999999999999999999x", 0, 9999, -EINVAL, 20);
}

static void u64_keeps_its_range(void **state)
{
	uint64_t v;

	(void)state;
	u64_bad("18446744073709551616", 0, UINT64_MAX, -ERANGE, 0);
	u64_bad("0x10000000000000000", 0, UINT64_MAX, -ERANGE, 0);
	u64_bad("99999999999999999999999", 0, UINT64_MAX, -ERANGE, 0);
	u64_bad("4", 5, 10, -ERANGE, 0);
	u64_bad("11", 5, 10, -ERANGE, 0);
	assert_int_equal(tfs_parse_u64("5", 5, 10, &v, NULL), 0);
	assert_int_equal(tfs_parse_u64("10", 5, 10, &v, NULL), 0);
}

static void the_limit_that_is_missed_is_named(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	uint64_t v;
	int64_t sv;

	(void)state;
	tfs_parse_u64("4", 5, 10, &v, &err);
	assert_string_equal(err.msg, "'4' is too small: at least 5 is accepted");
	tfs_parse_u64("11", 5, 10, &v, &err);
	assert_string_equal(err.msg, "'11' is too large: at most 10 is accepted");
	tfs_parse_size("1K", 1, 4096, 1048576, &v, &err);
	assert_string_equal(err.msg, "'1K' is too small: at least 4K is accepted");
	tfs_parse_size("2M", 1, 4096, 1048576, &v, &err);
	assert_string_equal(err.msg, "'2M' is too large: at most 1M is accepted");
	tfs_parse_size("2M", 1, 4096, 1048577, &v, &err);
	assert_string_equal(err.msg, "'2M' is too large: at most 1048577 is accepted");
	tfs_parse_s64("-4", -3, 3, &sv, &err);
	assert_string_equal(err.msg, "'-4' is too small: at least -3 is accepted");
	tfs_parse_s64("+4", -3, 3, &sv, &err);
	assert_string_equal(err.msg, "'+4' is too large: at most 3 is accepted");
}

static void s64_ok(const char *s, int64_t want)
{
	int64_t v = UNTOUCHED;

	assert_int_equal(tfs_parse_s64(s, INT64_MIN, INT64_MAX, &v, NULL), 0);
	assert_true(v == want);
}

static void s64_bad(const char *s, int64_t min, int64_t max, int want, int caret)
{
	struct tfs_err err = TFS_ERR_INIT;
	int64_t v = UNTOUCHED;
	int rc = tfs_parse_s64(s, min, max, &v, &err);

	check_fault(&err, s, rc, want, caret);
	assert_true(v == UNTOUCHED);
}

static void s64_takes_a_sign(void **state)
{
	(void)state;
	s64_ok("-1", -1);
	s64_ok("+1", 1);
	s64_ok("-0x10", -16);
	s64_ok("-0", 0);
	s64_ok("9223372036854775807", INT64_MAX);
	s64_ok("-9223372036854775808", INT64_MIN);
	s64_bad("9223372036854775808", INT64_MIN, INT64_MAX, -ERANGE, 0);
	s64_bad("-9223372036854775809", INT64_MIN, INT64_MAX, -ERANGE, 0);
	s64_bad("-99999999999999999999", INT64_MIN, INT64_MAX, -ERANGE, 0);
	s64_bad("99999999999999999999", INT64_MIN, INT64_MAX, -ERANGE, 0);
	s64_bad("-99999999999999999999", -5, 5, -ERANGE, 0);
	s64_bad("99999999999999999999", -5, 5, -ERANGE, 0);
	s64_bad("", -5, 5, -EINVAL, 0);
	s64_bad("-", -5, 5, -EINVAL, 1);
	s64_bad("--1", -5, 5, -EINVAL, 1);
	s64_bad("+-1", -5, 5, -EINVAL, 1);
	s64_bad("1-", -5, 5, -EINVAL, 1);
}

static void size_ok(const char *s, uint64_t unit, uint64_t want)
{
	uint64_t v = UNTOUCHED;

	assert_int_equal(tfs_parse_size(s, unit, 0, UINT64_MAX, &v, NULL), 0);
	assert_true(v == want);
}

static void size_bad(const char *s, uint64_t unit, int want, int caret)
{
	struct tfs_err err = TFS_ERR_INIT;
	uint64_t v = UNTOUCHED;
	int rc = tfs_parse_size(s, unit, 1, UINT64_MAX, &v, &err);

	check_fault(&err, s, rc, want, caret);
	assert_true(v == UNTOUCHED);
}

static void sizes_have_powers_of_1024(void **state)
{
	(void)state;
	size_ok("64", 1, 64);
	size_ok("64", 1024, 64 * KIB);
	size_ok("64K", 1, 64 * KIB);
	size_ok("64k", 1024, 64 * KIB);
	size_ok("3M", 1024, 3 * MIB);
	size_ok("3m", 1, 3 * MIB);
	size_ok("2G", 1, 2 * GIB);
	size_ok("2g", 1, 2 * GIB);
	size_ok("1T", 1, TIB);
	size_ok("1t", 1, TIB);
	size_ok("0x10K", 1, 16 * KIB);
	size_ok("0", 1, 0);
	size_ok("16777215T", 1, 16777215 * TIB);
}

static void a_size_points_at_a_strange_unit(void **state)
{
	(void)state;
	size_bad("64Q", 1, -EINVAL, 2);
	size_bad("64KB", 1, -EINVAL, 3);
	size_bad("1.5G", 1, -EINVAL, 1);
	size_bad("K", 1, -EINVAL, 0);
	size_bad("", 1, -EINVAL, 0);
	size_bad("-1K", 1, -EINVAL, 0);
	size_bad("64 K", 1, -EINVAL, 2);
	size_bad("0", 1, -ERANGE, 0);
	/* 2^24 TiB are 2^64 bytes */
	size_bad("16777216T", 1, -ERANGE, 0);
	size_bad("99999999999999999999", 1, -ERANGE, 0);
	size_bad("18446744073709551615", 1024, -ERANGE, 0);
}

static void duration_ok(const char *s, uint64_t want)
{
	uint64_t v = UNTOUCHED;

	assert_int_equal(tfs_parse_duration(s, &v, NULL), 0);
	assert_true(v == want);
}

static void duration_bad(const char *s, int want, int caret)
{
	struct tfs_err err = TFS_ERR_INIT;
	uint64_t v = UNTOUCHED;
	int rc = tfs_parse_duration(s, &v, &err);

	check_fault(&err, s, rc, want, caret);
	assert_true(v == UNTOUCHED);
}

static void durations_have_units_and_fractions(void **state)
{
	(void)state;
	duration_ok("2", 2 * SEC);
	duration_ok("1.5", 1500 * MS);
	duration_ok(".5", 500 * MS);
	duration_ok("200ms", 200 * MS);
	duration_ok("10us", 10000);
	duration_ok("5ns", 5);
	duration_ok("3s", 3 * SEC);
	duration_ok("2m", 120 * SEC);
	duration_ok("1h", 3600 * SEC);
	duration_ok("0", 0);
	duration_ok("1.000000001", SEC + 1);
	duration_ok("0.0000000010", 1);
	duration_ok("0.5us", 500);
	duration_ok("1.000001ms", MS + 1);
	duration_ok("1.0ns", 1);
	duration_ok("0.1h", 360 * SEC);
	duration_ok("0.000000001h", 3600);
	duration_ok("4611686018427387903ns", (UINT64_C(1) << 62) - 1);
	duration_ok("4611686018.427387903", (UINT64_C(1) << 62) - 1);
}

static void a_duration_points_at_its_fault(void **state)
{
	(void)state;
	duration_bad("", -EINVAL, 0);
	duration_bad("s", -EINVAL, 0);
	duration_bad(".", -EINVAL, 1);
	duration_bad("1.", -EINVAL, 2);
	duration_bad("1.s", -EINVAL, 2);
	duration_bad("1x", -EINVAL, 1);
	duration_bad("1.5.5", -EINVAL, 3);
	duration_bad("1 s", -EINVAL, 1);
	duration_bad("-1", -EINVAL, 0);
	duration_bad("1S", -EINVAL, 1);
	duration_bad("2msec", -EINVAL, 1);
	duration_bad("0.5ns", -EINVAL, 1);
	duration_bad("1.0000001ms", -EINVAL, 1);
	duration_bad("0.0000000001", -EINVAL, 11);
	duration_bad("4611686018427387904ns", -ERANGE, 0);
	duration_bad("18446744073s", -ERANGE, 0);
	duration_bad("18446744073709551616ns", -ERANGE, 0);
	duration_bad("18446744073.709551616", -ERANGE, 0);
	duration_bad("99999999999999999999h", -ERANGE, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(u64_takes_decimal_and_hexadecimal),
		cmocka_unit_test(u64_points_to_the_character_that_is_not_a_digit),
		cmocka_unit_test(u64_keeps_its_range),
		cmocka_unit_test(the_limit_that_is_missed_is_named),
		cmocka_unit_test(s64_takes_a_sign),
		cmocka_unit_test(sizes_have_powers_of_1024),
		cmocka_unit_test(a_size_points_at_a_strange_unit),
		cmocka_unit_test(durations_have_units_and_fractions),
		cmocka_unit_test(a_duration_points_at_its_fault),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
