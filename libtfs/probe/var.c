/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "dwarf/go-abi.h"
#include "dwarf/var-written.h"
#include "probe/var-internal.h"

void tfs_fetch_list_release(struct tfs_fetch_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		tfs_fetch_release(&list->fetch[i]);
	for (i = 0; i < list->n_refused; i++) {
		free(list->refused[i].name);
		free(list->refused[i].text);
	}
	free(list->fetch);
	free(list->refused);
	*list = TFS_FETCH_LIST_INIT;
}

int tfs_fetch_list_take(struct tfs_fetch_list *list, struct tfs_fetch *fetch)
{
	if (tfs_grow_one(&list->fetch, list->n)) {
		tfs_fetch_release(fetch);
		return -ENOMEM;
	}
	list->fetch[list->n++] = *fetch;
	return 0;
}

int tfs_fetch_list_refuse(struct tfs_fetch_list *list, const char *name, enum tfs_refusal why,
			  const struct tfs_err *err)
{
	struct tfs_refused *r;

	if (tfs_grow_one(&list->refused, list->n_refused))
		return -ENOMEM;
	r = &list->refused[list->n_refused];
	*r = (struct tfs_refused){ .name = strdup(name), .why = why, .text = strdup(err->msg) };
	if (!r->name || !r->text) {
		free(r->name);
		free(r->text);
		return -ENOMEM;
	}
	list->n_refused++;
	return 0;
}

/* The name typed; else the last member's; else the variable's, with the type if one was typed. */
int tfs_fetch_name(const struct tfs_path *path, const struct tfs_var_opts *opts, const char *suffix,
		   struct tfs_fetch *fetch)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	const char *name = NULL;
	size_t i;
	int rc;

	for (i = path->n; i-- > 0 && !name;)
		name = path->step[i].name;
	if (opts->name && *opts->name)
		rc = tfs_strbuf_adds(&sb, opts->name);
	else if (name)
		rc = tfs_strbuf_adds(&sb, name);
	else if (path->name[0] == '$')
		rc = tfs_strbuf_adds(&sb, "ret");
	else if (opts->cast && *opts->cast && !path->n)
		rc = tfs_strbuf_addf(&sb, "%s_%s", path->name, opts->cast);
	else
		rc = tfs_strbuf_adds(&sb, path->name);
	if (!rc)
		rc = tfs_strbuf_adds(&sb, suffix);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &fetch->name);
	tfs_strbuf_release(&sb);
	return rc;
}

/* Whether what the path reads of the variable itself is written already. */
static bool is_written(const struct tfs_var_cursor *cur)
{
	const struct tfs_sval *v = &cur->loc.v;
	uint64_t size;

	if (cur->loc.kind != TFS_LOC_MEM || v->base != TFS_SVAL_REG)
		return false;
	/* a pointer in the variable has been followed: that pointer */
	if (v->n)
		return tfs_var_is_written(cur->scope, v->reg, v->off[0], v->size[0]);
	if (cur->bits)
		size = (cur->bit % 8 + cur->bits + 7) / 8;
	else if (tfs_type_size(cur->scope, &cur->type, &size))
		return false;
	return tfs_var_is_written(cur->scope, v->reg, (int64_t)(v->add + cur->bit / 8), size);
}

/*
 * The scheduler may move the instruction that writes a variable past the address from which the
 * debug information says it is there: gcc 12 does so with spills at the beginning of a function.
 */
static int check_written(const struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	uint64_t size = 0;

	if (cur->doubt == TFS_VAR_UNDECLARED)
		return tfs_var_refuse(r, TFS_REFUSAL_NOT_YET,
				      "it is written only after this address: it is declared on "
				      "line %d",
				      cur->declared);
	if (cur->doubt == TFS_VAR_REUSED && tfs_var_at_entry(cur->scope))
		return tfs_var_refuse(r, TFS_REFUSAL_NOT_YET,
				      "its register is written only after the entry");
	if (cur->doubt == TFS_VAR_REUSED)
		return tfs_var_refuse(r, TFS_REFUSAL_NOT_HERE,
				      "not known to be alive at this address: the compiler names "
				      "one register for all of the function");
	if (cur->doubt == TFS_VAR_UNWRITTEN && !is_written(cur))
		return tfs_var_refuse(r, TFS_REFUSAL_NOT_YET,
				      "its place in the frame is written only after the entry, or "
				      "used for others as well");
	if (cur->doubt == TFS_VAR_EMPTY && (cur->loads || !is_written(cur)))
		return tfs_var_refuse(r, TFS_REFUSAL_NOT_YET,
				      "its memory is there, but written only after this address");
	if (cur->bits)
		return tfs_var_cursor_check_written(cur, cur->bits, r);
	if (cur->doubt != TFS_VAR_SURE || tfs_type_size(cur->scope, &cur->type, &size) ||
	    size > UINT32_MAX)
		return 0;
	return tfs_var_cursor_check_written(cur, size * 8, r);
}

/*
 * struct part - one of the two fetches that a sized string becomes
 * @path, @opts: what is wanted and how
 * @length: this is its length
 * @beside: set to the suffix for the name of the other fetch; NULL if there is none
 * @fetch: what it came to
 */
