/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/arrow-tables.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/err.h"
#include "base/io.h"
#include "base/output-file.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "decode/value.h"
#include "exchange/arrow-ipc.h"
#include "exchange/arrow-typed.h"
#include "exchange/arrow.h"
#include "pipeline/view.h"
#include "printfmt/program.h"
#include "view/wide-row.h"

/* Rows and bytes of a batch, and bytes of all tables that are not written */
#define BATCH_ROWS 65536
#define BATCH_BYTES ((size_t)4 << 20)
#define ALL_BYTES ((size_t)64 << 20)
/* Bytes of the columns that every table has, about */
#define HEAD_BYTES 48
#define NAME_BYTES 200
/* Names that may be in use by others */
#define TRIES 100
#define SUFFIX ".arrows"

/* Columns of every table. Such names are the kernel's own: no event has fields like that. */
#define COMMON "common_"
/* After the name of a field that has the same one after all, as decode/value.h has it */
#define AGAIN "#2"
enum { HOST, FILE_NAME, TS, TS_BOUND, CPU, TID, COMM, FLAGS, BUFFER, N_COMMON };

static const struct {
	enum tfs_wide_column column;
	struct tfs_arrow_field field;
} common[N_COMMON] = {
	[HOST] = { TFS_WIDE_HOST, { .kind = TFS_ARROW_NAME } },
	[FILE_NAME] = { TFS_WIDE_FILE, { .kind = TFS_ARROW_NAME, .required = true } },
	[TS] = { TFS_WIDE_TS, { .kind = TFS_ARROW_UINT, .bytes = 8, .required = true } },
	[TS_BOUND] = { TFS_WIDE_TS_BOUND, { .kind = TFS_ARROW_UINT, .bytes = 4 } },
	[CPU] = { TFS_WIDE_CPU, { .kind = TFS_ARROW_UINT, .bytes = 2, .required = true } },
	[TID] = { TFS_WIDE_TID, { .kind = TFS_ARROW_INT, .bytes = 4 } },
	[COMM] = { TFS_WIDE_COMM, { .kind = TFS_ARROW_NAME } },
	[FLAGS] = { TFS_WIDE_FLAGS, { .kind = TFS_ARROW_NAME } },
	[BUFFER] = { TFS_WIDE_BUFFER, { .kind = TFS_ARROW_NAME, .required = true } },
};

/* Tables that are not of an event */
static const struct tfs_arrow_field lost_fields[] = {
	{ .name = "lost", .len = 4, .kind = TFS_ARROW_UINT, .bytes = 8 },
	{ .name = "missing", .len = 7, .kind = TFS_ARROW_UINT, .bytes = 1, .required = true },
};
static const struct tfs_arrow_field unknown_fields[] = {
	{ .name = "id", .len = 2, .kind = TFS_ARROW_INT, .bytes = 4 },
	{ .name = "raw", .len = 3, .kind = TFS_ARROW_BINARY, .required = true },
};

/*
 * A table: @event of which it is, with @n columns after the common ones. Recordings of several
 * kernels may have the same event with other fields: then each has its own.
 */
struct table {
	char *event, *file;
	struct tfs_arrow_field *fields;
	size_t n, bytes;
	struct tfs_arrow *arrow;
	uint32_t hints[N_COMMON];
};

struct tables {
	struct tfs_view view;
	struct tfs_wide_source *sources;
	struct tfs_wide_maker maker;
	size_t n_sources;
	struct tfs_output_place place;
	char *path;      /* without a slash at its end */
	char *temporary; /* where the files are until all are complete; NULL: nowhere yet */
	int dir;
	struct table **v;
	size_t n;
	struct table ***of; /* of each recording, by index of the type */
	struct table *lost, *unknown;
	struct tfs_strmap files; /* names in use */
	struct tfs_arrow_writer *writer;
	struct tfs_strbuf made, text;
	size_t bytes;
};

static struct tables *to_tables(struct tfs_view *view)
{
	return (struct tables *)view;
}

static void free_table(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->fields && i < N_COMMON + t->n; i++)
		free((char *)t->fields[i].name);
	free(t->fields);
	free(t->event);
	free(t->file);
	tfs_arrow_free(t->arrow);
	free(t);
}

