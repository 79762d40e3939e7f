/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/macros.h"
#include "base/strvec.h"
#include "cli/opt.h"
#include "cli/command.h"
#include "lib/alloc_fail.h"

struct request {
	bool quiet;
	bool verbose;
	const char *output;
	const char *color;
	struct tfs_strvec events;
	uint64_t number;
	uint64_t level;
	uint64_t size;
	uint64_t time;
	struct tfs_cpus cpus;
	struct tfs_cpus more_cpus;
	char calls[64];
};

/* Notes letter and argument; "bad" is refused with words, "worse" without. */
static int note(void *request, const struct tc_option *opt, const char *arg, struct tfs_err *err)
{
	struct request *r = request;
	size_t len = strlen(r->calls);

	if (arg && !strcmp(arg, "bad")) {
		tfs_err_say(err, -EPROTO, "'bad' is bad");
		tfs_err_input(err, arg, 1);
		tfs_err_hint(err, "be good");
		return -EPROTO;
	}
	if (arg && !strcmp(arg, "worse"))
		return -EPROTO;
	snprintf(r->calls + len, sizeof(r->calls) - len, "%c%s;", opt->value, arg ? arg : "-");
	return 0;
}

#define AT(member) .offset = offsetof(struct request, member)

/* Rows that another table takes in, as if they stood there. */
static const struct tc_option numbers[] = {
	{ .help = "Numbers" },
	{ 'n', "number", "N", "a number", TC_OPT_U64, AT(number), .min = 1, .max = 10 },
	{ 'l', "level", "N", "the last counts", TC_OPT_U64, TC_OPT_REPEATS, AT(level) },
	{ 'b', "buffer-size", "SIZE", "a size", TC_OPT_SIZE, AT(size), .unit = 1024,
	  .complete = "size" },
	{ 0, "duration", "TIME", "a time", TC_OPT_DURATION, AT(time) },
	{ 0, "cpu", "CPUS", "some CPUs", TC_OPT_CPUS, AT(cpus), .complete = "cpu" },
	{ 0, "a-name-that-is-much-too-long-for-a-column", "CPUS", "more CPUs", TC_OPT_CPUS,
	  TC_OPT_REPEATS, AT(more_cpus), .complete = "cpu" },
	TC_OPT_END
};

static const struct tc_option table[] = {
	{ .help = "Actions" },
	{ 'q', "quiet", NULL, "say nothing", TC_OPT_FLAG, AT(quiet) },
	{ 'v', "verbose", NULL, "say more", TC_OPT_FLAG, AT(verbose) },
	{ 'o', "output", "FILE",
	  "where to write, which is a text that is so long that it has to be"
	  " wrapped",
	  TC_OPT_STRING, AT(output), .complete = "file" },
	{ 0, "color", "WHEN", "colours", TC_OPT_STRING, TC_OPT_OPTIONAL_ARG, AT(color) },
	{ 'e', NULL, "EVENT", "an event", TC_OPT_LIST, AT(events), .complete = "event" },
	{ .type = TC_OPT_TABLE, .table = numbers },
	{ 'f', "filter", "FILTER", "order counts", TC_OPT_CALL, TC_OPT_REPEATS, .call = note,
	  .value = 'f' },
	{ 'O', NULL, "OPT", "optional", TC_OPT_CALL, TC_OPT_REPEATS | TC_OPT_OPTIONAL_ARG,
	  .call = note, .value = 'O' },
	{ 'B', NULL, NULL, "no argument", TC_OPT_CALL, TC_OPT_REPEATS, .call = note, .value = 'B' },
	TC_OPT_WITHOUT('M', "missing", "--output names a file"),
	TC_OPT_END
};

struct fixture {
	struct request req;
	struct tc_opt_result res;
	struct tfs_err err;
	struct tfs_strvec args;
	char *text;
	size_t text_len;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	tfs_err_clear(&f->err);
	*state = f;
	return 0;
}

static void forget(struct fixture *f)
{
	tfs_strvec_release(&f->args);
	tfs_strvec_release(&f->req.events);
	free(f->text);
	memset(f, 0, sizeof(*f));
	tfs_err_clear(&f->err);
}

static int teardown(void **state)
{
	alloc_fail_off();
	forget(*state);
	free(*state);
	return 0;
}

/* @line: the words after the program's name, between blanks; starts from an empty request */
static int parse(struct fixture *f, const char *line)
{
	forget(f);
	assert_int_equal(tfs_strvec_push(&f->args, "tc-test"), 0);
	assert_int_equal(tfs_strvec_split(&f->args, line, " "), 0);
	return tc_opt_parse(table, (int)f->args.n, f->args.v, &f->req, &f->res, &f->err);
}

