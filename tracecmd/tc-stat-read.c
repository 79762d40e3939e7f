/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hist/fields.h"
#include "hist/rows.h"
#include "tc-stat-read.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "base/strvec.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/types.h"
#include "decode/value.h"
#include "pipeline/view.h"
#include "probe/define.h"
#include "tc-stat-count.h"
#include "tc-stat-names.h"
#include "tracedat/record-run.h"

/*
 * @event_of: by index of the type: the number of an event plus one; 0: not counted
 * @fields: with STAT_KEY_VALUE, by index of the type: the fields of an event that is counted
 * @text: of a key
 * @cpu_of: by number of the CPU: its index among the counters; @n_cpu_of
 */
struct reader {
	struct tfs_view view;
	struct stat_read_opts opts;
	const struct tfs_event_index *index;
	uint32_t *event_of;
	const struct tfs_field *(*fields)[TFS_HIST_FIELDS_MAX];
	struct tfs_strbuf text;
	uint32_t *cpu_of;
	size_t n_cpu_of;
	struct stat_read read;
};

static struct reader *to_reader(struct tfs_view *view)
{
	return container_of(view, struct reader, view);
}

static void note_loss(struct reader *r, int64_t lost)
{
	if (lost > 0)
		r->read.lost += (uint64_t)lost;
	else
		r->read.uncounted = true;
}

/* Counters of the CPU for event 0; those of the next event follow @n_cpus later. */
static struct stat_counter *counters_of(struct reader *r, uint32_t cpu)
{
	return r->opts.counters->v + (cpu < r->n_cpu_of ? r->cpu_of[cpu] : 0);
}

static void count(struct reader *r, struct stat_counter *counters, int id)
{
	const uint32_t type = r->index->by_id[id];
	const uint32_t event = type ? r->event_of[type - 1] : 0;

	r->read.events++;
	if (event)
		counters[(event - 1) * r->opts.counters->n_cpus].total++;
}

/* The name is the last that is known: a task gets another when it starts a program. */
static int count_thread(struct reader *r, const struct tfs_event *event)
{
	const uint32_t of = event->type ? r->event_of[event->type->index] : 0;
	const char *comm = event->task ? event->task->comm : "";
	struct tfs_hist_row *row;

	r->read.events++;
	if (!of)
		return 0;
	row = tfs_hist_rows_number(r->opts.rows, of - 1, (uint32_t)event->pid);
	if (!row)
		return -ENOMEM;
	row->count++;
	if (*comm && strncmp(row->comm, comm, sizeof(row->comm)) != 0)
		snprintf(row->comm, sizeof(row->comm), "%s", comm);
	return 0;
}

static int count_values(struct reader *r, const struct tfs_event *event)
{
	const struct tfs_hist_fields *by = r->opts.by;
	const uint32_t of = event->type ? r->event_of[event->type->index] : 0;
	struct tfs_hist_row *row;
	int rc = 0;

	r->read.events++;
	if (!of)
		return 0;
	tfs_strbuf_reset(&r->text);
	for (size_t i = 0; i < by->n && !rc; i++) {
		const struct tfs_field *f = r->fields[event->type->index][i];
		struct tfs_value v;

		rc = i ? tfs_strbuf_addc(&r->text, ',') : 0;
		if (rc)
			break;
		if (tfs_fields_get(event->type->fields, f, event->rec.data, event->rec.size, &v))
			rc = tfs_hist_fields_print(by, &by->v[(of - 1) * by->n + i], f, &v,
						   &r->text);
		else
			rc = tfs_strbuf_addc(&r->text, '?');
	}
	row = rc ? NULL : tfs_hist_rows_text(r->opts.rows, of - 1, r->text.s, r->text.len);
	if (!row)
		return -ENOMEM;
	row->count++;
	return 0;
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct reader *r = to_reader(view);

	(void)state;
	(void)out;
	if (r->opts.key == STAT_KEY_THREAD)
		return count_thread(r, event);
	if (r->opts.key == STAT_KEY_VALUE)
		return count_values(r, event);
	if (event->type)
		count(r, counters_of(r, event->rec.cpu), event->type->id);
	else
		r->read.events++;
	return 0;
}

static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	(void)state;
	(void)out;
	note_loss(to_reader(view), event->rec.lost);
	return 0;
}

/* The same of many records of a CPU */
static int run(struct tfs_view *view, struct tfs_record_run *run, struct tfs_strbuf *out)
{
	struct reader *r = to_reader(view);
	struct stat_counter *counters = NULL;
	struct tfs_record rec = { 0 };
	unsigned int flags;
	int id, pid;

	(void)out;
	while (tfs_record_run_next(run, &rec)) {
		if (!counters)
			counters = counters_of(r, rec.cpu);
		if (rec.lost)
			note_loss(r, rec.lost);
		if (tfs_trace_head(r->index, &rec, &id, &flags, &pid))
			count(r, counters, id);
		else
			r->read.events++;
	}
	return 0;
}

