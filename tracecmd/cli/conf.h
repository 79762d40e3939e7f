/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_CLI_CONF_H
#define TC_CLI_CONF_H

#include <stddef.h>

#include "cli/opt.h"

struct tfs_err;
struct tfs_strvec;

/**
 * struct tc_conf_table - options that may stand in a file, and the request that they fill
 */
struct tc_conf_table {
	const struct tc_option *options;
	void *request;
};

/**
 * struct tc_conf - a configuration file: a long option in each line, without its dashes
 *
 * "key = value", up to the end of the line; options without an argument are "key", "key = yes" or
 * "key = no". Lines that are empty or begin with # or ; are ignored. Options that do not repeat
 * may be given once.
 * @path: of the file, which messages begin with: "PATH:LINE: "
 * @tables: a key is looked up in one after the other
 * @n_tables: number of @tables
 * @manual: where keys are described, for hints: "tracecraft-flight(5)"
 * @reserved: a key that is refused; NULL: none
 * @reserved_why: the message for it
 * @words: the options as they would be typed, to which the requests point; the caller's
 */
struct tc_conf {
	const char *path;
	const struct tc_conf_table *tables;
	size_t n_tables;
	const char *manual;
	const char *reserved, *reserved_why;
	struct tfs_strvec *words;
};

/**
 * tc_conf_give() - one option, as if it had been typed
 * @value: NULL: none
 */
int tc_conf_give(const struct tc_conf *c, const struct tc_conf_table *table, const char *key,
		 const char *value, struct tfs_err *err);

/**
 * tc_conf_parse() - fill the requests from the text of a file; pure
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM with @err set, or what the call of an option returned.
 */
int tc_conf_parse(const struct tc_conf *c, const char *text, size_t len, struct tfs_err *err);

/**
 * tc_conf_read() - the same with the file at @path
 *
 * It is refused if another user than root and the caller could have written it, if it is not a
 * regular file, or larger than 64 KiB.
 */
int tc_conf_read(const struct tc_conf *c, struct tfs_err *err);

#endif
