/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/func-internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "dwarf/debuginfo-internal.h"
#include "insn/insn.h"

/* The function's point once more, at an instruction of it. */
static int add_return(struct tfs_debuginfo *dbg, const struct tfs_point *func, uint64_t addr,
		      struct tfs_points *out)
{
	struct tfs_point *p = tfs_points_add(out, addr);

	if (!p)
		return -ENOMEM;
	p->entry = func->entry;
	p->end = func->end;
	p->decl_line = func->decl_line;
	p->func = func->func;
	p->symbol = func->symbol;
	p->decl_file = func->decl_file;
	if (func->scope) {
		p->scope = malloc(sizeof(*p->scope));
		if (!p->scope)
			return -ENOMEM;
		*p->scope = *func->scope;
	}
	tfs_point_move(p, addr);
	/* at the entry, its line is that of the declaration */
	if (p->flags & TFS_POINT_ENTRY)
		tfs_point_read_line(dbg, p);
	p->flags = TFS_POINT_RET | (p->flags & TFS_POINT_UNREAD);
	return 0;
}

static int refuse(const struct tfs_point *func, int rc, struct tfs_err *err)
{
	const char *name = func->func ? func->func : "this address";

	switch (rc) {
	case -ENOENT:
		return tfs_err_say(err, rc, "'%s' has no instruction that returns", name);
	case -ENODATA:
		return tfs_err_say(err, rc, "where '%s' ends is not known", name);
	case -EILSEQ:
		return tfs_err_say(err, rc, "'%s' has instructions that are not known", name);
	case -EOPNOTSUPP:
		return tfs_err_say(err, rc, "the machine's instructions are not known");
	default:
		return tfs_err_set(err, rc, "cannot look up where '%s' returns", name);
	}
}

int tfs_point_returns(struct tfs_debuginfo *dbg, struct tfs_point *func, struct tfs_points *out,
		      struct tfs_err *err)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	size_t before = out->n;
	uint64_t addr;
	int rc, more = 0;

	if (func->addr != func->entry || func->end <= func->entry)
		return refuse(func, -ENODATA, err);
	tfs_point_read_decl(dbg, func);
	rc = tfs_insn_walk(dbg->dso, func->entry, func->end, &walk);
	while (!rc && (more = tfs_insn_next(&walk, &addr, &insn)) > 0) {
		if (insn.kind == TFS_INSN_RET)
			rc = add_return(dbg, func, addr, out);
	}
	if (!rc)
		rc = more;
	if (!rc && out->n == before)
		rc = -ENOENT;
	while (rc && out->n > before)
		tfs_points_drop_last(out);
	return rc ? refuse(func, rc, err) : 0;
}