static void ok(struct fixture *f, const char *line)
{
	int rc = parse(f, line);

	if (rc)
		fail_msg("'%s': %s", line, f->err.msg);
	assert_int_equal(f->err.code, 0);
}

static void bad(struct fixture *f, const char *line, int want, const char *msg, const char *hint)
{
	assert_int_equal(parse(f, line), want);
	assert_int_equal(f->err.code, want);
	assert_string_equal(f->err.msg, msg);
	if (hint)
		assert_string_equal(f->err.hint, hint);
}

static void every_type_fills_its_member(void **state)
{
	struct fixture *f = *state;

	ok(f, "-q -o a.dat -e x -n 7 -b 64 --duration 1.5 --cpu 0-3 -f one -e y --color=red");
	assert_true(f->req.quiet);
	assert_false(f->req.verbose);
	assert_string_equal(f->req.output, "a.dat");
	assert_ptr_equal(f->req.output, f->args.v[3]);
	assert_string_equal(f->req.color, "red");
	assert_int_equal(f->req.events.n, 2);
	assert_string_equal(f->req.events.v[0], "x");
	assert_string_equal(f->req.events.v[1], "y");
	assert_int_equal(f->req.number, 7);
	assert_int_equal(f->req.size, 65536);
	assert_int_equal(f->req.time, 1500000000);
	assert_int_equal(tfs_cpus_count(&f->req.cpus), 4);
	assert_string_equal(f->req.calls, "fone;");
	assert_int_equal(f->res.action, TC_OPT_RUN);
	assert_int_equal(f->res.first, f->args.n);
}

static void names_can_be_joined_shortened_and_bundled(void **state)
{
	struct fixture *f = *state;

	ok(f, "-qvoa.dat --num=3 --buf 4K --dur=200ms");
	assert_true(f->req.quiet && f->req.verbose);
	assert_string_equal(f->req.output, "a.dat");
	assert_int_equal(f->req.number, 3);
	assert_int_equal(f->req.size, 4096);
	assert_int_equal(f->req.time, 200000000);
}

static void parsing_stops_at_the_first_operand(void **state)
{
	struct fixture *f = *state;

	ok(f, "-q ls -v -n 99");
	assert_int_equal(f->res.first, 2);
	assert_false(f->req.verbose);
	ok(f, "-q -- -v");
	assert_int_equal(f->res.first, 3);
	assert_false(f->req.verbose);
	ok(f, "-q - -v");
	assert_int_equal(f->res.first, 2);
	ok(f, "");
	assert_int_equal(f->res.first, 1);
}

/* Words that follow "--" are operands, and come first; the others keep their order. */
static void options_may_follow_operands_where_a_table_says_so(void **state)
{
	static const struct tc_option anywhere[] = {
		{ 'q', "quiet", NULL, "say nothing", TC_OPT_FLAG, AT(quiet) },
		{ 'o', "output", "FILE", "where to", TC_OPT_STRING, AT(output) },
		TC_OPT_END_ANY_ORDER,
	};
	char *argv[] = { (char[]){ "tc-test" }, (char[]){ "a" },  (char[]){ "-q" },
			 (char[]){ "b" },       (char[]){ "-o" }, (char[]){ "x" },
			 (char[]){ "--" },      (char[]){ "-c" }, NULL };
	struct fixture *f = *state;

	assert_int_equal(tc_opt_parse(anywhere, 8, argv, &f->req, &f->res, &f->err), 0);
	assert_true(f->req.quiet);
	assert_string_equal(f->req.output, "x");
	assert_int_equal(f->res.first, 5);
	assert_string_equal(argv[5], "-c");
	assert_string_equal(argv[6], "a");
	assert_string_equal(argv[7], "b");
	assert_null(argv[8]);
}

static void a_missing_program_name_does_not_crash(void **state)
{
	struct fixture *f = *state;
	char *none[] = { NULL };

	assert_int_equal(tc_opt_parse(table, 0, none, &f->req, &f->res, &f->err), 0);
	assert_int_equal(f->res.first, 0);
	assert_int_equal(f->res.action, TC_OPT_RUN);
}

static void an_argument_may_be_left_out_where_it_is_optional(void **state)
{
	struct fixture *f = *state;

	ok(f, "--color x");
	assert_null(f->req.color);
	assert_int_equal(f->res.first, 2);
	ok(f, "-O -Ox -B");
	assert_string_equal(f->req.calls, "O-;Ox;B-;");
}

static void order_is_kept_for_calls(void **state)
{
	struct fixture *f = *state;

	ok(f, "-f a -B --filter=b -Oc");
	assert_string_equal(f->req.calls, "fa;B-;fb;Oc;");
}

