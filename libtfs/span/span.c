/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "span/span.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "base/err.h"
#include "base/heap.h"
#include "decode/event-type.h"
#include "decode/trace.h"
#include "span/span-internal.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-recorder.h"

static int new_scopes(struct span_input *in, uint32_t input)
{
	const struct tfs_dat *dat = tfs_trace_dat(in->trace);
	const struct tfs_dat_buffer *buffer;

	in->n_scopes = tfs_dat_n_buffers(dat);
	in->scopes = calloc(in->n_scopes + 1, sizeof(*in->scopes));
	if (!in->scopes)
		return -ENOMEM;
	for (size_t i = 0; i < in->n_scopes; i++) {
		in->scopes[i].tasks = TFS_POOL_INIT(struct span_task);
		in->scopes[i].spare = TFS_IDMAP_NONE;
		/* Nobody knows since when things happened on CPUs that nobody knows of. */
		buffer = tfs_dat_buffer(dat, i);
		in->scopes[i].missing = buffer->more_cpus ? 0 : UINT64_MAX;
		in->scopes[i].more_cpus_from = buffer->more_cpus ? buffer->n_cpus : SIZE_MAX;
		in->scopes[i].input = input;
		in->scopes[i].buffer = (uint32_t)i;
	}
	return 0;
}

int tfs_spans_new(const struct tfs_spans_opts *opts, struct tfs_spans **out, struct tfs_err *err)
{
	struct tfs_spans *s = calloc(1, sizeof(*s));
	int rc = s ? 0 : -ENOMEM;

	if (rc)
		return tfs_err_set(err, rc, "cannot prepare the report");
	s->opts = *opts;
	s->kinds = opts->kinds;
	s->inputs = calloc(opts->n + 1, sizeof(*s->inputs));
	rc = s->inputs ? tfs_span_names_new(s) : -ENOMEM;
	for (size_t i = 0; i < opts->n && !rc; i++) {
		struct span_input *in = &s->inputs[i];

		in->trace = opts->traces[i];
		in->n_types = tfs_trace_index(in->trace)->n;
		in->types = calloc(in->n_types + 1, sizeof(*in->types));
		rc = in->types ? new_scopes(in, (uint32_t)i) : -ENOMEM;
		if (!rc)
			rc = tfs_dat_recorder_get(tfs_trace_dat(in->trace), &in->recorder);
		s->counts.more_cpus += tfs_dat_more_cpus(tfs_trace_dat(in->trace));
	}
	if (rc)
		tfs_err_set(err, rc, "cannot prepare the report");
	else
		rc = tfs_span_pairs_new(s, err);
	if (rc)
		tfs_spans_free(s);
	else
		*out = s;
	return rc;
}

static void free_cpu(struct span_cpu *cpu)
{
	if (!cpu)
		return;
	for (size_t i = 0; i < cpu->irqs.n; i++)
		free(cpu->irqs.v[i].kept);
	free(cpu->irqs.v);
	free(cpu->run_kept);
	free(cpu);
}

static void release_input(struct tfs_spans *s, struct span_input *in)
{
	for (size_t i = 0; in->scopes && i < in->n_scopes; i++) {
		tfs_span_tasks_release(s, &in->scopes[i]);
		tfs_span_async_release(s, &in->scopes[i]);
		for (size_t c = 0; c < in->scopes[i].n_cpus; c++)
			free_cpu(in->scopes[i].cpus[c]);
		free(in->scopes[i].cpus);
	}
	free(in->scopes);
	for (size_t i = 0; in->types && i < in->n_types; i++)
		free(in->types[i].labels.v);
	free(in->types);
	free(in->recorder);
}

void tfs_spans_free(struct tfs_spans *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->inputs && i < s->opts.n; i++)
		release_input(s, &s->inputs[i]);
	tfs_span_pairs_release(s);
	tfs_span_names_release(s);
	free(s->inputs);
	free(s);
}

