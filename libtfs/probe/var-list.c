/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "base/suggest.h"

/* As many variables as a hint names. */
#define HINT_NAMES_MAX 16

/* Ranges shown; a list may have hundreds. */
#define RANGES_MAX 32

void tfs_var_list_release(struct tfs_var_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->var[i].type);
		free(list->var[i].name);
		free(list->var[i].range);
	}
	free(list->var);
	memset(list, 0, sizeof(*list));
}

/* FUNC+[FROM-TO,...]: distances from the entry of the function that holds the code. */
static int print_ranges(const struct tfs_scope *scope, Dwarf_Attribute *attr,
			struct tfs_strbuf *out)
{
	struct tfs_loc_range r = { 0 };
	uint64_t start = 0, end = 0;
	unsigned int n = 0;
	bool more;
	int rc;

	rc = tfs_strbuf_addc(out, '[');
	do {
		more = tfs_loc_next(scope, attr, &r) > 0;
		if (more && (r.start == r.end || !r.n))
			continue;
		/* from one place right to another, it is alive all the time */
		if (more && start != end && r.start == end) {
			end = r.end;
			continue;
		}
		if (start != end && n++ == RANGES_MAX) {
			rc = tfs_strbuf_adds(out, ",...");
			break;
		}
		if (start != end)
			rc = tfs_strbuf_addf(out, "%s%+" PRId64 "-%+" PRId64, n > 1 ? "," : "",
					     (int64_t)(start - scope->entry),
					     (int64_t)(end - scope->entry));
		start = r.start;
		end = r.end;
	} while (!rc && more);
	return rc ? rc : tfs_strbuf_addc(out, ']');
}

static int range_of(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_strbuf *out)
{
	Dwarf_Attribute attr;

	switch (tfs_loc_form(die, &attr)) {
	case TFS_LOC_FORM_NONE:
		return tfs_strbuf_adds(out, "[nowhere]");
	case TFS_LOC_FORM_CONST:
		return tfs_strbuf_adds(out, "[constant]");
	case TFS_LOC_FORM_ONE:
		return tfs_strbuf_adds(out, "[everywhere]");
	default:
		return print_ranges(scope, &attr, out);
	}
}

void tfs_var_alive_hint(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;

	/* "[]" has none */
	if (range_of(scope, die, &sb) == 0 && sb.len > strlen("[]"))
		tfs_err_hint(err, "it is alive at these distances from the function's entry: %s",
			     sb.s);
	tfs_strbuf_release(&sb);
}

static int add_info(const struct tfs_scope *scope, struct tfs_local *local, unsigned int flags,
		    struct tfs_var_list *list, struct tfs_var_info **out)
{
	Dwarf_Die *die = &local->die;
	struct tfs_strbuf type = TFS_STRBUF_INIT, range = TFS_STRBUF_INIT;
	struct tfs_var_info info = { 0 };
	struct tfs_loc loc;
	int rc = tfs_type_name(die, &type);

	if (!rc && (flags & TFS_VARS_RANGE))
		rc = range_of(scope, die, &range);
	if (!rc)
		rc = tfs_loc_of(scope, die, &loc);
	if (rc)
		goto out;
	info.here = loc.kind != TFS_LOC_NONE;
	tfs_loc_release(&loc);
	rc = tfs_grow_one(&list->var, list->n);
	if (rc)
		goto out;
	info.name = strdup(local->name);
	rc = info.name ? tfs_strbuf_detach(&type, &info.type) : -ENOMEM;
	if (!rc)
		rc = tfs_strbuf_detach(&range, &info.range);
	if (rc) {
		free(info.name);
		free(info.type);
		goto out;
	}
	list->var[list->n] = info;
	*out = &list->var[list->n++];
out:
	tfs_strbuf_release(&type);
	tfs_strbuf_release(&range);
	return rc;
}

static int add_externs(const struct tfs_scope *scope, unsigned int flags, struct tfs_var_list *list)
{
	Dwarf_Die func = scope->func, unit, die;
	struct tfs_var_info *info;
	struct tfs_local local;
	int rc = 0;

	if (!dwarf_diecu(&func, &unit, NULL, NULL) || dwarf_child(&unit, &die) != 0)
		return 0;
	do {
		if (dwarf_tag(&die) != DW_TAG_variable || !tfs_var_name(&die) ||
		    tfs_loc_form(&die, NULL) == TFS_LOC_FORM_NONE)
			continue;
		local = (struct tfs_local){ .die = die, .name = tfs_var_name(&die) };
		rc = add_info(scope, &local, flags, list, &info);
		if (!rc)
			info->external = true;
	} while (!rc && dwarf_siblingof(&die, &die) == 0);
	return rc;
}

int tfs_vars_list(const struct tfs_scope *scope, unsigned int flags, struct tfs_var_list *list,
		  struct tfs_err *err)
{
	struct tfs_var_info *info;
	struct tfs_locals l;
	size_t i;
	int rc = tfs_var_locals(scope, &l);

	for (i = 0; i < l.n && !rc; i++) {
		if (tfs_var_is_shadowed(&l, i))
			continue;
		rc = add_info(scope, &l.v[i], flags, list, &info);
		if (!rc)
			info->param = i < l.n_params;
	}
	free(l.v);
	if (!rc && (flags & TFS_VARS_EXTERNS))
		rc = add_externs(scope, flags, list);
	return rc ? tfs_err_set(err, rc, "cannot list the variables") : 0;
}

void tfs_var_suggest(const struct tfs_scope *scope, const char *name, struct tfs_err *err)
{
	struct tfs_strvec names = TFS_STRVEC_INIT, near = TFS_STRVEC_INIT;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_locals l;
	int rc;

	if (!err)
		return;
	rc = tfs_var_locals(scope, &l);
	for (size_t i = 0; i < l.n && !rc; i++) {
		if (!tfs_strvec_has(&names, l.v[i].name))
			rc = tfs_strvec_push(&names, l.v[i].name);
	}
	free(l.v);
	if (!rc)
		rc = tfs_suggest_names(name, &names, 1, &near);
	for (size_t i = 0; i < names.n && i < HINT_NAMES_MAX && !rc; i++)
		rc = tfs_strbuf_addf(&sb, "%s%s", i ? ", " : "", names.v[i]);
	if (!rc && near.n)
		tfs_err_hint(err, "did you mean '%s'?", near.v[0]);
	else if (!rc && names.n)
		tfs_err_hint(err, "there are: %s%s", sb.s, names.n > HINT_NAMES_MAX ? " ..." : "");
	tfs_strbuf_release(&sb);
	tfs_strvec_release(&near);
	tfs_strvec_release(&names);
}
