/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_FILTER_PROGRAM_H
#define TFS_FILTER_FILTER_PROGRAM_H

#include <stdbool.h>

struct tep_filter_arg;
struct tfs_filter_program;
struct tfs_record;
struct tfs_trace;

/**
 * struct tfs_filter_program - a tree of libtraceevent's filters as tests that name the next one
 *
 * Fields are read at fixed places of the record. Where libtraceevent would read beyond a record's
 * memory, divide by zero, or swap no bytes of another machine's string, the values are: zeros, no
 * match, and the string.
 */
struct tfs_filter_program;

/** tfs_filter_program_new() - @arg: borrowed, outlives the program. 0 or -ENOMEM */
int tfs_filter_program_new(struct tfs_trace *trace, const struct tep_filter_arg *arg,
			   struct tfs_filter_program **out);
void tfs_filter_program_free(struct tfs_filter_program *p);
/**
 * tfs_filter_program_odd() - the name of a field that is compared with what it never is; or NULL
 * @is_text: set: it holds a text, which is compared with numbers, not the other way round
 */
const char *tfs_filter_program_odd(const struct tfs_filter_program *p, bool *is_text);
bool tfs_filter_program_run(const struct tfs_filter_program *p, const struct tfs_record *rec);

#endif
