/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/out.h"
#include "decode/trace.h"
#include "lib/alloc_fail.h"
#include "lib/span_view.h"
#include "pipeline/run.h"
#include "pipeline/view.h"
#include "view/syscalls.h"

#define ERROR(n) (uint64_t)(-(n))

static const char *name_of(const void *names, int64_t nr, enum tfs_syscall_abi abi)
{
	(void)names;
	(void)abi;
	return nr == 7 ? "poll" : nr == 56 ? "clone" : nr == 231 ? "exit_group" : NULL;
}

static const char *errno_of(int64_t error)
{
	return error == 2 ? "ENOENT" : error == 512 ? "ERESTARTSYS" : NULL;
}

/*
 * The table of recordings of these events, in static memory. Allocation @fail fails: *@failed says
 * whether there were so many, *@rc is the result.
 */
static const char *show_failing(const struct span_event *const *events, const size_t *n,
				size_t n_files, struct tfs_syscalls_opts opts, size_t fail,
				bool *failed, int *rc)
{
	static const struct tfs_trace_opts plain = { .no_plugins = true };
	static const char *const files[] = { "a", "b" };
	static const void *const none[] = { NULL, NULL };
	static char text[8192];
	struct tfs_trace *traces[2] = { NULL, NULL };
	struct tfs_run_input inputs[2] = { { 0 } };
	const struct tfs_run_opts run = { .inputs = inputs, .n = n_files, .jobs = 1 };
	int out_fd = memfd_create("text", MFD_CLOEXEC);
	struct tfs_view *view = NULL;
	struct tfs_out *out = NULL;
	char path[64];
	ssize_t len;

	for (size_t i = 0; i < n_files; i++) {
		int fd = span_build(events[i], n[i]);

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		assert_int_equal(tfs_trace_open(path, &plain, &traces[i], NULL), 0);
		inputs[i].trace = traces[i];
		close(fd);
	}
	opts.traces = traces;
	opts.n_traces = n_files;
	opts.files = files;
	opts.syscall = name_of;
	opts.syscalls = none;
	opts.errno_name = errno_of;
	assert_int_equal(tfs_out_new(out_fd, &out), 0);
	alloc_fail_at(fail);
	*rc = tfs_syscalls_new(&opts, &view, NULL);
	if (!*rc)
		*rc = tfs_run(view, out, &run, NULL);
	*failed = alloc_fail_off();
	len = pread(out_fd, text, sizeof(text) - 1, 0);
	text[len] = '\0';
	tfs_view_free(view);
	tfs_out_free(out);
	for (size_t i = 0; i < n_files; i++)
		tfs_trace_free(traces[i]);
	close(out_fd);
	return text;
}

static const char *show(const struct span_event *const *events, const size_t *n, size_t n_files,
			struct tfs_syscalls_opts opts)
{
	const char *text;
	bool failed;
	int rc;

	text = show_failing(events, n, n_files, opts, SIZE_MAX, &failed, &rc);
	assert_int_equal(rc, 0);
	return text;
}

static const struct span_event calls[] = {
	EV(RAW_ENTER, 100, 0, 1000, .a = 7),
	EV(RAW_EXIT, 100, 0, 2001000, .a = 7, .b = 1),
	EV(RAW_ENTER, 100, 0, 3000000, .a = 7),
	EV(RAW_ENTER, 200, 1, 3000000, .a = 8),
	EV(RAW_EXIT, 100, 0, 4000000, .a = 7, .b = ERROR(2)),
	EV(RAW_ENTER, 100, 0, 5000000, .a = 7),
	EV(RAW_EXIT, 100, 0, 6000000, .a = 7, .b = ERROR(2)),
	EV(RAW_EXIT, 200, 1, 7000000, .a = 8, .b = ERROR(4095)),
	/* Not an error: beyond the kernel's MAX_ERRNO */
	EV(RAW_ENTER, 200, 1, 8000000, .a = 7),
	EV(RAW_EXIT, 200, 1, 9000000, .a = 7, .b = ERROR(4096)),
	EV(RAW_ENTER, 200, 1, 10000000, .a = 7),
	EV(RAW_EXIT, 200, 1, 11000000, .a = 7, .b = ERROR(512)),
	EV(RAW_ENTER, 100, 0, 12000000, .a = 231),
};

static void rows_are_those_of_strace(void **state)
{
	static const struct span_event *const events[] = { calls };
	const size_t n[] = { N_SPAN_EVENTS(calls) };

	(void)state;
	/* poll: 2, 1, 1, 1, 1 ms; the other call: 4 ms */
	assert_string_equal(
		show(events, n, 1, (struct tfs_syscalls_opts){ .style = TFS_EXPORT_TAB }),
		"#% time     seconds  usecs/call     calls    errors  syscall    errnos\n"
		" 60.00%    0.006000        1200         5         3  poll       ENOENT:2 "
		"ERESTARTSYS:1\n"
		" 40.00%    0.004000        4000         1         1  syscall 8  4095:1\n"
		"# 6 calls in all, 4 with errors\n"
		"# 1 calls did not return: exit_group 1\n");
}

