/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rewrite/option-order.h"
#include "tracedat/dat-format.h"

/* @big is little-endian @little in the other byte order; both ways, and cut anywhere. */
static void check(uint16_t id, const void *little, const void *big, size_t size)
{
	unsigned char b[256];

	assert_true(size <= sizeof(b));
	memcpy(b, little, size);
	tfs_option_swap(id, b, size, false);
	assert_memory_equal(b, big, size);
	tfs_option_swap(id, b, size, true);
	assert_memory_equal(b, little, size);
	for (size_t n = 0; n < size; n++) {
		memcpy(b, little, n);
		memset(b + n, 0xa5, sizeof(b) - n);
		tfs_option_swap(id, b, n, false);
		for (size_t i = n; i < sizeof(b); i++)
			assert_int_equal(b[i], 0xa5);
	}
}

static void turns_a_trace_id(void **state)
{
	(void)state;
	check(TFS_DAT_TRACEID, "\1\2\3\4\5\6\7\10", "\10\7\6\5\4\3\2\1", 8);
}

static void turns_cycles(void **state)
{
	(void)state;
	check(TFS_DAT_TSC2NSEC,
	      "\1\2\3\4"
	      "\5\0\0\0"
	      "\1\2\3\4\5\6\7\10",
	      "\4\3\2\1"
	      "\0\0\0\5"
	      "\10\7\6\5\4\3\2\1",
	      16);
}

static void turns_a_guest_but_not_its_name(void **state)
{
	static const char little[] = "abcd\0"
				     "\1\0\0\0\0\0\0\0"
				     "\1\0\0\0"
				     "\2\0\0\0"
				     "\3\1\0\0";
	static const char big[] = "abcd\0"
				  "\0\0\0\0\0\0\0\1"
				  "\0\0\0\1"
				  "\0\0\0\2"
				  "\0\0\1\3";

	(void)state;
	check(TFS_DAT_GUEST, little, big, sizeof(little) - 1);
}

#define TEN "\12\0\0\0\0\0\0\0"
#define TEN_BIG "\0\0\0\0\0\0\0\12"

/* Two CPUs, one with a sample and one with none, and the fraction of the first */
static void turns_the_samples_of_each_cpu(void **state)
{
	static const char little[] = TEN "\1\0\0\0"
					 "\2\0\0\0"
					 "\1\0\0\0" TEN TEN TEN "\0\0\0\0" TEN;
	static const char big[] = TEN_BIG "\0\0\0\1"
					  "\0\0\0\2"
					  "\0\0\0\1" TEN_BIG TEN_BIG TEN_BIG "\0\0\0\0" TEN_BIG;

	(void)state;
	check(TFS_DAT_TIME_SHIFT, little, big, sizeof(little) - 1);
}

static void leaves_texts_and_unknown_options(void **state)
{
	(void)state;
	check(TFS_DAT_UNAME, "Linux host", "Linux host", 11);
	check(TFS_DAT_PRIVATE_LOST, "\4\3\2\1\1\0\0\0", "\4\3\2\1\1\0\0\0", 8);
	check(200, "abcdefgh", "abcdefgh", 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_a_trace_id),
		cmocka_unit_test(turns_cycles),
		cmocka_unit_test(turns_a_guest_but_not_its_name),
		cmocka_unit_test(turns_the_samples_of_each_cpu),
		cmocka_unit_test(leaves_texts_and_unknown_options),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
