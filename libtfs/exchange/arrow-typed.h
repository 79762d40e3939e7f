/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_ARROW_TYPED_H
#define TFS_EXCHANGE_ARROW_TYPED_H

#include <stddef.h>

struct tfs_arrow;
struct tfs_arrow_field;
struct tfs_field;
struct tfs_strbuf;
struct tfs_value;

/* A field of an event as a column: tc-report-json(5) says which type each has. */

/** tfs_arrow_typed() - set all but the name of the column for a field */
void tfs_arrow_typed(const struct tfs_field *f, struct tfs_arrow_field *column);
/**
 * tfs_arrow_typed_put() - the cell of a value in such a column
 * @text: room for text
 *
 * Return: bytes of the cell, about; -ENOMEM.
 */
int tfs_arrow_typed_put(struct tfs_arrow *a, size_t column, const struct tfs_field *f,
			const struct tfs_value *v, struct tfs_strbuf *text);

#endif
