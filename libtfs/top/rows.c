/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "top/rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/stats.h"
#include "decode/task.h"

#define NS_PER_SEC 1e9
/* tfs_histogram_percentile() of the 99th */
#define P99 99000

static void free_row(struct tfs_top_row *row)
{
	tfs_histogram_release(&row->times);
	free(row->who);
	free((char *)row->key.text);
	free(row->label);
	free(row);
}

void tfs_top_rows_clear(struct tfs_top_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free_row(rows->v[i]);
	rows->n = 0;
	tfs_hashmap_release(&rows->map);
	rows->generation++;
	rows->dropped = 0;
	memset(rows->slot, 0, sizeof(rows->slot));
	rows->current = 0;
}

void tfs_top_rows_release(struct tfs_top_rows *rows)
{
	tfs_top_rows_clear(rows);
	free(rows->v);
	rows->v = NULL;
	rows->alloc = 0;
}

static bool has_text(const void *entry, const void *key)
{
	const struct tfs_top_row *row = entry;
	const struct tfs_top_key *k = key;

	return row->key.text && row->key.len == k->len && !memcmp(row->key.text, k->text, k->len);
}

/* Those to remove first: silent for longest, then those with the fewest events, then the latest */
static int compare_idle(const void *a, const void *b)
{
	const struct tfs_top_row *x = *(struct tfs_top_row *const *)a;
	const struct tfs_top_row *y = *(struct tfs_top_row *const *)b;
	unsigned int x_silent = x->fresh ? 0 : x->silent + 1;
	unsigned int y_silent = y->fresh ? 0 : y->silent + 1;

	if (x_silent != y_silent)
		return x_silent > y_silent ? -1 : 1;
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x->id < y->id ? 1 : -1;
}