/* A file in the directory, which is open for this write only: there may be thousands. */
static int write_made(struct tables *ts, const struct table *t)
{
	int fd = openat(ts->dir, t->file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
			0666);
	int rc = fd < 0 ? -errno : tfs_write_all(fd, ts->made.s, ts->made.len);

	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	tfs_strbuf_reset(&ts->made);
	return rc;
}

static int write_batch(struct tables *ts, struct table *t)
{
	int rc = tfs_arrow_batch(t->arrow, ts->writer, &ts->made);

	if (!rc)
		rc = tfs_arrow_shrink(t->arrow);
	ts->bytes -= t->bytes;
	t->bytes = 0;
	return rc ? rc : write_made(ts, t);
}

/* "sched.sched_switch.arrows": only characters that every file system and shell takes */
static int name_file(struct tables *ts, struct table *t)
{
	char name[NAME_BYTES + sizeof("-18446744073709551615" SUFFIX)];
	size_t len = strlen(t->event), *used, i;

	len = len < NAME_BYTES ? len : NAME_BYTES;
	for (i = 0; i < len; i++) {
		char c = t->event[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			     (c >= '0' && c <= '9') || c == '_' || (c == '-' && i);

		name[i] = (char)(plain ? c : c == ':' && i ? '.' : '_');
	}
	for (i = 1;; i++) {
		if (i == 1)
			memcpy(name + len, SUFFIX, sizeof(SUFFIX));
		else
			snprintf(name + len, sizeof(name) - len, "-%zu" SUFFIX, i);
		used = tfs_strmap_at(&ts->files, name);
		if (!used)
			return -ENOMEM;
		if (!(*used)++)
			break;
	}
	t->file = strdup(name);
	return t->file ? 0 : -ENOMEM;
}

static bool is_common(const char *name)
{
	for (size_t i = 0; i < N_COMMON && !strncmp(name, COMMON, sizeof(COMMON) - 1); i++)
		if (!strcmp(name + sizeof(COMMON) - 1, tfs_wide_name(common[i].column)))
			return true;
	return false;
}

/* Names are the table's own. */
static int name_fields(struct table *t, const struct tfs_arrow_field *fields)
{
	struct tfs_arrow_field *f = t->fields;
	char *name = NULL;

	for (size_t i = 0; i < N_COMMON + t->n; i++, f++) {
		*f = i < N_COMMON ? common[i].field : fields[i - N_COMMON];
		f->name = NULL;
		if (i < N_COMMON) {
			if (asprintf(&name, COMMON "%s", tfs_wide_name(common[i].column)) < 0)
				return -ENOMEM;
		} else if (asprintf(&name, "%s%s", fields[i - N_COMMON].name,
				    is_common(fields[i - N_COMMON].name) ? AGAIN : "") < 0) {
			return -ENOMEM;
		}
		f->name = name;
		f->len = strlen(name);
	}
	return 0;
}

/* Begin a table, and its file. */
static int new_table(struct tables *ts, const char *event, const struct tfs_arrow_field *fields,
		     size_t n, struct table **out)
{
	struct table *t = calloc(1, sizeof(*t));
	int rc = -ENOMEM;

	if (!t)
		return -ENOMEM;
	t->n = n;
	t->event = strdup(event);
	t->fields = calloc(N_COMMON + n, sizeof(*t->fields));
	if (t->event && t->fields)
		rc = name_fields(t, fields);
	if (!rc)
		rc = tfs_arrow_new(t->fields, N_COMMON + n, &t->arrow);
	if (!rc)
		rc = name_file(ts, t);
	if (!rc)
		rc = tfs_grow_one(&ts->v, ts->n);
	if (rc) {
		free_table(t);
		return rc;
	}
	*out = ts->v[ts->n++] = t;
	rc = tfs_arrow_schema(t->arrow, &ts->made);
	return rc ? rc : write_made(ts, t);
}

static bool is_same(const struct table *t, const char *event, const struct tfs_arrow_field *fields,
		    size_t n)
{
	if (t->n != n || strcmp(t->event, event) != 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct tfs_arrow_field *a = &t->fields[N_COMMON + i], *b = &fields[i];

		if (a->kind != b->kind || a->bytes != b->bytes || a->list != b->list ||
		    a->len != b->len + (is_common(b->name) ? strlen(AGAIN) : 0) ||
		    strncmp(a->name, b->name, b->len) != 0)
			return false;
	}
	return true;
}

/* The table of an event's type, which several recordings may share */
static int find_table(struct tables *ts, const struct tfs_event *event,
		      const struct tfs_wide_row *row, struct table **out)
{
	struct table **slot = &ts->of[event->input][event->type->index];
	const struct tfs_fields *fields = event->type->fields;
	struct tfs_arrow_field *columns;
	int rc = 0;

	*out = *slot;
	if (*slot)
		return 0;
	columns = calloc(fields->n + 1, sizeof(*columns));
	if (!columns)
		return -ENOMEM;
	for (size_t i = 0; i < fields->n; i++) {
		columns[i].name = fields->field[i].name;
		columns[i].len = strlen(fields->field[i].name);
		tfs_arrow_typed(&fields->field[i], &columns[i]);
	}
	for (size_t i = 0; i < ts->n && !*slot; i++)
		if (is_same(ts->v[i], row->event.s, columns, fields->n))
			*slot = ts->v[i];
	if (!*slot)
		rc = new_table(ts, row->event.s, columns, fields->n, slot);
	free(columns);
	*out = *slot;
	return rc;
}

static int put_name(struct table *t, size_t column, const struct tfs_wide_text *text)
{
	return text->s ? tfs_arrow_name(t->arrow, column, text->s, text->len, &t->hints[column]) :
			 tfs_arrow_null(t->arrow, column);
}

static int put_head(struct tables *ts, struct table *t, const struct tfs_wide_row *row)
{
	const struct tfs_wide_source *s = &ts->sources[row->input];
	const struct tfs_wide_text buffer = tfs_wide_buffer(s, row->buffer_index);
	int rc = put_name(t, HOST, &row->host);

	if (!rc)
		rc = put_name(t, FILE_NAME, &row->file);
	if (!rc)
		rc = tfs_arrow_number(t->arrow, TS, row->ts);
	if (!rc)
		rc = s->has_bound ? tfs_arrow_number(t->arrow, TS_BOUND, s->bound) :
				    tfs_arrow_null(t->arrow, TS_BOUND);
	if (!rc)
		rc = tfs_arrow_number(t->arrow, CPU, row->cpu);
	if (!rc)
		rc = row->has_tid ? tfs_arrow_number(t->arrow, TID, (uint64_t)row->tid) :
				    tfs_arrow_null(t->arrow, TID);
	if (!rc)
		rc = put_name(t, COMM, &row->comm);
	if (!rc)
		rc = put_name(t, FLAGS, &row->flags);
	return rc ? rc : put_name(t, BUFFER, &buffer);
}

/* Return: bytes of the cells, or -ENOMEM. A record may refer to gigabytes: the rest is null. */
static int put_fields(struct tables *ts, struct table *t, const struct tfs_event *event)
{
	const struct tfs_fields *fields = event->type->fields;
	const struct tfs_record *rec = &event->rec;
	struct tfs_value v;
	size_t bytes = 0;
	int rc = 0;

	for (size_t i = 0; i < fields->n; i++) {
		const struct tfs_field *f = &fields->field[i];

		if (bytes < TFS_TEXT_MAX && tfs_fields_get(fields, f, rec->data, rec->size, &v))
			rc = tfs_arrow_typed_put(t->arrow, N_COMMON + i, f, &v, &ts->text);
		else
			rc = tfs_arrow_null(t->arrow, N_COMMON + i);
		if (rc < 0)
			return rc;
		bytes += (size_t)rc + sizeof(int32_t);
	}
	return (int)bytes;
}

static int end_row(struct tables *ts, struct table *t, size_t bytes)
{
	int rc = 0;

	tfs_arrow_end_row(t->arrow);
	t->bytes += bytes + HEAD_BYTES;
	ts->bytes += bytes + HEAD_BYTES;
	if (tfs_arrow_rows(t->arrow) >= BATCH_ROWS || t->bytes >= BATCH_BYTES)
		rc = write_batch(ts, t);
	for (size_t i = 0; i < ts->n && ts->bytes >= ALL_BYTES && !rc; i++)
		rc = write_batch(ts, ts->v[i]);
	return rc;
}

static int put_unknown(struct tables *ts, const struct tfs_event *event,
		       const struct tfs_wide_row *row)
{
	const struct tfs_trace *trace = ts->sources[event->input].trace;
	const struct tfs_record *rec = &event->rec;
	int rc = ts->unknown ? 0 : new_table(ts, "unknown", unknown_fields, 2, &ts->unknown);
	struct table *t = ts->unknown;

	if (!rc)
		rc = put_head(ts, t, row);
	if (!rc && tfs_trace_record_has(trace, rec, TFS_COMMON_TYPE))
		rc = tfs_arrow_number(t->arrow, N_COMMON,
				      (uint64_t)tfs_trace_record_id(trace, rec));
	else if (!rc)
		rc = tfs_arrow_null(t->arrow, N_COMMON);
	if (!rc)
		rc = tfs_arrow_utf8(t->arrow, N_COMMON + 1, rec->data, rec->size);
	return rc ? rc : end_row(ts, t, rec->size);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct tables *ts = to_tables(view);
	struct tfs_wide_row row;
	struct table *t = NULL;
	int rc = tfs_wide_head(&ts->maker, event, &row);

	(void)state;
	(void)out;
	if (!rc && !event->type)
		return put_unknown(ts, event, &row);
	if (!rc)
		rc = find_table(ts, event, &row, &t);
	if (!rc)
		rc = put_head(ts, t, &row);
	if (!rc)
		rc = put_fields(ts, t, event);
	return rc < 0 ? rc : end_row(ts, t, (size_t)rc);
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct tables *ts = to_tables(view);
	struct tfs_wide_row row;
	int rc = ts->lost ? 0 : new_table(ts, "lost", lost_fields, 2, &ts->lost);
	struct table *t = ts->lost;

	(void)state;
	(void)out;
	tfs_wide_loss(&ts->maker, event, &row);
	if (!rc)
		rc = put_head(ts, t, &row);
	if (!rc)
		rc = row.lost ? tfs_arrow_number(t->arrow, N_COMMON, row.lost) :
				tfs_arrow_null(t->arrow, N_COMMON);
	if (!rc)
		rc = tfs_arrow_number(t->arrow, N_COMMON + 1, event->missing);
	return rc ? rc : end_row(ts, t, 0);
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct tables *ts = to_tables(view);
	int rc = 0;

	(void)out;
	for (size_t i = 0; i < ts->n && !rc; i++) {
		rc = write_batch(ts, ts->v[i]);
		if (!rc)
			rc = tfs_arrow_end(&ts->made);
		if (!rc)
			rc = write_made(ts, ts->v[i]);
	}
	if (!rc && renameat(ts->place.dir, ts->temporary, ts->place.dir, ts->place.name))
		rc = -errno;
	if (rc)
		return tfs_err_set(err, rc, "cannot write the tables in '%s'", ts->path);
	free(ts->temporary);
	ts->temporary = NULL;
	return 0;
}

/* Files of a directory that did not become complete */
static void remove_files(const struct tables *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		unlinkat(ts->dir, ts->v[i]->file, 0);
	unlinkat(ts->place.dir, ts->temporary, AT_REMOVEDIR);
}

static void free_tables(struct tfs_view *view)
{
	struct tables *ts = to_tables(view);

	if (ts->temporary)
		remove_files(ts);
	for (size_t i = 0; i < ts->n; i++)
		free_table(ts->v[i]);
	free(ts->v);
	for (size_t i = 0; ts->of && i < ts->n_sources; i++)
		free(ts->of[i]);
	free(ts->of);
	tfs_wide_maker_release(&ts->maker);
	free(ts->sources);
	tfs_strmap_release(&ts->files);
	tfs_arrow_writer_free(ts->writer);
	tfs_strbuf_release(&ts->made);
	tfs_strbuf_release(&ts->text);
	tfs_close(&ts->dir);
	tfs_close(&ts->place.dir);
	free(ts->temporary);
	free(ts->path);
	free(ts);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.end = end,
	.free = free_tables,
};

/* It does not exist, or nothing is in it. */
static int check_empty(const struct tfs_output_place *place, struct tfs_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (place->shared ? O_NOFOLLOW : 0);
	int fd = openat(place->dir, place->name, flags);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char *path = place->path;
	const struct dirent *entry;
	bool empty = true;

	if (!dir && fd < 0 && errno == ENOENT)
		return 0;
	if (!dir) {
		tfs_err_set(err, -errno, "cannot use '%s' for tables", path);
		tfs_close(&fd);
		return err->code;
	}
	while ((entry = readdir(dir)))
		empty &= !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	closedir(dir);
	if (empty)
		return 0;
	tfs_err_say(err, -EEXIST, "'%s' is not empty", path);
	tfs_err_hint(err, "name a new directory");
	return -EEXIST;
}

/* A name beside @ts->place that nothing has. mkdtemp() would leave others no permissions. */
static int make_dir(struct tables *ts)
{
	char *name = NULL;
	int rc = -EEXIST;

	for (unsigned int i = 0; i < TRIES && rc == -EEXIST; i++) {
		free(name);
		name = NULL;
		if (asprintf(&name, "%s.tmp-%d-%u", ts->place.name, (int)getpid(), i) < 0)
			return -ENOMEM;
		rc = mkdirat(ts->place.dir, name, 0777) ? -errno : 0;
	}
	if (rc)
		free(name);
	else
		ts->temporary = name;
	return rc;
}

static int open_dir(struct tables *ts, struct tfs_err *err)
{
	int rc = make_dir(ts);

	if (rc)
		return tfs_err_set(err, rc, "cannot create a directory beside '%s'", ts->path);
	ts->dir = openat(ts->place.dir, ts->temporary,
			 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return ts->dir < 0 ? tfs_err_set(err, -errno, "cannot write in '%s'", ts->temporary) : 0;
}

static int find_place(struct tables *ts, const char *path, struct tfs_err *err)
{
	size_t len = strlen(path);

	while (len > 1 && path[len - 1] == '/')
		len--;
	ts->path = strndup(path, len);
	return ts->path ? tfs_output_place_open(ts->path, &ts->place, err) : -ENOMEM;
}

static int set_up(struct tables *ts, const struct tfs_arrow_opts *opts, struct tfs_err *err)
{
	int rc = tfs_wide_sources_new(&opts->input, &ts->sources, err);

	if (!rc)
		rc = tfs_wide_maker_init(&ts->maker, ts->sources, opts->input.n);
	if (!rc)
		rc = tfs_arrow_writer_new(opts->flags, &ts->writer);
	if (rc)
		return rc;
	ts->of = calloc(opts->input.n, sizeof(*ts->of));
	if (!ts->of)
		return -ENOMEM;
	for (size_t i = 0; i < opts->input.n; i++) {
		ts->of[i] = calloc(tfs_trace_index(opts->input.traces[i])->n + 1,
				   sizeof(struct table *));
		if (!ts->of[i])
			return -ENOMEM;
	}
	rc = find_place(ts, opts->path, err);
	if (!rc)
		rc = check_empty(&ts->place, err);
	return rc ? rc : open_dir(ts, err);
}

int tfs_arrow_tables_new(const struct tfs_arrow_opts *opts, struct tfs_view **view,
			 struct tfs_err *err)
{
	struct tables *ts = calloc(1, sizeof(*ts));
	int rc;

	if (!ts)
		return -ENOMEM;
	ts->view.ops = &ops;
	ts->view.flags = TFS_VIEW_MISSING;
	ts->n_sources = opts->input.n;
	ts->dir = -1;
	ts->place.dir = -1;
	tfs_strbuf_init(&ts->made);
	tfs_strbuf_init(&ts->text);
	tfs_strbuf_init(&ts->maker.fields);
	rc = set_up(ts, opts, err);
	if (rc)
		tfs_view_free(&ts->view);
	else
		*view = &ts->view;
	return rc;
}