static int new_cpu(struct tfs_spans *s, struct span_scope *scope, uint32_t nr)
{
	struct span_cpu *cpu, **cpus;
	size_t n = (size_t)nr + 1;

	if (n > scope->n_cpus) {
		cpus = reallocarray(scope->cpus, n, sizeof(struct span_cpu *));
		if (!cpus)
			return -ENOMEM;
		memset(cpus + scope->n_cpus, 0, (n - scope->n_cpus) * sizeof(struct span_cpu *));
		scope->cpus = cpus;
		scope->n_cpus = n;
	}
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return -ENOMEM;
	cpu->nr = (int)nr;
	cpu->idle.name = s->none;
	cpu->idle.ended = SPAN_NO_NR;
	cpu->tasks.prev = cpu->tasks.next = &cpu->tasks;
	cpu->async.prev = cpu->async.next = &cpu->async;
	scope->cpus[nr] = cpu;
	return 0;
}

/* 1; 0: a number that no CPU or buffer has; -ENOMEM */
static int find_place(struct tfs_spans *s, const struct tfs_event *event, struct span_at *at)
{
	const struct tfs_record *rec = &event->rec;

	if (event->input >= s->opts.n || rec->cpu >= TFS_CPUS_MAX)
		return 0;
	at->event = event;
	at->ts = rec->ts;
	at->input = &s->inputs[event->input];
	if (rec->buffer >= at->input->n_scopes)
		return 0;
	at->scope = &at->input->scopes[rec->buffer];
	if ((rec->cpu >= at->scope->n_cpus || !at->scope->cpus[rec->cpu]) &&
	    new_cpu(s, at->scope, rec->cpu))
		return -ENOMEM;
	at->cpu = at->scope->cpus[rec->cpu];
	return 1;
}

/* The first and the last event of the CPU and of all */
static void note_time(const struct span_at *at)
{
	struct span_scope *scope = at->scope;
	struct span_cpu *cpu = at->cpu;

	if (!cpu->seen) {
		cpu->seen = true;
		cpu->known = at->ts;
		cpu->idle.seen = at->ts;
	}
	if (at->ts > cpu->last)
		cpu->last = at->ts;
	if (!scope->any || at->ts < scope->first)
		scope->first = at->ts;
	if (!scope->any || at->ts > scope->last)
		scope->last = at->ts;
	scope->any = true;
}

static int handle(struct tfs_spans *s, const struct span_at *at)
{
	switch (at->type->role) {
	case SPAN_SWITCH:
		return tfs_span_switch(s, at);
	case SPAN_WAKING:
	case SPAN_WAKEUP:
	case SPAN_WAKEUP_NEW:
		return tfs_span_waking(s, at, at->type->role);
	case SPAN_MIGRATE:
		return tfs_span_migrate(s, at);
	case SPAN_IRQ_ENTRY:
	case SPAN_IRQ_EXIT:
	case SPAN_VECTOR_ENTRY:
	case SPAN_VECTOR_EXIT:
	case SPAN_SOFTIRQ_ENTRY:
	case SPAN_SOFTIRQ_EXIT:
		return tfs_span_irq(s, at);
	case SPAN_SYS_ENTER:
	case SPAN_SYS_EXIT:
	case SPAN_RAW_ENTER:
	case SPAN_RAW_EXIT:
		return tfs_span_syscall(s, at);
	case SPAN_CALL_ENTRY:
	case SPAN_CALL_EXIT:
		return tfs_span_call(s, at);
	case SPAN_UNKNOWN:
	case SPAN_NO_ROLE:
		break;
	}
	return 0;
}

int tfs_spans_event(struct tfs_spans *s, const struct tfs_event *event)
{
	struct span_type *type;
	struct span_at at;
	int rc = find_place(s, event, &at);

	if (rc <= 0)
		return rc;
	note_time(&at);
	if (!event->type || !event->type->fields)
		return 0;
	type = &at.input->types[event->type->index];
	rc = type->role == SPAN_UNKNOWN ? tfs_span_learn(s, type, event->type) : 0;
	at.type = type;
	if (!rc)
		rc = handle(s, &at);
	return rc || !(type->begins || type->ends) ? rc : tfs_span_pairs(s, &at);
}