static void free_reader(struct tfs_view *view)
{
	struct reader *r = to_reader(view);

	free(r->event_of);
	free(r->fields);
	tfs_strbuf_release(&r->text);
	free(r->cpu_of);
	free(r);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.run = run,
	.free = free_reader,
};

/* A probe may have several places, and so several events. */
static int add_probe(const struct tfs_probe_defs *defs, size_t probe, size_t event,
		     struct tfs_strmap *names)
{
	char name[256];
	int rc = 0;

	for (size_t i = 0; i < defs->n && !rc; i++) {
		const struct tfs_probe_def *def = &defs->v[i];

		if (def->request != probe)
			continue;
		snprintf(name, sizeof(name), "%s:%s", def->group, def->event);
		rc = tfs_strmap_put(names, name, event + 1);
	}
	return rc;
}

static int collect_names(const struct stat_read_opts *opts, struct tfs_strmap *names)
{
	size_t probes = 0;
	int rc = 0;

	for (size_t i = 0; i < opts->events->n && !rc; i++) {
		const struct stat_event *e = &opts->events->v[i];

		if (e->probe)
			rc = add_probe(opts->defs, probes++, i, names);
		else if (e->buffer == STAT_READ)
			rc = tfs_strmap_put(names, e->name, i + 1);
	}
	return rc;
}

static int find_types(struct reader *r)
{
	struct tfs_strmap names = { 0 };
	char name[512];
	int rc = collect_names(&r->opts, &names);

	r->event_of = calloc(r->index->n + 1, sizeof(*r->event_of));
	if (!r->event_of)
		rc = -ENOMEM;
	for (size_t i = 0; i < r->index->n && !rc; i++) {
		const struct tfs_event_type *type = &r->index->types[i];
		size_t event;

		snprintf(name, sizeof(name), "%s:%.*s", type->system, (int)type->name_len,
			 type->name);
		if (tfs_strmap_get(&names, name, &event))
			r->event_of[i] = (uint32_t)event;
	}
	tfs_strmap_release(&names);
	return rc;
}

static int missing(const struct tfs_event_type *type, const char *event, const char *name,
		   struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT;
	int rc = 0;

	for (size_t i = 0; i < type->fields->n && !rc; i++)
		rc = tfs_strvec_push(&names, type->fields->field[i].name);
	rc = rc ? rc : tfs_hist_fields_missing(event, name, &names, err);
	tfs_strvec_release(&names);
	return rc;
}

/* Those of an event, which is parsed for it */
static int find_fields_of(struct reader *r, size_t type_index, struct tfs_err *err)
{
	const struct tfs_hist_fields *by = r->opts.by;
	const uint32_t of = r->event_of[type_index];
	const struct tfs_event_type *type =
		tfs_trace_event(r->opts.trace, r->index->types[type_index].id);

	if (!type || !type->fields)
		return -ENOMEM;
	for (size_t i = 0; i < by->n; i++) {
		const char *name = by->v[i].name;
		const struct tfs_field *f = tfs_fields_find_any(type->fields, name, strlen(name));

		if (!f)
			return missing(type, r->opts.events->v[of - 1].name, name, err);
		r->fields[type_index][i] = f;
	}
	return 0;
}

static int find_fields(struct reader *r, struct tfs_err *err)
{
	int rc = 0;

	if (r->opts.key != STAT_KEY_VALUE)
		return 0;
	r->fields = calloc(r->index->n + 1, sizeof(*r->fields));
	if (!r->fields)
		return -ENOMEM;
	for (size_t i = 0; i < r->index->n && !rc; i++)
		if (r->event_of[i])
			rc = find_fields_of(r, i, err);
	return rc;
}

static int find_cpus(struct reader *r)
{
	const struct stat_counters *c = r->opts.counters;

	if (!c->n_cpus)
		return 0;
	r->n_cpu_of = c->cpus[c->n_cpus - 1] + 1;
	r->cpu_of = calloc(r->n_cpu_of, sizeof(*r->cpu_of));
	if (!r->cpu_of)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_cpus; i++)
		r->cpu_of[c->cpus[i]] = (uint32_t)i;
	return 0;
}

int stat_read_new(const struct stat_read_opts *opts, struct tfs_view **view, struct tfs_err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	int rc;

	if (!r)
		return -ENOMEM;
	r->view.ops = &ops;
	r->view.flags = opts->key >= STAT_KEY_THREAD ? 0 : TFS_VIEW_RUNS;
	tfs_strbuf_init(&r->text);
	r->opts = *opts;
	r->index = tfs_trace_index(opts->trace);
	rc = find_types(r);
	if (!rc)
		rc = find_fields(r, err);
	if (!rc)
		rc = find_cpus(r);
	if (rc)
		free_reader(&r->view);
	else
		*view = &r->view;
	return rc;
}

struct stat_read stat_read_get(const struct tfs_view *view)
{
	return ((const struct reader *)view)->read;
}
