/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The variable that a path begins with, where that is not what its first word says: Go's package.V,
 * and C++'s m for this->m.
 */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf-core.h"
#include "dwarf/func-name.h"
#include "dwarf/go-abi.h"
#include "dwarf/unit.h"

void tfs_var_target_release(struct tfs_var_target *t)
{
	free(t->step);
	*t = (struct tfs_var_target){ 0 };
}

/* m, in a member function whose class has a member of that name: this->m */
static int find_member(const struct tfs_scope *scope, const struct tfs_path *path,
		       struct tfs_var_target *t)
{
	struct tfs_type type, class;
	struct tfs_member member;
	enum tfs_found where;
	Dwarf_Die this, die;

	if (strchr(path->name, ':') || tfs_var_find(scope, "this", &this, &where, NULL) ||
	    where != TFS_FOUND_LOCAL || tfs_type_of(scope, &this, &type) ||
	    type.class != TFS_TYPE_POINTER)
		return -ENOENT;
	die = type.die;
	if (tfs_type_of(scope, &die, &class) || class.class != TFS_TYPE_STRUCT ||
	    tfs_type_member(scope, &class, path->name, &member))
		return -ENOENT;
	t->step = calloc(path->n + 1, sizeof(*t->step));
	if (!t->step)
		return -ENOMEM;
	t->step[0] = (struct tfs_step){ .kind = TFS_STEP_ARROW, .name = path->name };
	for (size_t i = 0; i < path->n; i++)
		t->step[i + 1] = path->step[i];
	t->die = this;
	t->where = TFS_FOUND_LOCAL;
	t->path.name = (char *)"this";
	t->path.step = t->step;
	t->path.n = path->n + 1;
	return 0;
}

/* "pkg.V" is the end of "example.com/m/pkg.V" */
static bool is_called(const char *name, const char *wanted)
{
	size_t len = strlen(name), want = strlen(wanted);

	return len >= want && !strcmp(name + len - want, wanted) &&
	       (len == want || name[len - want - 1] == '/');
}

/* Each package is a unit, whose variables have the package's path before their names. */
static int find_go(const struct tfs_scope *scope, const char *name, Dwarf_Die *out)
{
	struct tfs_units units = { 0 };
	Dwarf_Die unit, die;

	while (scope->dso && tfs_units_next(scope->dbg, &units, &unit) > 0) {
		if (!tfs_go_is(&unit) || dwarf_child(&unit, &die) != 0)
			continue;
		do {
			const char *own = dwarf_tag(&die) == DW_TAG_variable ? tfs_var_name(&die) :
									       NULL;

			if (own && is_called(own, name) &&
			    tfs_loc_form(&die, NULL) != TFS_LOC_FORM_NONE) {
				*out = die;
				return 0;
			}
		} while (dwarf_siblingof(&die, &die) == 0);
	}
	return -ENOENT;
}

/* "main" of "main.count", "a/b/pkg" of "a/b/pkg.(*T).Method" */
static size_t package_length(const char *func)
{
	const char *slash = strrchr(func, '/');
	const char *dot = strchr(slash ? slash : func, '.');

	return dot ? (size_t)(dot - func) : 0;
}

static int try_go(const struct tfs_scope *scope, const char *package, size_t len, const char *name,
		  struct tfs_var_target *t)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = tfs_strbuf_addf(&sb, "%.*s%s%s", (int)len, package, len ? "." : "", name);

	if (!rc)
		rc = find_go(scope, sb.s, &t->die);
	tfs_strbuf_release(&sb);
	return rc;
}

/* V of the function's own package, or pkg.V, whose member is then the second word. */
static int find_package(const struct tfs_scope *scope, const struct tfs_path *path,
			struct tfs_var_target *t)
{
	const char *func, *dot = strrchr(path->name, '.');
	Dwarf_Die die;
	int rc = -ENOENT;

	if (!tfs_var_function(scope, &die) || !tfs_go_is(&die))
		return -ENOENT;
	func = tfs_die_name(&die);
	if (dot)
		rc = try_go(scope, "", 0, path->name, t);
	else if (func)
		rc = try_go(scope, func, package_length(func), path->name, t);
	if (!rc && dot)
		t->path.name = (char *)dot + 1;
	if (rc == -ENOENT && path->n && path->step[0].kind == TFS_STEP_DOT) {
		rc = try_go(scope, path->name, strlen(path->name), path->step[0].name, t);
		t->path.name = path->step[0].name;
		t->path.step = path->step + 1;
		t->path.n = path->n - 1;
	}
	t->where = TFS_FOUND_UNIT;
	return rc;
}

int tfs_var_target(const struct tfs_scope *scope, const struct tfs_path *path,
		   struct tfs_var_target *t, struct tfs_refusing *r)
{
	struct tfs_refusing none = { 0 };
	int rc, member = -ENOENT;

	*t = (struct tfs_var_target){ .path = *path };
	if (!r)
		r = &none;
	rc = tfs_var_find(scope, path->name, &t->die, &t->where, r);
	/* what a class declares hides what is outside of it */
	if (rc == -ENOENT || rc == -EINVAL || (!rc && t->where != TFS_FOUND_LOCAL))
		member = find_member(scope, path, t);
	if (!member && rc == -EINVAL)
		r->why = TFS_REFUSAL_NONE;
	if (member != -ENOENT)
		return member;
	return rc == -ENOENT ? find_package(scope, path, t) : rc;
}
