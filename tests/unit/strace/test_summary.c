/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "lib/alloc_fail.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "strace/call.h"
#include "strace/summary.h"
#include "syscalls/abi.h"

#define ERROR(n) (uint64_t)(-(n))
#define NO_NUMBER UINT64_MAX

static struct tfs_trace *open_events(const struct span_event *events, size_t n)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	int fd = span_build(events, n);
	struct tfs_trace *trace;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tfs_trace_open(path, &plain, &trace, NULL), 0);
	close(fd);
	return trace;
}

/*
 * The text that these events give, in static memory. Allocation @fail fails: *@failed says whether
 * there were so many, *@rc is the result. @flags are taken from those of the view.
 */
static const char *show_failing(const struct span_event *events, size_t n,
				struct tfs_strace_summary_opts opts, unsigned int flags,
				size_t fail, bool *failed, int *rc)
{
	static char text[8192];
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	int out_fd = memfd_create("text", MFD_CLOEXEC);
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	ssize_t len;

	input.trace = open_events(events, n);
	opts.trace = input.trace;
	opts.abi = SYS_ABI_X86_64;
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	alloc_fail_at(fail);
	*rc = tfs_strace_summary_new(&opts, &view, NULL);
	if (!*rc) {
		view->flags &= ~flags;
		*rc = tfs_run(view, out, &run, NULL);
	}
	*failed = alloc_fail_off();
	len = pread(out_fd, text, sizeof(text) - 1, 0);
	text[len] = '\0';
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(input.trace);
	close(out_fd);
	return text;
}

/* The same whether the view takes runs of records or events one by one */
static const char *show(const struct span_event *events, size_t n,
			struct tfs_strace_summary_opts opts)
{
	char by_event[8192];
	const char *text;
	bool failed;
	int rc;

	text = show_failing(events, n, opts, TFS_VIEW_RUNS, SIZE_MAX, &failed, &rc);
	assert_int_equal(rc, 0);
	snprintf(by_event, sizeof(by_event), "%s", text);
	text = show_failing(events, n, opts, 0, SIZE_MAX, &failed, &rc);
	assert_int_equal(rc, 0);
	assert_string_equal(text, by_event);
	return text;
}

static const struct tfs_strace_summary_opts table = { .style = TFS_EXPORT_TAB, .times = true };
static const struct tfs_strace_summary_opts json = { .style = TFS_EXPORT_JSON, .times = true };
static const struct tfs_strace_summary_opts exits = { .style = TFS_EXPORT_TAB, .errnos = true };

#define HEADING                                                        \
	"% time     seconds  usecs/call     calls    errors syscall\n" \
	"------ ----------- ----------- --------- --------- ----------------\n"
#define DASHES "------ ----------- ----------- --------- --------- ----------------\n"

static const struct span_event calls[] = {
	EV(RAW_ENTER, 100, 0, 1000, .a = 7),
	EV(RAW_EXIT, 100, 0, 2001000, .a = 7, .b = 1),
	EV(RAW_ENTER, 100, 0, 3000000, .a = 7),
	EV(RAW_ENTER, 200, 1, 3000000, .a = 900),
	EV(RAW_EXIT, 100, 0, 4000000, .a = 7, .b = ERROR(2)),
	/* Begins on one CPU and ends on another */
	EV(RAW_ENTER, 100, 0, 5000000, .a = 7),
	EV(RAW_EXIT, 100, 1, 6000000, .a = 7, .b = ERROR(2)),
	EV(RAW_EXIT, 200, 1, 7000000, .a = 900, .b = ERROR(4095)),
	/* Not an error: beyond the kernel's MAX_ERRNO */
	EV(RAW_ENTER, 200, 1, 8000000, .a = 7),
	EV(RAW_EXIT, 200, 1, 9000000, .a = 7, .b = ERROR(4096)),
	EV(RAW_ENTER, 200, 1, 10000000, .a = 7),
	EV(RAW_EXIT, 200, 1, 11000000, .a = 7, .b = ERROR(512)),
	EV(RAW_ENTER, 100, 1, 12000000, .a = 231),
	EV(RAW_ENTER, 200, 1, 13000000, .a = 0),
};