struct part {
	const struct tfs_path *path;
	const struct tfs_var_opts *opts;
	bool length;
	const char *beside;
	struct tfs_fetch fetch;
};

static int emit(struct tfs_var_cursor *cur, struct part *part, struct tfs_refusing *r)
{
	const struct tfs_path *path = part->path;
	int rc = tfs_var_cursor_walk(cur, path, r);

	if (!rc && !path->address)
		rc = check_written(cur, r);
	if (rc)
		return rc;
	if (part->length)
		return tfs_var_cursor_emit_length(cur, part->opts, &part->fetch, r);
	rc = tfs_var_cursor_emit(cur, path->address ? TFS_VAR_ADDRESS : TFS_VAR_VALUE, part->opts,
				 &part->fetch, r);
	part->beside = rc ? NULL : cur->beside;
	return rc;
}

static int fetch_die(const struct tfs_scope *scope, Dwarf_Die *die, struct part *part,
		     struct tfs_refusing *r)
{
	struct tfs_var_cursor cur;
	int rc = scope->go_return ? tfs_var_cursor_begin_result(scope, die, &cur) :
				    tfs_var_cursor_begin(scope, die, &cur);

	if (!rc)
		rc = emit(&cur, part, r);
	tfs_var_cursor_release(&cur);
	return rc;
}

static int fetch_return(const struct tfs_scope *scope, struct part *part, struct tfs_refusing *r)
{
	struct tfs_var_cursor cur;
	int rc;

	if (!scope->is_return)
		return tfs_var_refuse(
			r, TFS_REFUSAL_NO_VALUE,
			"there is a return value only in a return probe: FUNCTION%%return");
	rc = tfs_var_cursor_begin_return(scope, &cur, r);
	if (!rc)
		rc = emit(&cur, part, r);
	tfs_var_cursor_release(&cur);
	return rc;
}

/* One variable, or what is returned if @die is NULL: one fetch, or two with its length. */
static int fetch_parts(const struct tfs_scope *scope, Dwarf_Die *die, const struct tfs_path *path,
		       const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		       struct tfs_refusing *r)
{
	struct part part[2] = { { .path = path, .opts = opts },
				{ .path = path, .opts = opts, .length = true } };
	unsigned int n = 0;
	int rc;

	do {
		rc = die ? fetch_die(scope, die, &part[n], r) : fetch_return(scope, &part[n], r);
		if (!rc)
			rc = tfs_fetch_name(path, opts, n ? part[0].beside : "", &part[n].fetch);
		n++;
	} while (!rc && n < 2 && part[0].beside);
	for (unsigned int i = 0; i < n; i++) {
		if (rc)
			tfs_fetch_release(&part[i].fetch);
		else
			rc = tfs_fetch_list_take(list, &part[i].fetch);
	}
	return rc;
}

/* $params, $vars: one by one; what cannot be had is noted and left out. */
static int fetch_all(const struct tfs_scope *scope, bool locals, const struct tfs_var_opts *opts,
		     struct tfs_fetch_list *list, struct tfs_err *err)
{
	struct tfs_var_opts plain = *opts;
	struct tfs_locals l;
	size_t i, n;
	int rc = tfs_var_locals(scope, &l);

	plain.name = NULL;
	plain.only_const_text = true;
	n = locals ? l.n : l.n_params;
	for (i = 0; i < n && !rc; i++) {
		struct tfs_path path = { .name = (char *)l.v[i].name };
		struct tfs_err one = TFS_ERR_INIT;
		struct tfs_refusing r = { .err = &one };

		if (locals && tfs_var_is_shadowed(&l, i))
			continue;
		rc = fetch_parts(scope, &l.v[i].die, &path, &plain, list, &r);
		if (rc && r.why != TFS_REFUSAL_NONE)
			rc = tfs_fetch_list_refuse(list, path.name, r.why, &one);
	}
	free(l.v);
	return rc ? tfs_err_set(err, rc, "cannot list the function's variables") : 0;
}

static bool is_all(const struct tfs_path *path)
{
	return strcmp(path->name, "$params") == 0 || strcmp(path->name, "$vars") == 0;
}

static bool is_return(const struct tfs_path *path)
{
	return strcmp(path->name, "$retval") == 0;
}

struct results {
	struct tfs_go_result v[TFS_GO_RESULTS_MAX];
	int n;
};

/* One result by its name, or all of them; of several, those that cannot be had are left out. */
static int fetch_chosen(const struct tfs_scope *scope, struct results *results,
			const struct tfs_path *path, const struct tfs_var_opts *opts,
			struct tfs_fetch_list *list, struct tfs_refusing *r)
{
	bool all = is_return(path), found = false;
	int rc = 0;

