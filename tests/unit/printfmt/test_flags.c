/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <event-parse.h>

#include "base/macros.h"
#include "printfmt/flags.h"

#define COMMON                                                                         \
	"name: x\nID: 1\nformat:\n"                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PRINT "print fmt: \"x\"\n"

static void column_is_libtraceevent_s_for_all_flags_and_counts(void **state)
{
	static const char format[] = COMMON PRINT;
	unsigned char data[16] = { 1, 0 };
	struct tep_record rec = { .data = data, .size = sizeof(data), .ref_count = 1 };
	struct tep_handle *tep = tep_alloc();
	struct trace_seq seq;
	char text[TFS_FLAGS_MAX + 1];
	unsigned int flags;

	(void)state;
	tep_set_file_bigendian(tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	assert_int_equal(tep_parse_event(tep, format, sizeof(format) - 1, "made"), 0);
	trace_seq_init(&seq);
	for (flags = 0; flags <= UINT16_MAX; flags++) {
		data[2] = (unsigned char)flags;
		data[3] = (unsigned char)(flags >> 8);
		trace_seq_reset(&seq);
		tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_LATENCY);
		trace_seq_terminate(&seq);
		*tfs_flags_put(text, flags) = '\0';
		if (strcmp(text, seq.buffer))
			fail_msg("%04x: '%s', not '%s'", flags, text, seq.buffer);
	}
	trace_seq_destroy(&seq);
	tep_free(tep);
}

static void check_lazy(unsigned int flags, const char *want)
{
	char text[TFS_FLAGS_MAX + 1];

	*tfs_flags_put(text, flags | TFS_FLAGS_LAZY) = '\0';
	assert_string_equal(text, want);
}

/* Lines of 6.1.0-56-rt-amd64 say which flag it is. */
static void lazy_preemption_has_two_columns_more(void **state)
{
	(void)state;
	check_lazy(0, ".......");
	check_lazy(0x21, "d.L....");
	check_lazy(0x2109 | 1 << TFS_FLAGS_LAZY_COUNT, "d..h112");
	check_lazy(0x104 | 15 << TFS_FLAGS_LAZY_COUNT, ".N..1f.");
	check_lazy(0x100 | 3U << TFS_FLAGS_MIGRATE, "....1.3");
}

static void the_lazy_request_of_old_kernels_is_not_known(void **state)
{
	(void)state;
	check_lazy(TFS_FLAGS_OLD_LAZY | 0x01, "d......");
	check_lazy(TFS_FLAGS_OLD_LAZY | 0x20, "..?....");
	check_lazy(TFS_FLAGS_OLD_LAZY | 0x80, "..?....");
}

static void a_count_is_a_number_or_a_dot(void **state)
{
	static const int counts[] = { 0, 9, 10, 255, INT32_MAX };
	char text[TFS_FLAGS_MAX + 1], want[16];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		snprintf(want, sizeof(want), "%d", counts[i]);
		*tfs_flags_put_count(text, counts[i]) = '\0';
		assert_string_equal(text, want);
	}
	*tfs_flags_put_count(text, -1) = '\0';
	assert_string_equal(text, ".");
	*tfs_flags_put_count(text, INT32_MIN) = '\0';
	assert_string_equal(text, ".");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(column_is_libtraceevent_s_for_all_flags_and_counts),
		cmocka_unit_test(lazy_preemption_has_two_columns_more),
		cmocka_unit_test(the_lazy_request_of_old_kernels_is_not_known),
		cmocka_unit_test(a_count_is_a_number_or_a_dot),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
