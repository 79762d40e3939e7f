/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"
#include "base/out-file.h"
#include "base/strbuf-core.h"
#include "decode/event-text.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/trace.h"
#include "exchange/perfetto-internal.h"
#include "span/span.h"
#include "tracedat/dat-read.h"
#include "tracedat/dat-recorder.h"

/* A bundle is written when it has this many bytes: fewer where there are many CPUs. */
#define BUNDLE_FULL (64 << 10)
#define BUNDLE_FULL_MIN (4 << 10)
#define BUNDLES_ALL (4 << 20)
/* Numbers of sequences: of machine n from n times MACHINE_SEQUENCES on */
enum { SEQUENCE_META = 1, SEQUENCE_CPUS = 2, SEQUENCE_SAMPLES = 5000, SEQUENCE_TRACKS = 5001 };
#define MACHINE_SEQUENCES 10000

static struct perfetto *to_perfetto(struct tfs_view *view)
{
	return (struct perfetto *)view;
}

int tfs_perfetto_cpu(struct perfetto_machine *m, uint32_t number, struct perfetto_cpu **out)
{
	struct perfetto_cpu *cpu;

	while (number >= m->n_cpus) {
		if (tfs_grow(&m->cpus, &m->cpus_alloc, m->n_cpus + 1))
			return -ENOMEM;
		m->cpus[m->n_cpus++] = NULL;
	}
	*out = m->cpus[number];
	if (*out)
		return 0;
	cpu = calloc(1, sizeof(*cpu));
	if (!cpu)
		return -ENOMEM;
	cpu->last = calloc(tfs_dat_n_buffers(tfs_trace_dat(m->trace)) + 1, sizeof(*cpu->last));
	if (!cpu->last) {
		free(cpu);
		return -ENOMEM;
	}
	cpu->sequence.id = m->id * MACHINE_SEQUENCES + SEQUENCE_CPUS + number;
	cpu->sequence.machine = m->id;
	cpu->events = cpu->described = cpu->interned = (struct tfs_proto)TFS_PROTO_INIT;
	*out = m->cpus[number] = cpu;
	return 0;
}

static void free_cpu(struct perfetto_cpu *cpu)
{
	if (!cpu)
		return;
	tfs_strbuf_release(&cpu->events.sb);
	tfs_strbuf_release(&cpu->described.sb);
	tfs_strbuf_release(&cpu->interned.sb);
	tfs_hashmap_release(&cpu->symbols);
	free(cpu->last);
	free(cpu);
}

/* Appends what was written elsewhere, and empties that. */
static void move(struct tfs_proto *to, struct tfs_proto *from)
{
	char *p = tfs_proto_room(to, from->sb.len);

	if (p)
		tfs_proto_wrote(to, mempcpy(p, from->sb.s, from->sb.len));
	if (from->rc)
		to->rc = from->rc;
	tfs_strbuf_reset(&from->sb);
}

static int flush_cpu(struct perfetto *pf, struct perfetto_cpu *cpu, uint32_t number)
{
	struct tfs_proto *p;

	if (!cpu->events.sb.len && !cpu->lost)
		return 0;
	p = tfs_packets_begin(pf->packets, &cpu->sequence);
	if (cpu->interned.sb.len) {
		tfs_proto_open(p, TFS_PACKET_INTERNED);
		move(p, &cpu->interned);
		tfs_proto_close(p);
	}
	tfs_proto_open(p, TFS_PACKET_FTRACE_EVENTS);
	tfs_proto_uint(p, BUNDLE_CPU, number);
	move(p, &cpu->events);
	if (cpu->lost)
		tfs_proto_uint(p, BUNDLE_LOST, 1);
	move(p, &cpu->described);
	tfs_proto_close(p);
	cpu->lost = false;
	return tfs_packets_end(pf->packets);
}

/* Where the event is; *@cpu stays NULL on a CPU that readers do not take. */
static int find_place(struct perfetto *pf, const struct tfs_event *event,
		      struct perfetto_machine **m, struct perfetto_cpu **cpu)
{
	int rc = pf->begun ? 0 : tfs_perfetto_begin(pf, event->rec.ts);

	*m = &pf->machine[event->input];
	*cpu = NULL;
	return rc || event->rec.cpu >= PERFETTO_CPUS ? rc :
						       tfs_perfetto_cpu(*m, event->rec.cpu, cpu);
}

/* Where the recording ends is not known yet. */
static int keep_missing(struct perfetto_machine *m, const struct perfetto_loss *loss)
{
	if (tfs_grow(&m->missing, &m->alloc_missing, m->n_missing + 1))
		return -ENOMEM;
	m->missing[m->n_missing++] = *loss;
	return 0;
}

