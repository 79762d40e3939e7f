/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/scope.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "dso/dso-elf.h"
#include "dso/dso.h"
#include "dwarf/debuginfo-internal.h"
#include "dwarf/func-internal.h"
#include "dwarf/func.h"
#include "dwarf/unit.h"

/* The function or inlined copy that the point is in, and the entry of what is not inlined. */
static int find_func(struct tfs_debuginfo *dbg, const struct tfs_point *point,
		     struct tfs_scope *scope)
{
	Dwarf_Die unit, func;
	int tag, rc;

	rc = tfs_unit_at(dbg, point->addr, &unit);
	if (!rc)
		rc = tfs_func_at(dbg, &unit, point->addr, &func);
	if (rc)
		return rc;
	rc = tfs_die_entry(dbg, &func, &scope->entry);
	scope->func = point->scope->die;
	tag = dwarf_tag(&scope->func);
	/* at the entry of two copies, one in the other, the point says which is meant */
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		tfs_die_copy_at(&func, point->addr, &scope->func);
	return rc;
}

static int fill(struct tfs_debuginfo *dbg, const struct tfs_point *point, struct tfs_scope *scope)
{
	uint64_t off;

	scope->dbg = dbg;
	scope->dso = dbg->dso;
	scope->pc = point->addr;
	scope->mod = tfs_dso_dwfl(dbg->dso);
	if (!scope->mod || !tfs_debuginfo_dwarf(dbg))
		return -ENODATA;
	scope->machine = tfs_dso_machine(dbg->dso);
	if (!scope->machine)
		return -ENODATA;
	scope->kernel = tfs_dso_kind(dbg->dso) != TFS_DSO_PROGRAM;
	scope->relocated = tfs_dso_is_pie(dbg->dso);
	if (!scope->kernel && !tfs_dso_file_offset(dbg->dso, point->addr, &off))
		scope->delta = (int64_t)(point->addr - off);
	return find_func(dbg, point, scope);
}

int tfs_scope_new(struct tfs_debuginfo *dbg, const struct tfs_point *point, unsigned int flags,
		  struct tfs_scope **out, struct tfs_err *err)
{
	struct tfs_scope *scope;
	int rc;

	if (!point->scope && (!tfs_debuginfo_available(dbg) || tfs_debuginfo_split_missing(dbg)))
		return tfs_debuginfo_missing(dbg, err);
	if (!point->scope)
		return tfs_err_say(err, -ENODATA, "there is no debug information for '%s'",
				   point->func ? point->func : "this address");
	scope = calloc(1, sizeof(*scope));
	if (!scope)
		return tfs_err_set(err, -ENOMEM, "cannot look up variables");
	scope->is_return = flags & TFS_SCOPE_RETURN;
	scope->go_return = point->flags & TFS_POINT_RET;
	scope->in_body = point->flags & TFS_POINT_BODY;
	if (point->flags & TFS_POINT_LINE) {
		scope->line = point->line;
		scope->file = point->file;
	}
	rc = fill(dbg, point, scope);
	if (rc) {
		free(scope);
		return tfs_err_say(err, rc == -ENOMEM ? rc : -ENODATA,
				   "the debug information does not cover '%s'",
				   point->func ? point->func : "this address");
	}
	*out = scope;
	return 0;
}

void tfs_scope_free(struct tfs_scope *scope)
{
	free(scope);
}