static void calls_errors_and_times_are_counted_when_calls_return(void **state)
{
	struct tfs_strace_summary_opts opts = table;

	(void)state;
	/* poll: 2, 1, 1, 1, 1 ms; the other call: 4 ms */
	assert_string_equal(
		show(calls, N_SPAN_EVENTS(calls), opts),
		HEADING " 60.00    0.006000        1200         5         3 poll\n"
			" 40.00    0.004000        4000         1         1 syscall_0x384\n" DASHES
			"100.00    0.010000        1666         6         4 total\n");
	opts.title = true;
	opts.columns = "min-time,max-time";
	assert_string_equal(show(calls, N_SPAN_EVENTS(calls), opts),
			    "# times are wall time, as strace -c -w has it\n"
			    "shortest  longest syscall\n"
			    "-------- -------- ----------------\n"
			    "0.001000 0.002000 poll\n"
			    "0.004000 0.004000 syscall_0x384\n"
			    "-------- -------- ----------------\n"
			    "0.001000 0.004000 total\n");
}

static void exits_alone_give_calls_and_errors(void **state)
{
	(void)state;
	assert_string_equal(show(calls, N_SPAN_EVENTS(calls), exits),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        5         3 poll\n"
			    "        1         1 syscall_0x384\n"
			    "--------- --------- ----------------\n"
			    "        6         4 total\n"
			    "\n"
			    "   errors errno            syscall\n"
			    "--------- ---------------- ----------------\n"
			    "        2 ENOENT           poll\n"
			    "        1 ERESTARTSYS      poll\n"
			    "        1 4095             syscall_0x384\n");
}

static void json_has_what_did_not_return(void **state)
{
	(void)state;
	assert_string_equal(
		show(calls, N_SPAN_EVENTS(calls), json),
		"{\"syscall\":\"poll\",\"share\":60.00,\"total\":0.006000000,"
		"\"mean\":0.001200000,\"calls\":5,\"errors\":3,"
		"\"errnos\":{\"ENOENT\":2,\"ERESTARTSYS\":1},\"min\":0.001000000,"
		"\"max\":0.002000000,\"stddev\":0.000447213,\"unbegun\":0,\"unfinished\":0,"
		"\"cut\":0}\n"
		"{\"syscall\":\"syscall_0x384\",\"share\":40.00,\"total\":0.004000000,"
		"\"mean\":0.004000000,\"calls\":1,\"errors\":1,\"errnos\":{\"4095\":1},"
		"\"min\":0.004000000,\"max\":0.004000000,\"stddev\":0.000000000,\"unbegun\":0,"
		"\"unfinished\":0,\"cut\":0}\n"
		"{\"syscall\":\"exit_group\",\"share\":0.00,\"total\":0.000000000,\"mean\":null,"
		"\"calls\":0,\"errors\":0,\"errnos\":{},\"min\":null,\"max\":null,"
		"\"stddev\":null,\"unbegun\":0,\"unfinished\":1,\"cut\":0}\n"
		"{\"syscall\":\"read\",\"share\":0.00,\"total\":0.000000000,\"mean\":null,"
		"\"calls\":0,\"errors\":0,\"errnos\":{},\"min\":null,\"max\":null,"
		"\"stddev\":null,\"unbegun\":0,\"unfinished\":1,\"cut\":0}\n");
}