/* Events before and after a loss are in two bundles. */
static int lost(struct tfs_view *view, void *state, const struct tfs_event *event,
		struct tfs_strbuf *out)
{
	struct perfetto *pf = to_perfetto(view);
	struct perfetto_loss loss = { .cpu = event->rec.cpu,
				      .buffer = event->rec.buffer,
				      .end = event->rec.ts,
				      .count = event->rec.lost,
				      .missing = event->missing };
	struct perfetto_machine *m;
	struct perfetto_cpu *cpu;
	int rc = find_place(pf, event, &m, &cpu);

	(void)state;
	(void)out;
	if (event->missing) {
		m->counts.missing++;
	} else if (event->lost) {
		m->counts.losses++;
		m->counts.lost += loss.count > 0 ? (uint64_t)loss.count : 0;
		m->counts.uncounted |= loss.count <= 0;
	}
	if (rc || !cpu)
		return rc;
	tfs_perfetto_stacks_lost(pf->stacks, event);
	rc = pf->spans ? tfs_spans_lost(pf->spans, event) : 0;
	if (rc)
		return rc;
	loss.begin = cpu->last[loss.buffer];
	/* Before the first event, or where time runs backwards */
	if (!loss.begin || loss.begin > loss.end)
		loss.begin = loss.end;
	cpu->call.any = false;
	cpu->running.known = false;
	rc = tfs_perfetto_cut(m, cpu, loss.begin);
	if (!rc)
		rc = flush_cpu(pf, cpu, loss.cpu);
	if (rc || !event->lost)
		return rc;
	if (event->missing)
		return keep_missing(m, &loss);
	cpu->lost = true;
	return tfs_perfetto_loss(pf, m, &loss);
}

static int event(struct tfs_view *view, void *state, const struct tfs_event *event,
		 struct tfs_strbuf *out)
{
	struct perfetto *pf = to_perfetto(view);
	struct perfetto_machine *m;
	struct perfetto_type *type;
	struct perfetto_cpu *cpu;
	int rc = find_place(pf, event, &m, &cpu);

	(void)state;
	(void)out;
	if (rc)
		return rc;
	if (!cpu) {
		m->counts.far_cpus += event->selected;
		return 0;
	}
	cpu->last[event->rec.buffer] = pf->last = event->rec.ts;
	rc = tfs_perfetto_stacks_event(pf->stacks, event);
	if (!rc && pf->spans)
		rc = tfs_spans_event(pf->spans, event);
	if (rc)
		return rc;
	if (!event->type || !event->type->fields) {
		m->counts.unknown += event->selected;
		return 0;
	}
	rc = tfs_perfetto_type(pf, m, event->type, &type);
	/* A call that was selected ends, whether its end was selected or not. */
	if (rc || !(event->selected || type->kind == PERFETTO_RETURN))
		return rc;
	rc = tfs_perfetto_event(pf, m, cpu, type, event);
	if (!rc && cpu->events.sb.len >= m->full)
		rc = flush_cpu(pf, cpu, event->rec.cpu);
	return rc;
}

/* Calls that are still open end with the recording. */
static int flush_machine(struct perfetto *pf, struct perfetto_machine *m)
{
	int rc = 0;

	for (size_t i = 0; i < m->n_cpus && !rc; i++)
		if (m->cpus[i])
			rc = tfs_perfetto_cut(m, m->cpus[i], pf->last);
	for (size_t i = 0; i < m->n_cpus && !rc; i++)
		if (m->cpus[i])
			rc = flush_cpu(pf, m->cpus[i], (uint32_t)i);
	for (size_t i = 0; i < m->n_missing && !rc; i++) {
		m->missing[i].end = pf->last > m->missing[i].begin ? pf->last : m->missing[i].begin;
		rc = tfs_perfetto_loss(pf, m, &m->missing[i]);
	}
	return rc;
}

static int end(struct tfs_view *view, struct tfs_strbuf *out, struct tfs_err *err)
{
	struct perfetto *pf = to_perfetto(view);
	int rc = pf->begun ? 0 : tfs_perfetto_begin(pf, 0);

	(void)out;
	for (size_t i = 0; i < pf->n && !rc; i++)
		rc = flush_machine(pf, &pf->machine[i]);
	if (!rc && pf->spans)
		rc = tfs_spans_end(pf->spans);
	if (!rc)
		rc = tfs_perfetto_stacks_end(pf->stacks);
	if (!rc)
		rc = tfs_perfetto_finish(pf);
	if (!rc)
		rc = tfs_packets_flush(pf->packets);
	if (rc)
		return tfs_err_set(err, rc, "cannot write the file");
	return tfs_out_file_commit(pf->file, err);
}

static int text(struct tfs_view *view, const char *text, size_t len, struct tfs_strbuf *out,
		struct tfs_err *err)
{
	(void)view;
	(void)text;
	(void)len;
	(void)out;
	return tfs_err_say(
		err, -EOPNOTSUPP,
		"the recording is a latency tracer's text, which has no events to export");
}

