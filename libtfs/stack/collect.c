/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/collect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/strbuf-core.h"
#include "decode/event.h"
#include "decode/task.h"
#include "decode/trace.h"
#include "decode/types.h"
#include "stack/fold-name.h"
#include "stack/fold-stack.h"
#include "stack/fold.h"
#include "stack/graph-fold.h"
#include "stack/off-cpu.h"
#include "stack/profile.h"
#include "stack/stack.h"
#include "stack/trim.h"
#include "stack/weigh.h"
#include "tracedat/dat-read.h"

/* Stacks of one kind */
struct tree {
	struct tfs_fold *fold;
	struct tfs_fold_stacks *stacks;
};

struct tfs_collect {
	struct tfs_collect_opts opts;
	struct tree tree, calls; /* of events, of function_graph */
	struct tfs_stacks *stacks;
	struct tfs_weigh *weigh;
	struct tfs_profile *profile;      /* NULL: weights are not those of a CPU profile */
	struct tfs_off_cpu_fold *off_cpu; /* NULL: not asked for */
	struct tfs_graph_fold *graph;     /* NULL: not asked for, or nothing of it was met */
	bool is_graph;                    /* @calls is shown */
	struct tfs_collect_counts counts;
};

/* Its weight comes later; the stacks of other events are not CPU time. */
static int on_sample(struct tfs_collect *c, const struct tfs_event *event,
		     const struct tfs_stack *stack)
{
	struct tfs_event named = *event;
	uint32_t node;
	int rc;

	if (tfs_profile_kind(c->profile, event) != TFS_PROFILE_SAMPLE) {
		c->counts.others += stack->flags & (TFS_STACK_KERNEL | TFS_STACK_USER) ? 1 : 0;
		return 0;
	}
	c->counts.cut += stack->flags & TFS_STACK_CUT ? 1 : 0;
	/* A timer's interrupt took it. */
	named.task = tfs_profile_who(c->profile, event);
	rc = tfs_fold_stacks_node(c->tree.stacks, &named, stack, TFS_TRIM_TRACING | TFS_TRIM_IRQ,
				  &node);
	if (!rc && c->opts.sample)
		rc = c->opts.sample(c->opts.ctx, event, node);
	return rc ? rc : tfs_profile_sample(c->profile, event, node);
}

static int weigh(void *ctx, uint64_t token, uint64_t ns)
{
	struct tfs_collect *c = ctx;

	tfs_fold_add(c->tree.fold, (uint32_t)token, ns);
	return 0;
}

static int unsampled(void *ctx, const struct tfs_profile_task *task, uint64_t ns)
{
	const struct tfs_fold_name name = tfs_fold_plain_name(TFS_PROFILE_NOT_SAMPLED);
	struct tfs_collect *c = ctx;
	uint32_t node;
	int rc = tfs_fold_stacks_task(c->tree.stacks, task->input, task->pid,
				      task->task ? task->task->comm : task->comm, &node);

	if (!rc)
		rc = tfs_fold_child(c->tree.fold, node, &name, &node);
	if (!rc)
		tfs_fold_add(c->tree.fold, node, ns);
	return rc;
}

static int on_stack(void *ctx, const struct tfs_event *event, const struct tfs_stack *stack)
{
	struct tfs_collect *c = ctx;
	unsigned int trim;
	uint64_t weight;
	uint32_t node;
	int rc;

	if (c->profile)
		return event->type ? on_sample(c, event, stack) : 0;
	if (!tfs_weigh_event(c->weigh, event, stack, &weight, &trim))
		return 0;
	rc = tfs_fold_stacks_node(c->tree.stacks, event, stack, trim, &node);
	if (!rc)
		tfs_fold_add(c->tree.fold, node, weight);
	if (!rc && c->opts.sample)
		rc = c->opts.sample(c->opts.ctx, event, node);
	return rc;
}

static const struct tfs_profile_ops profile_ops = { .weigh = weigh, .unsampled = unsampled };

static int plant(const struct tfs_collect *c, struct tree *tree)
{
	int rc = tfs_fold_new(c->opts.nodes_max, &tree->fold);

	return rc ? rc : tfs_fold_stacks_new(&c->opts, tree->fold, &tree->stacks);
}

static void fell(struct tree *tree)
{
	tfs_fold_stacks_free(tree->stacks);
	tfs_fold_free(tree->fold);
}

static int add_graph(struct tfs_collect *c, struct tfs_err *err)
{
	int rc = plant(c, &c->calls);

	return rc ? rc :
		    tfs_graph_fold_new(&c->opts, c->calls.fold, c->calls.stacks, &c->graph, err);
}

static int prepare(struct tfs_collect *c, struct tfs_err *err)
{
	const struct tfs_collect_opts *o = &c->opts;
	int rc = plant(c, &c->tree);

	if (rc)
		return rc;
	if (o->kind == TFS_COLLECT_OFF_CPU)
		return tfs_off_cpu_fold_new(o, c->tree.fold, c->tree.stacks, &c->off_cpu, err);
	if (o->kind == TFS_COLLECT_GRAPH)
		return add_graph(c, err);
	rc = tfs_stacks_new(o->traces, o->n, on_stack, c, &c->stacks);
	if (!rc && o->kind == TFS_COLLECT_AUTO && !o->weight)
		rc = tfs_profile_new(o->traces, o->n,
				     o->root == TFS_ROOT_COMM ? TFS_PROFILE_BY_NAME : 0,
				     &profile_ops, c, &c->profile);
	return rc;
}

int tfs_collect_new(const struct tfs_collect_opts *opts, struct tfs_collect **out,
		    struct tfs_err *err)
{
	struct tfs_collect *c = calloc(1, sizeof(*c));
	int rc;