static void threads_have_tables_of_their_own(void **state)
{
	struct tfs_strace_summary_opts opts = exits;

	(void)state;
	opts.by = TFS_SUMMARY_BY_TASK;
	opts.errnos = false;
	assert_string_equal(show(calls, N_SPAN_EVENTS(calls), opts),
			    "task (100):\n"
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        3         2 poll\n"
			    "--------- --------- ----------------\n"
			    "        3         2 total\n"
			    "\n"
			    "<...> (200):\n"
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        2         1 poll\n"
			    "        1         1 syscall_0x384\n"
			    "--------- --------- ----------------\n"
			    "        3         2 total\n");
}

static const struct span_event forks[] = {
	EV(RAW_ENTER, 100, 0, 1000, .a = 56),
	EV(RAW_EXIT, 101, 1, 2000, .a = 56, .b = 0),
	EV(RAW_EXIT, 100, 0, 3000, .a = 56, .b = 101),
	EV(RAW_EXIT, 102, 1, 4000, .a = 7, .b = 0),
};

static void a_child_does_not_return_from_its_parents_call(void **state)
{
	struct tfs_strace_summary_opts opts = exits;

	(void)state;
	opts.errnos = false;
	assert_string_equal(show(forks, N_SPAN_EVENTS(forks), table), HEADING
			    "100.00    0.000002           2         1           clone\n"
			    "  0.00    0.000000           0         1           poll\n" DASHES
			    "100.00    0.000002           2         2           total\n"
			    "# a call began before it was recorded; its time is not "
			    "known\n");
	assert_string_equal(show(forks, N_SPAN_EVENTS(forks), opts),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        1           poll\n"
			    "        1           clone\n"
			    "--------- --------- ----------------\n"
			    "        2           total\n");
}

/* Calls of x86_64, i386 and x32 that somebody else chose; the events are not counted. */
static void calls_that_are_given_count_and_events_do_not(void **state)
{
	static const struct tfs_call chosen[] = {
		{ .abi = SYS_ABI_X86_64, .nr = 3, .ret = 0, .begin = 1000, .end = 3000 },
		{ .abi = SYS_ABI_X86_64, .nr = 3, .ret = -9, .begin = 4000, .end = 8000 },
		{ .abi = SYS_ABI_X32, .nr = 3, .flags = TFS_CALL_CUT },
		{ .abi = SYS_ABI_I386, .nr = 6, .flags = TFS_CALL_NO_ENTRY },
		{ .abi = SYS_ABI_I386, .nr = 6, .flags = TFS_CALL_NO_EXIT },
	};
	struct tfs_strace_summary_opts opts = json;
	struct tfs_strace_summary_totals totals;
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_view *view;

	(void)state;
	opts.trace = open_events(calls, 4);
	opts.abi = SYS_ABI_X86_64;
	opts.given = true;
	assert_int_equal(tfs_strace_summary_new(&opts, &view, NULL), 0);
	assert_int_equal(view->flags & TFS_VIEW_RUNS, 0);
	for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++)
		assert_int_equal(tfs_strace_summary_call(view, &chosen[i], ""), 0);
	tfs_strace_summary_totals(view, &totals);
	assert_int_equal(totals.calls, 4);
	assert_int_equal(totals.errors, 1);
	assert_int_equal(totals.cut, 1);
	assert_int_equal(totals.unbegun, 1);
	assert_int_equal(totals.unfinished, 1);
	assert_int_equal(tfs_strace_summary_print(view, &out), 0);
	assert_non_null(strstr(out.s, "\"close@32\""));
	tfs_strbuf_release(&out);
	tfs_view_free(view);
	tfs_trace_free(opts.trace);
}

static void the_number_that_rt_sigreturn_changes_is_its_own(void **state)
{
	static const struct span_event handler[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 15),
		EV(RAW_EXIT, 100, 0, 3000, .a = NO_NUMBER, .b = ERROR(4)),
	};
	struct tfs_strace_summary_opts opts = exits;

	(void)state;
	opts.columns = "calls";
	opts.errnos = false;
	assert_string_equal(show(handler, N_SPAN_EVENTS(handler), table),
			    HEADING "100.00    0.000002           2         1         1 "
				    "rt_sigreturn\n" DASHES
				    "100.00    0.000002           2         1         1 total\n");
	assert_string_equal(show(handler, N_SPAN_EVENTS(handler), opts),
			    "    calls syscall\n"
			    "--------- ----------------\n"
			    "        1 rt_sigreturn\n"
			    "--------- ----------------\n"
			    "        1 total\n");
}