static void free_machine(struct perfetto_machine *m)
{
	for (size_t i = 0; m->types && i < m->n_types; i++)
		tfs_perfetto_type_free(m->types[i]);
	free(m->types);
	free(m->recorder);
	tfs_perfetto_calls_release(m);
	for (size_t i = 0; i < m->n_cpus; i++)
		free_cpu(m->cpus[i]);
	free(m->cpus);
	free(m->missing);
	tfs_hashmap_release(&m->loss_tracks);
	tfs_hashmap_release(&m->own_tracks);
	tfs_event_text_free(m->text);
}

static void free_perfetto(struct tfs_view *view)
{
	struct perfetto *pf = to_perfetto(view);

	for (size_t i = 0; pf->machine && i < pf->n; i++)
		free_machine(&pf->machine[i]);
	tfs_perfetto_stacks_free(pf->stacks);
	tfs_spans_free(pf->spans);
	free(pf->syscalls);
	free(pf->machine);
	free(pf->values);
	tfs_strbuf_release(&pf->scratch);
	tfs_strbuf_release(&pf->event_text);
	tfs_packets_free(pf->packets);
	tfs_out_file_free(pf->file);
	free(pf);
}

static const struct tfs_view_ops ops = {
	.event = event,
	.lost = lost,
	.text = text,
	.end = end,
	.free = free_perfetto,
};

static int init_machine(struct perfetto_machine *m, const struct tfs_perfetto_opts *opts, size_t i)
{
	unsigned int cpus = tfs_dat_info(tfs_trace_dat(opts->traces[i]))->cpus;
	uint32_t first;

	m->trace = opts->traces[i];
	m->symbolize = opts->symbolize ? opts->symbolize[i] : NULL;
	m->own_syscalls = !tfs_perfetto_knows_syscalls(m);
	m->file = opts->files[i];
	m->id = opts->n > 1 ? (uint32_t)i + 1 : 0;
	first = m->id * MACHINE_SEQUENCES;
	m->meta = (struct tfs_sequence){ .id = first + SEQUENCE_META, .machine = m->id };
	m->tracks = (struct tfs_sequence){ .id = first + SEQUENCE_TRACKS, .machine = m->id };
	m->samples = (struct tfs_sequence){ .id = first + SEQUENCE_SAMPLES, .machine = m->id };
	m->full = cpus > BUNDLES_ALL / BUNDLE_FULL ? BUNDLES_ALL / cpus : BUNDLE_FULL;
	if (m->full < BUNDLE_FULL_MIN)
		m->full = BUNDLE_FULL_MIN;
	m->n_types = tfs_trace_index(m->trace)->n;
	m->types = calloc(m->n_types + 1, sizeof(struct perfetto_type *));
	return m->types ? tfs_dat_recorder_get(tfs_trace_dat(m->trace), &m->recorder) : -ENOMEM;
}

static int init_perfetto(struct perfetto *pf, const struct tfs_perfetto_opts *opts,
			 struct tfs_err *err)
{
	int rc = 0;

	pf->view.ops = &ops;
	pf->view.flags = TFS_VIEW_UNSELECTED | TFS_VIEW_MISSING | TFS_VIEW_OWN_NAMES;
	pf->flags = opts->flags;
	pf->next = PERFETTO_GENERIC_FIRST;
	tfs_strbuf_init(&pf->scratch);
	tfs_strbuf_init(&pf->event_text);
	pf->machine = calloc(opts->n, sizeof(*pf->machine));
	if (!pf->machine)
		return -ENOMEM;
	for (; pf->n < opts->n && !rc; pf->n++)
		rc = init_machine(&pf->machine[pf->n], opts, pf->n);
	if (!rc)
		rc = tfs_perfetto_stacks_new(pf, opts, &pf->stacks);
	if (!rc)
		rc = tfs_perfetto_spans_new(pf, opts, err);
	if (!rc)
		rc = tfs_out_file_open(opts->path, &pf->file, err);
	if (!rc)
		rc = tfs_packets_new(tfs_out_file_out(pf->file),
				     opts->flags & TFS_PERFETTO_PLAIN ? TFS_PACKETS_PLAIN : 0,
				     &pf->packets);
	return rc;
}

int tfs_perfetto_new(const struct tfs_perfetto_opts *opts, struct tfs_view **view,
		     struct tfs_err *err)
{
	struct perfetto *pf = calloc(1, sizeof(*pf));
	int rc = pf ? init_perfetto(pf, opts, err) : -ENOMEM;

	if (rc && pf)
		free_perfetto(&pf->view);
	else if (!rc)
		*view = &pf->view;
	return rc;
}
