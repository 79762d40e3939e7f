/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/basic-block.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/debuginfo-internal.h"
#include "insn/control-flow-graph.h"

/* struct tfs_func_flow - control flow of the function that was asked for last */
struct tfs_func_flow {
	const void *func;
	struct tfs_control_flow flow;
};

static void release(struct tfs_debuginfo *dbg)
{
	tfs_control_flow_release(&dbg->flow->flow);
	free(dbg->flow);
	dbg->flow = NULL;
}

/* NULL without memory. */
static struct tfs_func_flow *flow_of(struct tfs_debuginfo *dbg)
{
	if (!dbg->flow) {
		dbg->flow = calloc(1, sizeof(*dbg->flow));
		if (dbg->flow)
			tfs_debuginfo_on_free(dbg, release);
	}
	return dbg->flow;
}

static int build(struct tfs_debuginfo *dbg, struct tfs_func_flow *f, Dwarf_Die *func)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;
	int rc = 0;

	f->func = NULL;
	tfs_control_flow_begin(&f->flow, dbg->dso);
	while (!rc && f->flow.known && (at = dwarf_ranges(func, at, &base, &from, &to)) > 0)
		rc = tfs_control_flow_add(&f->flow, dbg->dso, from, to);
	if (rc)
		return rc;
	f->flow.known = f->flow.known && at == 0;
	tfs_control_flow_finish(&f->flow);
	f->func = func->addr;
	return 0;
}

int tfs_basic_block_at(struct tfs_debuginfo *dbg, Dwarf_Die *func, uint64_t addr,
		       struct tfs_basic_block *block)
{
	struct tfs_func_flow *f = flow_of(dbg);
	int rc;

	if (!f)
		return -ENOMEM;
	if (f->func != func->addr) {
		rc = build(dbg, f, func);
		if (rc)
			return rc;
	}
	return tfs_control_flow_block(&f->flow, addr, block);
}

int tfs_func_graph(struct tfs_debuginfo *dbg, Dwarf_Die *func, uint64_t entry, const uint64_t *cut,
		   size_t n, struct tfs_flow_graph *out)
{
	struct tfs_code_range range[TFS_CODE_RANGES_MAX];
	struct tfs_flow_graph_code code = { .range = range, .entry = entry, .cut = cut, .n = n };
	Dwarf_Addr base, from, to;
	ptrdiff_t at = 0;

	*out = (struct tfs_flow_graph){ 0 };
	while ((at = dwarf_ranges(func, at, &base, &from, &to)) > 0) {
		if (code.n_ranges == TFS_CODE_RANGES_MAX)
			return -ENOENT;
		range[code.n_ranges++] = (struct tfs_code_range){ from, to };
	}
	return at < 0 ? -ENOENT : tfs_flow_graph_build(dbg->dso, &code, out);
}
