/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exchange/perfetto-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/event-type.h"
#include "decode/event.h"
#include "decode/task.h"
#include "stack/collect.h"
#include "stack/fold-name.h"
#include "stack/fold-stack.h"
#include "stack/fold.h"
#include "stack/profile.h"
#include "stack/stack.h"
#include "stack/trim.h"

/*
 * Stacks are merged into a tree, whose nodes are the interned callstacks and whose names are the
 * interned frames. Samples of a CPU profile have weights, which are known a second or two later;
 * until then they wait. Stacks of other events are instants of their tasks.
 */

/* Different stacks: beyond that they are cut */
#define NODES_MAX (1u << 20)
/* Fields of interned data, and of what it holds */
enum { INTERNED_FUNCTION_NAMES = 5, INTERNED_FRAMES = 6, INTERNED_CALLSTACKS = 7 };
enum { IID = 1, STRING_TEXT = 2, FRAME_FUNCTION = 2, FRAME_KIND = 7, CALLSTACK_FRAMES = 2 };
enum { KIND_NATIVE = 1, KIND_KERNEL = 2, KIND_JIT = 4 };
/* Fields of stack_sample and perf_sample, and of their defaults */
enum { SAMPLE_TASK = 1, SAMPLE_EXECUTION = 3, SAMPLE_CALLSTACK = 6, SAMPLE_WEIGHT = 11 };
enum { TASK_PID = 2, TASK_TID = 3, EXECUTION_CPU = 2, EXECUTION_MODE = 3 };
enum { MODE_USER = 1, MODE_KERNEL = 2 };
enum { OLD_CPU = 1, OLD_PID = 2, OLD_TID = 3, OLD_CALLSTACK = 4, OLD_MODE = 5 };
enum { OLD_MODE_KERNEL = 1, OLD_MODE_USER = 2 };
enum { DEFAULTS_OLD = 12, DEFAULTS_STACKS = 100, OLD_TIMEBASE = 1, TIMEBASE_PERIOD = 2 };
enum { STACKS_SOURCE = 1, STACKS_DESCRIPTOR = 2, DESCRIPTOR_NAME = 2, DESCRIPTOR_UNIT = 3 };
enum { UNIT_NS = 1 };

/* A sample that waits for its weight */
struct pending {
	struct pending *next, **link;
	uint64_t ts;
	uint32_t input, cpu, node;
	int tid, tgid;
	unsigned int mode;
};

struct perfetto_stacks {
	struct perfetto *pf;
	struct tfs_stacks *stacks;
	struct tfs_profile *profile; /* NULL: no recording has one */
	struct tfs_fold *fold;
	struct tfs_fold_stacks *nodes;
	unsigned char *written; /* bit of each machine, by node */
	size_t n_written;
	unsigned char **named; /* of each machine, by name */
	size_t *n_named;
	struct pending *first; /* the newest */
};

static int mark(unsigned char **v, size_t *n, uint32_t i, bool *was)
{
	size_t want = *n ? *n : 1024;
	unsigned char *grown;

	while (want <= i)
		want *= 2;
	if (want > *n) {
		grown = realloc(*v, want);
		if (!grown)
			return -ENOMEM;
		memset(grown + *n, 0, want - *n);
		*v = grown;
		*n = want;
	}
	*was = (*v)[i];
	(*v)[i] = 1;
	return 0;
}

static unsigned int kind_of(enum tfs_frame_kind kind)
{
	return kind == TFS_FRAME_KERNEL ? KIND_KERNEL :
	       kind == TFS_FRAME_JIT    ? KIND_JIT :
					  KIND_NATIVE;
}

/* A frame's name and the frame, once for each machine */
static int intern_frame(struct perfetto_stacks *s, uint32_t input, uint32_t name,
			struct tfs_proto *p)
{
	struct tfs_fold_name text = tfs_fold_name(s->fold, name);
	bool was;
	int rc = mark(&s->named[input], &s->n_named[input], name, &was);

