/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_GRAPH_PAIRS_H
#define TFS_REPORT_GRAPH_PAIRS_H

#include <stddef.h>

struct graph_func;
struct tfs_err;
struct tfs_field;
struct tfs_strvec;
struct tfs_trace;

/**
 * struct graph_pair - an event that begins something, and one that ends it
 * @begin, @end: indices of the recording's types
 * @begin_key, @end_key: names of the fields whose values belong together; NULL: of one task
 * @begin_field, @end_field: the same, found when the first record is met
 * @func: what it is called
 * @next_begin, @next_end: another pair that begins, or ends, with the same event
 */
struct graph_pair {
	size_t begin, end;
	const char *begin_key, *end_key;
	const struct tfs_field *begin_field, *end_field;
	struct graph_func *func;
	struct graph_pair *next_begin, *next_end;
};

/** struct graph_pairs - @v is an array of @n pointers */
struct graph_pairs {
	struct graph_pair **v;
	size_t n, room;
	char **texts; /* what keys are borrowed from */
	size_t n_texts;
};

/**
 * struct tfs_graph_pair_spec - what was typed, taken apart; all borrowed from the text given
 *
 * BEGIN:END, or where names have colons BEGIN..END, each EVENT, SYSTEM:EVENT or SYSTEM/EVENT, with
 * at most one "*" that stands for the same in both; behind it ",key=FIELD", or ",key=FIELD/FIELD"
 * where the second event calls it otherwise.
 */
struct tfs_graph_pair_spec {
	char *begin, *end;
	char *begin_key, *end_key;
};

/** tfs_graph_pair_parse() - changes @text. Pure. Return: 0, -EINVAL with @err set */
int tfs_graph_pair_parse(char *text, struct tfs_graph_pair_spec *spec, struct tfs_err *err);

/**
 * tfs_graph_pairs_find() - the pairs that @texts say, in the recording
 *
 * Without @texts: probes of functions that have one of their return beside them, by the names that
 * tc-probe, perf probe and the kernel give them: f and f__return, f__entry and f__exit, p_f_0 and
 * r_f_0.
 * Return: 0; -EINVAL, -ENOENT with near names; -ENOMEM. Release, also on failure.
 */
int tfs_graph_pairs_find(struct tfs_trace *trace, const struct tfs_strvec *texts,
			 struct graph_pairs *pairs, struct tfs_err *err);
void tfs_graph_pairs_release(struct graph_pairs *pairs);

#endif