static void a_command_counts_from_its_first_exec_on(void **state)
{
	static const struct span_event command[] = {
		EV(RAW_EXIT, 100, 0, 1000, .a = 0, .b = 1),
		EV(RAW_ENTER, 100, 0, 2000, .a = 59),
		EV(RAW_EXIT, 100, 0, 3000, .a = 59, .b = ERROR(2)),
		EV(RAW_ENTER, 100, 0, 4000, .a = 59),
		/* Others count at once. */
		EV(RAW_ENTER, 200, 1, 4500, .a = 7),
		EV(RAW_EXIT, 200, 1, 5500, .a = 7),
		EV(RAW_EXIT, 100, 0, 6000, .a = 59),
		EV(RAW_ENTER, 100, 0, 7000, .a = 0),
		EV(RAW_EXIT, 100, 0, 8000, .a = 0),
		EV(RAW_ENTER, 100, 0, 9000, .a = 59),
		EV(RAW_EXIT, 100, 0, 10000, .a = 59, .b = ERROR(2)),
	};
	struct tfs_strace_summary_opts with_times = table, without = exits;

	(void)state;
	with_times.columns = without.columns = "calls,errors";
	with_times.sort = without.sort = "none";
	with_times.command = without.command = 100;
	without.errnos = false;
	assert_string_equal(show(command, N_SPAN_EVENTS(command), with_times),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        1           read\n"
			    "        1           poll\n"
			    "        2         1 execve\n"
			    "--------- --------- ----------------\n"
			    "        4         1 total\n");
	assert_string_equal(show(command, N_SPAN_EVENTS(command), without),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        1           read\n"
			    "        1           poll\n"
			    "        2         1 execve\n"
			    "--------- --------- ----------------\n"
			    "        4         1 total\n");
}

/* i386: 2 fork, 3 read, 11 execve, 20 getpid; x86_64: 3 close, 20 writev, 59 execve */
static void programs_of_32_bits_have_a_table_of_their_own(void **state)
{
	static const struct span_event programs[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 3),
		EV(RAW_EXIT, 100, 0, 2000, .a = 3),
		EV(RAW_ENTER, 100, 0, 3000, .a = 59),
		EV(RAW_EXIT, 100, 0, 4000, .a = 11),
		EV(RAW_ENTER, 100, 0, 5000, .a = 3),
		EV(RAW_EXIT, 100, 0, 6000, .a = 3, .b = 1),
		EV(RAW_ENTER, 100, 0, 7000, .a = 2),
		/* The child returns before its parent */
		EV(RAW_EXIT, 101, 1, 7500, .a = 2),
		EV(RAW_ENTER, 101, 1, 7600, .a = 20),
		EV(RAW_EXIT, 101, 1, 7700, .a = 20, .b = 101),
		EV(RAW_EXIT, 100, 0, 8000, .a = 2, .b = 101),
		EV(RAW_ENTER, 100, 0, 8100, .a = 2),
		/* The parent before its child */
		EV(RAW_EXIT, 100, 0, 8200, .a = 2, .b = 102),
		EV(RAW_EXIT, 102, 1, 8500, .a = 2),
		EV(RAW_ENTER, 102, 1, 8600, .a = 20),
		EV(RAW_EXIT, 102, 1, 8700, .a = 20, .b = 102),
		EV(RAW_ENTER, 100, 0, 9000, .a = 11),
		EV(RAW_EXIT, 100, 0, 10000, .a = 59),
		EV(RAW_ENTER, 100, 0, 11000, .a = 20),
		EV(RAW_EXIT, 100, 0, 12000, .a = 20, .b = 5),
		/* One that was running already and becomes known */
		EV(RAW_ENTER, 200, 0, 13000, .a = 11),
		EV(RAW_EXIT, 200, 0, 14000, .a = 59),
		EV(RAW_ENTER, 200, 0, 15000, .a = 3),
		EV(RAW_EXIT, 200, 0, 16000, .a = 3),
	};
	struct tfs_strace_summary_opts opts = table;
	const char *text;

	(void)state;
	opts.columns = "calls,errors";
	opts.sort = "none";
	assert_string_equal(show(programs, N_SPAN_EVENTS(programs), opts),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        2           close\n"
			    "        1           writev\n"
			    "        1           execve\n"
			    "--------- --------- ----------------\n"
			    "        4           total\n"
			    "System call usage summary for 32 bit mode:\n"
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        2           fork\n"
			    "        1           read\n"
			    "        2           execve\n"
			    "        2           getpid\n"
			    "--------- --------- ----------------\n"
			    "        7           total\n");
	text = show(programs, N_SPAN_EVENTS(programs), json);
	assert_non_null(strstr(text, "\"syscall\":\"read@32\""));
	assert_non_null(strstr(text, "\"syscall\":\"writev\""));
}

