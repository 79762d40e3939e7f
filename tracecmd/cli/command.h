/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_COMMAND_H
#define TC_CLI_COMMAND_H

#include <stddef.h>

#include "cli/opt.h"

struct tfs_err;

/** enum tc_exit - exit statuses; with a COMMAND, tc-record's is the command's */
enum tc_exit { TC_EXIT_OK = 0, TC_EXIT_FAILED = 1, TC_EXIT_USAGE = 2 };

/** struct tc_foreign_verb - a verb of trace-cmd that is not one here; @hint: what to use instead */
struct tc_foreign_verb {
	const char *verb;
	const char *hint;
};

/**
 * struct tc_command - a program, or one verb of it
 * @name: "tc-record"
 * @verb: for a program with verbs: the word after its name that selects this command; else NULL
 * @alias: another word for @verb, or NULL
 * @summary: one line for -h
 * @operands: after the options in the usage line ("[--] [COMMAND [ARG...]]"); "" for none
 * @options: table closed by TC_OPT_END
 * @request_size: bytes of the request structure; zeroed before @init
 * @init: set defaults; may be NULL
 * @run: run the command. @argv: the operands. Return: exit status; if @err holds a code, main
 *         prints it
 * @release: free what the request owns; may be NULL
 * @verbs: of a program with verbs: a command for each, then NULL; then only @name, @summary and
 *         @options (before the verb, usually none) of its own members are used, and @foreign
 * @foreign: closed by a NULL; may be NULL
 */
struct tc_command {
	const char *name;
	const char *verb;
	const char *alias;
	const char *summary;
	const char *operands;
	const struct tc_option *options;
	size_t request_size;
	void (*init)(void *request);
	int (*run)(void *request, int argc, char **argv, struct tfs_err *err);
	void (*release)(void *request);
	const struct tc_command *const *verbs;
	const struct tc_foreign_verb *foreign;
};

#endif
