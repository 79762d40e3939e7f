/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hist/query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/json.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"
#include "hist/rows.h"
#include "tracefs/event.h"
#include "view/table.h"

#define SEPARATOR '\t'
/* The column of a query that does not ask for it; no field of an event is called so. */
#define COUNT "COUNT"

void tfs_query_release(struct tfs_query *query)
{
	tfs_sql_release(&query->sql);
	tfs_hist_fields_release(&query->fields);
	for (size_t i = 0; i < ARRAY_SIZE(query->event); i++) {
		free(query->event[i]);
		query->event[i] = NULL;
	}
}

static int at(const struct tfs_query *q, size_t place, int rc, struct tfs_err *err)
{
	if (rc)
		tfs_err_input(err, q->sql.text, (int)place);
	return rc;
}

/* "sched:sched_switch", or only its name, which no other system has */
static int find_event(const struct tfs_query *q, unsigned int n, const struct tfs_strvec *names,
		      char **out, struct tfs_err *err)
{
	const struct tfs_sql_event *e = &q->sql.event[n];
	const bool whole = strchr(e->name, ':');
	const char *found = NULL;
	struct tfs_strvec alone = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < names->n && !rc; i++) {
		const char *name = names->v[i], *colon = strchr(name, ':');

		if (colon && !strcmp(whole ? name : colon + 1, e->name)) {
			if (found)
				rc = tfs_err_say(err, -EINVAL,
						 "the systems of '%s' and '%s' both have it: name "
						 "the system, too",
						 found, name);
			found = name;
		}
		if (!rc && colon && !whole && tfs_strvec_push(&alone, colon + 1))
			rc = -ENOMEM;
	}
	if (!rc && !found) {
		rc = tfs_err_say(err, -ENOENT, "there is no event '%s'", e->name);
		tfs_suggest_hint(err, e->name, whole ? names : &alone, "tc-list -e lists events");
	}
	tfs_strvec_release(&alone);
	if (rc || !found)
		return at(q, e->at, rc, err);
	*out = strdup(found);
	return *out ? 0 : -ENOMEM;
}

static int find_events(struct tfs_query *q, const struct tfs_root *root, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = tfs_event_list(root, &names, err);

	for (unsigned int i = 0; i < q->sql.n_events && !rc; i++)
		rc = find_event(q, i, &names, &q->event[i], err);
	tfs_strvec_release(&names);
	return rc;
}

/* The kind of a field alone, and whether the kernel's histograms take it */
static int find_field(struct tfs_query *q, const struct tfs_sql_field *f,
		      const struct tfs_root *root, struct tfs_hist_field *out, struct tfs_err *err)
{
	const struct tfs_hist_event event = { .name = q->event[f->event] };
	struct tfs_strvec name = TFS_STRVEC_INIT;
	struct tfs_hist_fields found = { 0 };
	int rc = tfs_strvec_push(&name, f->name);

	if (!rc)
		rc = tfs_hist_fields_find(&name, &event, 1, root, &found, err);
	if (!rc) {
		*out = found.v[0];
		out->own = NULL;
		out->name = f->name;
		q->fields.kernel &= found.kernel;
	}
	tfs_hist_fields_release(&found);
	tfs_strvec_release(&name);
	return at(q, f->at, rc, err);
}

static int add_sum(struct tfs_query *q, size_t i, struct tfs_err *err)
{
	struct tfs_hist_fields *fields = &q->fields;
	const struct tfs_sql_column *col = &q->sql.v[i];

	if (fields->n_sums == TFS_HIST_SUMS_MAX)
		return at(q, col->field.at, tfs_err_say(err, -EINVAL, "too many sums"), err);
	fields->sums[fields->n_sums++] = q->sql.join ? col->name : col->field.name;
	return 0;
}

static int add_column(struct tfs_query *q, size_t i, const struct tfs_root *root,
		      struct tfs_err *err)
{
	const struct tfs_sql_column *col = &q->sql.v[i];
	struct tfs_hist_fields *fields = &q->fields;
	struct tfs_hist_field field = { 0 };
	int rc = 0;

	if (col->what == TFS_SQL_KEY || col->what == TFS_SQL_SUM)
		rc = find_field(q, &col->field, root, &field, err);
	if (rc || col->what == TFS_SQL_COUNT)
		return rc;
	if (col->what == TFS_SQL_SUM && field.kind == TFS_HIST_STRING)
		return at(q, col->field.at, tfs_err_say(err, -EINVAL, "text cannot be added up"),
			  err);
	if (col->what != TFS_SQL_KEY)
		return add_sum(q, i, err);
	if (fields->n == TFS_HIST_FIELDS_MAX)
		return at(q, col->field.at, tfs_err_say(err, -EINVAL, "too many fields"), err);
	field.syscall = col->syscall;
	field.log2 = col->log2;
	if ((field.syscall || field.log2) && field.kind == TFS_HIST_STRING)
		return at(q, col->field.at, tfs_err_say(err, -EINVAL, "text is not a number"), err);
	if (q->sql.join)
		field.name = col->name;
	fields->v[fields->n++] = field;
	return 0;
}

int tfs_query_open(const char *text, const struct tfs_root *root, struct tfs_query *q,
		   struct tfs_err *err)
{
	struct tfs_hist_field ignored;
	int rc = tfs_sql_parse(text, &q->sql, err);