	if (all && results->n == 1)
		return fetch_parts(scope, &results->v[0].die, path, opts, list, r);
	if (all && (path->n || path->stars || path->address))
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
				      "the function returns %d values: name one of them",
				      results->n);
	for (int i = 0; i < results->n && !rc; i++) {
		struct tfs_path one = *path;
		struct tfs_err err = TFS_ERR_INIT;
		struct tfs_refusing why = { .err = &err };

		one.name = (char *)tfs_var_name(&results->v[i].die);
		if (!one.name || (!all && strcmp(one.name, path->name) != 0))
			continue;
		found = true;
		rc = fetch_parts(scope, &results->v[i].die, &one, opts, list, all ? &why : r);
		if (rc && all && why.why != TFS_REFUSAL_NONE)
			rc = tfs_fetch_list_refuse(list, one.name, why.why, &err);
	}
	if (found || rc)
		return rc;
	return tfs_var_refuse(r, TFS_REFUSAL_NO_VALUE,
			      "a function that returns has no variables but its results: $retval");
}

/* Where a function of Go's returns. */
static int fetch_results(const struct tfs_scope *scope, const struct tfs_path *path,
			 const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
			 struct tfs_refusing *r)
{
	struct results results;
	int rc, n = tfs_go_results(scope, results.v);

	results.n = n;
	if (n == -EOPNOTSUPP)
		return tfs_var_refuse(r, TFS_REFUSAL_UNSUPPORTED,
				      "in which registers this function returns is not known");
	if (n == -E2BIG)
		return tfs_var_refuse(r, TFS_REFUSAL_UNSUPPORTED, "it returns too many values");
	if (n < 0)
		return n;
	if (!n)
		return tfs_var_refuse(r, TFS_REFUSAL_NO_VALUE, "the function returns nothing");
	rc = fetch_chosen(scope, &results, path, opts, list, r);
	for (int i = 0; i < n; i++)
		tfs_loc_release(&results.v[i].loc);
	return rc;
}

static int fetch_one(const struct tfs_scope *scope, const struct tfs_path *path,
		     const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		     struct tfs_refusing *r)
{
	struct tfs_var_target t = { 0 };
	int rc;

	if (scope->go_return) {
		rc = fetch_results(scope, path, opts, list, r);
	} else if (is_return(path)) {
		rc = fetch_parts(scope, NULL, path, opts, list, r);
	} else if (scope->is_return) {
		rc = tfs_var_refuse(r, TFS_REFUSAL_NO_VALUE,
				    "a function that has returned has no variables: only $retval");
		tfs_err_hint(r->err, "probe the function's entry as well; tc-report --graph --pair "
				     "joins the two events");
	} else {
		rc = tfs_var_target(scope, path, &t, r);
		if (rc == -ENOENT) {
			rc = tfs_var_refuse(r, TFS_REFUSAL_NO_VARIABLE,
					    "no such variable is visible there");
			tfs_var_suggest(scope, path->name, r->err);
		} else if (!rc) {
			rc = fetch_parts(scope, &t.die, &t.path, opts, list, r);
			if ((r->why == TFS_REFUSAL_NOT_HERE || r->why == TFS_REFUSAL_ENTRY_VALUE) &&
			    tfs_loc_form(&t.die, NULL) == TFS_LOC_FORM_LIST)
				tfs_var_alive_hint(scope, &t.die, r->err);
		}
	}
	tfs_var_target_release(&t);
	return rc;
}

int tfs_var_fetch(const struct tfs_scope *scope, const struct tfs_path *path,
		  const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		  enum tfs_refusal *why, struct tfs_err *err)
{
	static const struct tfs_var_opts none;
	struct tfs_refusing r = { .err = err };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	int rc;

	if (!opts)
		opts = &none;
	if (is_all(path) && (path->n || path->stars || path->address))
		rc = tfs_var_refuse(&r, TFS_REFUSAL_TYPE, "it has no members");
	else if (is_all(path) && !scope->is_return)
		rc = fetch_all(scope, strcmp(path->name, "$vars") == 0, opts, list, err);
	else
		rc = fetch_one(scope, path, opts, list, &r);
	if (why)
		*why = r.why;
	if (rc && r.why != TFS_REFUSAL_NONE && tfs_path_print(path, &text) == 0)
		tfs_err_prefix(err, "'%s'", text.s);
	tfs_strbuf_release(&text);
	return rc;
}

enum tfs_var_when tfs_var_when(const struct tfs_scope *scope, const struct tfs_path *path)
{
	enum tfs_var_when when = TFS_VAR_AT_ONCE, one;
	struct tfs_var_target t;
	struct tfs_locals l;
	size_t i, n;

	if (scope->is_return || path->name[0] == '$') {
		if (scope->is_return || !is_all(path) || tfs_var_locals(scope, &l))
			return TFS_VAR_AT_ONCE;
		n = strcmp(path->name, "$vars") == 0 ? l.n : l.n_params;
		for (i = 0; i < n; i++) {
			one = tfs_var_when_die(scope, &l.v[i].die);
			if (one != TFS_VAR_NEVER && one > when)
				when = one;
		}
		free(l.v);
		return when;
	}
	if (tfs_var_target(scope, path, &t, NULL))
		when = TFS_VAR_NEVER;
	else if (t.where == TFS_FOUND_LOCAL)
		when = tfs_var_when_die(scope, &t.die);
	tfs_var_target_release(&t);
	return when;
}
