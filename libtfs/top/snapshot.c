/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* qsort_r() */
#endif
#include "top/snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashmap.h"

void tfs_top_snapshot_release(struct tfs_top_snapshot *snap)
{
	free(snap->line);
	tfs_strbuf_release(&snap->names);
	*snap = (struct tfs_top_snapshot){ 0 };
	tfs_strbuf_init(&snap->names);
}

const char *tfs_top_snapshot_name(const struct tfs_top_snapshot *snap,
				  const struct tfs_top_line *line)
{
	return snap->names.s + line->name;
}

static int compare_ids(const void *a, const void *b)
{
	const struct tfs_top_line *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The place that a row had; @old are lines by id */
static size_t old_place(const struct tfs_top_line *old, size_t n, uint64_t id)
{
	size_t at = tfs_bisect(i, n, old[i].id < id);

	return at < n && old[at].id == id ? old[at].place : SIZE_MAX;
}

static int add_line(struct tfs_top_snapshot *snap, const struct tfs_top_row *row, size_t place)
{
	struct tfs_top_line *line = &snap->line[snap->n];
	size_t name = snap->names.len;

	if (tfs_strbuf_add(&snap->names, row->label ? row->label : "", row->label_len) ||
	    tfs_strbuf_addc(&snap->names, '\0'))
		return -ENOMEM;
	*line = (struct tfs_top_line){
		.id = row->id,
		.number = row->key.number,
		.name = name,
		.len = row->label_len,
		.place = place,
		.values = row->values,
	};
	snap->n++;
	return 0;
}

int tfs_top_snapshot_rows(struct tfs_top_snapshot *snap, const struct tfs_top_rows *rows)
{
	struct tfs_top_line *old = NULL;
	size_t n_old = snap->n;
	int rc = 0;

	if (!snap->names.s)
		tfs_strbuf_init(&snap->names);
	if (n_old) {
		old = malloc(n_old * sizeof(*old));
		if (!old)
			return -ENOMEM;
		for (size_t i = 0; i < n_old; i++) {
			old[i] = snap->line[i];
			old[i].place = i;
		}
		qsort(old, n_old, sizeof(*old), compare_ids);
	}
	snap->n = 0;
	tfs_strbuf_reset(&snap->names);
	if (tfs_grow(&snap->line, &snap->alloc, rows->n + 1))
		rc = -ENOMEM;
	for (size_t i = 0; i < rows->n && !rc; i++)
		rc = add_line(snap, rows->v[i], old_place(old, n_old, rows->v[i]->id));
	if (rc)
		snap->n = 0;
	free(old);
	return rc;
}

struct order {
	const struct tfs_top_snapshot *snap;
	enum tfs_top_column column;
	int sign;
};

static int compare(const void *a, const void *b, void *context)
{
	const struct order *o = context;
	const struct tfs_top_line *x = a, *y = b;
	int rc;

	if (o->column == TFS_TOP_NAME)
		rc = -strcmp(tfs_top_snapshot_name(o->snap, x), tfs_top_snapshot_name(o->snap, y));
	else
		rc = tfs_top_compare(&x->values, &y->values, o->column);
	if (rc)
		return o->sign * rc;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

void tfs_top_snapshot_sort(struct tfs_top_snapshot *snap, enum tfs_top_column column, bool reverse)
{
	struct order order = { snap, column, reverse ? 1 : -1 };

	if (snap->n)
		qsort_r(snap->line, snap->n, sizeof(*snap->line), compare, &order);
	for (size_t i = 0; i < snap->n; i++)
		snap->line[i].place = i;
}