int tfs_spans_lost(struct tfs_spans *s, const struct tfs_event *event)
{
	struct tfs_span_gap gap;
	struct span_at at;
	int rc = find_place(s, event, &at);

	if (rc <= 0)
		return rc;
	if (event->missing)
		return tfs_span_missing(s, at.scope, at.cpu);
	gap = (struct tfs_span_gap){
		.input = at.scope->input,
		.buffer = at.scope->buffer,
		.cpu = at.cpu->nr,
		.begin = at.cpu->seen ? at.cpu->last : at.ts,
		.end = at.ts,
		.count = event->rec.lost > 0 ? (uint64_t)event->rec.lost : 0,
	};
	/* Nothing is known of a CPU that begins with a loss: it may be as long as the recording. */
	if (!at.cpu->seen && at.scope->any && at.scope->first < gap.begin)
		gap.begin = at.scope->first;
	if (gap.begin > gap.end)
		gap.begin = gap.end;
	rc = tfs_span_gap(s, at.scope, at.cpu, &gap);
	at.cpu->seen = true;
	return rc;
}

/* Time stamps of the first and last event of a recording, and of those before it if @any is set */
static void add_bounds(const struct span_input *in, bool *any, uint64_t *first, uint64_t *last)
{
	for (size_t b = 0; b < in->n_scopes; b++) {
		const struct span_scope *scope = &in->scopes[b];

		if (!scope->any)
			continue;
		if (!*any || scope->first < *first)
			*first = scope->first;
		if (!*any || scope->last > *last)
			*last = scope->last;
		*any = true;
	}
}

static int end_input(struct tfs_spans *s, const struct span_input *in)
{
	uint64_t first, last;
	bool any = false;
	int rc = 0;

	for (size_t b = 0; b < in->n_scopes && !rc; b++)
		rc = tfs_span_close_scope(s, &in->scopes[b]);
	add_bounds(in, &any, &first, &last);
	for (size_t b = 0; b < in->n_scopes && any && !rc; b++)
		rc = tfs_span_missing_gaps(s, &in->scopes[b], first, last);
	return rc;
}

int tfs_spans_end(struct tfs_spans *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->opts.n && !rc; i++)
		rc = end_input(s, &s->inputs[i]);
	/* Views make their tables now, for which there shall be room. */
	for (size_t i = 0; i < s->opts.n; i++)
		for (size_t b = 0; b < s->inputs[i].n_scopes; b++)
			tfs_span_tasks_release(s, &s->inputs[i].scopes[b]);
	tfs_heap_trim();
	return rc;
}

const struct tfs_spans_counts *tfs_spans_counts(const struct tfs_spans *s)
{
	return &s->counts;
}

bool tfs_spans_bounds(const struct tfs_spans *s, uint64_t *first, uint64_t *last)
{
	bool any = false;

	for (size_t i = 0; i < s->opts.n; i++)
		add_bounds(&s->inputs[i], &any, first, last);
	return any;
}

uint32_t tfs_spans_comm(const struct tfs_spans *s, const struct tfs_event *event)
{
	const struct span_input *in = &s->inputs[event->input];
	const struct span_task *task =
		event->rec.buffer < in->n_scopes ?
			tfs_span_find_task(&in->scopes[event->rec.buffer], event->pid) :
			NULL;

	return task ? task->name : TFS_SPAN_NO_COMM;
}

const char *tfs_spans_name(const struct tfs_spans *s, uint32_t id)
{
	return id < s->n_names ? s->names[id] : NULL;
}

const char *tfs_spans_pair(const struct tfs_spans *s, uint32_t pair)
{
	return pair < s->n_pairs ? s->pair_names[pair] : NULL;
}
