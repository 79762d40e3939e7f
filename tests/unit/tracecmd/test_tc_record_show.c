/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "record/session.h"
#include "tc-record-opts.h"
#include "tc-record-show.h"
#include "trace-plan.h"
#include "tracefs/instance.h"
#include "tracefs/plan.h"

#define KIB 1024ULL
#define MIB (1024 * KIB)

struct fixture {
	struct record_request req;
	struct tfs_strbuf sb;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	record_init(&f->req);
	f->req.codec = TFS_CODEC_ZSTD;
	tfs_strbuf_init(&f->sb);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	tfs_strbuf_release(&f->sb);
	record_release(&f->req);
	free(f);
	return 0;
}

static const char *size_text(struct fixture *f, uint64_t bytes)
{
	tfs_strbuf_reset(&f->sb);
	assert_int_equal(record_show_size(&f->sb, bytes), 0);
	return f->sb.s;
}

static void sizes_have_two_or_more_digits_and_a_unit(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(size_text(f, 0), "0 B");
	assert_string_equal(size_text(f, 1023), "1023 B");
	assert_string_equal(size_text(f, 1024), "1.0 KiB");
	assert_string_equal(size_text(f, 1536), "1.5 KiB");
	assert_string_equal(size_text(f, 10 * KIB), "10 KiB");
	assert_string_equal(size_text(f, 1023 * KIB), "1023 KiB");
	assert_string_equal(size_text(f, MIB - 1), "1.0 MiB");
	assert_string_equal(size_text(f, 5 * 1024 * MIB), "5.0 GiB");
	assert_string_equal(size_text(f, 3000ULL * 1024 * 1024 * MIB), "3000 TiB");
}

static void a_recording_is_summed_up_in_a_line(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t = {
		.events = 12345,
		.raw_bytes = 3 * MIB,
		.data_bytes = 300 * KIB,
		.output_bytes = 2 * MIB,
		.duration_ns = 1003400000,
	};

	assert_int_equal(record_show_totals(&f->req, &t, &f->sb), 0);
	assert_string_equal(f->sb.s, "tc-record: 12345 events in 1.003 s, 3.0 MiB, compressed "
				     "300 KiB; 'trace.dat' has 2.0 MiB; no events lost\n");
	assert_int_equal(record_show_lost(&f->req, &t, &f->sb), 0);
	assert_null(strchr(strchr(f->sb.s, '\n') + 1, '\n'));
}

static void without_compression_there_is_no_such_size(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t = { .events = 1, .raw_bytes = 4096, .output_bytes = 8192 };

	f->req.codec = TFS_CODEC_NONE;
	assert_int_equal(record_show_totals(&f->req, &t, &f->sb), 0);
	assert_string_equal(f->sb.s, "tc-record: 1 events in 0.000 s, 4.0 KiB; 'trace.dat' has "
				     "8.0 KiB; no events lost\n");
}

static void reports_data_that_could_not_be_written(void **state)
{
	struct fixture *f = *state;
	struct tfs_session_totals t = { .events = 9, .unwritten = 40 * KIB };

	assert_int_equal(record_show_totals(&f->req, &t, &f->sb), 0);
	assert_non_null(strstr(f->sb.s, "fewer than 9 events"));
	assert_non_null(strstr(f->sb.s, "; 40 KiB could not be written\n"));
	assert_null(strstr(f->sb.s, "no events lost"));
}

static void reports_losses_by_cpu_with_a_sufficient_buffer_size(void **state)
{
	struct fixture *f = *state;
	const struct tfs_session_cpu cpus[] = {
		{ .cpu = 0, .events = 1000, .lost = 0 },
		{ .cpu = 1, .events = 1000, .lost = 2500 },
		{ .cpu = 7, .events = 500, .lost = 5 },
	};
	struct tfs_session_totals t = { .lost = 2505, .cpus = cpus, .n_cpus = 3 };

	/* 4 MiB held 1000 of the 3500 events of CPU 1: it takes 14 MiB, and 16 is a power of two */
	assert_int_equal(record_show_lost(&f->req, &t, &f->sb), 0);
	assert_string_equal(f->sb.s, "tc-record: 2505 events lost: 2500 on CPU 1, 5 on CPU 7\n"
				     "hint: a larger ring buffer would lose fewer: -b 16M\n");
}

