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
#include "tc-top-opts.h"
#include "tracefs/event.h"

struct fixture {
	struct top_request req;
	struct tfs_err err;
	char *argv[32];
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->err = TFS_ERR_INIT;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	top_release(&f->req);
	free(f);
	return 0;
}

static int parse(struct fixture *f, const char *const *words)
{
	struct tc_opt_result res;
	int argc = 0, rc;

	top_release(&f->req);
	memset(&f->req, 0, sizeof(f->req));
	top_init(&f->req);
	tfs_err_clear(&f->err);
	f->argv[argc++] = (char *)"tc-top";
	for (; *words; words++)
		f->argv[argc++] = (char *)*words;
	f->argv[argc] = NULL;
	rc = tc_opt_parse(top_options, argc, f->argv, &f->req, &res, &f->err);
	return rc ? rc : top_check(&f->req, argc - res.first, f->argv + res.first, &f->err);
}

#define PARSE(f, ...) parse(f, (const char *const[]){ __VA_ARGS__, NULL })
#define PARSE_NOTHING(f) parse(f, (const char *const[]){ NULL })

static void refuses(struct fixture *f, int rc, const char *message)
{
	assert_true(rc < 0);
	assert_string_equal(f->err.msg, message);
}

/* The text of the event that is clause @i */
static const char *clause(const struct fixture *f, size_t i)
{
	assert_true(i < f->req.trace.clauses.n);
	return f->req.trace.clauses.events[i].text;
}

static void without_arguments_system_calls_are_counted(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE_NOTHING(f), 0);
	assert_int_equal(f->req.by, TFS_TOP_SYSCALL);
	assert_int_equal(f->req.sort, TFS_TOP_RATE);
	assert_true(f->req.interval == 1000000000);
	assert_int_equal(f->req.trace.clauses.n, 1);
	assert_string_equal(clause(f, 0), "raw_syscalls");
	assert_null(f->req.trace.command);
	assert_true(f->req.trace.buffers[0].buffer_bytes == 16 << 20);
}

static void events_are_rows_unless_another_key_is_given(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-e", "sched", "-e", "irq:*"), 0);
	assert_int_equal(f->req.by, TFS_TOP_EVENT);
	assert_false(f->req.calls);
	assert_int_equal(f->req.trace.clauses.n, 2);
	assert_string_equal(clause(f, 0), "sched");
	assert_string_equal(clause(f, 1), "irq:*");
	assert_int_equal(PARSE(f, "-e", "sched", "-k", "syscall"), 0);
	assert_int_equal(f->req.by, TFS_TOP_SYSCALL);
	assert_string_equal(clause(f, 1), "raw_syscalls");
}

static void events_that_a_key_needs_are_traced(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-k", "task"), 0);
	assert_string_equal(clause(f, 0), "raw_syscalls");
	assert_string_equal(clause(f, 1), "sched:sched_switch");
	assert_int_equal(PARSE(f, "-k", "stack", "-e", "block:block_rq_issue"), 0);
	assert_int_equal(f->req.trace.clauses.n, 1);
	assert_int_equal(f->req.trace.buffers[0].options.n, 1);
	assert_string_equal(f->req.trace.buffers[0].options.v[0], "stacktrace");
	refuses(f, PARSE(f, "-k", "file"), "-k file needs -e");
	assert_string_equal(f->err.hint, "-e filemap");
	refuses(f, PARSE(f, "-k", "symbol"), "-k symbol needs -e");
	assert_string_equal(f->err.hint, "-e kmem");
	assert_int_equal(PARSE(f, "-k", "file", "-e", "filemap"), 0);
}

static void intervals_are_of_ten_milliseconds_to_a_day(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-d", "2"), 0);
	assert_true(f->req.interval == UINT64_C(2000000000));
	assert_int_equal(PARSE(f, "-d", "0.5"), 0);
	assert_true(f->req.interval == 500000000);
	assert_int_equal(PARSE(f, "-d", "10ms"), 0);
	assert_true(f->req.interval == 10000000);
	assert_int_equal(PARSE(f, "-d", "24h"), 0);
	refuses(f, PARSE(f, "-d", "9ms"), "option '-d': '9ms': intervals are 10 ms to a day");
	refuses(f, PARSE(f, "-d", "25h"), "option '-d': '25h': intervals are 10 ms to a day");
}

static void a_column_must_be_one_of_the_rows(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-s", "p99"), 0);
	assert_int_equal(f->req.sort, TFS_TOP_P99);
	refuses(f, PARSE(f, "-e", "sched", "-s", "p99"), "rows by event have no column 'p99'");
	assert_int_equal(PARSE(f, "-e", "sched", "-s", "share", "-r"), 0);
	assert_true(f->req.reverse);
}

static void a_recording_is_played_alone(void **state)
{
	static const char message[] =
		"-i plays a recording: events and tasks to trace, and COMMAND, "
		"have no meaning with it";
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-i", "x.dat"), 0);
	assert_int_equal(f->req.by, TFS_TOP_EVENT);
	assert_int_equal(f->req.trace.clauses.n, 0);
	assert_int_equal(PARSE(f, "-i", "x.dat", "-k", "file", "--task", "7"), 0);
	refuses(f, PARSE(f, "-i", "x.dat", "-e", "sched"), message);
	refuses(f, PARSE(f, "-i", "x.dat", "-a"), message);
	refuses(f, PARSE(f, "-i", "x.dat", "-p", "1"), message);
	refuses(f, PARSE(f, "-i", "x.dat", "--cpus", "0"), message);
	refuses(f, PARSE(f, "-i", "x.dat", "--record", "y.dat"), message);
	refuses(f, PARSE(f, "-i", "x.dat", "--", "true"), message);
	assert_string_equal(f->err.hint, "--task and --filter select what is shown");
}

static void pages_are_printed_in_one_way(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "--batch", "-n", "3", "--top", "5"), 0);
	assert_true(f->req.pages == 3);
	assert_true(f->req.top == 5);
	refuses(f, PARSE(f, "--batch", "--plain"), "--batch and --plain are two ways to print");
}

static void a_command_and_tasks_are_taken(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-b", "64K", "--", "ls", "-l"), 0);
	assert_string_equal(f->req.trace.command[0], "ls");
	assert_string_equal(f->req.trace.command[1], "-l");
	assert_null(f->req.trace.command[2]);
	assert_true(f->req.trace.buffers[0].buffer_bytes == 64 << 10);
	assert_int_equal(PARSE(f, "-t", "12,13"), 0);
	assert_int_equal(f->req.target.tids.n, 1);
	assert_string_equal(f->req.target.tids.v[0], "12,13");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_arguments_system_calls_are_counted),
		TEST(events_are_rows_unless_another_key_is_given),
		TEST(events_that_a_key_needs_are_traced),
		TEST(intervals_are_of_ten_milliseconds_to_a_day),
		TEST(a_column_must_be_one_of_the_rows),
		TEST(a_recording_is_played_alone),
		TEST(pages_are_printed_in_one_way),
		TEST(a_command_and_tasks_are_taken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
