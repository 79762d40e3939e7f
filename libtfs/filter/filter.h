/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FILTER_FILTER_H
#define TFS_FILTER_FILTER_H

#include <stdbool.h>

struct tfs_err;
struct tfs_filter;
struct tfs_record;
struct tfs_strbuf;
struct tfs_strvec;
struct tfs_trace;

/**
 * struct tfs_filter - one filter of trace-cmd report's -F: "system/event,...: expression"
 *
 * libtraceevent says what it means for an event; the tree it makes is compiled, so that a record
 * costs nanoseconds and nothing is allocated. One thread.
 */
struct tfs_filter;

/** enum tfs_filter_verdict - NONE: the filter is not about records of this event */
enum tfs_filter_verdict { TFS_FILTER_NONE, TFS_FILTER_MISS, TFS_FILTER_MATCH };

/**
 * tfs_filter_new() - check, and compile for each event that it is about
 * @missing: gets the events that the recording does not have, "event 'NAME'": the filter is about
 *           the others then, perhaps about none; NULL: such an event is an error
 * @out: to be freed before @trace
 *
 * Return: 0; -EINVAL for a malformed filter, with a caret; -ENOENT when it names no event of the
 * recording; -ENOMEM.
 */
int tfs_filter_new(struct tfs_trace *trace, const char *text, struct tfs_strvec *missing,
		   struct tfs_filter **out, struct tfs_err *err);
void tfs_filter_free(struct tfs_filter *f);

enum tfs_filter_verdict tfs_filter_match(const struct tfs_filter *f, const struct tfs_record *rec);

/** tfs_filter_is_empty() - it is about no event of the recording */
bool tfs_filter_is_empty(const struct tfs_filter *f);

/** tfs_filter_describe() - trace-cmd report's -T: a line for each event, what of it is asked */
int tfs_filter_describe(const struct tfs_filter *f, struct tfs_strbuf *out);

/**
 * tfs_filter_notice() - about a field that none of the events has, and so never holds; or NULL
 *
 * As a struct tfs_err, with near names in its hint; borrowed.
 */
const struct tfs_err *tfs_filter_notice(const struct tfs_filter *f);

#endif