	if (!c)
		return -ENOMEM;
	c->opts = *opts;
	rc = tfs_weigh_new(opts->traces, opts->n, opts->weight, &c->weigh, err);
	if (!rc)
		rc = prepare(c, err);
	if (rc)
		tfs_collect_free(c);
	else
		*out = c;
	return rc;
}

void tfs_collect_free(struct tfs_collect *c)
{
	if (!c)
		return;
	tfs_stacks_free(c->stacks);
	tfs_profile_free(c->profile);
	tfs_off_cpu_fold_free(c->off_cpu);
	tfs_graph_fold_free(c->graph);
	fell(&c->tree);
	fell(&c->calls);
	tfs_weigh_free(c->weigh);
	free(c);
}

static bool is_call(const struct tfs_event *event)
{
	return event->type && (tfs_type_is_ftrace(event->type, "funcgraph_entry") ||
			       tfs_type_is_ftrace(event->type, "funcgraph_exit"));
}

int tfs_collect_event(struct tfs_collect *c, const struct tfs_event *event)
{
	int rc = 0;

	if (c->off_cpu)
		return tfs_off_cpu_fold_event(c->off_cpu, event);
	if (!c->graph && c->opts.kind == TFS_COLLECT_AUTO && !c->profile && is_call(event))
		rc = add_graph(c, NULL);
	if (!rc && c->graph)
		rc = tfs_graph_fold_event(c->graph, event);
	if (!rc && c->profile)
		rc = tfs_profile_event(c->profile, event);
	return rc || !c->stacks ? rc : tfs_stacks_event(c->stacks, event);
}

int tfs_collect_lost(struct tfs_collect *c, const struct tfs_event *event)
{
	c->counts.missing += event->missing;
	if (c->profile)
		tfs_profile_lost(c->profile, event);
	if (c->off_cpu)
		return tfs_off_cpu_fold_lost(c->off_cpu, event);
	return c->graph ? tfs_graph_fold_lost(c->graph, event) : 0;
}

int tfs_collect_end(struct tfs_collect *c)
{
	int rc = c->stacks ? tfs_stacks_end(c->stacks) : 0;

	if (!rc && c->profile)
		rc = tfs_profile_end(c->profile);
	if (!rc && c->off_cpu)
		rc = tfs_off_cpu_fold_end(c->off_cpu);
	if (!rc && c->graph)
		rc = tfs_graph_fold_end(c->graph);
	if (rc)
		return rc;
	c->is_graph = c->graph && (!c->stacks || !tfs_weigh_any(c->weigh));
	tfs_fold_sum(tfs_collect_fold(c));
	return 0;
}

struct tfs_fold *tfs_collect_fold(struct tfs_collect *c)
{
	return c->is_graph ? c->calls.fold : c->tree.fold;
}

const char *tfs_collect_unit(const struct tfs_collect *c)
{
	if (c->profile || c->off_cpu || c->is_graph)
		return "ns";
	return c->opts.weight ? c->opts.weight : "samples";
}

static int note_events(const struct tfs_collect *c, struct tfs_strbuf *out)
{
	if (c->off_cpu)
		return tfs_off_cpu_fold_notes(c->off_cpu, out);
	if (c->is_graph)
		return tfs_graph_fold_notes(c->graph, out);
	return c->profile ? 0 : tfs_weigh_notes(c->weigh, out);
}

int tfs_collect_note_missing(const struct tfs_collect_opts *opts, uint64_t cpus,
			     struct tfs_strbuf *out)
{
	uint64_t more = 0;
	int rc = 0;

	for (size_t i = 0; i < opts->n; i++)
		more += tfs_dat_more_cpus(tfs_trace_dat(opts->traces[i]));
	if (cpus)
		rc = tfs_strbuf_addf(out, "%" PRIu64 " CPU%s last events; how many is not known\n",
				     cpus, cpus == 1 ? " lacks its" : "s lack their");
	if (!rc && more)
		rc = tfs_strbuf_addf(
			out,
			"%" PRIu64
			" recording%s may have had more CPUs, of which nothing is left\n",
			more, more == 1 ? "" : "s");
	return rc;
}

int tfs_collect_note_counts(const struct tfs_collect_counts *counts, struct tfs_strbuf *out)
{
	const struct {
		uint64_t n;
		const char *what;
	} notes[] = {
		{ counts->cut,
		  "user stacks have the 8 callers that the kernel stores, and may go on" },
		{ counts->orphans, "stacks belong to events that are not known" },
		{ counts->others,
		  "stacks are not known to be samples of the CPU profile, and were left out" },
		{ counts->shortened, "frames were left out: the stacks are too deep or too "
				     "many" },
	};
	int rc = 0;

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes) && !rc; i++)
		if (notes[i].n)
			rc = tfs_strbuf_addf(out, "%" PRIu64 " %s\n", notes[i].n, notes[i].what);
	return rc;
}

/* Losses come first: they may be the cause of the rest. */
int tfs_collect_notes(const struct tfs_collect *c, struct tfs_strbuf *out)
{
	const struct tree *shown = c->is_graph ? &c->calls : &c->tree;
	struct tfs_collect_counts counts = c->counts;
	int rc = tfs_collect_note_missing(&c->opts, counts.missing, out);

	counts.orphans = c->stacks ? tfs_stacks_orphans(c->stacks) : 0;
	counts.shortened = tfs_fold_cut(shown->fold);
	if (!rc && c->profile)
		rc = tfs_profile_notes(c->profile, out);
	if (!rc)
		rc = note_events(c, out);
	if (!rc)
		rc = tfs_collect_note_counts(&counts, out);
	return rc ? rc : tfs_fold_stacks_notes(shown->stacks, out);
}
