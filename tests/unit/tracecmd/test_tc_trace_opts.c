/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "strace/expr.h"
#include "tc-trace-opts.h"

struct fixture {
	struct trace_strace req;
	struct tfs_expr expr;
	struct tfs_err err;
	char *argv[32];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	strace_init(&f->req);
	assert_int_equal(tfs_expr_init(&f->expr, SYS_ABI_X86_64), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	strace_release(&f->req);
	tfs_expr_release(&f->expr);
	free(f);
	return 0;
}

static int parse(struct fixture *f, const char *const *words)
{
	struct tc_opt_result res;
	int argc = 0, rc;

	strace_release(&f->req);
	tfs_expr_release(&f->expr);
	memset(&f->req, 0, sizeof(f->req));
	strace_init(&f->req);
	assert_int_equal(tfs_expr_init(&f->expr, SYS_ABI_X86_64), 0);
	tfs_err_clear(&f->err);
	f->argv[argc++] = (char *)"tc-trace";
	for (; *words; words++)
		f->argv[argc++] = (char *)*words;
	f->argv[argc] = NULL;
	rc = tc_opt_parse(strace_options, argc, f->argv, &f->req, &res, &f->err);
	return rc ? rc :
		    strace_check(&f->req, argc - res.first, f->argv + res.first, &f->expr, &f->err);
}

#define PARSE(f, ...) parse(f, (const char *const[]){ __VA_ARGS__, NULL })

static void refuses(struct fixture *f, int rc, const char *message)
{
	assert_true(rc < 0);
	assert_string_equal(f->err.msg, message);
}

static void without_options_it_is_as_strace(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "ls", "-l"), 0);
	assert_string_equal(f->req.trace.command[0], "ls");
	assert_string_equal(f->req.trace.command[1], "-l");
	assert_int_equal(f->req.max_string, 32);
	assert_int_equal(f->req.column, 40);
	assert_int_equal(f->req.time, TFS_LINE_TIME_NONE);
	assert_int_equal(f->req.buffer_bytes, 16 << 20);
	assert_int_equal(f->expr.statuses, TFS_EXPR_ANY_STATUS);
	assert_true(f->expr.calls.others);
}

static void letters_that_are_repeated_mean_more(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-t", "ls"), 0);
	assert_int_equal(f->req.time, TFS_LINE_TIME_DAY);
	assert_int_equal(f->req.time_digits, 0);
	assert_int_equal(PARSE(f, "-tt", "ls"), 0);
	assert_int_equal(f->req.time_digits, 6);
	assert_int_equal(PARSE(f, "-ttt", "ls"), 0);
	assert_int_equal(f->req.time, TFS_LINE_TIME_UNIX);
	assert_int_equal(PARSE(f, "-xxx", "ls"), 0);
	assert_int_equal(f->req.strings_hex, 2);
	assert_int_equal(PARSE(f, "-yy", "ls"), 0);
	assert_true(f->expr.decode & TFS_EXPR_FD_SOCKET);
	assert_int_equal(PARSE(f, "-y", "ls"), 0);
	assert_false(f->expr.decode & TFS_EXPR_FD_SOCKET);
	assert_true(f->expr.decode);
	assert_int_equal(PARSE(f, "-qq", "ls"), 0);
	assert_true(f->expr.quiet & TFS_EXPR_QUIET_EXIT);
	assert_int_equal(PARSE(f, "-q", "ls"), 0);
	assert_false(f->expr.quiet & TFS_EXPR_QUIET_EXIT);
	assert_int_equal(PARSE(f, "-ff", "-o", "file", "ls"), 0);
	assert_true(f->req.separate);
}

