/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/io.h"
#include "base/strbuf-core.h"
#include "main.h"
#include "lib/capture.h"

/*
 * main() is that of the programs: this file is one more program. Without arguments it runs the
 * tests, and they run it again with arguments.
 */
struct request {
	bool ready;
	uint64_t status;
	const char *fail;
	uint64_t lines;
	uint64_t piece;
};

#define AT(member) .offset = offsetof(struct request, member)

static const struct tc_option options[] = {
	{ 0, "status", "N", "leave with it", TC_OPT_U64, AT(status) },
	{ 0, "fail", "TEXT", "an error", TC_OPT_STRING, AT(fail) },
	{ 0, "lines", "N", "print them", TC_OPT_U64, AT(lines) },
	{ 0, "piece", "N", "print that many bytes in one call", TC_OPT_U64, AT(piece) },
	TC_OPT_END
};

static void init(void *request)
{
	struct request *r = request;

	r->ready = true;
}

static int test_all(void);

static void print_piece(size_t bytes)
{
	char *piece = malloc(bytes);

	assert_non_null(piece);
	memset(piece, 'x', bytes);
	fwrite(piece, 1, bytes, stdout);
	free(piece);
}

static int run(void *request, int argc, char **argv, struct tfs_err *err)
{
	struct request *r = request;
	uint64_t i;
	int n;

	if (!argc)
		return test_all();
	for (n = 0; r->ready && n < argc; n++)
		printf("[%s]\n", argv[n]);
	for (i = 0; i < r->lines; i++)
		printf("%063d\n", 0);
	if (r->piece)
		print_piece(r->piece);
	if (r->fail) {
		tfs_err_say(err, strcmp(r->fail, "pipe") ? -EINVAL : -EPIPE, "%s", r->fail);
		tfs_err_hint(err, "do better");
	}
	return (int)r->status;
}

static void release(void *request)
{
	struct request *r = request;

	r->ready = false;
}

const struct tc_command tc_command = {
	.name = "tc-test",
	.summary = "test main()",
	.operands = "WORD...",
	.options = options,
	.request_size = sizeof(struct request),
	.init = init,
	.run = run,
	.release = release,
};

/* How the program is started again; @out replaces stdout, unless -1 */
struct start {
	char *const *argv;
	int out;
	int close;
};

static void exec_self(void *arg)
{
	struct start *s = arg;

	if (s->out >= 0)
		dup2(s->out, STDOUT_FILENO);
	if (s->close >= 0)
		close(s->close);
	execv("/proc/self/exe", s->argv);
	_exit(98);
}

/* Exit status; what was said on stdout and stderr in @sb */
static int again(struct tfs_strbuf *sb, int out, int closed, const char *line)
{
	char *words[16] = { (char *)"tc-test" };
	struct start s = { .argv = words, .out = out, .close = closed };
	char copy[256], *rest = NULL;
	int n = 1, status;
	char *w;

	snprintf(copy, sizeof(copy), "%s", line);
	for (w = strtok_r(copy, " ", &rest); w && n < 15; w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	tfs_strbuf_reset(sb);
	status = capture_run(exec_self, &s, STDOUT_FILENO, STDERR_FILENO, sb);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int setup(void **state)
{
	struct tfs_strbuf *sb = malloc(sizeof(*sb));

	if (!sb)
		return -1;
	tfs_strbuf_init(sb);
	*state = sb;
	return 0;
}

static int teardown(void **state)
{
	tfs_strbuf_release(*state);
	free(*state);
	return 0;
}

static void operands_and_status_pass_through(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(again(sb, -1, -1, "--status 42 one --two"), 42);
	assert_string_equal(sb->s, "[one]\n[--two]\n");
	assert_int_equal(again(sb, -1, -1, "-- -x"), 0);
	assert_string_equal(sb->s, "[-x]\n");
}

static void version_and_help_are_answered(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(again(sb, -1, -1, "--version"), 0);
	assert_string_equal(sb->s, "tc-test (tracecraft) " PACKAGE_VERSION "\n");
	assert_int_equal(again(sb, -1, -1, "-h"), 0);
	assert_non_null(strstr(sb->s, "Usage: tc-test [OPTION...] WORD..."));
	assert_int_equal(again(sb, -1, -1, "--dump-options"), 0);
	assert_non_null(strstr(sb->s, "-\t--status\tN\tnone\t-\n"));
}

static void wrong_usage_is_2(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(again(sb, -1, -1, "--stauts x"), 2);
	assert_string_equal(sb->s, "tc-test: unknown option '--stauts'\n"
				   "hint: did you mean '--status'?\n");
}

static void an_error_is_printed_once_and_the_status_is_runs(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(again(sb, -1, -1, "--fail broken --status 1 x"), 1);
	assert_non_null(strstr(sb->s, "tc-test: broken\nhint: do better\n"));
	assert_int_equal(again(sb, -1, -1, "--fail broken --status 7 x"), 7);
	assert_int_equal(again(sb, -1, -1, "--fail pipe --status 1 x"), 1);
	assert_string_equal(sb->s, "[x]\n");
}

static void a_full_disk_is_an_error(void **state)
{
	/*
	 * Less than stdio holds, so that only the last flush fails; and more: also what it hands on
	 * in one piece, after which nothing is left to flush, and the errno of that is long gone.
	 */
	static const char *const lines[] = { "x",      "--lines 1000 x", "--piece 65536 x",
					     "--help", "--version",      "--piece 1048576 x" };
	struct tfs_strbuf *sb = *state;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	size_t i;

	assert_true(full >= 0);
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(again(sb, full, -1, lines[i]), 1);
		assert_string_equal(sb->s, "tc-test: cannot write to the standard output: "
					   "No space left on device\n");
	}
	assert_int_equal(again(sb, full, -1, "--status 5 x"), 5);
	close(full);
}

static void a_reader_that_left_gets_no_message(void **state)
{
	struct tfs_strbuf *sb = *state;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	assert_int_equal(again(sb, ends[1], -1, "x"), 1);
	assert_string_equal(sb->s, "");
	/* 64 bytes a line: exactly the 4096 that stdio holds for a pipe, and other sizes */
	assert_int_equal(again(sb, ends[1], -1, "--lines 1000 x"), 1);
	assert_string_equal(sb->s, "");
	assert_int_equal(again(sb, ends[1], -1, "--lines 64 x"), 1);
	assert_string_equal(sb->s, "");
	close(ends[1]);
}

static void a_closed_stdout_is_an_error_if_it_is_used(void **state)
{
	struct tfs_strbuf *sb = *state;

	assert_int_equal(again(sb, -1, STDOUT_FILENO, "x"), 1);
	assert_string_equal(sb->s, "tc-test: cannot write to the standard output: "
				   "Bad file descriptor\n");
	assert_int_equal(again(sb, -1, STDOUT_FILENO, "--fail only --status 3 --lines 0 x"), 3);
	assert_int_equal(again(sb, -1, STDERR_FILENO, "x"), 0);
	assert_string_equal(sb->s, "[x]\n");
	assert_int_equal(again(sb, -1, STDIN_FILENO, "x"), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static int test_all(void)
{
	const struct CMUnitTest tests[] = {
		TEST(operands_and_status_pass_through),
		TEST(version_and_help_are_answered),
		TEST(wrong_usage_is_2),
		TEST(an_error_is_printed_once_and_the_status_is_runs),
		TEST(a_full_disk_is_an_error),
		TEST(a_reader_that_left_gets_no_message),
		TEST(a_closed_stdout_is_an_error_if_it_is_used),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
