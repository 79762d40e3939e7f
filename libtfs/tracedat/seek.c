/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/seek.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/err.h"
#include "tracedat/dat-internal.h"
#include "tracedat/dat-section.h"
#include "tracedat/dat-source.h"
#include "tracedat/dat-time.h"
#include "tracedat/page.h"
#include "tracedat/stream.h"

/* Places remembered of a chunk table; of a longer one every second, fourth, ... is. */
#define PLACES 4096u

/* One CPU's data as a row of blocks: sub-buffers, or chunks of which every @step-th is known. */
struct finder {
	struct tfs_dat *dat;
	const struct tfs_dat_time *time;
	const struct tfs_dat_buffer *buf;
	unsigned int cpu;
	struct tfs_stream *probe;
	uint64_t *at;    /* of the known chunks; NULL when not compressed */
	uint64_t start;  /* of the first block */
	uint64_t n;      /* blocks known */
	uint64_t step;   /* chunks from one known to the next */
	uint32_t chunks; /* from the first block on */
};

static uint64_t place(const struct finder *f, uint64_t i)
{
	return f->at ? f->at[i] : f->start + i * f->buf->page_size;
}

static void start_at(const struct finder *f, uint64_t i, struct tfs_stream *stream)
{
	tfs_stream_start(stream, place(f, i), f->chunks - (uint32_t)(f->at ? i * f->step : 0));
}

static void drop_every_second(struct finder *f)
{
	uint64_t i;

	for (i = 0; 2 * i < f->n; i++)
		f->at[i] = f->at[2 * i];
	f->n = i;
	f->step *= 2;
}

/* Walk @chunks heads from @start, as far as they are intact. */
static void walk_chunks(struct finder *f, uint32_t chunks)
{
	struct tfs_dat_chunk chunk;
	uint64_t at = f->start;
	uint32_t i;

	f->n = 0;
	f->step = 1;
	for (i = 0; i < chunks && !tfs_dat_chunk_at(f->dat, at, &chunk, NULL); i++) {
		if (i % f->step == 0 && f->n == PLACES)
			drop_every_second(f);
		if (i % f->step == 0)
			f->at[f->n++] = at;
		at += 8 + (uint64_t)chunk.packed;
	}
}

static int find_chunks(struct finder *f)
{
	unsigned char count[4];

	f->at = calloc(PLACES, sizeof(*f->at));
	if (!f->at)
		return -ENOMEM;
	if (tfs_dat_pread(f->dat, count, sizeof(count), f->start, "", NULL))
		return 0;
	f->chunks = tfs_load_u32(count, f->dat->info.big_endian);
	f->start += sizeof(count);
	walk_chunks(f, f->chunks);
	return 0;
}

static int finder_init(struct finder *f, size_t buffer, size_t cpu_index)
{
	const struct tfs_dat_cpu *cpu;
	uint64_t left;
	int rc;

	f->buf = tfs_dat_buffer(f->dat, buffer);
	cpu = &f->buf->cpus[cpu_index];
	f->cpu = cpu->cpu;
	f->start = cpu->offset;
	f->step = 1;
	if (!cpu->size || cpu->offset >= f->dat->info.file_size)
		return 0;
	rc = tfs_stream_new(f->dat, buffer, cpu_index, &f->probe, NULL);
	if (rc || f->buf->compressed)
		return rc ? rc : find_chunks(f);
	left = f->dat->info.file_size - cpu->offset;
	if (cpu->size < left)
		left = cpu->size;
	f->n = (left + f->buf->page_size - 1) / f->buf->page_size;
	return 0;
}

static void finder_release(struct finder *f)
{
	tfs_stream_free(f->probe);
	free(f->at);
}