static void times_have_formats_and_units(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "--absolute-timestamps=unix,ns", "-i", "a"), 0);
	assert_int_equal(f->req.time, TFS_LINE_TIME_UNIX);
	assert_int_equal(f->req.time_digits, 9);
	assert_int_equal(PARSE(f, "--absolute-timestamps=format:none,precision:ms", "-i", "a"), 0);
	assert_int_equal(f->req.time, TFS_LINE_TIME_NONE);
	refuses(f, PARSE(f, "--absolute-timestamps=never", "-i", "a"),
		"option '--absolute-timestamps': 'never' is not a format of time: none, time, "
		"unix; s, ms, us, ns");
	assert_int_equal(PARSE(f, "-r", "--syscall-times=ns", "-i", "a"), 0);
	assert_true(f->req.relative && f->req.durations);
	assert_int_equal(f->req.duration_digits, 9);
	refuses(f, PARSE(f, "--syscall-times=h", "-i", "a"),
		"option '--syscall-times': 'h' is not a precision: s, ms, us, ns");
	/* ms, as perf trace has it, unless there is a unit */
	assert_int_equal(PARSE(f, "--duration", "1.5", "-i", "a"), 0);
	assert_int_equal(f->req.min_duration, 1500000);
	assert_int_equal(PARSE(f, "--duration", "50us", "-i", "a"), 0);
	assert_int_equal(f->req.min_duration, 50000);
}

static void expressions_are_of_the_kind_of_their_option(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-e", "trace=close", "--trace-fds=3", "--status=failed", "ls"),
			 0);
	assert_int_equal(f->expr.n_fds, 1);
	assert_int_equal(f->expr.fds[0], 3);
	assert_int_equal(f->expr.statuses, TFS_EXPR_FAILED);
	assert_false(f->expr.calls.others);
	assert_int_equal(PARSE(f, "-z", "-Z", "ls"), 0);
	assert_int_equal(f->expr.statuses, TFS_EXPR_SUCCESSFUL | TFS_EXPR_FAILED);
	assert_int_equal(PARSE(f, "-e", "sched:sched_switch", "-e", "irq:*", "ls"), 0);
	assert_int_equal(f->expr.events.n, 2);
	assert_string_equal(f->expr.events.v[1], "irq:*");
	refuses(f, PARSE(f, "--inject=read:error=EIO", "ls"),
		"option '--inject': calls cannot be changed: tracefs only looks on");
	assert_int_equal(f->err.code, -EOPNOTSUPP);
	assert_string_equal(f->err.hint, "strace can do it: strace --inject=read:error=EIO");
}

/* With its argument or without: it is not a misspelt option of tc-trace. */
static void options_of_strace_are_refused_by_name(void **state)
{
	static const char *const absent[] = {
		"-b",
		"--detach-on=execve",
		"-D",
		"-DD",
		"--daemonize=pgroup",
		"-I1",
		"--interruptible=never",
		"-O5",
		"--summary-syscall-overhead=5us",
		"-n",
		"--syscall-number",
		"--instruction-pointer",
		"-d",
		"--debug",
		"-V",
		"-F",
		"--seccomp-bpf",
		"--read=1",
		"--write=1",
		"--fault=read",
		"--kvm=vcpu",
		"--abbrev=none",
		"--verbose=all",
		"--raw=all",
		"--syscall-limit=3",
		"--tips",
		"--tips=full",
		"--secontext",
		"--always-show-pid",
		"--argv0=x",
		"--color=auto",
		"--namespace=new",
		"--kill-on-exit",
		"--silent=all",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++) {
		const size_t len = absent[i][1] == '-' ? strcspn(absent[i], "=") : 2;
		char message[128];

		snprintf(message, sizeof(message),
			 "option '%.*s': strace has it, this program does not", (int)len,
			 absent[i]);
		refuses(f, PARSE(f, absent[i], "ls"), message);
		assert_true(*f->err.hint);
	}
	refuses(f, PARSE(f, "-b", "execve", "ls"),
		"option '-b': strace has it, this program does not");
	assert_non_null(strstr(f->err.hint, "--no-children"));
	refuses(f, PARSE(f, "--syscall-limit=3", "ls"),
		"option '--syscall-limit': strace has it, this program does not");
	assert_string_equal(f->err.hint, "--max-events N ends after so many calls");
}

static void processes_have_commas_or_blanks_between(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-p", "1,2 3\n4", "-p", "5"), 0);
	assert_int_equal(f->req.target.pids.n, 5);
	assert_string_equal(f->req.target.pids.v[2], "3");
	assert_string_equal(f->req.target.pids.v[4], "5");
}