static bool is_not_poll(const void *ctx, int abi, int64_t nr)
{
	assert_ptr_equal(ctx, calls);
	assert_true(abi == SYS_ABI_X86_64 || abi == SYS_ABI_I386);
	return nr != 7;
}

static void calls_that_are_not_wanted_are_not_counted(void **state)
{
	struct tfs_strace_summary_opts with_times = table, without = exits;

	(void)state;
	with_times.wants = without.wants = is_not_poll;
	with_times.wants_ctx = without.wants_ctx = calls;
	with_times.columns = without.columns = "calls,errors";
	without.errnos = false;
	for (size_t i = 0; i < 2; i++)
		assert_string_equal(show(calls, N_SPAN_EVENTS(calls), i ? without : with_times),
				    "    calls    errors syscall\n"
				    "--------- --------- ----------------\n"
				    "        1         1 syscall_0x384\n"
				    "--------- --------- ----------------\n"
				    "        1         1 total\n");
}

static void a_call_that_both_kinds_of_events_report_counts_once(void **state)
{
	/* The format of syscalls:sys_enter_read has number 0. */
	static const struct span_event both[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 0), EV(READ_ENTER, 100, 0, 1100),
		EV(RAW_EXIT, 100, 0, 2000, .a = 0),  EV(READ_EXIT, 100, 0, 2100),
		EV(READ_ENTER, 100, 0, 3000),        EV(RAW_ENTER, 100, 0, 3100, .a = 0),
		EV(READ_EXIT, 100, 0, 4000),         EV(RAW_EXIT, 100, 0, 4100, .a = 0),
		EV(READ_ENTER, 200, 1, 5000),        EV(READ_EXIT, 200, 1, 6000),
	};
	struct tfs_strace_summary_opts opts = exits;

	(void)state;
	opts.errnos = false;
	assert_string_equal(show(both, N_SPAN_EVENTS(both), table), HEADING
			    "100.00    0.000003           1         3           read\n" DASHES
			    "100.00    0.000003           1         3           total\n");
	assert_string_equal(show(both, N_SPAN_EVENTS(both), opts),
			    "    calls    errors syscall\n"
			    "--------- --------- ----------------\n"
			    "        3           read\n"
			    "--------- --------- ----------------\n"
			    "        3           total\n");
}

