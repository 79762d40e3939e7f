/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "tc-record-opts.h"
#include "tc-record-symbols.h"

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

static enum tfs_symbols symbols_of(struct fixture *f)
{
	const char *why;

	tfs_instance_private(&f->req.trace.buffers[0].inst, "tc-record");
	return record_symbols(&f->req, &why);
}

static void recordings_with_foreign_events_or_stacks_have_symbols(void **state)
{
	struct fixture *f = *state;
	const char *why;

	assert_int_equal(ASK(f, "-e", "sched", "true"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_USED);
	f->req.trace.buffers[0].inst.shared = true;
	assert_int_equal(record_symbols(&f->req, &why), TFS_SYMBOLS_ALWAYS);
	tfs_instance_top(&f->req.trace.buffers[0].inst);
	assert_int_equal(record_symbols(&f->req, &why), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-a", "-k", "-e", "sched", "-f", "x == 1", "-v", "-e", "x"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_USED);

	assert_int_equal(ASK(f, "-e", "sched", "--kallsyms"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-e", "sched", "-B", "x", "-e", "irq"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-B", "x", "-e", "irq"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-p", "function", "-e", "sched"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-p", "nop", "-e", "sched"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-p", "kprobe:do_exit", "-e", "sched"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-T", "-e", "sched"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-O", "sym-offset", "-e", "sched"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
	assert_int_equal(ASK(f, "-e", "sched:sched_switch", "-R", "stacktrace"), 0);
	assert_int_equal(symbols_of(f), TFS_SYMBOLS_ALWAYS);
}

static void habits_of_perf_and_trace_cmd_are_recognised(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "record", "-e", "sched", "-o", "my file"), -EINVAL);
	assert_string_equal(f->err.hint, "tc-record -e sched -o 'my file'");
	/* a COMMAND of that name is one */
	assert_int_equal(ASK(f, "-e", "sched", "record"), 0);
	assert_int_equal(ASK(f, "-e", "sched:*", "-aR", "sleep", "1"), -EINVAL);
	assert_non_null(strstr(f->err.msg, "'sleep' is a program"));
	assert_non_null(strstr(f->err.hint, ": tc-record -e 'sched:*' -- sleep 1"));
	assert_int_equal(ASK(f, "-e", "sched", "-R", "stacktrace", "sleep", "1"), 0);
}

static void a_mode_is_octal_and_leaves_the_file_to_its_owner(void **state)
{
	static const char *const wrong[] = {
		"0400", "1600", "00640", "0x1ff", "u=rw", "8", "-1", ""
	};
	struct fixture *f = *state;

	assert_int_equal(ASK(f, "-e", "sched", "--mode", "640"), 0);
	assert_int_equal(f->req.mode, 0640);
	assert_int_equal(ASK(f, "-e", "sched", "--mode=0644"), 0);
	assert_int_equal(f->req.mode, 0644);
	assert_int_equal(ASK(f, "-e", "sched"), 0);
	assert_int_equal(f->req.mode, 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(ASK(f, "-e", "sched", "--mode", wrong[i]), -EINVAL);
		assert_non_null(strstr(f->err.msg, "--mode"));
	}
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

static void a_switch_has_a_size_a_time_or_a_signal(void **state)
{
	static const struct {
		const char *word;
		struct tfs_switch_output want;
	} good[] = {
		{ NULL, { .on = true, .by_signal = true } },
		{ "signal", { .on = true, .by_signal = true } },
		{ "4096B", { .on = true, .bytes = 4096 } },
		{ "10M", { .on = true, .bytes = 10 * MIB } },
		{ "2G", { .on = true, .bytes = 2048 * MIB } },
		{ "30s", { .on = true, .ns = UINT64_C(30000000000) } },
		{ "10m", { .on = true, .ns = UINT64_C(600000000000) } },
		{ "2d", { .on = true, .ns = UINT64_C(172800000000000) } },
	};
	static const char *const bad[] = { "",  "5",  "x",   "10q",         "M",
					   "s", "0s", "-1s", "99999999999d" };
	struct tfs_switch_output got;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		memset(&got, 0, sizeof(got));
		assert_int_equal(tfs_switch_output_parse(good[i].word, &got, NULL), 0);
		assert_int_equal(got.on, true);
		assert_int_equal(got.by_signal, good[i].want.by_signal);
		assert_int_equal(got.bytes, good[i].want.bytes);
		assert_int_equal(got.ns, good[i].want.ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_true(tfs_switch_output_parse(bad[i], &got, NULL) < 0);
}

/* perf-record(1): perf.data.<timestamp>, to hundredths of a second */
static void files_are_called_by_the_time(void **state)
{
	const struct timespec at = { .tv_sec = 1450793726, .tv_nsec = 470000000 };
	struct tfs_strbuf name = TFS_STRBUF_INIT;

	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	assert_int_equal(tfs_switch_output_name("a/t.dat", &at, &name), 0);
	assert_string_equal(name.s, "a/t.dat.2015122214152647");
	tfs_strbuf_release(&name);
}

static void sizes_and_files_that_exclude_each_other(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ask(f, (const char *[]){ "-e", "sched", "--switch-max-files", "3", NULL }),
			 -EINVAL);
	assert_int_equal(ask(f, (const char *[]){ "-e", "sched", "--switch-output=1M", "--max-size",
						  "2M", NULL }),
			 -EINVAL);
	assert_int_equal(ask(f, (const char *[]){ "-e", "sched", "-m", "300", NULL }), 0);
	assert_int_equal(f->req.cap_bytes, 300 * 1024);
	assert_true(ask(f, (const char *[]){ "-e", "sched", "-m", "100", NULL }) < 0);
}

static void streams_exclude_options_about_files(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ask(f, (const char *[]){ "--stream", "-e", "sched", NULL }), 0);
	assert_true(f->req.stream.on);
	assert_int_equal(
		ask(f, (const char *[]){ "--stream", "-e", "sched", "--max-size", "9M", NULL }),
		-EINVAL);
	assert_int_equal(ask(f, (const char *[]){ "-e", "sched", "--spool-size", "9M", NULL }),
			 -EINVAL);
	assert_int_equal(
		ask(f, (const char *[]){ "--stream", "-e", "sched", "--stream-id", "../x", NULL }),
		-EINVAL);
	assert_int_equal(
		ask(f, (const char *[]){ "--stream", "-e", "sched", "--spool-full", "none", NULL }),
		-EINVAL);
	assert_int_equal(ask(f, (const char *[]){ "--resume", "a", "-e", "sched", NULL }), -EINVAL);
	assert_int_equal(ask(f, (const char *[]){ "--resume", "a", NULL }), 0);
	assert_true(record_is_about_spools(&f->req));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(defaults_are_those_of_the_manual),
		TEST(the_options_of_command_are_its_own),
		TEST(options_that_need_each_other_are_checked),
		TEST(recordings_with_foreign_events_or_stacks_have_symbols),
		TEST(habits_of_perf_and_trace_cmd_are_recognised),
		TEST(a_mode_is_octal_and_leaves_the_file_to_its_owner),
		TEST(compression_takes_a_name_and_a_level),
		TEST(offsets_priorities_and_clocks_are_checked),
		TEST(streams_exclude_options_about_files),
		cmocka_unit_test(a_switch_has_a_size_a_time_or_a_signal),
		cmocka_unit_test(files_are_called_by_the_time),
		cmocka_unit_test_setup_teardown(sizes_and_files_that_exclude_each_other, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