	if (rc || was)
		return rc;
	tfs_proto_open(p, INTERNED_FUNCTION_NAMES);
	tfs_proto_uint(p, IID, name + 1);
	tfs_proto_text(p, STRING_TEXT, text.text, text.len);
	tfs_proto_close(p);
	tfs_proto_open(p, INTERNED_FRAMES);
	tfs_proto_uint(p, IID, name + 1);
	tfs_proto_uint(p, FRAME_FUNCTION, name + 1);
	tfs_proto_uint(p, FRAME_KIND, kind_of(text.kind));
	tfs_proto_close(p);
	return 0;
}

/* The outermost frame is below the task, and below the recording if there are several. */
static uint32_t first_depth(const struct perfetto_stacks *s)
{
	return s->pf->n > 1 ? 3 : 2;
}

static int intern_callstack(struct perfetto_stacks *s, uint32_t input, uint32_t node,
			    struct tfs_proto *p)
{
	uint32_t n, path[TFS_FOLD_DEPTH_MAX + 1], depth = 0;
	const struct tfs_fold_node *nodes = tfs_fold_nodes(s->fold, &n);
	bool was;
	int rc = mark(&s->written, &s->n_written, node, &was);

	if (rc || was)
		return rc;
	for (uint32_t at = node; at != TFS_FOLD_ROOT && depth <= TFS_FOLD_DEPTH_MAX;
	     at = nodes[at].parent)
		/* A task without any frame stands for itself. */
		if (nodes[at].depth >= first_depth(s) || at == node)
			path[depth++] = nodes[at].name;
	tfs_proto_open(p, TFS_PACKET_INTERNED);
	for (uint32_t i = 0; i < depth && !rc; i++)
		rc = intern_frame(s, input, path[i], p);
	tfs_proto_open(p, INTERNED_CALLSTACKS);
	tfs_proto_uint(p, IID, node + 1);
	while (depth)
		tfs_proto_uint(p, CALLSTACK_FRAMES, path[--depth] + 1);
	tfs_proto_close(p);
	tfs_proto_close(p);
	return rc;
}

/* All samples of the sequence have this in common: in its first packet. */
static void put_defaults(struct perfetto *pf, struct tfs_proto *p)
{
	tfs_proto_open(p, TFS_PACKET_DEFAULTS);
	if (pf->flags & TFS_PERFETTO_OLD_STACKS) {
		tfs_proto_open(p, DEFAULTS_OLD);
		tfs_proto_open(p, OLD_TIMEBASE);
		tfs_proto_uint(p, TIMEBASE_PERIOD, 1);
		tfs_proto_close(p);
		tfs_proto_close(p);
	} else {
		tfs_proto_open(p, DEFAULTS_STACKS);
		tfs_proto_string(p, STACKS_SOURCE, "tracecraft.cpu");
		tfs_proto_open(p, STACKS_DESCRIPTOR);
		tfs_proto_string(p, DESCRIPTOR_NAME, "cpu time");
		tfs_proto_uint(p, DESCRIPTOR_UNIT, UNIT_NS);
		tfs_proto_close(p);
		tfs_proto_close(p);
	}
	tfs_proto_close(p);
}

static struct tfs_proto *begin_packet(struct perfetto_stacks *s, const struct pending *sample)
{
	struct perfetto_machine *m = &s->pf->machine[sample->input];
	bool first = !m->samples.begun;
	struct tfs_proto *p = tfs_packets_begin(s->pf->packets, &m->samples);

	tfs_proto_uint(p, TFS_PACKET_TIMESTAMP, sample->ts);
	if (first)
		put_defaults(s->pf, p);
	return p;
}

