/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "base/strbuf-core.h"

/* Ranges shown of one variable. */
#define RANGES_MAX 64

struct explain {
	const struct tfs_scope *scope;
	Dwarf_Die *die;
	struct tfs_strbuf *out;
};

static const char *kind_of(const struct tfs_loc *loc)
{
	switch (loc->kind) {
	case TFS_LOC_REG:
		return "in a register";
	case TFS_LOC_VALUE:
		return loc->v.base == TFS_SVAL_CONST && !loc->v.n ? "a constant" :
								    "computed from what is at hand";
	case TFS_LOC_BYTES:
		return "a constant";
	case TFS_LOC_IMPLICIT:
		return "a pointer to a variable that has no address";
	case TFS_LOC_PIECES:
		return "in several parts";
	case TFS_LOC_MEM:
		if (loc->v.base == TFS_SVAL_ADDR && !loc->v.n)
			return "in memory of the program";
		return loc->frame ? "on the stack" : "in memory";
	default:
		return tfs_refusal_name(loc->why);
	}
}

/* The fetch argument that a probe there would use. */
static int fetch_there(const struct explain *x, const struct tfs_scope *there)
{
	static const struct tfs_var_opts none;
	const struct tfs_path path = { 0 };
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_refusing r = { .err = &err };
	struct tfs_fetch fetch = { 0 };
	struct tfs_var_cursor cur;
	int rc = tfs_var_cursor_begin(there, x->die, &cur);

	if (!rc)
		rc = tfs_strbuf_addf(x->out, "%s", kind_of(&cur.loc));
	if (!rc && cur.loc.kind != TFS_LOC_NONE) {
		rc = tfs_var_cursor_walk(&cur, &path, &r);
		if (!rc)
			rc = tfs_var_cursor_emit(&cur, TFS_VAR_VALUE, &none, &fetch, &r);
		if (!rc) {
			rc = tfs_strbuf_adds(x->out, ": ");
			if (!rc)
				rc = tfs_fetch_emit(&fetch, x->out);
		} else if (r.why != TFS_REFUSAL_NONE) {
			rc = tfs_strbuf_addf(x->out, " (%s)", err.msg);
		}
	}
	tfs_fetch_release(&fetch);
	tfs_var_cursor_release(&cur);
	return rc ? rc : tfs_strbuf_addc(x->out, '\n');
}

static int explain_list(const struct explain *x, Dwarf_Attribute *attr)
{
	struct tfs_scope there = *x->scope;
	struct tfs_loc_range range = { 0 };
	unsigned int n = 0;
	int more = 0, rc = 0;

	while (!rc && (more = tfs_loc_next(x->scope, attr, &range)) > 0) {
		if (range.start == range.end)
			continue;
		if (n++ == RANGES_MAX)
			return tfs_strbuf_adds(x->out, "    ...\n");
		there.pc = range.start;
		rc = tfs_strbuf_addf(x->out, "  %c %+" PRId64 " to %+" PRId64 ": ",
				     x->scope->pc >= range.start && x->scope->pc < range.end ? '>' :
											       ' ',
				     (int64_t)(range.start - x->scope->entry),
				     (int64_t)(range.end - x->scope->entry));
		if (!rc)
			rc = fetch_there(x, &there);
	}
	if (!rc && more < 0)
		rc = tfs_strbuf_adds(x->out, "    (the list of its places is damaged)\n");
	if (!rc && !n)
		rc = tfs_strbuf_addf(x->out, "    %s\n",
				     tfs_refusal_name(TFS_REFUSAL_OPTIMISED_OUT));
	return rc;
}

static int explain_die(const struct explain *x)
{
	Dwarf_Attribute attr;
	const char *name = tfs_var_name(x->die);
	int rc = tfs_type_name(x->die, x->out);

	if (!rc)
		rc = tfs_strbuf_addf(x->out, " %s\n", name ? name : "?");
	if (rc)
		return rc;
	if (tfs_loc_form(x->die, &attr) == TFS_LOC_FORM_LIST)
		return explain_list(x, &attr);
	rc = tfs_strbuf_adds(x->out, "  > everywhere: ");
	return rc ? rc : fetch_there(x, x->scope);
}

int tfs_var_explain(const struct tfs_scope *scope, const struct tfs_path *path,
		    struct tfs_strbuf *out, struct tfs_err *err)
{
	struct explain x = { .scope = scope, .out = out };
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_err why = TFS_ERR_INIT;
	enum tfs_refusal refusal;
	struct tfs_refusing r = { .err = err };
	struct tfs_var_target t;
	int rc = tfs_var_target(scope, path, &t, &r);

	x.die = &t.die;
	if (!rc)
		rc = explain_die(&x);
	else if (rc == -EINVAL || rc == -ENODATA)
		tfs_err_prefix(err, "'%s'", path->name);
	tfs_var_target_release(&t);
	if (rc == -ENOENT) {
		tfs_err_say(err, rc, "'%s': no such variable is visible there", path->name);
		tfs_var_suggest(scope, path->name, err);
		return rc;
	}
	if (rc == -EINVAL || rc == -ENODATA)
		return rc;
	if (rc)
		return tfs_err_set(err, rc, "cannot explain '%s'", path->name);
	rc = tfs_var_fetch(scope, path, NULL, &list, &refusal, &why);
	for (size_t i = 0; !rc && i < list.n; i++) {
		rc = tfs_strbuf_addf(out, "at %+" PRId64 ": ", (int64_t)(scope->pc - scope->entry));
		if (!rc)
			rc = tfs_fetch_emit(&list.fetch[i], out);
		if (!rc)
			rc = tfs_strbuf_addc(out, '\n');
	}
	if (rc && refusal != TFS_REFUSAL_NONE)
		rc = tfs_strbuf_addf(out, "at %+" PRId64 ": %s\n",
				     (int64_t)(scope->pc - scope->entry), why.msg);
	tfs_fetch_list_release(&list);
	return rc ? tfs_err_set(err, rc, "cannot explain '%s'", path->name) : 0;
}