static void the_last_string_counts_and_numbers_come_once(void **state)
{
	struct fixture *f = *state;

	ok(f, "-o a -o b -qq");
	assert_string_equal(f->req.output, "b");
	ok(f, "-l 1 -l 2");
	assert_int_equal(f->req.level, 2);
	ok(f, "--a-name=0-1 --a-name=1,5");
	assert_int_equal(tfs_cpus_count(&f->req.more_cpus), 3);
	bad(f, "-n 1 --number=2", -EINVAL, "option '--number' is given twice", "");
	bad(f, "-b1 -qb2", -EINVAL, "option '-b' is given twice", "");
	bad(f, "--dur 1 --dur 1", -EINVAL, "option '--dur' is given twice", "");
	bad(f, "--cpu 1 --cpu 1", -EINVAL, "option '--cpu' is given twice", "");
}

static void an_unknown_option_gets_suggestions(void **state)
{
	struct fixture *f = *state;

	bad(f, "--otput=x", -EINVAL, "unknown option '--otput'", "did you mean '--output'?");
	bad(f, "--quite", -EINVAL, "unknown option '--quite'", "did you mean '--quiet'?");
	bad(f, "--verison", -EINVAL, "unknown option '--verison'", "did you mean '--version'?");
	bad(f, "--zzz", -EINVAL, "unknown option '--zzz'", "-h lists the options");
	bad(f, "-Z", -EINVAL, "unknown option '-Z'", "-h lists the options");
	bad(f, "-qZ", -EINVAL, "unknown option '-Z'", "-h lists the options");
	bad(f, "--=x", -EINVAL, "unknown option '--'", "-h lists the options");
	/* one dash too few, and nothing that could be an option's letter */
	bad(f, "-duration", -EINVAL, "unknown option '-d'", "did you mean '--duration'?");
	bad(f, "-\xc3\xa9", -EINVAL, "unknown option '-\xc3\xa9'", "-h lists the options");
	bad(f, "-:", -EINVAL, "unknown option '-:'", "-h lists the options");
	bad(f, "-?", -EINVAL, "unknown option '-?'", "-h lists the options");
}

static void an_absent_option_of_trace_cmd_names_its_replacement(void **state)
{
	static const char *const typed[] = { "--missing", "-M", "-qM", "--miss" };
	static const char *const said[] = { "--missing", "-M", "-M", "--miss" };
	struct fixture *f = *state;
	char want[80];

	for (size_t i = 0; i < ARRAY_SIZE(typed); i++) {
		snprintf(want, sizeof(want), "option '%s': trace-cmd has it, this program does not",
			 said[i]);
		bad(f, typed[i], -EINVAL, want, "--output names a file");
	}
	/* it is not suggested */
	bad(f, "--misssing", -EINVAL, "unknown option '--misssing'", "-h lists the options");
}

static void an_ambiguous_name_lists_its_candidates(void **state)
{
	struct fixture *f = *state;

	bad(f, "--d", -EINVAL, "option '--d' is ambiguous",
	    "it could be '--duration' or '--dump-options'");
	bad(f, "--ver=1", -EINVAL, "option '--ver' is ambiguous",
	    "it could be '--verbose' or '--version'");
}

static void reports_a_missing_or_extra_argument(void **state)
{
	struct fixture *f = *state;

	bad(f, "-n", -EINVAL, "option '-n' needs an argument: N", "N: a number");
	bad(f, "-qn", -EINVAL, "option '-n' needs an argument: N", "N: a number");
	bad(f, "--number", -EINVAL, "option '--number' needs an argument: N", "N: a number");
	bad(f, "--num", -EINVAL, "option '--num' needs an argument: N", "N: a number");
	bad(f, "-e", -EINVAL, "option '-e' needs an argument: EVENT", NULL);
	bad(f, "--quiet=5", -EINVAL, "option '--quiet' takes no argument", "");
	assert_string_equal(f->err.input, "--quiet=5");
	assert_int_equal(f->err.caret, 7);
	bad(f, "--qui=5", -EINVAL, "option '--qui' takes no argument", "");
	bad(f, "--help=5", -EINVAL, "option '--help' takes no argument", "");
}

