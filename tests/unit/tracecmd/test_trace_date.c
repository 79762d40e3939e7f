/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace-date.h"

#define HEAD                 \
	"# tracer: nop\n#\n" \
	"# entries-in-buffer/entries-written: 1/1   #P:2\n#\n"

/* The texts are what the trace file of 6.18 reads. */
static void a_mark_has_a_time_in_seconds_or_a_number(void **state)
{
	uint64_t usec = 0;

	(void)state;
	assert_int_equal(trace_marker_time(HEAD
					   "            bash-1234    [001] .....   862.025943: "
					   "tracing_mark_write: now\n",
					   &usec),
			 0);
	assert_int_equal(usec, 862025943);
	assert_int_equal(trace_marker_time(HEAD "            bash-1234    [001] ..... 17:30-9 "
						"8853150530419: tracing_mark_write: now\n",
					   &usec),
			 0);
	assert_int_equal(usec, 8853150530419);
	assert_int_equal(trace_marker_time(HEAD, &usec), -ENOENT);
	assert_int_equal(trace_marker_time(": tracing_mark_write: now\n", &usec), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_has_a_time_in_seconds_or_a_number),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
