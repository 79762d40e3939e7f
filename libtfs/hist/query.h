/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_HIST_QUERY_H
#define TFS_HIST_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hist/fields.h"
#include "hist/sql.h"
#include "view/export.h"

struct tfs_err;
struct tfs_hist_rows;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_query - a query whose events and fields are there
 * @event: "system:event" of FROM and JOIN; owned
 * @fields: the keys by the names that a histogram has for them; its values are apart by tabs
 */
struct tfs_query {
	struct tfs_sql sql;
	char *event[2];
	struct tfs_hist_fields fields;
};

/**
 * tfs_query_open() - parse a query, and look up what it names
 * @text: outlives @query
 * @query: tfs_query_release(), also after a failure; @fields.syscall and @fields.syscalls stay
 *
 * Return: 0; -EINVAL or -ENOENT with the place in @err, and suggestions; -errno.
 */
int tfs_query_open(const char *text, const struct tfs_root *root, struct tfs_query *query,
		   struct tfs_err *err);
void tfs_query_release(struct tfs_query *query);

/**
 * tfs_query_print() - the table, the largest count first
 * @dropped: events that are not in it
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_query_print(const struct tfs_query *query, const struct tfs_hist_rows *rows,
		    uint64_t dropped, enum tfs_export_style style, bool inert,
		    struct tfs_strbuf *sb);

#endif