static void a_wrong_value_names_option_and_place(void **state)
{
	struct fixture *f = *state;

	bad(f, "-n 11", -ERANGE, "option '-n': '11' is too large: at most 10 is accepted", "");
	bad(f, "-n0", -ERANGE, "option '-n': '0' is too small: at least 1 is accepted", "");
	bad(f, "--num=12x", -EINVAL, "option '--num': '12x' is not a number: unexpected 'x'", NULL);
	assert_string_equal(f->err.input, "12x");
	assert_int_equal(f->err.caret, 2);
	bad(f, "-b 64Q", -EINVAL, "option '-b': '64Q': unknown unit 'Q'", NULL);
	assert_int_equal(f->err.caret, 2);
	bad(f, "--duration 1x", -EINVAL, "option '--duration': '1x': unknown unit 'x'", NULL);
	bad(f, "--cpu 3-1", -EINVAL, "option '--cpu': '3-1': the range 3-1 runs backwards", NULL);
}

static void a_call_may_refuse_with_any_code(void **state)
{
	struct fixture *f = *state;

	bad(f, "-f bad", -EPROTO, "option '-f': 'bad' is bad", "be good");
	assert_int_equal(f->err.caret, 1);
	bad(f, "--filter worse", -EPROTO, "option '--filter': cannot use 'worse': Protocol error",
	    "");
	/* and nobody has to listen */
	assert_int_equal(tc_opt_parse(table, (int)f->args.n, f->args.v, &f->req, &f->res, NULL),
			 -EPROTO);
}

static void every_program_has_help_version_and_dump(void **state)
{
	struct fixture *f = *state;

	ok(f, "-q -h --nonsense");
	assert_int_equal(f->res.action, TC_OPT_HELP);
	ok(f, "--help");
	assert_int_equal(f->res.action, TC_OPT_HELP);
	ok(f, "--he");
	assert_int_equal(f->res.action, TC_OPT_HELP);
	ok(f, "-qh");
	assert_int_equal(f->res.action, TC_OPT_HELP);
	ok(f, "--version");
	assert_int_equal(f->res.action, TC_OPT_VERSION);
	ok(f, "--dump-options");
	assert_int_equal(f->res.action, TC_OPT_DUMP);
}

static void a_run_that_failed_leaves_no_trace_in_the_next(void **state)
{
	struct fixture *f = *state;

	/* stops in the middle of a bundle */
	bad(f, "-qZv -n 3", -EINVAL, "unknown option '-Z'", NULL);
	ok(f, "-n 4 x");
	assert_int_equal(f->req.number, 4);
	assert_int_equal(f->res.first, 3);
	assert_false(f->req.verbose);
	ok(f, "-qhv");
	ok(f, "-n 5");
	assert_int_equal(f->req.number, 5);
}

static void argv_is_left_as_it_was(void **state)
{
	struct fixture *f = *state;

	ok(f, "-q a -v b --number=3");
	assert_string_equal(f->args.v[1], "-q");
	assert_string_equal(f->args.v[2], "a");
	assert_string_equal(f->args.v[3], "-v");
	assert_string_equal(f->args.v[5], "--number=3");
}

static void without_memory_it_says_so(void **state)
{
	static const char *const lines[] = { "-e one -qn 3 --output=x", "--otput", "--d", "-n" };
	static const int codes[] = { 0, -EINVAL, -EINVAL, -EINVAL };
	struct fixture *f = *state;
	size_t i, n;
	int rc;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		for (n = 0;; n++) {
			forget(f);
			assert_int_equal(tfs_strvec_push(&f->args, "tc-test"), 0);
			assert_int_equal(tfs_strvec_split(&f->args, lines[i], " "), 0);
			alloc_fail_at(n);
			rc = tc_opt_parse(table, (int)f->args.n, f->args.v, &f->req, &f->res,
					  &f->err);
			if (!alloc_fail_off())
				break;
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(f->err.code, -ENOMEM);
		}
		assert_true(n >= 3);
		assert_int_equal(rc, codes[i]);
	}
}

static const struct tc_command command = {
	.name = "tc-test",
	.summary = "test the options",
	.operands = "[--] [COMMAND [ARG...]]",
	.options = table,
};

static const char *print(struct fixture *f, const struct tc_command *cmd,
			 void (*what)(const struct tc_command *cmd, FILE *to))
{
	FILE *to;

	forget(f);
	to = open_memstream(&f->text, &f->text_len);
	assert_non_null(to);
	what(cmd, to);
	assert_int_equal(fclose(to), 0);
	return f->text;
}

