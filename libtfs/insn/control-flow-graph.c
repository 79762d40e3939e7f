/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/control-flow-graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "insn/insn.h"

/* Bytes of one function; what claims to be larger is none, or is damaged. */
#define FUNC_MAX (1U << 20)

struct leaders {
	uint64_t *v;
	size_t n;
	size_t cap;
};

static int add_leader(struct leaders *l, uint64_t addr)
{
	if (tfs_grow(&l->v, &l->cap, l->n + 1))
		return -ENOMEM;
	l->v[l->n++] = addr;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void sort_leaders(struct leaders *l)
{
	size_t kept = 0;

	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), by_addr);
	for (size_t i = 0; i < l->n; i++) {
		if (!kept || l->v[kept - 1] != l->v[i])
			l->v[kept++] = l->v[i];
	}
	l->n = kept;
}

/* The next instruction; a call that does not return no longer counts as a call. */
static int next_insn(struct tfs_insn_walk *walk, const struct tfs_flow_graph_code *code,
		     uint64_t *addr, struct tfs_insn *insn)
{
	int more = tfs_insn_next(walk, addr, insn);

	if (more > 0 && insn->kind == TFS_INSN_CALL && insn->has_target && code->returns &&
	    !code->returns(code->ctx, insn->target)) {
		insn->kind = TFS_INSN_STOP;
		insn->has_target = false;
	}
	return more;
}

static bool ends_node(const struct tfs_insn *insn)
{
	return insn->kind != TFS_INSN_OTHER && insn->kind != TFS_INSN_CALL;
}

/* Where nodes begin in one range of the function. */
static int scan_range(const struct tfs_dso *dso, const struct tfs_code_range *range,
		      const struct tfs_flow_graph_code *code, struct leaders *l)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int more, rc = tfs_insn_walk(dso, range->from, range->to, &walk);

	if (rc)
		return -ENOENT;
	rc = add_leader(l, range->from);
	while (!rc && (more = next_insn(&walk, code, &addr, &insn)) != 0) {
		if (more < 0)
			return -ENOENT;
		if (!ends_node(&insn))
			continue;
		rc = add_leader(l, walk.addr);
		if (!rc && insn.has_target)
			rc = add_leader(l, insn.target);
	}
	return rc;
}

static bool is_leader(const struct leaders *l, uint64_t addr)
{
	return l->n && bsearch(&addr, l->v, l->n, sizeof(addr), by_addr);
}

/* Targets are kept as addresses first: the nodes they are of may be still to come. */
struct building {
	struct tfs_flow_graph *g;
	uint64_t (*target)[2];
	size_t cap;
};

static int add_node(struct building *b, uint64_t begin)
{
	struct tfs_flow_graph *g = b->g;

	if (!g->node || !b->target || g->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 128;
		struct tfs_flow_graph_node *node = reallocarray(g->node, cap, sizeof(*node));
		uint64_t(*target)[2];

		if (!node)
			return -ENOMEM;
		g->node = node;
		target = reallocarray(b->target, cap, sizeof(*target));
		if (!target)
			return -ENOMEM;
		b->target = target;
		b->cap = cap;
	}
	g->node[g->n] =
		(struct tfs_flow_graph_node){ .begin = begin, .next = { -1, -1 }, .orphan = true };
	b->target[g->n][0] = 0;
	b->target[g->n][1] = 0;
	g->n++;
	return 0;
}

static int build_range(const struct tfs_dso *dso, const struct tfs_code_range *range,
		       const struct tfs_flow_graph_code *code, const struct leaders *l,
		       struct building *b)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int rc = tfs_insn_walk(dso, range->from, range->to, &walk) ? -ENOENT : 0;

	while (!rc && next_insn(&walk, code, &addr, &insn) > 0) {
		struct tfs_flow_graph_node *node;

		if (addr == range->from || is_leader(l, addr))
			rc = add_node(b, addr);
		if (rc || !b->g->n || !b->target)
			break;
		node = &b->g->node[b->g->n - 1];
		node->last = addr;
		node->end = walk.addr;
		if (insn.kind != TFS_INSN_JUMP && insn.kind != TFS_INSN_RET &&
		    insn.kind != TFS_INSN_STOP)
			b->target[b->g->n - 1][0] = walk.addr;
		else
			b->target[b->g->n - 1][0] = 0;
		if (ends_node(&insn) && insn.has_target)
			b->target[b->g->n - 1][1] = insn.target;
		node->indirect = insn.kind == TFS_INSN_JUMP && !insn.has_target;
	}
	return rc;
}

