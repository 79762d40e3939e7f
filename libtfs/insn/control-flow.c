/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "insn/control-flow.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "dso/dso.h"
#include "insn/insn.h"

/* Bytes of one function; what claims to be larger is none, or is damaged. */
#define FUNC_MAX (1U << 20)

static int add(struct tfs_control_flow *flow, uint64_t addr)
{
	if (tfs_grow(&flow->leader, &flow->cap, flow->n + 1))
		return -ENOMEM;
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

static int add_range(struct tfs_control_flow *flow, const struct tfs_dso *dso, uint64_t from,
		     uint64_t to)
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

void tfs_control_flow_begin(struct tfs_control_flow *flow, const struct tfs_dso *dso)
{
	flow->n = 0;
	flow->left = FUNC_MAX;
	/* The kernel rewrites jumps while it runs. */
	flow->known = tfs_dso_kind(dso) == TFS_DSO_PROGRAM;
}

int tfs_control_flow_add(struct tfs_control_flow *flow, const struct tfs_dso *dso, uint64_t from,
			 uint64_t to)
{
	int rc;

	if (!flow->known)
		return 0;
	if (from > to || to - from > flow->left) {
		flow->known = false;
		return 0;
	}
	flow->left -= to - from;
	rc = add_range(flow, dso, from, to);
	if (rc)
		flow->known = false;
	return rc == -EOPNOTSUPP ? 0 : rc;
}

static int by_addr(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

void tfs_control_flow_finish(struct tfs_control_flow *flow)
{
	if (flow->n)
		qsort(flow->leader, flow->n, sizeof(*flow->leader), by_addr);
}

int tfs_control_flow_block(const struct tfs_control_flow *flow, uint64_t addr,
			   struct tfs_basic_block *block)
{
	size_t low;

	if (!flow->known)
		return -ENOENT;
	low = tfs_bisect(i, flow->n, flow->leader[i] <= addr);
	if (!low || low == flow->n)
		return -ENOENT;
	block->begin = flow->leader[low - 1];
	block->end = flow->leader[low];
	return 0;
}

void tfs_control_flow_release(struct tfs_control_flow *flow)
{
	free(flow->leader);
	*flow = (struct tfs_control_flow){ 0 };
}
