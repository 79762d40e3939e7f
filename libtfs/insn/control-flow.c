/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/control-flow.h"

#include <errno.h>
#include <stdlib.h>

#include "dso/dso-internal.h"
#include "dso/dso.h"
#include "insn/insn.h"

/* Bytes of one function; what claims to be larger is none, or is damaged. */
#define FUNC_MAX (1U << 20)

/**
 * struct tfs_control_flow - where control can arrive in a function; a dso keeps the last one
 * @func: whose it is
 * @leader: addresses, ascending: where the function's ranges begin and end, where a branch goes,
 *	what follows an instruction that may go elsewhere
 * @known: false if control may arrive elsewhere as well: a jump through a table, code that is not
 *	understood
 */
struct tfs_control_flow {
	const void *func;
	uint64_t *leader;
	size_t n;
	size_t cap;
	bool known;
};

static int add(struct tfs_control_flow *flow, uint64_t addr)
{
	if (flow->n == flow->cap) {
		size_t cap = flow->cap ? 2 * flow->cap : 256;
		uint64_t *bigger = reallocarray(flow->leader, cap, sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		flow->leader = bigger;
		flow->cap = cap;
	}
	flow->leader[flow->n++] = addr;
	return 0;
}

static int add_insn(struct tfs_control_flow *flow, const struct tfs_insn *insn, uint64_t next)
{
	int rc;

	if (insn->kind == TFS_INSN_OTHER)
		return 0;
	/* Through a table of the function's own, or to another function: it cannot be seen. */
	if (insn->kind == TFS_INSN_JUMP && !insn->has_target)
		flow->known = false;
	rc = add(flow, next);
	if (!rc && insn->has_target)
		rc = add(flow, insn->target);
	return rc;
}

static int add_range(struct tfs_dso *dso, struct tfs_control_flow *flow, uint64_t from, uint64_t to)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	uint64_t addr;
	int rc = tfs_insn_walk(dso, from, to, &walk);

	if (!rc)
		rc = add(flow, from);
	if (!rc)
		rc = add(flow, to);
	if (rc)
		return rc;
	while (flow->known && (rc = tfs_insn_next(&walk, &addr, &insn)) > 0) {
		rc = add_insn(flow, &insn, walk.addr);
		if (rc)
			return rc;
	}
	if (rc < 0)
		flow->known = false;
	return 0;
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int build(struct tfs_dso *dso, struct tfs_control_flow *flow, Dwarf_Die *func)
{
	Dwarf_Addr base, from, to;
	uint64_t left = FUNC_MAX;
	ptrdiff_t at = 0;
	int rc = 0;

	flow->func = NULL;
	flow->n = 0;
	/* The kernel rewrites jumps while it runs. */
	flow->known = tfs_dso_kind(dso) == TFS_DSO_PROGRAM;
	while (!rc && flow->known && (at = dwarf_ranges(func, at, &base, &from, &to)) > 0) {
		flow->known = from <= to && to - from <= left;
		left -= flow->known ? to - from : 0;
		if (flow->known)
			rc = add_range(dso, flow, from, to);
	}
	if (rc && rc != -EOPNOTSUPP)
		return rc;
	flow->known = flow->known && !rc && at == 0;
	if (flow->n)
		qsort(flow->leader, flow->n, sizeof(*flow->leader), by_addr);
	flow->func = func->addr;
	return 0;
}

static void release(struct tfs_dso *dso)
{
	free(dso->flow->leader);
	free(dso->flow);
	dso->flow = NULL;
}

/* The control flow that the dso keeps; NULL without memory. */
static struct tfs_control_flow *flow_of(struct tfs_dso *dso)
{
	if (!dso->flow) {
		dso->flow = calloc(1, sizeof(*dso->flow));
		if (dso->flow)
			tfs_dso_on_free(dso, release);
	}
	return dso->flow;
}

int tfs_basic_block_at(struct tfs_dso *dso, Dwarf_Die *func, uint64_t addr,
		       struct tfs_basic_block *block)
{
	struct tfs_control_flow *flow = flow_of(dso);
	size_t low = 0, high;
	int rc;

	if (!flow)
		return -ENOMEM;
	if (flow->func != func->addr) {
		rc = build(dso, flow, func);
		if (rc)
			return rc;
	}
	if (!flow->known)
		return -ENOENT;
	high = flow->n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (flow->leader[mid] <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || low == flow->n)
		return -ENOENT;
	block->begin = flow->leader[low - 1];
	block->end = flow->leader[low];
	return 0;
}
