/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strvec.h"
#include "decode/clock.h"
#include "decode/trace-internal.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "filter/select.h"
#include "lib/dat_build.h"
#include "lib/dat_open.h"
#include "lib/needs.h"
#include "printfmt/flags.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

/* For tests that need a recording: sched:* of a few commands, from tc-record. */
struct fixture {
	struct tfs_trace *trace;
	struct tfs_event_type *type;
	struct tfs_strvec list;
	char data[128];
	struct tfs_record rec;
};

static int set_up(void **state)
{
	static const struct tfs_trace_opts opts = { .no_plugins = true };
	struct fixture *f = calloc(1, sizeof(*f));
	const char *dir = getenv("TC_SRCDIR");
	struct tfs_err err = TFS_ERR_INIT;
	char path[4096];
	size_t i;

	if (!f)
		return -1;
	snprintf(path, sizeof(path), "%s/tests/data/sched.dat", dir ? dir : ".");
	if (tfs_trace_open(path, &opts, &f->trace, &err)) {
		free(f);
		return -1;
	}
	for (i = 0; i < f->trace->index.n; i++)
		if (f->trace->index.types[i].name_len == 12 &&
		    !strncmp(f->trace->index.types[i].name, "sched_switch", 12))
			f->type = tfs_trace_event(f->trace, f->trace->index.types[i].id);
	if (!f->type)
		return -1;
	f->rec = (struct tfs_record){ .data = f->data, .size = 64, .room = 128 };
	memcpy(f->data, &(uint16_t){ (uint16_t)f->type->id }, 2);
	tfs_strvec_init(&f->list);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	tfs_strvec_release(&f->list);
	tfs_trace_free(f->trace);
	free(f);
	return 0;
}

static void flags_come_from_their_two_bytes(void **state)
{
	struct fixture *f = *state;

	f->data[2] = 0x15;
	f->data[3] = 0x2f;
	assert_int_equal(tfs_trace_record_flags(f->trace, &f->rec), 0x2f15);
	/* A record that ends before them. */
	f->rec.size = 2;
	assert_int_equal(tfs_trace_record_flags(f->trace, &f->rec), 0);
}

/* As libtraceevent 1.7.1 shows the counts of kernels that have them. */
static void a_count_after_the_flags_is_repeated_for_each_column(void **state)
{
	static const char *const want[] = { "", "7", "77" };
	struct fixture *f = *state;
	char text[TFS_FLAGS_MAX + 1];

	f->trace->common.depth_off = 8;
	f->trace->common.depth_size = 4;
	memcpy(f->data + 8, &(int){ 7 }, 4);
	for (f->trace->common.counts = 0; f->trace->common.counts < 3; f->trace->common.counts++) {
		*tfs_trace_put_counts(f->trace, &f->rec, text) = '\0';
		assert_string_equal(text, want[f->trace->common.counts]);
	}
	memcpy(f->data + 8, &(int){ -1 }, 4);
	f->trace->common.counts = 2;
	*tfs_trace_put_counts(f->trace, &f->rec, text) = '\0';
	assert_string_equal(text, "..");
}

static bool selects(struct fixture *f, const struct tfs_select_opts *opts)
{
	struct tfs_select *sel = NULL;
	bool found;

	assert_int_equal(tfs_select_new(f->trace, opts, &sel, NULL), 0);
	found = tfs_select_match(sel, &f->rec);
	tfs_select_free(sel);
	return found;
}

static void put_pid(struct fixture *f, const char *field, int32_t pid)
{
	const struct tep_format_field *tf = tep_find_any_field(f->type->tep, field);

	assert_non_null(tf);
	memcpy(f->data + tf->offset, &pid, 4);
}

static void a_task_is_found_in_three_fields(void **state)
{
	static const char *const fields[] = { "common_pid", "next_pid" };
	struct fixture *f = *state;
	const struct tfs_select_opts opts = { .pids = &f->list };
	size_t i;

	tfs_strvec_push(&f->list, "4711,4712");
	put_pid(f, "prev_pid", 4711);
	assert_false(selects(f, &opts));
	for (i = 0; i < 2; i++) {
		put_pid(f, fields[i], 4712);
		assert_true(selects(f, &opts));
		put_pid(f, fields[i], 4713);
		assert_false(selects(f, &opts));
	}
}

static void a_record_cut_short_matches_no_task(void **state)
{
	struct fixture *f = *state;
	const struct tfs_select_opts opts = { .pids = &f->list };

	tfs_strvec_push(&f->list, "4711");
	put_pid(f, "next_pid", 4711);
	f->rec.size = 40;
	assert_false(selects(f, &opts));
	f->rec.size = 1;
	assert_false(selects(f, &opts));
	assert_int_equal(tfs_trace_record_id(f->trace, &f->rec), -1);
}

static void events_are_found_by_name_system_and_glob(void **state)
{
	(void)state;
	assert_true(tfs_select_event_glob("sched_switch", "sched", "sched_switch"));
	assert_true(tfs_select_event_glob("sched", "sched", "sched_switch"));
	assert_true(tfs_select_event_glob("sched:sched_sw*", "sched", "sched_switch"));
	assert_true(tfs_select_event_glob("*:sched_switch", "sched", "sched_switch"));
	assert_true(tfs_select_event_glob("sched:", "sched", "sched_switch"));
	assert_false(tfs_select_event_glob("irq:sched_switch", "sched", "sched_switch"));
	assert_false(tfs_select_event_glob("switch", "sched", "sched_switch"));
	assert_false(tfs_select_event_glob("sched:sched", "sched", "sched_switch"));
}

