/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_PATTERN_H
#define TFS_BASE_PATTERN_H

#include <regex.h>
#include <stdbool.h>

struct tfs_err;

/** enum tfs_pattern_kind - how a pattern was written */
enum tfs_pattern_kind { TFS_PATTERN_PART, TFS_PATTERN_GLOB, TFS_PATTERN_REGEX };

/**
 * struct tfs_pattern - what a person types to mean several names
 * @text: borrowed
 *
 * A regular expression (basic, in any case, found anywhere in the name) if it has one of ^ $ . and
 * the backslash, which no glob and no name of an event has; a glob for the whole name if it has one
 * of * ? and [; else a part of the name, in any case.
 */
struct tfs_pattern {
	const char *text;
	enum tfs_pattern_kind kind;
	regex_t re;
};

/**
 * tfs_pattern_init() - release with tfs_pattern_release(), which is allowed after a failure, too
 * Return: 0, -EINVAL with @err set when it is not a regular expression.
 */
int tfs_pattern_init(struct tfs_pattern *p, const char *text, struct tfs_err *err);
void tfs_pattern_release(struct tfs_pattern *p);
bool tfs_pattern_match(const struct tfs_pattern *p, const char *name);

#endif
