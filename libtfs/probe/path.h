/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_PATH_H
#define TFS_PROBE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_strbuf;

/**
 * enum tfs_step_kind - how one member is reached from the one before
 * @TFS_STEP_DOT: .NAME
 * @TFS_STEP_ARROW: ->NAME
 * @TFS_STEP_INDEX: [N]
 */
enum tfs_step_kind {
	TFS_STEP_DOT,
	TFS_STEP_ARROW,
	TFS_STEP_INDEX,
};

/**
 * struct tfs_step - one step of a path
 * @name: of the member, owned; NULL for an index
 * @index: of the element
 * @at: byte offset of the step in the text, for a caret
 */
struct tfs_step {
	enum tfs_step_kind kind;
	char *name;
	int64_t index;
	int at;
};

/**
 * struct tfs_path - a variable and the way from it to what is wanted
 * @name: the variable ("a", "ns::counter", "$retval"); owned
 * @stars: how many '*' stand before it; they apply after the steps, as in C
 * @address: '&' stands before everything
 */
struct tfs_path {
	char *name;
	struct tfs_step *step;
	size_t n;
	unsigned int stars;
	bool address;
};

/**
 * tfs_path_parse() - `a->b.c[2]`, `*p`, `&a`, `$retval->f`, no blanks
 * @text: the expression, without NAME= and :TYPE
 * @out: on success release with tfs_path_release(); untouched on failure
 *
 * Return: 0, -EINVAL (err has input and caret) or -ENOMEM.
 */
int tfs_path_parse(const char *text, struct tfs_path *out, struct tfs_err *err);

/** tfs_path_print() - the inverse: append the text that parses to @path; 0 or -ENOMEM */
int tfs_path_print(const struct tfs_path *path, struct tfs_strbuf *out);

void tfs_path_release(struct tfs_path *path);

#endif
