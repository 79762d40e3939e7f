/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/timeline-slices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/strbuf-core.h"
#include "chart/lod.h"
#include "chart/page.h"
#include "chart/slices.h"
#include "chart/timeline-rows.h"

#define LONG UINT32_MAX /* the value, or what is unknown about it, is in a column of long ones */
/* Bytes of a slice in the page, about */
#define SLICE_BYTES 8

enum column {
	BEGIN,
	DUR,
	NAME,
	CPU,
	LONG_BEGIN,
	LONG_DUR,
	LONG_FLAGS,
	LOD_SHARE,
	LOD_NAME,
	ROW_KIND,
	ROW_INPUT,
	ROW_ID,
	ROW_DEPTH,
	ROW_BEGIN,
	ROW_N,
	ROW_ALL,
	ROW_LOD_SHIFT,
	ROW_LOD_FIRST,
	ROW_LOD_N,
	COLUMNS,
};

/* Width 0: that of names */
static const struct {
	const char *name;
	unsigned int width;
} columns[] = {
	[BEGIN] = { "slbegin", 4 },
	[DUR] = { "sldur", 4 },
	[NAME] = { "slname", 0 },
	[CPU] = { "slcpu", 2 },
	[LONG_BEGIN] = { "longbegin", 8 },
	[LONG_DUR] = { "longdur", 8 },
	[LONG_FLAGS] = { "longflags", 1 },
	[LOD_SHARE] = { "lodshare", 1 },
	[LOD_NAME] = { "lodname", 0 },
	[ROW_KIND] = { "rowkind", 1 },
	[ROW_INPUT] = { "rowinput", 4 },
	[ROW_ID] = { "rowid", 4 },
	[ROW_DEPTH] = { "rowdepth", 2 },
	[ROW_BEGIN] = { "rowbegin", 8 },
	[ROW_N] = { "rown", 4 },
	[ROW_ALL] = { "rowall", 8 },
	[ROW_LOD_SHIFT] = { "lodshift", 1 },
	[ROW_LOD_FIRST] = { "lodfirst", 8 },
	[ROW_LOD_N] = { "lodn", 4 },
};

struct writer {
	const struct tfs_timeline_slices *t;
	struct tfs_column *column[COLUMNS];
	unsigned int name_width;
	struct tfs_lod lod;
	bool detailed; /* the row has a level of detail; or its slices */
	bool slices;
	uint64_t begin;
	int rc;
};

static void put(struct writer *w, enum column c, uint64_t value)
{
	/* little-endian, as the machines are that browsers run on */
	unsigned char bytes[8];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(value >> 8 * i);
	if (!w->rc)
		w->rc = tfs_column_add(w->column[c], bytes, 1);
}

/* Numbers as the page has them: states, names of the model, tasks */
static uint32_t name_of(const struct writer *w, uint32_t name)
{
	if (name & TFS_SLICE_TASK)
		return TFS_TASK_STATES + w->t->names + (name & ~TFS_SLICE_TASK);
	if (name & TFS_SLICE_STATE)
		return name & ~TFS_SLICE_STATE;
	return TFS_TASK_STATES + name;
}

/* Does a slice fill time? A task that sleeps does not. */
static bool is_busy(const struct tfs_slice *s)
{
	if (!(s->name & TFS_SLICE_STATE) || s->name & TFS_SLICE_TASK)
		return true;
	switch ((enum tfs_task_state)(s->name & ~TFS_SLICE_STATE)) {
	case TFS_TASK_RUNNING:
	case TFS_TASK_RUNNABLE:
	case TFS_TASK_PREEMPTED:
	case TFS_TASK_BLOCKED:
	case TFS_TASK_STOPPED:
		return true;
	default:
		return false;
	}
}

static void put_slice(struct writer *w, const struct tfs_slice *s)
{
	uint64_t delta = s->begin - w->begin;
	bool open = s->flags & TFS_SPAN_OPEN;

	w->begin = s->begin;
	put(w, BEGIN, delta < LONG ? delta : LONG);
	if (delta >= LONG)
		put(w, LONG_BEGIN, s->begin);
	put(w, DUR, s->dur < LONG && !open ? s->dur : LONG);
	if (s->dur >= LONG || open) {
		put(w, LONG_DUR, s->dur);
		put(w, LONG_FLAGS, s->flags & TFS_SPAN_OPEN);
	}
	put(w, NAME, name_of(w, s->name));
	put(w, CPU, s->cpu);
}