static void a_trace_is_live_or_recorded(void **state)
{
	struct fixture *f = *state;

	refuses(f, PARSE(f, "-t"), "what is to be traced is missing");
	refuses(f, PARSE(f, ""), "COMMAND is empty");
	refuses(f, PARSE(f, "-i", "a", "ls"), "option -i shows a recording: no COMMAND with it");
	refuses(f, PARSE(f, "-i", "a", "--all"), "option -i shows a recording: no --all with it");
	refuses(f, PARSE(f, "-i", "a", "--record=b"),
		"option -i shows a recording: no --record with it");
	refuses(f, PARSE(f, "-i", "a", "--immediate"),
		"option -i shows a recording: no --immediate with it");
	refuses(f, PARSE(f, "--user=nobody", "--all"), "option --user needs a COMMAND to run");
	assert_int_equal(PARSE(f, "-i", "a", "-p", "1", "--comm=b"), 0);
}

static void outputs_have_names_of_their_own(void **state)
{
	struct fixture *f = *state;

	refuses(f, PARSE(f, "-ff", "ls"), "option -ff needs -o: it makes files FILE.TID");
	refuses(f, PARSE(f, "-ff", "-o", "|cat", "ls"),
		"options -ff and -o '|CMD' exclude each other");
	refuses(f, PARSE(f, "-ff", "-o", "a", "-C", "ls"), "options -ff and -C exclude each other");
	refuses(f, PARSE(f, "-o", "|", "ls"), "option -o: the file name is empty");
	refuses(f, PARSE(f, "--record=", "ls"), "option --record: the file name is empty");
	refuses(f, PARSE(f, "--record=a", "-o", "a", "ls"),
		"options -o and --record name the same file");
	assert_int_equal(PARSE(f, "--record=a", "-o", "b", "ls"), 0);
	assert_string_equal(f->req.record, "a");
}

static void a_table_counts_all_calls(void **state)
{
	struct fixture *f = *state;

	refuses(f, PARSE(f, "-c", "-Z", "ls"),
		"option -c counts all calls: it excludes -z, -Z and --duration");
	refuses(f, PARSE(f, "-C", "--duration=1", "ls"),
		"option -C counts all calls: it excludes -z, -Z and --duration");
	refuses(f, PARSE(f, "-c", "-C", "ls"), "options -c and -C exclude each other");
	refuses(f, PARSE(f, "-c", "--why", "ls"),
		"option --why is about single calls: no -c with it");
	refuses(f, PARSE(f, "-c", "-k", "ls"), "option -k is about single calls: no -c with it");
	assert_int_equal(PARSE(f, "-c", "-w", "-S", "calls", "-U", "name,calls", "ls"), 0);
	assert_true(f->req.wall);
	assert_string_equal(f->req.sort, "calls");
	assert_string_equal(f->req.columns, "name,calls");
}

static void a_graph_is_of_functions(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "--graph", "vfs_read", "--graph", "vfs_write", "--duration=1us",
			       "-j", "ls"),
			 0);
	assert_int_equal(f->req.graph.n, 2);
	assert_string_equal(f->req.graph.v[1], "vfs_write");
	refuses(f, PARSE(f, "--graph", "vfs_read", "-e", "read", "ls"),
		"option --graph shows functions, not system calls: no -e with it");
	refuses(f, PARSE(f, "--graph", "vfs_read", "-c", "ls"),
		"option --graph shows functions, not system calls: no -c with it");
	refuses(f, PARSE(f, "--graph", "vfs_read", "-i", "a.dat"),
		"option --graph traces: no -i with it");
	assert_string_equal(f->err.hint, "'tc-report --graph a.dat' shows those of a recording");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_options_it_is_as_strace),
		TEST(letters_that_are_repeated_mean_more),
		TEST(times_have_formats_and_units),
		TEST(expressions_are_of_the_kind_of_their_option),
		TEST(options_of_strace_are_refused_by_name),
		TEST(processes_have_commas_or_blanks_between),
		TEST(a_trace_is_live_or_recorded),
		TEST(outputs_have_names_of_their_own),
		TEST(a_table_counts_all_calls),
		TEST(a_graph_is_of_functions),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
