/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/query-view.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/hashmap.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/types.h"
#include "decode/value.h"
#include "hist/query.h"
#include "hist/rows.h"
#include "pipeline/view.h"

#define NS_PER_US 1000

/* An event of FROM that waits for one of JOIN: its record, after the value of ON */
struct waiting {
	uint64_t ts;
	bool used;
	size_t on_len, size;
	unsigned char data[];
};

/* One of the two events: its type, and the fields of the query's columns */
struct side {
	const struct tfs_event_type *type;
	const struct tfs_field *on;
	const struct tfs_field **field;
};

struct query_view {
	struct tfs_view view;
	struct tfs_query_view_opts opts;
	struct side side[2];
	struct tfs_hashmap waiting;
	struct tfs_strbuf on, key;
	uint64_t lost;
	bool uncounted;
};

/* A record of an event of the query */
struct record {
	const void *data;
	size_t size;
	uint64_t ts;
};

static struct query_view *to_query(struct tfs_view *view)
{
	return container_of(view, struct query_view, view);
}

static bool get(const struct side *side, const struct tfs_field *f, const struct record *rec,
		struct tfs_value *v)
{
	return tfs_fields_get(side->type->fields, f, rec->data, rec->size, v);
}

static int add_key(struct query_view *q, size_t col, size_t k, const struct record *rec)
{
	const struct tfs_query *query = q->opts.query;
	const struct side *side = &q->side[query->sql.v[col].field.event];
	const struct tfs_hist_fields *fields = &query->fields;
	struct tfs_value v;
	int rc = k ? tfs_strbuf_addc(&q->key, fields->separator) : 0;

	rec += query->sql.v[col].field.event;
	if (rc)
		return rc;
	if (!get(side, side->field[col], rec, &v))
		return tfs_strbuf_addc(&q->key, '?');
	return tfs_hist_fields_print(fields, &fields->v[k], side->field[col], &v, &q->key);
}

static uint64_t value_of(const struct query_view *q, size_t col, const struct record *rec)
{
	const struct tfs_sql_column *it = &q->opts.query->sql.v[col];
	const struct side *side = &q->side[it->field.event];
	struct tfs_value v;

	/* The kernel divides time stamps, too, before it subtracts. */
	if (it->what == TFS_SQL_DELTA)
		return it->usecs ? rec[1].ts / NS_PER_US - rec[0].ts / NS_PER_US :
				   rec[1].ts - rec[0].ts;
	return get(side, side->field[col], rec + it->field.event, &v) ? v.number : 0;
}

/* @rec: of FROM, and of JOIN */
static int count(struct query_view *q, const struct record *rec)
{
	const struct tfs_sql *sql = &q->opts.query->sql;
	struct tfs_hist_row *row;
	size_t k = 0, sum = 0;
	int rc = 0;

	tfs_strbuf_reset(&q->key);
	for (size_t i = 0; i < sql->n && !rc; i++)
		if (sql->v[i].what == TFS_SQL_KEY)
			rc = add_key(q, i, k++, rec);
	row = rc ? NULL : tfs_hist_rows_text(q->opts.rows, 0, q->key.s, q->key.len);
	if (!row)
		return -ENOMEM;
	row->count++;
	for (size_t i = 0; i < sql->n; i++)
		if (sql->v[i].what == TFS_SQL_SUM || sql->v[i].what == TFS_SQL_DELTA)
			row->sum[sum++] += value_of(q, i, rec);
	return 0;
}

/* The value of ON as bytes that are equal where the values are */
static bool read_on(struct query_view *q, const struct side *side, const struct record *rec)
{
	const bool number = side->on->kind <= TFS_VALUE_ADDRESS && !side->on->array;
	struct tfs_value v;

	tfs_strbuf_reset(&q->on);
	if (!get(side, side->on, rec, &v))
		return false;
	return !(number ? tfs_strbuf_add(&q->on, &v.number, sizeof(v.number)) :
			  tfs_strbuf_add(&q->on, v.data, v.size));
}

static bool has_on(const void *entry, const void *key)
{
	const struct waiting *w = entry;
	const struct tfs_strbuf *on = key;

	return w->on_len == on->len && !memcmp(w->data, on->s, on->len);
}

static uint64_t hash_on(const struct query_view *q)
{
	const uint64_t hash = tfs_hash64(TFS_HASH64_INIT, q->on.s, q->on.len);

	return hash ^ hash >> 32;
}

static int keep(struct query_view *q, const struct record *rec)
{
	const uint64_t hash = hash_on(q);
	struct waiting *w = tfs_hashmap_find(&q->waiting, hash, has_on, &q->on);

	if (w && w->size != rec->size) {
		tfs_hashmap_remove(&q->waiting, hash, w);
		free(w);
		w = NULL;
	}
	if (!w) {
		w = malloc(sizeof(*w) + q->on.len + rec->size);
		if (!w || tfs_hashmap_add(&q->waiting, hash, w)) {
			free(w);
			return -ENOMEM;
		}
		w->on_len = q->on.len;
		w->size = rec->size;
		memcpy(w->data, q->on.s, q->on.len);
	}
	w->ts = rec->ts;
	w->used = false;
	memcpy(w->data + w->on_len, rec->data, rec->size);
	return 0;
}

