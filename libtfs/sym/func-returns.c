/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sym/func-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "sym/image-internal.h"
#include "sym/insn.h"

static int copy_text(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/* The function's point once more, at an instruction of it. */
static int add_return(struct tfs_image *img, const struct tfs_point *func, uint64_t addr,
		      struct tfs_points *out)
{
	struct tfs_point *p = tfs_points_add(out, addr);
	int rc;

	if (!p)
		return -ENOMEM;
	p->entry = func->entry;
	p->end = func->end;
	p->decl_line = func->decl_line;
	rc = copy_text(&p->func, func->func);
	if (!rc)
		rc = copy_text(&p->symbol, func->symbol);
	if (!rc)
		rc = copy_text(&p->decl_file, func->decl_file);
	if (!rc && func->scope) {
		p->scope = malloc(sizeof(*p->scope));
		if (p->scope)
			*p->scope = *func->scope;
		rc = p->scope ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = tfs_point_move(img, p, addr, NULL);
	p->flags = TFS_POINT_RET;
	return rc;
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

int tfs_point_returns(struct tfs_image *img, const struct tfs_point *func, struct tfs_points *out,
		      struct tfs_err *err)
{
	struct tfs_insn_walk walk;
	struct tfs_insn insn;
	size_t before = out->n;
	uint64_t addr;
	int rc, more = 0;

	if (func->addr != func->entry || func->end <= func->entry)
		return refuse(func, -ENODATA, err);
	rc = tfs_insn_walk(img, func->entry, func->end, &walk);
	while (!rc && (more = tfs_insn_next(&walk, &addr, &insn)) > 0) {
		if (insn.kind == TFS_INSN_RET)
			rc = add_return(img, func, addr, out);
	}
	if (!rc)
		rc = more;
	if (!rc && out->n == before)
		rc = -ENOENT;
	while (rc && out->n > before)
		tfs_points_drop_last(out);
	return rc ? refuse(func, rc, err) : 0;
}