static int compare_id(const void *a, const void *b)
{
	const struct tfs_top_row *x = *(struct tfs_top_row *const *)a;
	const struct tfs_top_row *y = *(struct tfs_top_row *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

static void forget(struct tfs_top_rows *rows, struct tfs_top_row *row)
{
	tfs_hashmap_remove(&rows->map, row->hash, row);
	free_row(row);
	rows->generation++;
}

/* A quarter at once, so that a flood of keys does not sort all rows for each. */
static void make_room(struct tfs_top_rows *rows)
{
	size_t n = rows->n / 4 + 1;

	qsort(rows->v, rows->n, sizeof(struct tfs_top_row *), compare_idle);
	for (size_t i = 0; i < n; i++)
		forget(rows, rows->v[i]);
	rows->n -= n;
	rows->dropped += n;
	memmove(rows->v, rows->v + n, rows->n * sizeof(struct tfs_top_row *));
	qsort(rows->v, rows->n, sizeof(struct tfs_top_row *), compare_id);
}

static uint64_t hash_of(const struct tfs_top_key *key)
{
	uint64_t hash;

	if (!key->text)
		return tfs_hash_int(key->number);
	hash = tfs_hash64(TFS_HASH64_INIT, key->text, key->len);
	return hash ^ hash >> 32;
}

static struct tfs_top_row *add_row(struct tfs_top_rows *rows, const struct tfs_top_key *key,
				   uint64_t hash)
{
	struct tfs_top_row *row;

	if (rows->n >= rows->max)
		make_room(rows);
	row = calloc(1, sizeof(*row));
	if (!row || tfs_grow(&rows->v, &rows->alloc, rows->n + 1))
		goto fail;
	row->key.number = key->number;
	row->key.len = key->len;
	row->hash = hash;
	if (key->text) {
		char *text = malloc(key->len + 1);

		if (!text)
			goto fail;
		*(char *)mempcpy(text, key->text, key->len) = '\0';
		row->key.text = text;
	}
	if (tfs_hashmap_add(&rows->map, hash, row))
		goto fail;
	row->id = ++rows->next_id;
	rows->v[rows->n++] = row;
	return row;
fail:
	if (row)
		free_row(row);
	return NULL;
}

struct tfs_top_row *tfs_top_rows_get(struct tfs_top_rows *rows, const struct tfs_top_key *key)
{
	uint64_t hash = hash_of(key);
	struct tfs_top_row *row =
		tfs_hashmap_find(&rows->map, hash, key->text ? has_text : NULL, key);

	return row ? row : add_row(rows, key, hash);
}

int tfs_top_row_label(struct tfs_top_row *row, const char *text, size_t len)
{
	char *label;

	if (row->label && row->label_len == len && !memcmp(row->label, text, len))
		return 0;
	label = malloc(len + 1);
	if (!label)
		return -ENOMEM;
	*(char *)mempcpy(label, text, len) = '\0';
	free(row->label);
	row->label = label;
	row->label_len = len;
	return 0;
}

/* Those that come often move to the front, where they are found at once. */
int tfs_top_row_who(struct tfs_top_row *row, const char *comm, uint64_t count, uint64_t time)
{
	const char *name = comm ? comm : "";
	struct tfs_top_who *who = &row->unnamed;
	size_t i = 0;

	while (i < row->n_who && strncmp(row->who[i].comm, name, TFS_TOP_COMM_SIZE - 1) != 0)
		i++;
	if (i < row->n_who) {
		who = &row->who[i];
		if (i && who->count > who[-1].count) {
			const struct tfs_top_who before = who[-1];

			who[-1] = *who;
			*who-- = before;
		}
	} else if (*name && row->n_who < TFS_TOP_WHO) {
		if (tfs_grow(&row->who, &row->who_alloc, row->n_who + 1))
			return -ENOMEM;
		who = &row->who[row->n_who++];
		*who = (struct tfs_top_who){ 0 };
		memcpy(who->comm, name, strnlen(name, TFS_TOP_COMM_SIZE - 1));
	}
	who->count += count;
	who->time += time;
	return 0;
}

/* The name that has most, unless tasks whose names are not kept have more */
static void set_who(const struct tfs_top_row *row, struct tfs_top_values *v)
{
	const struct tfs_top_who *most = NULL;
	bool by_time = v->timed;

	for (size_t i = 0; i < row->n_who; i++) {
		const struct tfs_top_who *w = &row->who[i];

		if (!most || (by_time ? w->time > most->time : w->count > most->count))
			most = w;
	}
	if (!most || (by_time ? row->unnamed.time > most->time : row->unnamed.count > most->count))
		most = &row->unnamed;
	if (most != &row->unnamed)
		memcpy(v->comm, most->comm, sizeof(v->comm));
	else if (most->count)
		memcpy(v->comm, TFS_TASK_UNKNOWN, sizeof(TFS_TASK_UNKNOWN));
	v->others = row->n_who + !!row->unnamed.count > 1;
}

/* The latest parts that make up ten seconds, or all there are: their number, and their length */
static unsigned int window_of(const struct tfs_top_rows *rows, uint64_t *length)
{
	unsigned int n = 0;

	*length = 0;
	while (n < TFS_TOP_SLOTS && *length < TFS_TOP_WINDOW) {
		uint64_t slot = rows->slot[(rows->current + TFS_TOP_SLOTS - n) % TFS_TOP_SLOTS];

		if (!slot)
			break;
		*length += slot;
		n++;
	}
	return n;
}

static double rate_10s(const struct tfs_top_rows *rows, const struct tfs_top_row *row)
{
	uint64_t length, count = 0;
	unsigned int n = window_of(rows, &length);

	for (unsigned int i = 0; i < n; i++)
		count += row->slot[(rows->current + TFS_TOP_SLOTS - i) % TFS_TOP_SLOTS];
	return (double)count * NS_PER_SEC / (double)length;
}

static void set_values(struct tfs_top_rows *rows, struct tfs_top_row *row, uint64_t elapsed)
{
	const struct tfs_stats *stats = &row->times.stats;
	struct tfs_top_values *v = &row->values;

	*v = (struct tfs_top_values){
		.rate = (double)row->fresh * NS_PER_SEC / (double)elapsed,
		.rate_10s = rate_10s(rows, row),
		.count = row->count,
		.total = row->total,
		.time = tfs_stats_sum(stats),
		.mean = tfs_stats_mean(stats),
		.p99 = tfs_histogram_percentile(&row->times, P99),
		.max = stats->max,
		.errors = row->errors,
		.timed = stats->n > 0,
		.silent = row->silent,
	};
	set_who(row, v);
}

/* A share of all times, or if there are none, of all events */
static void set_shares(struct tfs_top_rows *rows)
{
	double time = 0, count = 0;

	for (size_t i = 0; i < rows->n; i++) {
		time += (double)rows->v[i]->values.time;
		count += (double)rows->v[i]->values.count;
	}
	for (size_t i = 0; i < rows->n; i++) {
		struct tfs_top_values *v = &rows->v[i]->values;

		if (time > 0)
			v->share = (double)v->time / time;
		else if (count > 0)
			v->share = (double)v->count / count;
	}
}

/* A part is at least a second long: short intervals share one. */
static void next_slot(struct tfs_top_rows *rows)
{
	if (rows->slot[rows->current] < TFS_TOP_WINDOW / TFS_TOP_SLOTS)
		return;
	rows->current = (rows->current + 1) % TFS_TOP_SLOTS;
	rows->slot[rows->current] = 0;
	for (size_t i = 0; i < rows->n; i++)
		rows->v[i]->slot[rows->current] = 0;
}

static void begin(struct tfs_top_row *row, bool keep)
{
	row->fresh = 0;
	if (keep)
		return;
	row->count = row->errors = 0;
	row->n_who = 0;
	row->unnamed = (struct tfs_top_who){ 0 };
	tfs_histogram_release(&row->times);
}

void tfs_top_rows_close(struct tfs_top_rows *rows, uint64_t elapsed, bool keep)
{
	size_t kept = 0;

	next_slot(rows);
	rows->slot[rows->current] += elapsed;
	for (size_t i = 0; i < rows->n; i++) {
		struct tfs_top_row *row = rows->v[i];

		row->silent = row->fresh ? 0 : row->silent + 1;
		row->total += row->fresh;
		row->slot[rows->current] += row->fresh;
		if (!keep && row->silent > TFS_TOP_SILENT) {
			forget(rows, row);
			continue;
		}
		rows->v[kept++] = row;
		set_values(rows, row, elapsed);
		begin(row, keep);
	}
	rows->n = kept;
	set_shares(rows);
}
