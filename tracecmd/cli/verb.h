/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_VERB_H
#define TC_CLI_VERB_H

#include <stdio.h>

struct tc_command;
struct tfs_err;

/*
 * Programs with verbs: "tc-session stop -a". Each verb is a struct tc_command of its own, with its
 * own options; see @verbs there.
 */

/**
 * tc_verb_find() - the command that @word chooses
 * @word: what was typed: a verb or its alias; NULL if nothing was
 *
 * Return: 0; -EINVAL with near verbs, or all of them, in the hint; -ENOMEM.
 */
int tc_verb_find(const struct tc_command *cmd, const char *word, const struct tc_command **out,
		 struct tfs_err *err);

/** tc_verb_help() - what -h prints without a verb: all verbs with a line each */
void tc_verb_help(const struct tc_command *cmd, FILE *to);

/**
 * tc_verb_dump() - what --dump-options prints without a verb: "verb TAB NAME TAB - TAB - TAB -"
 *
 * The options of a verb are printed by "PROGRAM VERB --dump-options".
 */
void tc_verb_dump(const struct tc_command *cmd, FILE *to);

#endif