/* Stamps of the stream's records: the first, or the last. 1, 0 when there is none, -ENOMEM */
static int stamp(const struct finder *f, struct tfs_stream *stream, bool last, uint64_t *ts)
{
	const struct tfs_dat_info *info = &f->dat->info;
	struct tfs_record rec;
	struct tfs_page page;
	const void *data;
	int rc, found = 0;

	while ((rc = tfs_stream_next(stream, &data, NULL)) == 1) {
		if (tfs_page_init(&page, data, f->buf->page_size, info->kernel_long_size,
				  info->page_data_offset, info->big_endian))
			break;
		while ((rc = tfs_page_next(&page, &rec)) == 1) {
			*ts = tfs_dat_time_fix(f->time, f->cpu, rec.ts);
			found = 1;
			if (!last)
				return 1;
		}
		if (rc)
			break;
	}
	return rc == -ENOMEM ? rc : found;
}

/* Is the first record from block @i on before @ts? 1 or 0; also 0 when there is none */
static int is_before(struct finder *f, uint64_t i, uint64_t ts)
{
	uint64_t first;
	int rc;

	start_at(f, i, f->probe);
	rc = stamp(f, f->probe, false, &first);
	return rc <= 0 ? rc : first < ts;
}

/* The last known block that begins before @ts, the first if none does. */
static int halve(struct finder *f, uint64_t ts, uint64_t *out)
{
	uint64_t low = 0, high = f->n, mid;
	int rc;

	while (high - low > 1) {
		mid = low + (high - low) / 2;
		rc = is_before(f, mid, ts);
		if (rc < 0)
			return rc;
		if (rc)
			low = mid;
		else
			high = mid;
	}
	*out = low;
	return 0;
}

static int find(struct finder *f, uint64_t ts, uint64_t *block)
{
	uint64_t skip, span;
	int rc = halve(f, ts, block);

	while (!rc && f->step > 1) {
		span = f->step;
		skip = *block * span;
		f->start = f->at[*block];
		f->chunks -= (uint32_t)skip;
		walk_chunks(f, span < f->chunks ? (uint32_t)span : f->chunks);
		rc = halve(f, ts, block);
	}
	return rc;
}

int tfs_seek_time(struct tfs_dat *dat, size_t buffer, size_t cpu_index,
		  const struct tfs_dat_time *time, uint64_t ts, struct tfs_stream *stream)
{
	struct finder f = { .dat = dat, .time = time };
	uint64_t block;
	int rc = finder_init(&f, buffer, cpu_index);

	if (!rc && f.n) {
		rc = find(&f, ts, &block);
		if (!rc)
			start_at(&f, block, stream);
	}
	finder_release(&f);
	return rc;
}

int tfs_seek_bounds(struct tfs_dat *dat, size_t buffer, size_t cpu_index,
		    const struct tfs_dat_time *time, struct tfs_bounds *out, struct tfs_err *err)
{
	struct finder f = { .dat = dat, .time = time };
	struct tfs_bounds b;
	uint64_t block;
	int rc = finder_init(&f, buffer, cpu_index);

	if (!rc && f.n) {
		start_at(&f, 0, f.probe);
		rc = stamp(&f, f.probe, false, &b.first);
	}
	if (rc > 0) {
		rc = find(&f, UINT64_MAX, &block);
		if (!rc) {
			start_at(&f, block, f.probe);
			rc = stamp(&f, f.probe, true, &b.last);
		}
	}
	if (rc > 0)
		*out = b;
	finder_release(&f);
	return rc < 0 ? tfs_err_set(err, rc, "cannot read the recording") : rc;
}

int tfs_seek_all_bounds(struct tfs_dat *dat, const struct tfs_dat_time *time,
			struct tfs_bounds *out, struct tfs_err *err)
{
	struct tfs_bounds b = { 0 };
	int rc, found = 0;

	for (size_t n = 0; n < tfs_dat_n_buffers(dat); n++) {
		for (size_t i = 0; i < tfs_dat_buffer(dat, n)->n_cpus; i++) {
			rc = tfs_seek_bounds(dat, n, i, time, &b, err);
			if (rc < 0)
				return rc;
			if (rc && (!found || b.first < out->first))
				out->first = b.first;
			if (rc && (!found || b.last > out->last))
				out->last = b.last;
			found |= rc;
		}
	}
	return found;
}