static void json_has_all_columns_and_what_did_not_return(void **state)
{
	static const struct span_event *const events[] = { calls };
	const size_t n[] = { N_SPAN_EVENTS(calls) };
	struct tfs_syscalls_opts opts = { .style = TFS_EXPORT_JSON };

	(void)state;
	assert_string_equal(
		show(events, n, 1, opts),
		"{\"syscall\":\"poll\",\"share\":60.00,\"total\":0.006000000,"
		"\"mean\":0.001200000,\"calls\":5,\"errors\":3,"
		"\"errnos\":{\"ENOENT\":2,\"ERESTARTSYS\":1},\"min\":0.001000000,"
		"\"max\":0.002000000,\"stddev\":0.000447213,\"unbegun\":0,\"unfinished\":0,"
		"\"cut\":0}\n"
		"{\"syscall\":\"syscall 8\",\"share\":40.00,\"total\":0.004000000,"
		"\"mean\":0.004000000,\"calls\":1,\"errors\":1,\"errnos\":{\"4095\":1},"
		"\"min\":0.004000000,\"max\":0.004000000,\"stddev\":0.000000000,\"unbegun\":0,"
		"\"unfinished\":0,\"cut\":0}\n"
		"{\"syscall\":\"exit_group\",\"share\":0.00,\"total\":0.000000000,\"mean\":null,"
		"\"calls\":0,\"errors\":0,\"errnos\":{},\"min\":null,\"max\":null,"
		"\"stddev\":null,\"unbegun\":0,\"unfinished\":1,\"cut\":0}\n");
}

static void tasks_and_recordings_have_their_own_rows(void **state)
{
	static const struct span_event few[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 7),
		EV(RAW_EXIT, 100, 0, 2000, .a = 7),
	};
	static const struct span_event *const events[] = { calls, few };
	const size_t n[] = { N_SPAN_EVENTS(calls), N_SPAN_EVENTS(few) };
	struct tfs_syscalls_opts opts = {
		.style = TFS_EXPORT_CSV, .by_task = true, .top = 4, .sort = "-file,pid,-calls"
	};

	(void)state;
	assert_string_equal(
		show(events, n, 2, opts),
		"file,pid,comm,syscall,share,total,mean,calls,errors,errnos,min,max,stddev,"
		"unbegun,unfinished,cut\n"
		"b,100,task,poll,0.01,0.000001000,0.000001000,1,0,,0.000001000,0.000001000,"
		"0.000000000,0,0,0\n"
		"a,100,task,exit_group,0.00,0.000000000,,0,0,,,,,0,1,0\n"
		"a,100,task,poll,40.00,0.004000000,0.001333333,3,2,ENOENT:2,0.001000000,"
		"0.002000000,0.000577350,0,0,0\n"
		"a,200,,syscall 8,40.00,0.004000000,0.004000000,1,1,4095:1,0.004000000,"
		"0.004000000,0.000000000,0,0,0\n");
}

static void a_child_does_not_return_from_its_parents_call(void **state)
{
	static const struct span_event forks[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 56),
		EV(RAW_EXIT, 101, 1, 2000, .a = 56, .b = 0),
		EV(RAW_EXIT, 100, 0, 3000, .a = 56, .b = 101),
		EV(RAW_EXIT, 102, 1, 4000, .a = 7, .b = 0),
	};
	static const struct span_event *const events[] = { forks };
	const size_t n[] = { N_SPAN_EVENTS(forks) };

	(void)state;
	assert_string_equal(show(events, n, 1,
				 (struct tfs_syscalls_opts){ .style = TFS_EXPORT_TAB }),
			    "#% time     seconds  usecs/call     calls    errors  syscall  errnos\n"
			    "100.00%    0.000002           2         1         0  clone\n"
			    "  0.00%    0.000000           -         1         0  poll\n"
			    "# 2 calls in all, 0 with errors\n"
			    "# 1 call began before it was recorded; its time is not known\n");
}

static void a_loss_is_reported_with_the_calls_that_it_cut(void **state)
{
	static const struct span_event cut[] = {
		EV(RAW_ENTER, 100, 0, 1000, .a = 7),
		EV(RAW_EXIT, 100, 0, 9000, .a = 7, .lost = 3),
	};
	static const struct span_event *const events[] = { cut };
	const size_t n[] = { N_SPAN_EVENTS(cut) };

	(void)state;
	assert_string_equal(show(events, n, 1,
				 (struct tfs_syscalls_opts){ .style = TFS_EXPORT_TAB }),
			    "#% time     seconds  usecs/call     calls    errors  syscall  errnos\n"
			    "  0.00%    0.000000           -         1         0  poll\n"
			    "# 1 call in all, 0 with errors\n"
			    "# 1 call began before it was recorded; its time is not known\n"
			    "# 1 call was open where events were lost\n"
			    "# 3 events were lost\n");
}

static void without_memory_it_fails(void **state)
{
	static const struct span_event *const events[] = { calls };
	const size_t n[] = { N_SPAN_EVENTS(calls) };
	const struct tfs_syscalls_opts opts = { .style = TFS_EXPORT_TAB, .by_task = true };
	bool failed = true;
	int rc;

	(void)state;
	for (size_t i = 0; failed; i++) {
		show_failing(events, n, 1, opts, i, &failed, &rc);
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		assert_true(i < 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_strace),
		cmocka_unit_test(json_has_all_columns_and_what_did_not_return),
		cmocka_unit_test(tasks_and_recordings_have_their_own_rows),
		cmocka_unit_test(a_child_does_not_return_from_its_parents_call),
		cmocka_unit_test(without_memory_it_fails),
		cmocka_unit_test(a_loss_is_reported_with_the_calls_that_it_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
