/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/arrow-typed.h"

#include <errno.h>
#include <stdbool.h>

#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "decode/value.h"
#include "exchange/arrow-ipc.h"
#include "view/export-value.h"

static bool is_float(const struct tfs_field *f)
{
	return f->means && f->means->kind == TFS_MEANS_FLOAT && !f->array &&
	       (f->element == 4 || f->element == 8);
}

/* Numbers that stand for something else are written as text, as in JSON. */
static bool is_number(const struct tfs_field *f)
{
	return f->kind <= TFS_VALUE_ADDRESS && !f->means;
}

void tfs_arrow_typed(const struct tfs_field *f, struct tfs_arrow_field *column)
{
	column->bytes = f->element;
	if (is_float(f)) {
		column->kind = TFS_ARROW_FLOAT;
	} else if (is_number(f)) {
		column->kind = f->kind == TFS_VALUE_SIGNED ? TFS_ARROW_INT : TFS_ARROW_UINT;
		column->list = f->array;
	} else if (f->kind == TFS_VALUE_BYTES) {
		column->kind = TFS_ARROW_BINARY;
	} else {
		column->kind = TFS_ARROW_TEXT;
	}
}

static int put_list(struct tfs_arrow *a, size_t column, const struct tfs_field *f,
		    const struct tfs_value *v)
{
	int rc = 0;

	for (size_t i = 0; i < v->n && !rc; i++)
		rc = tfs_arrow_element(a, column, tfs_value_element(f, v, i));
	return rc ? rc : tfs_arrow_end_list(a, column);
}

int tfs_arrow_typed_put(struct tfs_arrow *a, size_t column, const struct tfs_field *f,
			const struct tfs_value *v, struct tfs_strbuf *text)
{
	int rc;

	if ((is_number(f) && !f->array) || is_float(f)) {
		rc = tfs_arrow_number(a, column, v->number);
		return rc ? rc : 8;
	}
	if (is_number(f)) {
		rc = put_list(a, column, f, v);
	} else if (f->kind == TFS_VALUE_BYTES) {
		rc = tfs_arrow_utf8(a, column, v->data, v->size);
	} else if (f->kind == TFS_VALUE_STRING) {
		rc = tfs_arrow_text(a, column, v->data, v->size);
	} else {
		/* One meaning is a name, several are an array in JSON. */
		tfs_strbuf_reset(text);
		rc = f->array ? tfs_json_value(text, f, v) : tfs_plain_value(text, f, v);
		if (!rc)
			rc = tfs_arrow_text(a, column, text->s, text->len);
		return rc ? rc : (int)text->len;
	}
	return rc ? rc : (int)v->size;
}
