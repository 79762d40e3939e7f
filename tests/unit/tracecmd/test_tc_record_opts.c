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
#include "tc-record-opts.h"

#define MIB (1024 * 1024ULL)

struct fixture {
	struct record_request req;
	struct tfs_err err;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->err = TFS_ERR_INIT;
	record_init(&f->req);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	record_release(&f->req);
	free(f);
	return 0;
}

/* Parse and check the words up to NULL. */
static int ask(struct fixture *f, const char *const *words)
{
	char *argv[32] = { (char *)"tc-record" };
	struct tc_opt_result res;
	int argc = 1, rc;

	record_release(&f->req);
	memset(&f->req, 0, sizeof(f->req));
	record_init(&f->req);
	f->err = TFS_ERR_INIT;
	while (words[argc - 1]) {
		argv[argc] = (char *)words[argc - 1];
		argc++;
	}
	rc = tc_opt_parse(record_options, argc, argv, &f->req, &res, &f->err);
	return rc ? rc : record_check(&f->req, argc - res.first, argv + res.first, &f->err);
}

#define ASK(f, ...) ask(f, (const char *const[]){ __VA_ARGS__, NULL })

static void defaults_are_those_of_the_manual(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched"), 0);
	assert_int_equal(f->req.trace.buffers[0].buffer_bytes, 4 * MIB);
	assert_string_equal(f->req.output, "trace.dat");
	assert_null(f->req.trace.buffers[0].clock);
	assert_null(f->req.trace.command);
	assert_int_equal(f->req.codec, tfs_codec_default());
	assert_int_equal(f->req.level, 0);
	assert_int_equal(f->req.duration_ns, 0);
}

static void the_options_of_command_are_its_own(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "ls", "-e", "-q"), 0);
	assert_int_equal(f->req.trace.clauses.n, 1);
	assert_false(f->req.quiet);
	assert_string_equal(f->req.trace.command[0], "ls");
	assert_string_equal(f->req.trace.command[2], "-q");
	assert_int_equal(ASK(f, "-e", "sched", "--", "-odd"), 0);
	assert_string_equal(f->req.trace.command[0], "-odd");
}

static void options_that_need_each_other_are_checked(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--user", "nobody"), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", "-o", ""), -EINVAL);
	assert_int_equal(ASK(f, "-e", "sched", ""), -EINVAL);
	assert_int_equal(ASK(f, "true"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "nothing to record"));
}

static void compression_takes_a_name_and_a_level(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--compression", "none"), 0);
	assert_int_equal(f->req.codec, TFS_CODEC_NONE);
	assert_int_equal(ASK(f, "-e", "sched", "--compression", "zlib:7"), 0);
	assert_int_equal(f->req.codec, TFS_CODEC_ZLIB);
	assert_int_equal(f->req.level, 7);
	assert_int_equal(ASK(f, "-e", "sched", "--compression", "rot13"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "--compression"));
}

static void offsets_priorities_and_clocks_are_checked(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--ts-offset", "-0x10"), 0);
	assert_int_equal(f->req.ts_offset, -16);
	assert_int_equal(ASK(f, "-e", "sched", "--ts-offset", "1s"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "--ts-offset"));
	assert_int_equal(ASK(f, "-e", "sched", "-r", "99", "-s", "1000"), 0);
	assert_int_equal(f->req.priority, 99);
	assert_int_equal(f->req.interval_us, 1000);
	assert_int_equal(ASK(f, "-e", "sched", "-r", "100"), -ERANGE);
	assert_int_equal(ASK(f, "-e", "sched", "-C", "tsc2nsec"), 0);
	assert_string_equal(f->req.trace.buffers[0].clock, "x86-tsc");
	assert_true(f->req.tsc2nsec);
	assert_int_equal(ASK(f, "-e", "sched", "-C", "mono"), 0);
	assert_false(f->req.tsc2nsec);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults_are_those_of_the_manual),
		TEST(the_options_of_command_are_its_own),
		TEST(options_that_need_each_other_are_checked),
		TEST(compression_takes_a_name_and_a_level),
		TEST(offsets_priorities_and_clocks_are_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