static int put_part(void *ctx, const struct tfs_slice *v, size_t n)
{
	struct writer *w = ctx;
	size_t i;

	for (i = 0; i < n && !w->rc; i++) {
		if (w->detailed && is_busy(&v[i]))
			tfs_lod_add(&w->lod, v[i].begin, v[i].dur, name_of(w, v[i].name));
		if (w->slices)
			put_slice(w, &v[i]);
	}
	return w->rc;
}

static void put_lod(struct writer *w)
{
	const struct tfs_lod *lod = &w->lod;
	size_t i;

	put(w, ROW_LOD_SHIFT, w->detailed ? lod->shift : 0);
	put(w, ROW_LOD_FIRST, w->detailed ? lod->first : 0);
	put(w, ROW_LOD_N, w->detailed ? lod->n : 0);
	if (!w->detailed || w->rc)
		return;
	w->rc = tfs_column_add(w->column[LOD_SHARE], lod->share, lod->total);
	for (i = 0; i < lod->total; i++)
		put(w, LOD_NAME, lod->name[i]);
}

static int put_row(struct writer *w, const struct tfs_timeline_row *row, uint64_t most)
{
	w->detailed = row->n > TFS_LOD_MIN;
	w->slices = row->n <= most;
	w->begin = row->begin;
	put(w, ROW_KIND, row->kind);
	put(w, ROW_INPUT, row->input);
	put(w, ROW_ID, row->id);
	put(w, ROW_DEPTH, row->depth);
	put(w, ROW_BEGIN, row->begin);
	put(w, ROW_N, w->slices ? row->n : 0);
	put(w, ROW_ALL, row->n);
	if (!w->rc && w->detailed)
		w->rc = tfs_lod_begin(&w->lod, row->begin, row->end, row->n);
	if (!w->rc)
		w->rc = tfs_slices_row(w->t->slices, row->index, put_part, w);
	if (!w->rc && w->detailed)
		w->rc = tfs_lod_end(&w->lod);
	put_lod(w);
	return w->rc;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Slices of the largest row that is written with them: small rows first, while they fit. */
static int choose(const struct tfs_timeline_slices *t, uint64_t *most)
{
	const struct tfs_timeline_rows *r = t->rows;
	uint64_t *n = malloc((r->n + !r->n) * sizeof(*n)), room = t->room / SLICE_BYTES, left = 0;
	size_t i, rows;

	if (!n)
		return -ENOMEM;
	for (i = 0; i < r->n; i++)
		n[i] = r->v[i]->n;
	qsort(n, r->n, sizeof(*n), compare);
	*most = TFS_LOD_MIN;
	for (i = 0; i < r->n && n[i] <= room; i++) {
		room -= n[i];
		if (n[i] > *most)
			*most = n[i];
	}
	/* as many as the largest that fits all fit, or none of them is known to */
	for (rows = 0, i = 0; i < r->n; i++)
		if (n[i] > *most) {
			rows++;
			left += n[i];
		}
	free(n);
	if (!rows)
		return 0;
	tfs_strbuf_addf(t->notes,
			"%zu rows with %" PRIu64 " slices are drawn from levels of detail only",
			rows, left);
	return tfs_strbuf_add(t->notes, "", 1);
}

int tfs_timeline_slices_write(const struct tfs_timeline_slices *t)
{
	uint64_t names = TFS_TASK_STATES + (uint64_t)t->names + t->rows->tasks.n, most = 0;
	struct writer w = { .t = t };
	unsigned int width;
	size_t i;
	int rc;

	w.name_width = names < UINT16_MAX ? 2 : 4;
	w.rc = choose(t, &most);
	for (i = 0; i < COLUMNS && !w.rc; i++) {
		width = columns[i].width ? columns[i].width : w.name_width;
		w.rc = tfs_column_open(t->page, columns[i].name, width, &w.column[i]);
	}
	for (i = 0; i < t->rows->n && !w.rc; i++)
		put_row(&w, t->rows->v[i], most);
	for (i = 0; i < COLUMNS; i++) {
		rc = tfs_column_close(w.column[i]);
		if (!w.rc)
			w.rc = rc;
	}
	tfs_lod_release(&w.lod);
	return w.rc;
}
