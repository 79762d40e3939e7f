/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_SHELL_H
#define TC_CLI_SHELL_H

struct tfs_err;
struct tfs_strbuf;
struct tfs_strvec;

/** tc_shell_quote() - append one word of a POSIX shell, in quotes where need be; 0 or -ENOMEM */
int tc_shell_quote(struct tfs_strbuf *sb, const char *word);

/**
 * tc_shell_split() - append the words of a command line, as a POSIX shell would split it
 *
 * There are quotes and backslashes, and nothing else: nothing is expanded, patterns stay as they
 * are, and what would start another command, or the expansion of a variable, is refused.
 * Return: 0; -EINVAL with @err set, or -ENOMEM; some words may have been appended then.
 */
int tc_shell_split(struct tfs_strvec *words, const char *line, struct tfs_err *err);

#endif
