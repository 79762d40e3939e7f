/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_OPT_H
#define TC_CLI_OPT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct tfs_err;

/**
 * enum tc_opt_type - type of an option's argument and of the member of the request that takes it
 */
enum tc_opt_type {
	TC_OPT_GROUP = 0, /* not an option: @help is a heading for those that follow */
	TC_OPT_FLAG,      /* bool, set to true; no argument */
	TC_OPT_STRING,    /* const char *, borrowed from argv; the last one counts */
	TC_OPT_LIST,      /* struct tfs_strvec, one string added each time */
	TC_OPT_U64,       /* uint64_t between @min and @max */
	TC_OPT_SIZE,      /* uint64_t bytes, suffixes K M G T; @unit is what a bare number counts */
	TC_OPT_DURATION,  /* uint64_t ns */
	TC_OPT_CPUS,      /* struct tfs_cpus */
	TC_OPT_CALL,      /* @call does it: order-dependent or structured options */
	TC_OPT_TABLE,  /* not an option: insert the rows of @table, which several programs share */
	TC_OPT_ABSENT, /* an option of another program that this one lacks; @help: what to use */
};

enum tc_opt_flags {
	TC_OPT_OPTIONAL_ARG = 1 << 0, /* --name[=ARG]; ARG is NULL when left out (STRING, CALL) */
	TC_OPT_REPEATS = 1 << 1,      /* may be given more than once; shown in --dump-options */
	TC_OPT_ANY_ORDER = 1 << 2, /* of the row that closes a table: options may follow operands */
	TC_OPT_ONCE = 1 << 3,      /* STRING, CALL: given twice, it is an error */
	TC_OPT_POLICY = 1 << 4,    /* who records under a policy may use it, tc-record-policy.h */
};

/**
 * struct tc_option - one row of a program's option table
 * @letter: short name, 0 for none
 * @name: long name, NULL for none
 * @arg: what the argument is called in -h ("FILE"), NULL for an option without one
 * @help: one line for -h; lower case, no full stop
 * @offset: of the member in the request structure
 * @min: least value of U64 and SIZE
 * @max: greatest value of U64 and SIZE; 0: no limit
 * @unit: of SIZE: what a number without suffix counts in bytes; 0: 1
 * @call: for TC_OPT_CALL; 0 or -errno with @err set. It never looks at @name: rows that share a
 *        @call differ in @value or @offset
 * @value: for TC_OPT_CALL: what this row stands for, usually an enumerator; @call interprets it
 * @of: for TC_OPT_ABSENT: the program that has it; NULL: trace-cmd
 * @table: for TC_OPT_TABLE; its offsets are in the same request structure
 * @complete: what the shell offers for the argument: "file", "event", "clock", "pid", "command",
 *            "user", "compression", "cpu", "size", "none"; NULL when there is no argument
 */
struct tc_option {
	int letter;
	const char *name;
	const char *arg;
	const char *help;
	enum tc_opt_type type;
	unsigned int flags;
	size_t offset;
	uint64_t min, max, unit;
	int (*call)(void *request, const struct tc_option *opt, const char *arg,
		    struct tfs_err *err);
	int value;
	const char *complete;
	const char *of;
	const struct tc_option *table;
};

/** TC_OPT_WITHOUT - the row of a trace-cmd option that the program lacks; INSTEAD: what to use */
#define TC_OPT_WITHOUT(LETTER, NAME, INSTEAD)                                          \
	{                                                                              \
		.letter = LETTER, .name = NAME, .help = INSTEAD, .type = TC_OPT_ABSENT \
	}

/** TC_OPT_WITHOUT_OF - the same of another PROGRAM, whether it has an argument there or not */
#define TC_OPT_WITHOUT_OF(PROGRAM, LETTER, NAME, INSTEAD)                          \
	{                                                                          \
		.letter = LETTER, .name = NAME, .arg = "ARG", .help = INSTEAD,     \
		.type = TC_OPT_ABSENT, .flags = TC_OPT_OPTIONAL_ARG, .of = PROGRAM \
	}

/** TC_OPT_END - closes a table */
#define TC_OPT_END           \
	{                    \
		.letter = -1 \
	}

/** TC_OPT_END_ANY_ORDER - for programs whose operands are not a command with its own options */
#define TC_OPT_END_ANY_ORDER                             \
	{                                                \
		.letter = -1, .flags = TC_OPT_ANY_ORDER, \
	}

/** enum tc_opt_action - what the arguments ask for besides running */
enum tc_opt_action { TC_OPT_RUN, TC_OPT_HELP, TC_OPT_VERSION, TC_OPT_DUMP };

/**
 * struct tc_opt_result - results of tc_opt_parse() besides the request
 * @action: -h/--help, --version and --dump-options are in no table: they are recognised for all,
 *          and end the parsing
 * @first: index of the first operand; parsing stops there ("+": COMMAND's options are its own),
 *         except with TC_OPT_END_ANY_ORDER, which moves operands after the options in argv
 */
struct tc_opt_result {
	enum tc_opt_action action;
	int first;
};

struct tc_command;

/**
 * tc_opt_parse() - fill @request from argv
 *
 * Pure: touches nothing but @request (and getopt's state, so one thread at a time). A long option
 * may be shortened when unambiguous; an unknown one is an error with suggestions, and one that is
 * TC_OPT_ABSENT an error with its row's hint; neither -h nor --dump-options lists that row. U64,
 * SIZE, DURATION and CPUS may be given once unless TC_OPT_REPEATS says otherwise: then the last
 * number counts, and CPUs add up; TC_OPT_ONCE extends this to other types. After a failure @request
 * keeps what was filled in before, and the caller releases it.
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM with @err set, or what a @call returned.
 */
int tc_opt_parse(const struct tc_option *table, int argc, char **argv, void *request,
		 struct tc_opt_result *res, struct tfs_err *err);
/** tc_opt_help() - print -h from the table */
void tc_opt_help(const struct tc_command *cmd, FILE *to);
/**
 * tc_opt_dump() - one line an option: "-o TAB --output TAB FILE TAB file TAB repeats", "-" for none
 *
 * The last column is "optional" where the argument may be left out, "optional,repeats" for both.
 */
void tc_opt_dump(const struct tc_command *cmd, FILE *to);

#endif