static int write_sample(struct perfetto_stacks *s, const struct pending *sample, uint64_t weight)
{
	struct tfs_proto *p = begin_packet(s, sample);
	int rc = intern_callstack(s, sample->input, sample->node, p);

	if (s->pf->flags & TFS_PERFETTO_OLD_STACKS) {
		tfs_proto_open(p, TFS_PACKET_PERF_SAMPLE);
		tfs_proto_uint(p, OLD_CPU, sample->cpu);
		if (sample->tgid > 0)
			tfs_proto_int(p, OLD_PID, sample->tgid);
		tfs_proto_int(p, OLD_TID, sample->tid);
		tfs_proto_uint(p, OLD_CALLSTACK, sample->node + 1);
		tfs_proto_uint(p, OLD_MODE,
			       sample->mode == MODE_KERNEL ? OLD_MODE_KERNEL : OLD_MODE_USER);
	} else {
		tfs_proto_open(p, TFS_PACKET_STACK_SAMPLE);
		tfs_proto_open(p, SAMPLE_TASK);
		if (sample->tgid > 0)
			tfs_proto_int(p, TASK_PID, sample->tgid);
		tfs_proto_int(p, TASK_TID, sample->tid);
		tfs_proto_close(p);
		tfs_proto_open(p, SAMPLE_EXECUTION);
		tfs_proto_uint(p, EXECUTION_CPU, sample->cpu);
		tfs_proto_uint(p, EXECUTION_MODE, sample->mode);
		tfs_proto_close(p);
		tfs_proto_uint(p, SAMPLE_CALLSTACK, sample->node + 1);
		tfs_proto_uint(p, SAMPLE_WEIGHT, weight);
	}
	tfs_proto_close(p);
	s->pf->machine[sample->input].counts.samples++;
	s->pf->machine[sample->input].counts.sampled_ns += weight;
	return rc ? rc : tfs_packets_end(s->pf->packets);
}

static void drop(struct pending *sample)
{
	*sample->link = sample->next;
	if (sample->next)
		sample->next->link = sample->link;
	free(sample);
}

static int weigh(void *ctx, uint64_t token, uint64_t ns)
{
	struct pending *sample = (struct pending *)(uintptr_t)token;
	int rc = write_sample(ctx, sample, ns);

	drop(sample);
	return rc;
}

/* Run time without a sample has no place: it is at the end of what was read. */
static int unsampled(void *ctx, const struct tfs_profile_task *task, uint64_t ns)
{
	const struct tfs_fold_name name = tfs_fold_plain_name(TFS_PROFILE_NOT_SAMPLED);
	struct perfetto_stacks *s = ctx;
	struct pending sample = { .ts = s->pf->last, .input = task->input, .tid = task->pid };
	int rc = tfs_fold_stacks_task(s->nodes, task->input, task->pid,
				      task->task ? task->task->comm : task->comm, &sample.node);

	if (s->pf->flags & TFS_PERFETTO_OLD_STACKS)
		return rc;
	sample.tgid = tfs_perfetto_tgid(&s->pf->machine[task->input], task->pid, sample.ts);
	sample.mode = MODE_USER;
	if (!rc)
		rc = tfs_fold_child(s->fold, sample.node, &name, &sample.node);
	return rc ? rc : write_sample(s, &sample, ns);
}

static int keep_sample(struct perfetto_stacks *s, const struct tfs_event *event,
		       const struct pending *sample)
{
	struct pending *kept = malloc(sizeof(*kept));

	if (!kept)
		return -ENOMEM;
	*kept = *sample;
	kept->next = s->first;
	kept->link = &s->first;
	if (kept->next)
		kept->next->link = &kept->next;
	s->first = kept;
	return tfs_profile_sample(s->profile, event, (uintptr_t)kept);
}