static void a_loss_is_reported_with_the_calls_that_it_cut(void **state)
{
	static const struct span_event cut[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 7),
		EV(RAW_EXIT, 100, 0, 9000, .a = 7, .lost = 3),
		EV(RAW_ENTER, 100, 0, 10000, .a = 7),
		EV(RAW_EXIT, 100, 0, 12000, .a = 7),
		/* Another call returns than the one that began. */
		EV(RAW_ENTER, 100, 0, 13000, .a = 7),
		EV(RAW_EXIT, 100, 0, 14000, .a = 0),
	};

	(void)state;
	assert_string_equal(show(cut, N_SPAN_EVENTS(cut), table), HEADING
			    "100.00    0.000002           2         2           poll\n"
			    "  0.00    0.000000           0         1           read\n" DASHES
			    "100.00    0.000002           2         3           total\n"
			    "# 3 events were lost\n"
			    "# events were lost in a call; its time is not known\n"
			    "# a call began before it was recorded; its time is not "
			    "known\n");
}

static void nothing_is_printed_of_nothing(void **state)
{
	static const struct span_event none[] = { EV(SWITCH, 100, 0, 1000, .b = 1) };

	(void)state;
	assert_string_equal(show(none, N_SPAN_EVENTS(none), table), "");
}

static void counts_can_be_printed_and_reset_on_the_way(void **state)
{
	struct tfs_strace_summary_opts opts = table;
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	struct tfs_strace_summary_totals totals;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int null = memfd_create("null", MFD_CLOEXEC);
	struct tfs_view *view;
	struct tfs_out *out;

	(void)state;
	input.trace = open_events(calls, N_SPAN_EVENTS(calls));
	assert_int_equal(tfs_out_new(null, &out), 0);
	opts.trace = input.trace;
	opts.abi = SYS_ABI_X86_64;
	assert_int_equal(tfs_strace_summary_new(&opts, &view, NULL), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_strace_summary_totals(view, &totals);
	assert_int_equal(totals.calls, 6);
	assert_int_equal(totals.errors, 4);
	assert_int_equal(totals.unfinished, 2);
	tfs_strace_summary_reset(view);
	tfs_strace_summary_totals(view, &totals);
	assert_int_equal(totals.calls, 0);
	assert_int_equal(tfs_strace_summary_print(view, &text), 0);
	assert_int_equal(text.len, 0);
	tfs_strbuf_release(&text);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(input.trace);
	close(null);
}

/* Rows and the notes below them; in JSON the last object */
static const char *show_missing(struct tfs_strace_summary_opts opts, unsigned int cpus,
				struct tfs_strace_summary_totals *totals)
{
	static char text[256];
	struct tfs_event event = { .rec = { .lost = TFS_LOST_UNKNOWN }, .missing = true };
	struct tfs_trace *trace = open_events(calls, N_SPAN_EVENTS(calls));
	struct tfs_strbuf out = TFS_STRBUF_INIT;
	struct tfs_view *view = NULL;

	opts.trace = trace;
	opts.abi = SYS_ABI_X86_64;
	assert_int_equal(tfs_strace_summary_new(&opts, &view, NULL), 0);
	assert_true(view->flags & TFS_VIEW_MISSING);
	/* One that was not asked for */
	assert_int_equal(view->ops->lost(view, NULL, &event, &out), 0);
	event.lost = true;
	for (; event.rec.cpu < cpus; event.rec.cpu++)
		assert_int_equal(view->ops->lost(view, NULL, &event, &out), 0);
	assert_int_equal(tfs_strace_summary_print(view, &out), 0);
	tfs_strace_summary_totals(view, totals);
	snprintf(text, sizeof(text), "%s", out.s);
	tfs_strbuf_release(&out);
	tfs_view_free(view);
	tfs_trace_free(trace);
	return text;
}

static void cpus_without_their_last_events_are_counted(void **state)
{
	struct tfs_strace_summary_totals totals;

	(void)state;
	assert_string_equal(show_missing(table, 0, &totals), "");
	assert_int_equal(totals.missing, 0);
	assert_string_equal(show_missing(table, 1, &totals),
			    "# 1 CPU lacks its last events; how many is not known\n");
	assert_string_equal(show_missing(table, 2, &totals),
			    "# 2 CPUs lack their last events; how many is not known\n");
	assert_int_equal(totals.missing, 2);
	/* Nobody knows of lost events. */
	assert_int_equal(totals.lost, 0);
	assert_false(totals.uncounted);
	assert_string_equal(show_missing(json, 2, &totals), "{\"missing\":2}\n");
}

/* A thread may have returned on that CPU, and made the same call once more. */
static void calls_have_no_times_after_events_of_a_cpu_are_missing(void **state)
{
	const struct tfs_event event = { .rec = { .lost = TFS_LOST_UNKNOWN },
					 .missing = true,
					 .lost = true };
	struct tfs_strace_summary_opts opts = table;
	struct tfs_strace_summary_totals totals;
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_run_input input = { 0 };
	const struct tfs_run_opts run = { .inputs = &input, .n = 1, .jobs = 1 };
	int null = memfd_create("table", MFD_CLOEXEC);
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;

	(void)state;
	input.trace = opts.trace = open_events(calls, N_SPAN_EVENTS(calls));
	opts.abi = SYS_ABI_X86_64;
	assert_int_equal(tfs_out_new(null, &out), 0);
	assert_int_equal(tfs_strace_summary_new(&opts, &view, NULL), 0);
	assert_int_equal(view->ops->lost(view, NULL, &event, &text), 0);
	assert_int_equal(tfs_run(view, out, &run, NULL), 0);
	tfs_strace_summary_totals(view, &totals);
	assert_int_equal(totals.calls, 6);
	assert_int_equal(totals.errors, 4);
	assert_int_equal(totals.cut, 6);
	assert_int_equal(tfs_strace_summary_print(view, &text), 0);
	assert_non_null(strstr(text.s, "\n# 1 CPU lacks its last events; how many is not known\n"
				       "# events may be missing in 6 calls; their times are not "
				       "known\n"));
	tfs_strbuf_release(&text);
	tfs_view_free(view);
	tfs_out_free(out);
	tfs_trace_free(input.trace);
	close(null);
}

static void without_memory_it_fails(void **state)
{
	struct tfs_strace_summary_opts opts[3] = { table, json, exits };
	bool failed;
	int rc;

	(void)state;
	opts[1].by = TFS_SUMMARY_BY_TASK;
	for (size_t k = 0; k < 3; k++) {
		failed = true;
		for (size_t i = 0; failed; i++) {
			show_failing(calls, N_SPAN_EVENTS(calls), opts[k], 0, i, &failed, &rc);
			assert_int_equal(rc, failed ? -ENOMEM : 0);
			assert_true(i < 10000);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_errors_and_times_are_counted_when_calls_return),
		cmocka_unit_test(exits_alone_give_calls_and_errors),
		cmocka_unit_test(json_has_what_did_not_return),
		cmocka_unit_test(threads_have_tables_of_their_own),
		cmocka_unit_test(a_child_does_not_return_from_its_parents_call),
		cmocka_unit_test(calls_that_are_given_count_and_events_do_not),
		cmocka_unit_test(the_number_that_rt_sigreturn_changes_is_its_own),
		cmocka_unit_test(a_command_counts_from_its_first_exec_on),
		cmocka_unit_test(programs_of_32_bits_have_a_table_of_their_own),
		cmocka_unit_test(calls_that_are_not_wanted_are_not_counted),
		cmocka_unit_test(a_call_that_both_kinds_of_events_report_counts_once),
		cmocka_unit_test(a_loss_is_reported_with_the_calls_that_it_cut),
		cmocka_unit_test(nothing_is_printed_of_nothing),
		cmocka_unit_test(counts_can_be_printed_and_reset_on_the_way),
		cmocka_unit_test(cpus_without_their_last_events_are_counted),
		cmocka_unit_test(calls_have_no_times_after_events_of_a_cpu_are_missing),
		cmocka_unit_test(without_memory_it_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