	if (!rc)
		rc = find_events(q, root, err);
	q->fields.n = q->fields.n_sums = 0;
	q->fields.separator = SEPARATOR;
	q->fields.kernel = true;
	q->fields.v = calloc(TFS_HIST_FIELDS_MAX, sizeof(*q->fields.v));
	if (!rc && !q->fields.v)
		rc = -ENOMEM;
	for (size_t i = 0; i < q->sql.n && !rc; i++)
		rc = add_column(q, i, root, err);
	for (size_t i = 0; i < 2 && q->sql.join && !rc; i++)
		rc = find_field(q, &q->sql.event[i].on, root, &ignored, err);
	if (rc || tfs_hist_fields_twice(q->fields.v, q->fields.n))
		q->fields.kernel = false;
	if (q->fields.n > TFS_HIST_KEYS_MAX || q->fields.n_sums > TFS_HIST_VALUES_MAX)
		q->fields.kernel = false;
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot read the query") : rc;
}

static const char *count_name(const struct tfs_query *q)
{
	for (size_t i = 0; i < q->sql.n; i++)
		if (q->sql.v[i].what == TFS_SQL_COUNT)
			return q->sql.v[i].name;
	return NULL;
}

/* A column for each of the query, the mean of each sum after it, and the count in any case */
static size_t make_columns(const struct tfs_query *q, struct tfs_table_column *columns,
			   struct tfs_strvec *means)
{
	size_t n = 0;

	if (!count_name(q))
		columns[n++] = (struct tfs_table_column){
			.name = COUNT, .heading = COUNT, .kind = TFS_CELL_COUNT, .width = 10
		};

	for (size_t i = 0; i < q->sql.n; i++) {
		const struct tfs_sql_column *col = &q->sql.v[i];

		columns[n++] = (struct tfs_table_column){
			.name = col->name,
			.heading = col->name,
			.kind = col->what == TFS_SQL_KEY   ? TFS_CELL_ENCODED :
				col->what == TFS_SQL_COUNT ? TFS_CELL_COUNT :
							     TFS_CELL_SIGNED,
		};
		if (col->what != TFS_SQL_SUM && col->what != TFS_SQL_DELTA)
			continue;
		if (tfs_strvec_pushf(means, "%s_mean", col->name))
			return 0;
		columns[n++] = (struct tfs_table_column){
			.name = means->v[means->n - 1],
			.heading = means->v[means->n - 1],
			.kind = TFS_CELL_SIGNED,
		};
	}
	return n;
}

/* A value of the key: in JSON text needs quotes, if it has none. */
static int set_key(struct tfs_table *t, size_t column, const struct tfs_hist_field *field,
		   enum tfs_export_style style, const char *s, size_t len)
{
	struct tfs_strbuf quoted = TFS_STRBUF_INIT;
	const bool text = field->kind == TFS_HIST_STRING || field->syscall || field->log2 ||
			  !strncmp(s, "0x", 2) || *s == '?';
	int rc;

	if (style != TFS_EXPORT_JSON || !text || *s == '"')
		return tfs_table_set_text(t, column, s, len);
	rc = tfs_json_string(&quoted, s, len);
	if (!rc)
		rc = tfs_table_set_text(t, column, quoted.s, quoted.len);
	tfs_strbuf_release(&quoted);
	return rc;
}

static int64_t mean_of(uint64_t sum, uint64_t count)
{
	return count ? (int64_t)sum / (int64_t)count : 0;
}

static int add_row(const struct tfs_query *q, const struct tfs_hist_row *row,
		   enum tfs_export_style style, struct tfs_table *t)
{
	const char *key = row->text;
	size_t column = 0, k = 0, sum = 0;
	int rc = tfs_table_add(t);

	if (!rc && !count_name(q))
		tfs_table_set(t, column++, row->count);
	for (size_t i = 0; i < q->sql.n && !rc; i++) {
		const size_t len = strcspn(key, "\t");

		switch (q->sql.v[i].what) {
		case TFS_SQL_KEY:
			rc = set_key(t, column++, &q->fields.v[k++], style, key, len);
			key += len + (key[len] == SEPARATOR);
			break;
		case TFS_SQL_COUNT:
			tfs_table_set(t, column++, row->count);
			break;
		default:
			tfs_table_set(t, column++, row->sum[sum]);
			tfs_table_set(t, column++, (uint64_t)mean_of(row->sum[sum], row->count));
			sum++;
		}
	}
	return rc;
}

int tfs_query_print(const struct tfs_query *q, const struct tfs_hist_rows *rows, uint64_t dropped,
		    enum tfs_export_style style, bool inert, struct tfs_strbuf *sb)
{
	struct tfs_table_column columns[TFS_TABLE_COLUMNS];
	struct tfs_strvec means = TFS_STRVEC_INIT;
	struct tfs_table_opts opts = {
		.columns = columns,
		.style = style,
		.flags = inert ? TFS_TABLE_INERT : 0,
		.order = count_name(q) ? count_name(q) : COUNT,
		.none = "nothing happened",
	};
	struct tfs_hist_row **list = NULL;
	struct tfs_table *t = NULL;
	size_t n = 0;
	int rc = q->sql.n > TFS_TABLE_COLUMNS / 2 ? -E2BIG : 0;

	if (!rc)
		opts.n_columns = make_columns(q, columns, &means);
	if (!rc)
		rc = opts.n_columns ? tfs_table_new(&opts, &t, NULL) : -ENOMEM;
	if (!rc)
		rc = tfs_hist_rows_list(rows, 0, &list, &n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_row(q, list[i], style, t);
	if (!rc)
		rc = tfs_table_lost(t, dropped, false);
	if (!rc)
		rc = tfs_table_print(t, sb);
	free(list);
	tfs_table_free(t);
	tfs_strvec_release(&means);
	return rc;
}
