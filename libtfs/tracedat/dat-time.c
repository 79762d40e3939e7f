/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tracedat/dat-time.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/err.h"
#include "clock/clock-map.h"
#include "tracedat/dat-internal.h"

#define SHIFT_INTERPOLATE 1u

/* One measurement of the difference between a guest's clock and its host's. */
struct sample {
	int64_t time;
	int64_t offset;
	uint64_t scaling;
	uint64_t fraction; /* fractional bits of @scaling */
};

struct shift_cpu {
	struct sample *v;
	uint32_t n;
};

struct tfs_dat_time {
	uint64_t offset;
	uint32_t mult, shift;            /* cycles to ns; mult 0: none */
	double unit;                     /* the same, as the user says; 0: not */
	const struct tfs_clock_map *map; /* NULL: none */
	bool interpolate;
	uint64_t peer; /* trace id of the recording whose clock the shift leads to */
	struct shift_cpu *cpus;
	uint32_t n_cpus;
};

/* (ts * mult) >> shift, whose product has 96 bits */
static uint64_t scale_cycles(uint64_t ts, uint32_t mult, uint32_t shift)
{
	uint64_t low = (ts & 0xffffffff) * mult, high = (ts >> 32) * mult;

	if (shift <= 32)
		return (low >> shift) + (high << (32 - shift));
	return ((low >> 32) + high) >> (shift - 32);
}

/*
 * (ts * scaling) >> fraction, whose product has 128 bits: processors have ratios of 32 or 48
 * fractional bits, with which trace-cmd's product of 64 bits overflows.
 */
static uint64_t scale(uint64_t ts, uint64_t scaling, unsigned int fraction)
{
	const uint64_t low = 0xffffffff;
	const uint64_t a = (ts & low) * (scaling & low), b = (ts >> 32) * (scaling & low);
	const uint64_t c = (ts & low) * (scaling >> 32), d = (ts >> 32) * (scaling >> 32);
	const uint64_t middle = (a >> 32) + (b & low) + (c & low);
	const uint64_t bottom = (middle << 32) | (a & low);
	const uint64_t top = d + (b >> 32) + (c >> 32) + (middle >> 32);

	return fraction ? (top << (64 - fraction)) | (bottom >> fraction) : bottom;
}

static int64_t between(const struct sample *a, const struct sample *b, uint64_t ts)
{
	int64_t span = (int64_t)((uint64_t)b->time - (uint64_t)a->time);
	int64_t part =
		(int64_t)((ts - (uint64_t)a->time) * ((uint64_t)b->offset - (uint64_t)a->offset));

	if (span <= 0)
		return a->offset;
	/* Unsigned, since samples from a damaged file may be far apart. */
	part = (int64_t)((uint64_t)part + (uint64_t)(span / 2));
	return (int64_t)((uint64_t)a->offset + (uint64_t)(part / span));
}

static uint64_t apply_sample(const struct tfs_dat_time *t, const struct sample *a,
			     const struct sample *b, uint64_t ts)
{
	int64_t offset = t->interpolate ? between(a, b, ts) : a->offset;

	return scale(ts, a->scaling, a->fraction & 63) + (uint64_t)offset;
}

static uint64_t to_host(const struct tfs_dat_time *t, unsigned int cpu, uint64_t ts)
{
	const struct shift_cpu *c;
	size_t low;

	if (cpu >= t->n_cpus || !t->cpus[cpu].n)
		return ts;
	c = &t->cpus[cpu];
	if (c->n == 1)
		return ts + (uint64_t)c->v[0].offset;
	/* The last sample but one at or before @ts: [low] and [low + 1] are its neighbours. */
	low = tfs_bisect(i, c->n - 2, (uint64_t)c->v[i + 1].time <= ts);
	return apply_sample(t, &c->v[low], &c->v[low + 1], ts);
}

uint64_t tfs_dat_time_fix(const struct tfs_dat_time *t, unsigned int cpu, uint64_t ts)
{
	if (t->n_cpus)
		ts = to_host(t, cpu, ts);
	if (t->unit > 0)
		ts = (uint64_t)((double)ts * t->unit);
	else if (t->mult)
		ts = scale_cycles(ts, t->mult, t->shift);
	if (t->map)
		ts = tfs_clock_map_time(t->map, ts);
	return ts + t->offset;
}

uint64_t tfs_dat_time_offset(const struct tfs_dat_time *t)
{
	return t->offset;
}

bool tfs_dat_time_has_shift(const struct tfs_dat_time *t)
{
	return t->n_cpus;
}

bool tfs_dat_time_peer(const struct tfs_dat_time *t, uint64_t *id)
{
	*id = t->peer;
	return t->n_cpus;
}

bool tfs_dat_time_is_offset(const struct tfs_dat_time *t, uint64_t *offset)
{
	*offset = t->offset;
	return !t->n_cpus && !t->mult && t->unit <= 0 && !t->map;
}