static void an_event_that_is_not_there_is_an_error(void **state)
{
	struct fixture *f = *state;
	const struct tfs_select_opts opts = { .events = &f->list };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_select *sel = NULL;

	tfs_strvec_push(&f->list, "sched_swich");
	assert_int_equal(tfs_select_new(f->trace, &opts, &sel, &err), -ENOENT);
	assert_non_null(strstr(err.hint, "sched_switch"));
}

static void a_stack_goes_with_the_record_before_it(void **state)
{
	struct fixture *f = *state;
	const struct tfs_select_opts opts = { .events = &f->list };
	struct tfs_event_type *stack = NULL, *waking = NULL;
	struct tfs_select *sel = NULL;
	size_t i;

	for (i = 0; i < f->trace->index.n; i++) {
		if (!strncmp(f->trace->index.types[i].name, "kernel_stack\n", 13))
			stack = &f->trace->index.types[i];
		if (!strncmp(f->trace->index.types[i].name, "sched_waking\n", 13))
			waking = &f->trace->index.types[i];
	}
	assert_non_null(stack);
	assert_non_null(waking);
	tfs_strvec_push(&f->list, "sched_switch");
	assert_int_equal(tfs_select_new(f->trace, &opts, &sel, NULL), 0);
	assert_true(tfs_select_match(sel, &f->rec));
	memcpy(f->data, &(uint16_t){ (uint16_t)stack->id }, 2);
	assert_true(tfs_select_match(sel, &f->rec));
	f->rec.cpu = 1;
	assert_false(tfs_select_match(sel, &f->rec));
	f->rec.cpu = 0;
	memcpy(f->data, &(uint16_t){ (uint16_t)waking->id }, 2);
	assert_false(tfs_select_match(sel, &f->rec));
	memcpy(f->data, &(uint16_t){ (uint16_t)stack->id }, 2);
	assert_false(tfs_select_match(sel, &f->rec));
	tfs_select_free(sel);
}

static void clocks_of_nanoseconds_are_known(void **state)
{
	static const char *const ns[] = { "local", "global",   "boot", "perf",
					  "mono",  "mono_raw", "tai",  "tsc2nsec" };
	static const char *const other[] = { "counter", "uptime", "x86-tsc", "", "loca", "locale" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		assert_true(tfs_clock_is_ns(ns[i], strlen(ns[i]), false));
	for (i = 0; i < sizeof(other) / sizeof(*other); i++)
		assert_false(tfs_clock_is_ns(other[i], strlen(other[i]), false));
}

/* How stamps are shown of a recording that notes @clocks as its trace_clock */
static enum tfs_time_format format_of(const char *clocks, bool tsc2nsec, bool compat)
{
	static const struct dat_spec spec = { .cpus = 1 };
	static const unsigned char mult_shift_offset[16] = { 1 };
	struct dat_builder d;
	struct tfs_trace trace = { .compat = compat };
	enum tfs_time_format format;

	dat_begin(&d, &spec);
	dat_metadata(&d);
	dat_option(&d, TFS_DAT_TRACECLOCK, clocks, strlen(clocks) + 1);
	if (tsc2nsec)
		dat_option(&d, TFS_DAT_TSC2NSEC, mult_shift_offset, sizeof(mult_shift_offset));
	trace.dat = dat_open_built(&d);
	format = tfs_trace_time_format(&trace, TFS_TIME_USECS);
	tfs_dat_free(trace.dat);
	return format;
}

/* As the kernel's own trace shows them; trace-cmd 3.1.6 shows seconds of the third. */
static void the_clock_decides_how_stamps_are_shown(void **state)
{
	(void)state;
	assert_int_equal(format_of("local global [boot] x86-tsc\n", false, false), TFS_TIME_USECS);
	assert_int_equal(format_of("local global boot [x86-tsc]\n", false, false), TFS_TIME_RAW);
	assert_int_equal(format_of("local global boot [x86-tsc]\n", true, false), TFS_TIME_USECS);
	assert_int_equal(format_of("local global [uptime] perf\n", false, false), TFS_TIME_RAW);
	assert_int_equal(format_of("local global [uptime] perf\n", false, true), TFS_TIME_USECS);
	assert_int_equal(format_of("local global [boot] x86-tsc\n", false, true), TFS_TIME_RAW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(flags_come_from_their_two_bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_count_after_the_flags_is_repeated_for_each_column,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_task_is_found_in_three_fields, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_record_cut_short_matches_no_task, set_up,
						tear_down),
		cmocka_unit_test(events_are_found_by_name_system_and_glob),
		cmocka_unit_test_setup_teardown(an_event_that_is_not_there_is_an_error, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_stack_goes_with_the_record_before_it, set_up,
						tear_down),
		cmocka_unit_test(clocks_of_nanoseconds_are_known),
		cmocka_unit_test(the_clock_decides_how_stamps_are_shown),
	};

	if (lacks_zstd())
		return TEST_SKIPPED;
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