static void help_is_made_from_the_table(void **state)
{
	/* written out by hand from the rows above */
	static const char want[] =
		"Usage: tc-test [OPTION...] [--] [COMMAND [ARG...]]\n"
		"test the options\n"
		"\n"
		"Actions:\n"
		"  -q, --quiet             say nothing\n"
		"  -v, --verbose           say more\n"
		"  -o, --output=FILE       where to write, which is a text that is so long that\n"
		"                          it has to be wrapped\n"
		"      --color[=WHEN]      colours\n"
		"  -e EVENT                an event\n"
		"\n"
		"Numbers:\n"
		"  -n, --number=N          a number\n"
		"  -l, --level=N           the last counts\n"
		"  -b, --buffer-size=SIZE  a size\n"
		"      --duration=TIME     a time\n"
		"      --cpu=CPUS          some CPUs\n"
		"      --a-name-that-is-much-too-long-for-a-column=CPUS\n"
		"                          more CPUs\n"
		"  -f, --filter=FILTER     order counts\n"
		"  -O[OPT]                 optional\n"
		"  -B                      no argument\n"
		"\n"
		"About the program:\n"
		"  -h, --help              print this text and exit\n"
		"      --version           print the version and exit\n"
		"      --dump-options      print the options as a table for other programs and\n"
		"                          exit\n"
		"\n"
		"The manual page is tc-test(1).\n";

	assert_string_equal(print(*state, &command, tc_opt_help), want);
}

static void help_fits_in_80_columns(void **state)
{
	static const struct tc_option rows[] = {
		{ .letter = 'x',
		  .arg = "X",
		  .type = TC_OPT_STRING,
		  .help = "words of which there are many, so that they take more than two"
			  " lines, and averyveryverylongwordthatwillnotfitonany"
			  "lineatallbecauseitissolong at the end" },
		TC_OPT_END
	};
	struct tc_command cmd = {
		.name = "tc-test",
		.options = rows,
		.summary = "a summary that is longer than the eighty columns of an old terminal are"
			   " and so must be wrapped",
		.operands = "[FILE...] [OTHER...] [OTHER...] [OTHER...] [OTHER...] [OTHER...]",
	};
	char *line, *rest;
	const char *text = print(*state, &cmd, tc_opt_help);
	char *copy = strdup(text);

	assert_non_null(copy);
	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		assert_true(line[strlen(line) - 1] != ' ');
		if (!strstr(line, "averyvery"))
			assert_true(strlen(line) <= 80);
	}
	free(copy);
	cmd.operands = "";
	assert_memory_equal(print(*state, &cmd, tc_opt_help),
			    "Usage: tc-test [OPTION...]\na summary", 35);
}

static void dump_has_a_line_for_each_option(void **state)
{
	static const char want[] =
		"-q\t--quiet\t-\t-\t-\n"
		"-v\t--verbose\t-\t-\t-\n"
		"-o\t--output\tFILE\tfile\t-\n"
		"-\t--color\tWHEN\tnone\toptional\n"
		"-e\t-\tEVENT\tevent\trepeats\n"
		"-n\t--number\tN\tnone\t-\n"
		"-l\t--level\tN\tnone\trepeats\n"
		"-b\t--buffer-size\tSIZE\tsize\t-\n"
		"-\t--duration\tTIME\tnone\t-\n"
		"-\t--cpu\tCPUS\tcpu\t-\n"
		"-\t--a-name-that-is-much-too-long-for-a-column\tCPUS\tcpu\trepeats\n"
		"-f\t--filter\tFILTER\tnone\trepeats\n"
		"-O\t-\tOPT\tnone\toptional,repeats\n"
		"-B\t-\t-\t-\trepeats\n"
		"-h\t--help\t-\t-\t-\n"
		"-\t--version\t-\t-\t-\n"
		"-\t--dump-options\t-\t-\t-\n";

	assert_string_equal(print(*state, &command, tc_opt_dump), want);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_type_fills_its_member),
		TEST(names_can_be_joined_shortened_and_bundled),
		TEST(parsing_stops_at_the_first_operand),
		TEST(options_may_follow_operands_where_a_table_says_so),
		TEST(a_missing_program_name_does_not_crash),
		TEST(an_argument_may_be_left_out_where_it_is_optional),
		TEST(order_is_kept_for_calls),
		TEST(the_last_string_counts_and_numbers_come_once),
		TEST(an_unknown_option_gets_suggestions),
		TEST(an_absent_option_of_trace_cmd_names_its_replacement),
		TEST(an_ambiguous_name_lists_its_candidates),
		TEST(reports_a_missing_or_extra_argument),
		TEST(a_wrong_value_names_option_and_place),
		TEST(a_call_may_refuse_with_any_code),
		TEST(every_program_has_help_version_and_dump),
		TEST(a_run_that_failed_leaves_no_trace_in_the_next),
		TEST(argv_is_left_as_it_was),
		TEST(without_memory_it_says_so),
		TEST(help_is_made_from_the_table),
		TEST(help_fits_in_80_columns),
		TEST(dump_has_a_line_for_each_option),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