static void several_files_are_summed_up(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(record_show_files(9, 9, 600135, 0, &f->sb), 0);
	assert_string_equal(f->sb.s,
			    "tc-record: in total 600135 events in 9 files; no events lost");
	tfs_strbuf_reset(&f->sb);
	assert_int_equal(record_show_files(3, 1, 5, 7, &f->sb), 0);
	assert_string_equal(f->sb.s, "tc-record: in total 5 events in 3 files, of which the last 1 "
				     "is kept; 7 events lost");
}

static void no_buffer_is_proposed_that_nobody_has(void **state)
{
	struct fixture *f = *state;
	const struct tfs_session_cpu cpu = { .cpu = 0, .events = 1, .lost = 1000000 };
	struct tfs_session_totals t = { .lost = 1000000, .cpus = &cpu, .n_cpus = 1 };

	assert_int_equal(record_show_lost(&f->req, &t, &f->sb), 0);
	assert_null(strstr(f->sb.s, "-b "));
	assert_non_null(strstr(f->sb.s, "-f"));
}

static void the_plan_is_a_shell_script(void **state)
{
	struct fixture *f = *state;
	char *command[] = { (char *)"echo", (char *)"it's", (char *)"a b", (char *)"", NULL };
	const struct trace_found found = { .names = TFS_STRVEC_INIT };
	struct tfs_strvec none = TFS_STRVEC_INIT;
	struct tfs_plan *setup_plan, *start;
	struct trace_buffer *buf = &f->req.trace.buffers[0];

	buf->tracer = "nop";
	f->req.trace.command = command;
	f->req.trace.only_command = true;
	f->req.duration_ns = 1500000000;
	f->req.output = "my trace";
	assert_int_equal(tfs_instance_named(&buf->inst, "x", NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &setup_plan), 0);
	assert_int_equal(tfs_plan_new(NULL, &start), 0);
	assert_int_equal(tfs_instance_plan(&buf->inst, setup_plan), 0);
	assert_int_equal(trace_plan_start(&f->req.trace, &found, &none, start, NULL), 0);
	assert_int_equal(record_show_plan(&f->req, "/sys/kernel/tracing", setup_plan, start,
					  "# symbols\n", &f->sb),
			 0);
	assert_string_equal(
		f->sb.s,
		"mkdir /sys/kernel/tracing/instances/x\n"
		"echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"# symbols\n"
		"# each /sys/kernel/tracing/instances/x/per_cpu/cpu*/trace_pipe_raw is read into "
		"'my trace' meanwhile\n"
		"echo 1 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"sh -c 'echo $$ >> \"$0\" && exec \"$@\"' "
		"/sys/kernel/tracing/instances/x/set_event_pid echo 'it'\\''s' 'a b' ''\n"
		"# at most until this has ended: sleep 1.5\n"
		"echo 0 > /sys/kernel/tracing/instances/x/tracing_on\n"
		"rmdir /sys/kernel/tracing/instances/x\n");
	tfs_plan_free(start);
	tfs_plan_free(setup_plan);
}

static void with_F_events_and_functions_are_those_of_COMMAND(void **state)
{
	struct fixture *f = *state;
	char *command[] = { (char *)"ls", NULL };
	struct tfs_plan *none;
	struct trace_buffer *buf = &f->req.trace.buffers[0];

	buf->tracer = "function_graph";
	f->req.trace.command = command;
	f->req.trace.only_command = true;
	assert_int_equal(tfs_instance_named(&buf->inst, "x", NULL), 0);
	assert_int_equal(tfs_plan_new(NULL, &none), 0);
	assert_int_equal(record_show_plan(&f->req, "/t", none, none, "", &f->sb), 0);
	assert_non_null(strstr(f->sb.s, "\nsh -c 'echo $$ >> \"$0\" && exec \"$@\"' "
					"/t/instances/x/set_event_pid "
					"sh -c 'echo $$ >> \"$0\" && exec \"$@\"' "
					"/t/instances/x/set_ftrace_pid ls\n"));
	tfs_plan_free(none);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sizes_have_two_or_more_digits_and_a_unit),
		TEST(a_recording_is_summed_up_in_a_line),
		TEST(without_compression_there_is_no_such_size),
		TEST(reports_data_that_could_not_be_written),
		TEST(reports_losses_by_cpu_with_a_sufficient_buffer_size),
		TEST(several_files_are_summed_up),
		TEST(no_buffer_is_proposed_that_nobody_has),
		TEST(the_plan_is_a_shell_script),
		TEST(with_F_events_and_functions_are_those_of_COMMAND),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