/* An event of JOIN: with the one of FROM that waits for it, if there is one */
static int join(struct query_view *q, const struct record *end)
{
	struct record rec[2];
	struct waiting *w;

	if (!read_on(q, &q->side[1], end))
		return 0;
	w = tfs_hashmap_find(&q->waiting, hash_on(q), has_on, &q->on);
	if (!w || w->used)
		return 0;
	w->used = true;
	rec[0] = (struct record){ w->data + w->on_len, w->size, w->ts };
	rec[1] = *end;
	return count(q, rec);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct query_view *q = to_query(view);
	const struct record rec = { event->rec.data, event->rec.size, event->rec.ts };
	const struct record alone[2] = { rec, rec };
	int rc = 0;

	(void)state;
	(void)out;
	if (!event->type)
		return 0;
	if (!q->opts.query->sql.join)
		return event->type == q->side[0].type ? count(q, alone) : 0;
	/* One that is both ends a pair before it begins the next. */
	if (event->type == q->side[1].type)
		rc = join(q, &rec);
	if (!rc && event->type == q->side[0].type && read_on(q, &q->side[0], &rec))
		rc = keep(q, &rec);
	return rc;
}

/* The event of JOIN may be among the lost ones: nothing waits any longer. */
static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct query_view *q = to_query(view);
	struct waiting *w;
	size_t i;

	(void)state;
	(void)out;
	tfs_hashmap_for_each(&q->waiting, i, w) w->used = true;
	if (event->rec.lost > 0)
		q->lost += (uint64_t)event->rec.lost;
	else
		q->uncounted = true;
	return 0;
}

static void free_query(struct tfs_view *view)
{
	struct query_view *q = to_query(view);
	struct waiting *w;
	size_t i;

	tfs_hashmap_for_each(&q->waiting, i, w) free(w);
	tfs_hashmap_release(&q->waiting);
	free(q->side[0].field);
	free(q->side[1].field);
	tfs_strbuf_release(&q->on);
	tfs_strbuf_release(&q->key);
	free(q);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.free = free_query,
};

static const struct tfs_event_type *find_type(struct tfs_trace *trace, const char *event)
{
	const struct tfs_event_index *index = tfs_trace_index(trace);
	const size_t system = strcspn(event, ":");

	for (size_t i = 0; i < index->n; i++) {
		const struct tfs_event_type *t = &index->types[i];

		if (strlen(t->system) == system && !strncmp(t->system, event, system) &&
		    strlen(event + system + 1) == t->name_len &&
		    !strncmp(t->name, event + system + 1, t->name_len))
			return tfs_trace_event(trace, t->id);
	}
	return NULL;
}

static int find_field(const struct side *side, const char *event, const char *name,
		      const struct tfs_field **out, struct tfs_err *err)
{
	*out = tfs_fields_find_any(side->type->fields, name, strlen(name));
	return *out ? 0 : tfs_err_say(err, -ENOENT, "event '%s' has no field '%s'", event, name);
}

static int make_side(struct query_view *q, unsigned int n, struct tfs_err *err)
{
	const struct tfs_query *query = q->opts.query;
	const char *event = query->event[n];
	struct side *side = &q->side[n];
	int rc = 0;

	side->field = calloc(query->sql.n, sizeof(const struct tfs_field *));
	if (!side->field)
		return -ENOMEM;
	side->type = find_type(q->opts.trace, event);
	if (!side->type || !side->type->fields)
		return tfs_err_say(err, -ENOENT, "there is no event '%s'", event);
	if (query->sql.join)
		rc = find_field(side, event, query->sql.event[n].on.name, &side->on, err);
	for (size_t i = 0; i < query->sql.n && !rc; i++) {
		const struct tfs_sql_column *col = &query->sql.v[i];

		if ((col->what == TFS_SQL_KEY || col->what == TFS_SQL_SUM) && col->field.event == n)
			rc = find_field(side, event, col->field.name, &side->field[i], err);
	}
	return rc;
}

int tfs_query_view_new(const struct tfs_query_view_opts *opts, struct tfs_view **view,
		       struct tfs_err *err)
{
	struct query_view *q = calloc(1, sizeof(*q));
	int rc = 0;

	if (!q)
		return -ENOMEM;
	q->view.ops = &ops;
	q->opts = *opts;
	tfs_strbuf_init(&q->on);
	tfs_strbuf_init(&q->key);
	for (unsigned int i = 0; i < opts->query->sql.n_events && !rc; i++)
		rc = make_side(q, i, err);
	if (rc)
		free_query(&q->view);
	else
		*view = &q->view;
	return rc;
}

uint64_t tfs_query_view_lost(const struct tfs_view *view, bool *uncounted)
{
	const struct query_view *q = (const struct query_view *)view;

	*uncounted = q->uncounted;
	return q->lost;
}
