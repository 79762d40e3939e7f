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
#include "tc-stat-opts.h"
#include "tracefs/event.h"

struct fixture {
	struct stat_request req;
	struct tfs_err err;
	char *argv[32];
};

static int setup(void **state)
{
	*state = calloc(1, sizeof(struct fixture));
	assert_non_null(*state);
	((struct fixture *)*state)->err = TFS_ERR_INIT;
	return 0;
}

static int teardown(void **state)
{
	stat_release(&((struct fixture *)*state)->req);
	free(*state);
	return 0;
}

static int parse(struct fixture *f, const char *const *words)
{
	struct tc_opt_result res;
	int argc = 0, rc;

	stat_release(&f->req);
	memset(&f->req, 0, sizeof(f->req));
	tfs_err_clear(&f->err);
	f->argv[argc++] = (char *)"tc-stat";
	for (; *words; words++)
		f->argv[argc++] = (char *)*words;
	f->argv[argc] = NULL;
	rc = tc_opt_parse(stat_options, argc, f->argv, &f->req, &res, &f->err);
	return rc ? rc : stat_check(&f->req, argc - res.first, f->argv + res.first, &f->err);
}

#define PARSE(f, ...) parse(f, (const char *const[]){ __VA_ARGS__, NULL })

static void refuses(struct fixture *f, int rc, const char *message)
{
	assert_int_equal(rc, -EINVAL);
	assert_string_equal(f->err.msg, message);
}

static void a_list_of_events_is_taken_apart(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-e", "a:b,c:d", "-f", "x == 1", "-e", "e", "ls", "-l"), 0);
	assert_int_equal(f->req.clauses.n, 3);
	assert_string_equal(f->req.clauses.events[1].text, "c:d");
	assert_null(f->req.clauses.events[0].filter);
	assert_string_equal(f->req.clauses.events[1].filter, "x == 1");
	assert_string_equal(f->req.command[0], "ls");
	assert_string_equal(f->req.command[1], "-l");
}

static void p_takes_processes_and_probes(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-p", "1,2", "-p", "kprobe:vfs_read"), 0);
	assert_string_equal(f->req.target.pids.v[0], "1,2");
	assert_int_equal(f->req.clauses.n, 1);
	assert_true(f->req.clauses.events[0].probe);
	refuses(f, PARSE(f, "-p", "function"),
		"option '-p': 'function' is neither a pid nor a probe");
}

static void the_style_follows_from_the_options(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(PARSE(f, "-e", "a"), 0);
	assert_int_equal(f->req.style, STAT_TEXT);
	assert_int_equal(PARSE(f, "-e", "a", "-x", ";"), 0);
	assert_int_equal(f->req.style, STAT_CSV);
	assert_int_equal(PARSE(f, "-e", "a", "-j"), 0);
	assert_int_equal(f->req.style, STAT_JSON);
	refuses(f, PARSE(f, "-e", "a", "-j", "-x,"), "options -j and -x exclude each other");
	refuses(f, PARSE(f, "-e", "a", "-x", ""), "option -x: '' is not a separator");
}

static void rows_for_programs_are_alone_on_standard_error(void **state)
{
	static const struct {
		const char *words[5];
		bool quiet;
		int fd;
	} rows[] = {
		{ { "-e", "a" }, false, 2 },
		{ { "-e", "a", "-j" }, true, 2 },
		{ { "-e", "a", "-x," }, true, 2 },
		{ { "--syscalls", "-j" }, true, 2 },
		{ { "-e", "a", "-q" }, true, 2 },
		{ { "-e", "a", "-j", "-oout" }, false, 2 },
		{ { "-e", "a", "-j", "--log-fd=3" }, false, 3 },
		{ { "-e", "a", "-x,", "--log-fd=1" }, false, 1 },
		{ { "-e", "a", "-j", "--log-fd=2" }, true, 2 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(parse(f, rows[i].words), 0);
		assert_int_equal(f->req.quiet, rows[i].quiet);
		assert_int_equal(stat_rows_fd(&f->req), rows[i].fd);
	}
}

static void log_fd_is_as_that_of_perf(void **state)
{
	struct fixture *f = *state;

	refuses(f, PARSE(f, "-e", "a", "--log-fd", "3", "-o", "out"),
		"options -o and --log-fd exclude each other");
	assert_int_equal(PARSE(f, "-e", "a", "--log-fd", "3", "--append"), 0);
	assert_int_not_equal(PARSE(f, "-e", "a", "--log-fd", "0"), 0);
	assert_int_not_equal(PARSE(f, "-e", "a", "--log-fd", "-1"), 0);
	assert_int_not_equal(PARSE(f, "-e", "a", "--log-fd", "2147483648"), 0);
}

static void options_that_need_others_say_so(void **state)
{
	struct fixture *f = *state;

	refuses(f, PARSE(f, "-a"), "nothing to count");
	refuses(f, PARSE(f, "-e", ","), "option '-e': the name of an event is empty");
	refuses(f, PARSE(f, "-e", "a", "-r", "3"), "option -r needs a COMMAND to repeat");
	refuses(f, PARSE(f, "-e", "a", "-r", "3", "-I", "100", "ls"),
		"option -r excludes -I and --timeout");
	refuses(f, PARSE(f, "-e", "a", "--interval-count", "3"),
		"option --interval-count needs -I");
	refuses(f, PARSE(f, "-e", "a", "--append"), "option --append needs -o");
	refuses(f, PARSE(f, "--time", "ls"), "option --time needs --syscalls");
	refuses(f, PARSE(f, "--syscalls", "-A", "ls"), "option --syscalls excludes -A");
	refuses(f, PARSE(f, "--syscalls", "--per-thread", "ls"),
		"option --syscalls excludes --per-thread");
	refuses(f, PARSE(f, "-e", "a", "--per-thread", "-A"), "option --per-thread excludes -A");
	refuses(f, PARSE(f, "-e", "a", "--per-thread", "-r", "2", "ls"),
		"option --per-thread excludes -r");
	refuses(f, PARSE(f, "-e", "a", "--top", "3"), "option --top needs --per-thread or --by");
	refuses(f, PARSE(f, "-e", "a", "--by", "x", "--per-thread"),
		"option --by excludes --per-thread");
	refuses(f, PARSE(f, "-e", "a", "--by", "x", "-A"), "option --by excludes -A");
	refuses(f, PARSE(f, "-e", "a", "--by", ","), "option '--by': the name of a field is empty");
	refuses(f, PARSE(f, "--syscalls", "--by", "id", "ls"), "option --syscalls excludes --by");
	assert_int_equal(PARSE(f, "-e", "a", "--by", "x,y"), 0);
	assert_string_equal(f->req.by.v[1], "y");
	assert_int_equal(PARSE(f, "-e", "a", "--per-thread", "--top", "3"), 0);
	assert_int_equal(PARSE(f, "--syscalls", "--time", "ls"), 0);
	refuses(f, PARSE(f, "-e", "a", "--user", "nobody"), "option --user needs a COMMAND to run");
	refuses(f, PARSE(f, "-e", "a", ""), "COMMAND is empty");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_list_of_events_is_taken_apart),
		TEST(p_takes_processes_and_probes),
		TEST(the_style_follows_from_the_options),
		TEST(rows_for_programs_are_alone_on_standard_error),
		TEST(log_fd_is_as_that_of_perf),
		TEST(options_that_need_others_say_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
