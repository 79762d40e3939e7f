/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/scope.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "dso/image-internal.h"
#include "dso/image.h"
#include "dwarf/func.h"
#include "dwarf/scope-internal.h"

/* The function or inlined copy that the point is in, and the entry of what is not inlined. */
static int find_func(struct tfs_image *img, const struct tfs_point *point, struct tfs_scope *scope)
{
	Dwarf_Die unit, func;
	int tag, rc;

	rc = tfs_unit_at(img, point->addr, &unit);
	if (!rc)
		rc = tfs_func_at(img, &unit, point->addr, &func);
	if (rc)
		return rc;
	rc = tfs_die_entry(&func, &scope->entry);
	scope->func = point->scope->die;
	tag = dwarf_tag(&scope->func);
	/* at the entry of two copies, one in the other, the point says which is meant */
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		tfs_die_copy_at(&func, point->addr, &scope->func);
	return rc;
}

static int fill(struct tfs_image *img, const struct tfs_point *point, struct tfs_scope *scope)
{
	uint64_t off;

	scope->img = img;
	scope->pc = point->addr;
	scope->mod = tfs_image_dwfl(img);
	if (!scope->mod || !tfs_image_dwarf(img))
		return -ENODATA;
	scope->machine = tfs_image_machine(img);
	if (!scope->machine)
		return -ENODATA;
	scope->kernel = tfs_image_kind(img) != TFS_IMAGE_PROGRAM;
	scope->relocated = tfs_image_is_pie(img);
	if (!scope->kernel && !tfs_image_file_offset(img, point->addr, &off))
		scope->delta = (int64_t)(point->addr - off);
	return find_func(img, point, scope);
}

int tfs_scope_new(struct tfs_image *img, const struct tfs_point *point, bool is_return,
		  struct tfs_scope **out, struct tfs_err *err)
{
	struct tfs_scope *scope;
	int rc;

	if (!point->scope && (!tfs_image_has_dwarf(img) || tfs_image_split_missing(img)))
		return tfs_image_no_dwarf(img, err);
	if (!point->scope)
		return tfs_err_say(err, -ENODATA, "there is no debug information for '%s'",
				   point->func ? point->func : "this address");
	scope = calloc(1, sizeof(*scope));
	if (!scope)
		return tfs_err_set(err, -ENOMEM, "cannot look up variables");
	scope->is_return = is_return;
	scope->go_return = point->flags & TFS_POINT_RET;
	scope->in_body = point->flags & TFS_POINT_BODY;
	if (point->flags & TFS_POINT_LINE) {
		scope->line = point->line;
		scope->file = point->file;
	}
	rc = fill(img, point, scope);
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