static int by_begin(const void *a, const void *b)
{
	const struct tfs_flow_graph_node *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static long node_of(const struct tfs_flow_graph *g, uint64_t begin)
{
	const struct tfs_flow_graph_node key = { .begin = begin };
	const struct tfs_flow_graph_node *found =
		begin ? bsearch(&key, g->node, g->n, sizeof(key), by_begin) : NULL;

	return found ? found - g->node : -1;
}

/* The nodes of a function's ranges need not ascend; -1 in @next until then. */
static int connect(struct building *b)
{
	struct tfs_flow_graph *g = b->g;
	struct tfs_flow_graph_node *node = g->node;
	uint64_t last = 0;

	if (!node || !b->target)
		return -ENOENT;
	for (size_t i = 0; i < g->n; i++) {
		if (node[i].begin < last)
			return -ENOENT;
		last = node[i].begin;
	}
	for (size_t i = 0; i < g->n; i++) {
		for (int k = 0; k < 2; k++) {
			long to = node_of(g, b->target[i][k]);

			node[i].next[k] = to;
			if (to >= 0)
				node[to].orphan = false;
		}
	}
	return 0;
}

static int by_from(const void *a, const void *b)
{
	const struct tfs_code_range *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int build(const struct tfs_dso *dso, const struct tfs_code_range *range,
		 const struct tfs_flow_graph_code *code, struct tfs_flow_graph *out)
{
	struct building b = { .g = out };
	struct leaders l = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < code->n_ranges; i++)
		rc = scan_range(dso, &range[i], code, &l);
	for (size_t i = 0; !rc && i < code->n; i++)
		rc = add_leader(&l, code->cut[i]);
	if (!rc)
		sort_leaders(&l);
	for (size_t i = 0; !rc && i < code->n_ranges; i++)
		rc = build_range(dso, &range[i], code, &l, &b);
	if (!rc)
		rc = connect(&b);
	out->entry = rc ? 0 : code->entry;
	free(l.v);
	free(b.target);
	return rc;
}

int tfs_flow_graph_build(const struct tfs_dso *dso, const struct tfs_flow_graph_code *code,
			 struct tfs_flow_graph *out)
{
	struct tfs_code_range range[TFS_CODE_RANGES_MAX];
	uint64_t left = FUNC_MAX;

	*out = (struct tfs_flow_graph){ 0 };
	if (!code->n_ranges || code->n_ranges > TFS_CODE_RANGES_MAX)
		return -ENOENT;
	memcpy(range, code->range, code->n_ranges * sizeof(*range));
	for (size_t i = 0; i < code->n_ranges; i++) {
		if (range[i].from >= range[i].to || range[i].to - range[i].from > left)
			return -ENOENT;
		left -= range[i].to - range[i].from;
	}
	qsort(range, code->n_ranges, sizeof(*range), by_from);
	return build(dso, range, code, out);
}

void tfs_flow_graph_release(struct tfs_flow_graph *g)
{
	free(g->node);
	*g = (struct tfs_flow_graph){ 0 };
}

long tfs_flow_graph_at(const struct tfs_flow_graph *g, uint64_t addr)
{
	size_t low = tfs_bisect(i, g->n, g->node[i].begin <= addr);

	return low && addr < g->node[low - 1].end ? (long)low - 1 : -1;
}

/* struct visit - nodes to go on from; @seen: nodes that have been, or may not be passed */
struct visit {
	const struct tfs_flow_graph *g;
	long *stack;
	size_t n;
	bool *seen;
	bool jumped;
};

static void push(struct visit *v, long node)
{
	if (node < 0 || v->seen[node])
		return;
	v->seen[node] = true;
	v->stack[v->n++] = node;
}

static void push_next(struct visit *v, const struct tfs_flow_graph_node *node)
{
	push(v, node->next[0]);
	push(v, node->next[1]);
	/* through a table: to whatever nothing else leads to */
	for (size_t i = 0; node->indirect && !v->jumped && i < v->g->n; i++) {
		if (v->g->node[i].orphan && v->g->node[i].begin != v->g->entry)
			push(v, (long)i);
	}
	v->jumped |= node->indirect;
}

bool tfs_flow_graph_reaches(const struct tfs_flow_graph *g, long from, long to, const long *avoid,
			    size_t n)
{
	struct visit v = { .g = g };
	bool reached = true;

	v.stack = malloc(g->n * sizeof(*v.stack));
	v.seen = calloc(g->n, sizeof(*v.seen));
	if (!v.stack || !v.seen)
		goto out;
	for (size_t i = 0; i < n; i++) {
		if (avoid[i] >= 0 && avoid[i] != to)
			v.seen[avoid[i]] = true;
	}
	if (from < 0)
		push(&v, tfs_flow_graph_at(g, g->entry));
	else
		push_next(&v, &g->node[from]);
	while (v.n && !v.seen[to])
		push_next(&v, &g->node[v.stack[--v.n]]);
	reached = v.seen[to];
out:
	free(v.stack);
	free(v.seen);
	return reached;
}
