/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/slices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/io.h"
#include "chart/spill.h"

/* Slices read or written at once */
#define PART 4096

/* Slices sorted by row; those of row i are [start[i], start[i + 1]). */
struct run {
	uint64_t at; /* in the file */
	uint32_t rows;
	uint32_t *start; /* rows + 1 elements */
};

struct tfs_slices {
	struct tfs_slice *v;
	size_t n, alloc, memory;
	uint32_t max_row; /* of those in v */
	uint32_t *order;  /* of v, when it is the only run */
	struct run *run;
	size_t n_runs, alloc_runs;
	uint64_t file;
	int fd;
	struct tfs_slice *part;
};

int tfs_slices_new(size_t memory, struct tfs_slices **out)
{
	struct tfs_slices *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->fd = -1;
	s->memory = memory;
	s->part = malloc(PART * sizeof(*s->part));
	if (!s->part) {
		free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void tfs_slices_free(struct tfs_slices *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n_runs; i++)
		free(s->run[i].start);
	free(s->run);
	free(s->order);
	free(s->part);
	free(s->v);
	tfs_close(&s->fd);
	free(s);
}

/* The order of v by row, in *@order: that of a row stays. */
static int order_run(struct tfs_slices *s, uint32_t rows, uint32_t **order)
{
	struct run run = { .at = s->file, .rows = rows };
	uint32_t row;
	size_t i;

	*order = calloc(s->n + !s->n, sizeof(**order)); /* the caller's, also after a failure */
	run.start = calloc((size_t)rows + 2, sizeof(*run.start));
	if (!*order || !run.start || tfs_grow(&s->run, &s->alloc_runs, s->n_runs + 1)) {
		free(run.start);
		return -ENOMEM;
	}
	/* start[i + 1] counts, then is where row i goes on, and in the end where it ends */
	for (i = 0; i < s->n; i++)
		run.start[s->v[i].row + 2]++;
	for (row = 0; row < rows; row++)
		run.start[row + 2] += run.start[row + 1];
	for (i = 0; i < s->n; i++)
		(*order)[run.start[s->v[i].row + 1]++] = (uint32_t)i;
	s->run[s->n_runs++] = run;
	return 0;
}

/* The slices in memory become a run in the file. */
static int flush(struct tfs_slices *s)
{
	uint32_t *order = NULL;
	size_t i, n;
	int rc = 0;

	if (s->fd < 0) {
		s->fd = tfs_temp_file();
		if (s->fd < 0) {
			rc = s->fd;
			s->fd = -1;
			return rc;
		}
	}
	rc = order_run(s, s->max_row + 1, &order);
	for (i = 0; i < s->n && !rc && order; i += n) {
		for (n = 0; n < PART && i + n < s->n; n++)
			s->part[n] = s->v[order[i + n]];
		rc = tfs_pwrite_all(s->fd, s->part, n * sizeof(*s->part), (off_t)s->file);
		s->file += n * sizeof(*s->part);
	}
	free(order);
	s->n = 0;
	s->max_row = 0;
	return rc;
}

int tfs_slices_add(struct tfs_slices *s, const struct tfs_slice *slice)
{
	int rc;

	if (s->n == s->memory) {
		rc = flush(s);
		if (rc)
			return rc;
	}
	if (tfs_grow(&s->v, &s->alloc, s->n + 1))
		return -ENOMEM;
	s->v[s->n++] = *slice;
	if (slice->row > s->max_row)
		s->max_row = slice->row;
	return 0;
}

int tfs_slices_sort(struct tfs_slices *s, uint32_t rows)
{
	if (s->fd >= 0)
		return s->n ? flush(s) : 0;
	return order_run(s, rows, &s->order);
}

/* The next slices of a run, from number @i on. */
static int read_part(struct tfs_slices *s, const struct run *run, uint64_t i, size_t n)
{
	size_t k;

	if (s->fd >= 0)
		return tfs_pread_all(s->fd, s->part, n * sizeof(*s->part),
				     (off_t)(run->at + i * sizeof(*s->part)));
	for (k = 0; k < n; k++)
		s->part[k] = s->v[s->order[i + k]];
	return 0;
}

static int read_run(struct tfs_slices *s, const struct run *run, uint32_t row,
		    int (*func)(void *ctx, const struct tfs_slice *v, size_t n), void *ctx)
{
	uint64_t i, end;
	size_t n;
	int rc = 0;

	if (row >= run->rows)
		return 0;
	end = run->start[row + 1];
	for (i = run->start[row]; i < end && !rc; i += n) {
		n = end - i < PART ? (size_t)(end - i) : PART;
		rc = read_part(s, run, i, n);
		if (!rc)
			rc = func(ctx, s->part, n);
	}
	return rc;
}

int tfs_slices_row(struct tfs_slices *s, uint32_t row,
		   int (*func)(void *ctx, const struct tfs_slice *v, size_t n), void *ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < s->n_runs && !rc; i++)
		rc = read_run(s, &s->run[i], row, func, ctx);
	return rc;
}