static int by_time(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void sort_samples(struct shift_cpu *c)
{
	uint32_t i, n = 0;

	qsort(c->v, c->n, sizeof(*c->v), by_time);
	for (i = 0; i < c->n; i++)
		if (!n || c->v[n - 1].time != c->v[i].time)
			c->v[n++] = c->v[i];
	c->n = n;
}

enum column { COL_TIME, COL_OFFSET, COL_SCALING, COL_FRACTION };

static int read_column(struct tfs_cursor *c, struct shift_cpu *cpu, enum column col)
{
	uint64_t value;
	uint32_t i;

	for (i = 0; i < cpu->n; i++) {
		if (tfs_cursor_u64(c, &value))
			return -EBADMSG;
		switch (col) {
		case COL_TIME:
			cpu->v[i].time = (int64_t)value;
			break;
		case COL_OFFSET:
			cpu->v[i].offset = (int64_t)value;
			break;
		case COL_SCALING:
			cpu->v[i].scaling = value;
			break;
		case COL_FRACTION:
			cpu->v[i].fraction = value;
			break;
		}
	}
	return 0;
}

static int read_shift_cpu(struct tfs_cursor *c, struct shift_cpu *cpu)
{
	uint32_t n;

	if (tfs_cursor_u32(c, &n) || n > tfs_cursor_left(c) / (3 * sizeof(uint64_t)))
		return -EBADMSG;
	if (!n)
		return 0;
	cpu->v = calloc(n, sizeof(*cpu->v));
	if (!cpu->v)
		return -ENOMEM;
	cpu->n = n;
	if (read_column(c, cpu, COL_TIME) || read_column(c, cpu, COL_OFFSET) ||
	    read_column(c, cpu, COL_SCALING))
		return -EBADMSG;
	return 0;
}

static void drop_shift(struct tfs_dat_time *t)
{
	uint32_t i;

	for (i = 0; i < t->n_cpus; i++)
		free(t->cpus[i].v);
	free(t->cpus);
	t->cpus = NULL;
	t->n_cpus = 0;
}

/* u64 peer's trace id, u32 flags, u32 cpus, samples by CPU, then (newer files) fractions by CPU */
static int read_shift(struct tfs_dat_time *t, const struct tfs_blob *data, bool big)
{
	struct tfs_cursor c;
	uint32_t flags, n, i;
	int rc = 0;

	drop_shift(t);
	tfs_cursor_init(&c, data->data, data->size, big);
	if (tfs_cursor_u64(&c, &t->peer) || tfs_cursor_u32(&c, &flags) || tfs_cursor_u32(&c, &n) ||
	    n > tfs_cursor_left(&c) / sizeof(uint32_t) || n > TFS_DAT_CPUS_SANE)
		return -EBADMSG;
	t->interpolate = flags & SHIFT_INTERPOLATE;
	t->cpus = calloc(n ? n : 1, sizeof(*t->cpus));
	if (!t->cpus)
		return -ENOMEM;
	t->n_cpus = n;
	for (i = 0; i < n && !rc; i++)
		rc = read_shift_cpu(&c, &t->cpus[i]);
	for (i = 0; i < n && !rc && tfs_cursor_left(&c); i++)
		rc = read_column(&c, &t->cpus[i], COL_FRACTION);
	if (rc) {
		drop_shift(t);
		return rc;
	}
	for (i = 0; i < n; i++)
		if (t->cpus[i].n)
			sort_samples(&t->cpus[i]);
	return 0;
}

static void read_cycles(struct tfs_dat_time *t, const struct tfs_blob *data, bool big)
{
	if (data->size < 16)
		return;
	t->mult = tfs_load_u32(data->data, big);
	t->shift = tfs_load_u32(data->data + 4, big);
	if (t->shift > 63) {
		/* the byte order of whoever converted the file: see dat-buffer.c */
		t->mult = tfs_load_u32(data->data, !big);
		t->shift = tfs_load_u32(data->data + 4, !big);
	}
	if (t->shift > 63)
		t->mult = 0;
}

/* Texts like "0x12ab": microseconds for DATE, nanoseconds of either sign for OFFSET. */
static uint64_t number(const struct tfs_blob *data)
{
	return (uint64_t)strtoll(data->data, NULL, 0);
}

static int read_option(struct tfs_dat_time *t, struct tfs_dat *dat,
		       const struct tfs_dat_option *opt, const struct tfs_dat_time_opts *opts)
{
	bool big = dat->info.big_endian != dat->swapped_options;
	struct tfs_err note = TFS_ERR_INIT;
	int rc;

	switch (opt->id) {
	case TFS_DAT_DATE:
		if (!opts->no_date)
			t->offset += number(&opt->data) * 1000;
		break;
	case TFS_DAT_OFFSET:
		t->offset += number(&opt->data);
		break;
	case TFS_DAT_TSC2NSEC:
		read_cycles(t, &opt->data, big);
		break;
	case TFS_DAT_TIME_SHIFT:
		rc = read_shift(t, &opt->data, big);
		if (rc == -EBADMSG)
			rc = read_shift(t, &opt->data, !big);
		if (rc == -ENOMEM)
			return rc;
		if (rc) {
			tfs_err_say(&note, rc,
				    "option TIME_SHIFT is damaged: times are the guest's");
			tfs_dat_note_damage(dat, &note);
		}
		break;
	default:
		break;
	}
	return 0;
}

int tfs_dat_time_new(struct tfs_dat *dat, const struct tfs_dat_time_opts *opts,
		     struct tfs_dat_time **out, struct tfs_err *err)
{
	struct tfs_dat_time *t = calloc(1, sizeof(*t));
	size_t i;
	int rc = t ? 0 : -ENOMEM;

	for (i = 0; !rc && !opts->raw && i < tfs_dat_n_options(dat); i++)
		rc = read_option(t, dat, tfs_dat_option(dat, i), opts);
	if (rc) {
		tfs_dat_time_free(t);
		return tfs_err_set(err, rc, "cannot read time corrections");
	}
	t->unit = opts->raw ? 0 : opts->unit;
	if (opts->map && !opts->raw) {
		t->map = opts->map;
		t->offset = opts->map_offset;
	}
	*out = t;
	return 0;
}

void tfs_dat_time_free(struct tfs_dat_time *t)
{
	if (!t)
		return;
	drop_shift(t);
	free(t);
}