static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	bool has_stack = stack->flags & (TFS_STACK_KERNEL | TFS_STACK_USER);
	struct perfetto_stacks *s = ctx;
	struct perfetto_machine *m = &s->pf->machine[event->input];
	enum tfs_profile_kind kind = tfs_profile_kind(s->profile, event);
	struct pending sample = { .ts = event->rec.ts,
				  .input = event->input,
				  .cpu = event->rec.cpu,
				  .tid = event->pid,
				  .tgid = stack->tgid };
	struct tfs_proto *p;
	int rc;

	if (!event->type || (kind != TFS_PROFILE_SAMPLE && !has_stack))
		return 0;
	if (sample.tgid <= 0)
		sample.tgid = tfs_perfetto_tgid(m, event->pid, event->rec.ts);
	rc = tfs_fold_stacks_node(s->nodes, event, stack, tfs_trim_of(event->type), &sample.node);
	if (rc)
		return rc;
	if (kind == TFS_PROFILE_SAMPLE) {
		sample.mode = stack->n_kernel ? MODE_KERNEL : MODE_USER;
		return keep_sample(s, event, &sample);
	}
	rc = tfs_perfetto_thread_track(s->pf, m, sample.tid, sample.tgid,
				       event->task ? event->task->comm : "");
	if (rc)
		return rc;
	m->counts.stacks++;
	p = begin_packet(s, &sample);
	rc = intern_callstack(s, sample.input, sample.node, p);
	tfs_perfetto_put_instant(p, tfs_perfetto_thread_uuid(m, sample.tid), event->type,
				 sample.node + 1);
	return rc ? rc : tfs_packets_end(s->pf->packets);
}

static const struct tfs_profile_ops profile_ops = { .weigh = weigh, .unsampled = unsampled };

int tfs_perfetto_stacks_new(struct perfetto *pf, const struct tfs_perfetto_opts *opts,
			    struct perfetto_stacks **out)
{
	const struct tfs_collect_opts collect = { .traces = opts->traces,
						  .files = opts->files,
						  .symbolize = opts->symbolize,
						  .n = opts->n,
						  .nodes_max = NODES_MAX };
	struct perfetto_stacks *s = calloc(1, sizeof(*s));
	int rc = s ? tfs_fold_new(NODES_MAX, &s->fold) : -ENOMEM;

	*out = s;
	if (!s)
		return rc;
	s->pf = pf;
	s->named = calloc(opts->n, sizeof(*s->named));
	s->n_named = calloc(opts->n, sizeof(*s->n_named));
	if (!rc && (!s->named || !s->n_named))
		rc = -ENOMEM;
	if (!rc)
		rc = tfs_fold_stacks_new(&collect, s->fold, &s->nodes);
	if (!rc)
		rc = tfs_stacks_new(opts->traces, opts->n, on_stack, s, &s->stacks);
	if (!rc)
		rc = tfs_profile_new(opts->traces, opts->n, 0, &profile_ops, s, &s->profile);
	return rc;
}

void tfs_perfetto_stacks_free(struct perfetto_stacks *s)
{
	if (!s)
		return;
	for (struct pending *next, *sample = s->first; sample; sample = next) {
		next = sample->next;
		free(sample);
	}
	tfs_stacks_free(s->stacks);
	tfs_profile_free(s->profile);
	tfs_fold_stacks_free(s->nodes);
	tfs_fold_free(s->fold);
	for (size_t i = 0; s->named && i < s->pf->n; i++)
		free(s->named[i]);
	free(s->named);
	free(s->n_named);
	free(s->written);
	free(s);
}

int tfs_perfetto_stacks_event(struct perfetto_stacks *s, const struct tfs_event *event)
{
	int rc = s->profile ? tfs_profile_event(s->profile, event) : 0;

	return rc ? rc : tfs_stacks_event(s->stacks, event);
}

void tfs_perfetto_stacks_lost(struct perfetto_stacks *s, const struct tfs_event *event)
{
	if (s->profile)
		tfs_profile_lost(s->profile, event);
}

int tfs_perfetto_stacks_end(struct perfetto_stacks *s)
{
	int rc = tfs_stacks_end(s->stacks);

	if (!rc && s->profile)
		rc = tfs_profile_end(s->profile);
	/* None is left; without run time it would have been weighed by the period. */
	for (const struct pending *sample = s->first; sample && !rc; sample = sample->next)
		rc = write_sample(s, sample, 0);
	return rc;
}

uint64_t tfs_perfetto_stacks_cut(const struct perfetto_stacks *s)
{
	return tfs_fold_cut(s->fold);
}
