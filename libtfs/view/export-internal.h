/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_EXPORT_INTERNAL_H
#define TFS_VIEW_EXPORT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "pipeline/view.h"
#include "view/columns.h"
#include "view/export.h"
#include "view/field-names.h"

struct tfs_event_text;
struct tfs_field;
struct tfs_fields;

/* Rows: export.c is the view, export-cell.c writes what is in them. */

/**
 * struct tfs_export - the view
 * @string: text as a cell of this style
 * @separator: between cells
 * @keys: of JSON: `,"cpu":` of one column after the other; each ends at @key_end
 * @seconds: time stamps are nanoseconds
 * @host: the machine; NULL: not known
 * @file: what the recording is called, when there are several
 * @buffers: the file has more than the top buffer
 * @heading: begins with the names of the columns
 */
struct tfs_export {
	struct tfs_view view;
	struct tfs_trace *trace;
	enum tfs_export_style style;
	struct tfs_columns columns;
	int (*string)(struct tfs_strbuf *out, const void *s, size_t len);
	char separator;
	struct tfs_strbuf keys;
	size_t *key_end;
	const char *host, *file;
	bool seconds, buffers, heading;
};

/**
 * struct tfs_export_type - what the rows of one event have in common
 * @field: for each column the field that it shows, or NULL
 * @symbol: the field with the address for the column "symbol", or NULL
 * @event: the cell "system:name"
 * @names: of its fields
 */
struct tfs_export_type {
	const struct tfs_field **field;
	const struct tfs_field *symbol;
	struct tfs_strbuf event;
	struct tfs_field_names names;
};

/**
 * struct tfs_export_state - what one thread needs
 * @types: by index of the event's type; NULL: not met yet
 * @cell: room for a cell's text before it is quoted
 * @cell_end: NULL, or room for the end of each cell of the row that was written last, counted from
 *	the beginning of the row; owned by who sets it
 * @cut: fields were left out of the present row, which would be too long
 */
struct tfs_export_state {
	const struct tfs_export *export;
	struct tfs_event_text *event_text;
	struct tfs_export_type **types;
	struct tfs_strbuf cell;
	uint32_t *cell_end;
	bool cut;
};

/**
 * struct tfs_export_row - the row being written
 * @type, @fields: NULL when no format describes the record
 * @loss: it stands for lost events, not for a record
 */
struct tfs_export_row {
	const struct tfs_event *event;
	const struct tfs_export_type *type;
	const struct tfs_fields *fields;
	bool loss;
};

/** tfs_export_type() - what the rows of @type have in common, made when it is first met */
int tfs_export_type(struct tfs_export_state *s, const struct tfs_event_type *type,
		    const struct tfs_export_type **out);
void tfs_export_type_free(struct tfs_export_type *type);
/** tfs_export_add_row() - append a row with the end of its line; 0 or -ENOMEM */
int tfs_export_add_row(struct tfs_export_state *s, const struct tfs_export_row *row,
		       struct tfs_strbuf *out);

#endif
