/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/resolve-internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "dso/arch/machine.h"
#include "dso/dso-machine.h"
#include "dso/dso.h"
#include "dwarf/debuginfo.h"
#include "dwarf/line.h"
#include "dwarf/scope.h"
#include "dwarf/type.h"
#include "dwarf/var-find.h"
#include "probe/btf-var.h"
#include "probe/dso-btf.h"
#include "probe/features.h"
#include "probe/fetch-type.h"
#include "probe/name.h"
#include "probe/raw.h"
#include "probe/sdt.h"
#include "probe/spec.h"
#include "probe/validate.h"
#include "probe/var.h"

#define WORD "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
/* More than any machine passes in registers. */
#define ARGS_MAX 16

enum tfs_probe_type tfs_probe_type_for(const struct tfs_dso *dso,
				       const struct tfs_probe_resolve_opts *opts)
{
	return tfs_dso_kind(dso) == TFS_DSO_PROGRAM ? TFS_PROBE_UPROBE : opts->kernel_type;
}

void tfs_probe_args_release(struct tfs_probe_args *args)
{
	tfs_strbuf_release(&args->text);
	tfs_strbuf_release(&args->shape);
	tfs_strvec_release(&args->names);
	tfs_probe_means_release(&args->means);
	tfs_strvec_release(&args->left_out);
	free(args->first);
	args->first = NULL;
}

/* In a return probe "ret" is what the function returns. */
static bool is_ret(const struct tfs_probe_spec *spec, const struct tfs_probe_arg *arg)
{
	return spec->ret && !arg->raw && !strncmp(arg->expr, "ret", 3) &&
	       (!arg->expr[3] || strchr(".-[", arg->expr[3]));
}

/* arg1, arg2, ...: what a marker hands over. */
static bool is_marker_arg(const struct tfs_probe_spec *spec, const struct tfs_probe_arg *arg)
{
	static const char word[] = "arg";
	const char *digits = arg->expr + strlen(word);

	return spec->at == TFS_PROBE_AT_SDT && !arg->raw &&
	       !strncmp(arg->expr, word, strlen(word)) && *digits &&
	       strspn(digits, "0123456789") == strlen(digits);
}

bool tfs_probe_wants_dwarf(const struct tfs_probe_spec *spec)
{
	for (size_t i = 0; i < spec->n_args; i++) {
		if (!spec->args[i].raw && !is_marker_arg(spec, &spec->args[i]))
			return true;
	}
	return false;
}

static int arg_path(const struct tfs_probe_spec *spec, const struct tfs_probe_arg *arg,
		    struct tfs_path *path, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (!is_ret(spec, arg))
		return tfs_path_parse(arg->expr, path, err);
	rc = tfs_strbuf_addf(&sb, "$retval%s", arg->expr + 3);
	if (rc)
		tfs_err_set(err, rc, "cannot read '%s'", arg->expr);
	else
		rc = tfs_path_parse(sb.s, path, err);
	tfs_strbuf_release(&sb);
	return rc;
}

/* What %pd and %pD of a variable stand for. */
static const char *name_members(const struct tfs_probe_arg *arg)
{
	return arg->raw ? NULL : tfs_fetch_type_members(arg->type);
}

/* The name of the field, taken from the last member of the path. */
static int name_of(const struct tfs_path *path, char **name)
{
	const char *last = path->name;

	for (size_t i = 0; i < path->n; i++)
		last = path->step[i].name ? path->step[i].name : last;
	*name = strdup(*last == '$' ? "ret" : last);
	return *name ? 0 : -ENOMEM;
}

/* @path becomes that of the name. */
static int add_members(struct tfs_path *path, const char *members, struct tfs_err *err)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (path->stars || path->address || !path->name || !strcmp(path->name, "$params") ||
	    !strcmp(path->name, "$vars"))
		return tfs_err_say(err, -EINVAL, "%%pd and %%pD are for one pointer, by its name");
	rc = tfs_path_print(path, &sb);
	if (!rc)
		rc = tfs_strbuf_adds(&sb, members);
	if (!rc) {
		tfs_path_release(path);
		rc = tfs_path_parse(sb.s, path, err);
	}
	tfs_strbuf_release(&sb);
	return rc;
}

/* The latest place that one of the variables needs. */
static enum tfs_var_when when_all(const struct tfs_probe_spec *spec, const struct tfs_scope *scope)
{
	enum tfs_var_when when, latest = TFS_VAR_AT_ONCE;

	for (size_t i = 0; i < spec->n_args; i++) {
		struct tfs_path path;

		if (spec->args[i].raw || arg_path(spec, &spec->args[i], &path, NULL))
			continue;
		when = tfs_var_when(scope, &path);
		tfs_path_release(&path);
		if (when != TFS_VAR_NEVER && when > latest)
			latest = when;
	}
	return latest;
}

struct paths {
	struct tfs_path *v;
	size_t n;
};

/* $params and $vars: the parameters */
static int add_params(const struct tfs_scope *scope, struct paths *p)
{
	struct tfs_locals l;
	int rc = tfs_var_locals(scope, &l);

	for (size_t i = 0; !rc && i < l.n_params; i++) {
		const char *name = l.v[i].name;

		if (!name)
			continue;
		rc = tfs_grow_one(&p->v, p->n);
		if (!rc)
			p->v[p->n] = (struct tfs_path){ .name = strdup(name) };
		if (!rc)
			rc = p->v[p->n++].name ? 0 : -ENOMEM;
	}
	free(l.v);
	return rc;
}

/* The variables named; @all: with those that stand for all, else taken as they are there. */
static int find_paths(const struct tfs_probe_spec *spec, const struct tfs_scope *all,
		      struct paths *p)
{
	int rc = 0;

	for (size_t i = 0; i < spec->n_args && rc != -ENOMEM; i++) {
		if (spec->args[i].raw)
			continue;
		if (*spec->args[i].expr == '$') {
			rc = all ? add_params(all, p) : 0;
			continue;
		}
		rc = tfs_grow_one(&p->v, p->n);
		if (!rc)
			rc = arg_path(spec, &spec->args[i], &p->v[p->n], NULL);
		if (!rc)
			p->n++;
	}
	return rc == -ENOMEM ? rc : 0;
}

/* Where the compiler moved instructions, not all variables need be there where the code begins. */
static int best_address(const struct tfs_scope *scope, const struct paths *p, uint64_t *addr)
{
	const struct tfs_path **borrowed = calloc(p->n + 1, sizeof(const struct tfs_path *));
	int rc = borrowed ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->n && !rc; i++)
		borrowed[i] = &p->v[i];
	if (!rc && p->n)
		rc = tfs_var_locate(scope, borrowed, p->n, addr);
	free(borrowed);
	return rc;
}

static void paths_release(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++)
		tfs_path_release(&p->v[i]);
	free(p->v);
}

/* Where the prologue or the body begins. */
static int first_line(struct tfs_debuginfo *dbg, struct tfs_point *point, enum tfs_var_when when,
		      uint64_t *addr)
{
	if (when == TFS_VAR_IN_BODY || (point->flags & TFS_POINT_INLINED))
		return tfs_line_body(dbg, point, addr);
	return tfs_line_prologue_end(dbg, point, addr);
}

/* The place for all variables, from the entry of code that was optimised on. */
static int among_moved(const struct tfs_probe_spec *spec, const struct tfs_scope *scope,
		       uint64_t *addr)
{
	struct paths p = { 0 };
	int rc = find_paths(spec, NULL, &p);

	if (!rc)
		rc = best_address(scope, &p, addr);
	paths_release(&p);
	return rc;
}

/* For parameters, from where the line table's prologue ends: they may be stored after that. */
static int after_stores(const struct tfs_probe_spec *spec, const struct tfs_scope *scope,
			uint64_t *addr)
{
	struct tfs_scope there = *scope;
	struct paths p = { 0 };
	int rc;

	there.pc = *addr;
	there.in_body = true;
	rc = find_paths(spec, &there, &p);
	if (!rc)
		rc = best_address(&there, &p, addr);
	paths_release(&p);
	return rc;
}

int tfs_probe_args_move(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
			struct tfs_point *point, struct tfs_err *err)
{
	struct tfs_scope *scope = NULL;
	enum tfs_var_when when;
	uint64_t addr = point->addr;
	int rc;

	if (spec->ret || !point->scope || !tfs_probe_wants_dwarf(spec))
		return 0;
	rc = tfs_scope_new(dbg, point, 0, &scope, err);
	if (rc)
		return rc == -ENODATA ? 0 : rc;
	when = when_all(spec, scope);
	if (when == TFS_VAR_AT_ONCE)
		rc = among_moved(spec, scope, &addr);
	else
		rc = first_line(dbg, point, when, &addr);
	if (!rc && when == TFS_VAR_AFTER_PROLOGUE)
		rc = after_stores(spec, scope, &addr);
	tfs_scope_free(scope);
	/* left at the entry, what is not there yet will be refused there */
	if (rc == -ENOENT || rc == -ENODATA)
		return 0;
	if (rc)
		return tfs_err_set(err, rc, "cannot place a probe in '%s'", point->func);
	if (addr != point->addr)
		tfs_point_move(point, addr);
	if (when != TFS_VAR_AT_ONCE)
		point->flags |= TFS_POINT_BODY;
	return 0;
}

static int add_arg(struct tfs_probe_args *args, const char *name, const char *fetch,
		   const char *type)
{
	int rc = 0;

	if (args->text.len)
		rc = tfs_strbuf_addc(&args->text, ' ');
	if (!rc)
		rc = tfs_strbuf_addf(&args->text, "%s%s%s", name ? name : "", name ? "=" : "",
				     fetch);
	if (!rc)
		rc = tfs_strbuf_addf(&args->shape, "%s:%s ", name ? name : "", type ? type : "");
	/* the kernel calls it argN */
	if (!rc)
		rc = name ? tfs_strvec_push(&args->names, name) :
			    tfs_strvec_pushf(&args->names, "arg%zu", args->names.n + 1);
	return rc;
}

/* A string that is a value as typed: the kernel reads it where the value points to. */
static bool points_to_string(const struct tfs_probe_arg *arg)
{
	if (!tfs_fetch_type_is(arg->type, TFS_FETCH_TEXT))
		return false;
	/* the kernel follows the members of what it knows the type of */
	if (strstr(arg->expr, "->"))
		return false;
	return *arg->expr == '%' || !strcmp(arg->expr, "$retval") ||
	       !strncmp(arg->expr, "$arg", 4) || !strncmp(arg->expr, "$stack", 6);
}

/* $argN is the kernel's, for its own functions: in a program the register has to be named. */
static int check_number(struct tfs_dso *dso, const struct tfs_probe_arg *arg, struct tfs_err *err)
{
	static const char word[] = "$arg";
	const char *digits = arg->expr + strlen(word), *reg;
	unsigned long n;

	if (tfs_dso_kind(dso) != TFS_DSO_PROGRAM || strncmp(arg->expr, word, strlen(word)) != 0 ||
	    !*digits || strspn(digits, "0123456789") != strlen(digits))
		return 0;
	n = strtoul(digits, NULL, 10);
	tfs_err_say(err, -EINVAL, "'%s': the kernel knows the arguments of its own functions only",
		    arg->expr);
	reg = n && n < ARGS_MAX ? tfs_machine_arg(tfs_dso_machine(dso), (unsigned int)n - 1) : NULL;
	if (reg)
		tfs_err_hint(
			err,
			"where a function is entered, its argument %lu is in a register: %%%s, if "
			"it and those before it are integers or pointers",
			n, reg);
	else
		tfs_err_hint(err, "it is on the stack where the function is entered");
	return -EINVAL;
}

/*
 * struct fetching - what @spec asks for at @point, a place in @dso; @args become how to fetch it
 */
struct fetching {
	struct tfs_debuginfo *dbg;
	struct tfs_dso *dso;
	const struct tfs_probe_spec *spec;
	const struct tfs_probe_resolve_opts *opts;
	const struct tfs_point *point;
	struct tfs_probe_args *args;
};

static int add_raw(const struct fetching *f, const struct tfs_probe_arg *arg, struct tfs_err *err)
{
	const struct tfs_probe_resolve_opts *opts = f->opts;
	struct tfs_probe_args *args = f->args;
	struct tfs_dso *dso = f->dso;
	const bool deref = points_to_string(arg);
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc = 0;

	if (arg->name && tfs_strvec_has(&args->names, arg->name)) {
		return tfs_err_say(err, -EINVAL, "two arguments are named '%s'", arg->name);
	}
	rc = check_number(dso, arg, err);
	if (!rc && tfs_dso_kind(dso) != TFS_DSO_PROGRAM)
		rc = tfs_probe_raw_symbols(dso, arg->expr, err);
	if (!rc && tfs_dso_kind(dso) != TFS_DSO_PROGRAM)
		rc = tfs_probe_raw_note(opts->features, arg->expr, opts->notices);
	if (!rc && deref)
		rc = tfs_strbuf_adds(&sb, "+0(");
	if (!rc)
		rc = tfs_probe_raw_add(tfs_dso_machine(dso), arg->expr, &sb, err);
	if (!rc)
		rc = tfs_strbuf_addf(&sb, "%s%s%s", deref ? ")" : "", arg->type ? ":" : "",
				     arg->type ? arg->type : "");
	if (!rc)
		rc = add_arg(args, arg->name, sb.s, arg->type);
	tfs_strbuf_release(&sb);
	return rc;
}

static int leave_out(struct tfs_probe_args *args, const char *expr, const struct tfs_err *why)
{
	if (!args->first) {
		args->first = malloc(sizeof(*args->first));
		if (!args->first)
			return -ENOMEM;
		*args->first = *why;
	}
	return tfs_strvec_pushf(&args->left_out, "%s: %s", expr, why->msg);
}

static int too_much(struct tfs_probe_args *args, const char *name, const char *what)
{
	struct tfs_err why = TFS_ERR_INIT;

	tfs_err_say(&why, -EOPNOTSUPP, "%s", what);
	return leave_out(args, name ? name : "argument", &why);
}

/* An address that has to be read from memory, and is four bytes of it. */
static bool follows_pointer(const struct tfs_fetch *fetch)
{
	return fetch->n_deref > (fetch->base == TFS_FETCH_FILE ? 0 : 1);
}

/* Where a function is entered, the N-th argument's register is $argN. False for another base. */
static bool number_argument(const struct tfs_machine *machine, struct tfs_fetch *fetch)
{
	const char *reg;

	if (fetch->base == TFS_FETCH_STACK)
		return false;
	if (fetch->base != TFS_FETCH_REG)
		return true;
	for (unsigned int i = 0; (reg = tfs_machine_arg(machine, i)); i++) {
		if (strcmp(reg, fetch->reg) != 0)
			continue;
		fetch->base = TFS_FETCH_ARG;
		fetch->value = (int64_t)i + 1;
		return true;
	}
	return false;
}

static int add_meant(struct tfs_probe_args *args, const char *name, const char *text,
		     const struct tfs_fetch *fetch)
{
	int rc = add_arg(args, name, text, fetch->type);

	if (!rc && !tfs_meaning_is_plain(&fetch->means))
		rc = tfs_probe_means_add(&args->means, name, &fetch->means);
	return rc;
}

static int add_fetch(struct tfs_probe_args *args, const struct tfs_fetch *given)
{
	char name[TFS_PROBE_ARG_NAME_MAX + 1];
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_fetch own = *given; /* what it points to is the caller's */
	const struct tfs_fetch *fetch = &own;
	bool unreadable = args->by_number && !number_argument(args->by_number, &own);
	int rc;

	tfs_probe_name_arg(fetch->name, &args->names, name);
	rc = tfs_fetch_emit(fetch, &sb);
	args->followed = args->followed || follows_pointer(fetch);
	if (!rc && unreadable)
		rc = too_much(
			args, fetch->name,
			args->at_return ?
				"it is in no argument's register, and no other is kept until "
				"the function returns" :
				"it is in no argument's register, and an fprobe reads no other");
	else if (!rc && args->narrow && follows_pointer(fetch))
		rc = too_much(args, fetch->name,
			      "a pointer in memory has 32 bits, and the kernel here follows 64");
	else if (!rc && sb.len > args->expr_max)
		rc = too_much(args, fetch->name,
			      args->expr_max == TFS_PROBE_EXPR_MAX ?
				      "what would have to be fetched has more than 63 characters" :
				      "what would have to be fetched has more than 255 characters");
	else if (!rc && args->names.n >= TFS_PROBE_ARGS_MAX)
		rc = too_much(args, fetch->name, "an event has 128 arguments at most");
	else if (!rc)
		rc = add_meant(args, name, sb.s, fetch);
	tfs_strbuf_release(&sb);
	return rc;
}

/*
 * The kernel extends no sign from bits that are not whole bytes of memory (trace_probe_tmpl.h).
 * Recordings know it; what the kernel itself compares and prints does not.
 */
static int note_unsigned(const struct tfs_probe_resolve_opts *opts, const struct tfs_fetch *fetch)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	unsigned long bits;
	uint64_t last;
	int rc;

	if (!fetch->is_signed)
		return 0;
	bits = strtoul(fetch->type + 1, NULL, 10);
	last = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
	rc = tfs_strbuf_addf(
		&sb,
		"%s: %s, because the kernel reads bits as unsigned: %" PRIu64
		" stands for -1, %" PRIu64 " for %" PRId64,
		fetch->name,
		fetch->means.bits ? "without its sign in filters, triggers and text of the kernel" :
				    "recorded without its sign",
		last, last / 2 + 1, -(int64_t)(last / 2) - 1);
	if (!rc && !tfs_strvec_has(opts->notices, sb.s))
		rc = tfs_strvec_push(opts->notices, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

static int note_beyond(const struct tfs_probe_resolve_opts *opts, const struct tfs_fetch *fetch)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (!fetch->beyond)
		return 0;
	rc = tfs_strbuf_addf(&sb, "%s: as %s %" PRIu64 " byte%s after its end %s recorded as well",
			     fetch->name, fetch->type, fetch->beyond, fetch->beyond == 1 ? "" : "s",
			     fetch->beyond == 1 ? "is" : "are");
	if (!rc && !tfs_strvec_has(opts->notices, sb.s))
		rc = tfs_strvec_push(opts->notices, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

static int add_list(const struct tfs_probe_resolve_opts *opts, struct tfs_probe_args *args,
		    const struct tfs_fetch_list *list)
{
	int rc = 0;

	for (size_t i = 0; i < list->n && !rc; i++) {
		rc = add_fetch(args, &list->fetch[i]);
		if (!rc)
			rc = note_unsigned(opts, &list->fetch[i]);
		if (!rc)
			rc = note_beyond(opts, &list->fetch[i]);
	}
	for (size_t i = 0; i < list->n_refused && !rc; i++)
		rc = tfs_strvec_pushf(&args->left_out, "%s: %s", list->refused[i].name,
				      list->refused[i].text);
	return rc;
}

/* Wrong wherever it is looked for, rather than not to be had at this place. */
static bool is_wrong(int rc)
{
	return rc == -ENOMEM || rc == -EINVAL;
}

/*
 * struct var_source - where variables are looked up: debug information, or @btf if @by_btf is set
 */
struct var_source {
	struct tfs_scope *scope;
	bool by_btf;
	struct tfs_btf_scope btf;
};

/* -ENODATA if variables are known, but not at this place. */
static int get_var_source(struct tfs_debuginfo *dbg, const struct tfs_point *point,
			  unsigned int flags, struct var_source *k, struct tfs_err *why)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	if (tfs_debuginfo_available(dbg) || !tfs_dso_has_btf(dso))
		return tfs_scope_new(dbg, point, flags, &k->scope, why);
	k->by_btf = true;
	return tfs_dso_btf_scope(dso, point, flags, &k->btf, why);
}

/* Once, whatever number of functions it is true of. */
static int note_static(const struct tfs_probe_resolve_opts *opts)
{
	static const char text[] =
		"what is known of static functions is from the kernel's type information (BTF), "
		"which can be that of another function of the same name; debug information is sure";

	return tfs_strvec_has(opts->notices, text) ? 0 : tfs_strvec_push(opts->notices, text);
}

/* The recorded return value may be a register's leftover. */
static int note_returned(const struct tfs_probe_resolve_opts *opts, const struct tfs_point *point,
			 const struct var_source *k)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (k->by_btf ? !point->symbol || !strstr(point->symbol, ".isra") :
			tfs_var_returned(k->scope) != TFS_RETURNED_PERHAPS)
		return 0;
	rc = tfs_strbuf_addf(&sb,
			     "%s: the compiler knows all that call it, and drops what it returns "
			     "where nobody uses that: 'ret' may then be anything",
			     point->symbol ? point->symbol : point->func);
	if (!rc && !tfs_strvec_has(opts->notices, sb.s))
		rc = tfs_strvec_push(opts->notices, sb.s);
	tfs_strbuf_release(&sb);
	return rc;
}

static int add_variable(const struct fetching *f, const struct tfs_probe_arg *arg,
			const struct var_source *k, struct tfs_err *err)
{
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_var_opts how = {
		.cast = arg->type,
		.name = arg->name                             ? arg->name :
			is_ret(f->spec, arg) && !arg->expr[3] ? "ret" :
								NULL,
		.no_x_types = !(f->opts->features->has & TFS_PROBE_HAS_X_TYPES),
		.no_char = !(f->opts->features->has & TFS_PROBE_HAS_CHAR),
		.user = arg->user,
		.no_means = f->opts->no_means,
	};
	const char *members = name_members(arg);
	struct tfs_err why = TFS_ERR_INIT;
	struct tfs_path path = { 0 };
	char *name = NULL;
	int rc = arg_path(f->spec, arg, &path, err);

	if (rc)
		return rc;
	if (members) {
		how.cast = "string";
		rc = how.name ? 0 : name_of(&path, &name);
		how.name = name ? name : how.name;
		if (!rc)
			rc = add_members(&path, members, err);
		if (rc)
			goto out;
	}
	rc = k->by_btf ? tfs_btf_fetch(&k->btf, &path, &how, &list, NULL, &why) :
			 tfs_var_fetch(k->scope, &path, &how, &list, NULL, &why);
	if (!rc)
		rc = add_list(f->opts, f->args, &list);
	else if (is_wrong(rc) && err)
		*err = why;
	else
		rc = leave_out(f->args, arg->expr, &why);
out:
	free(name);
	tfs_fetch_list_release(&list);
	tfs_path_release(&path);
	return rc;
}

/*
 * (STRUCT)BASE->MEMBERS, as kernels from 7.3 on take it. @structure: yours; @path: from BASE on
 *
 * Return: 1; 0 for another form, which is the kernel's alone; -ENOMEM.
 */
static int parse_cast(const char *expr, char **structure, struct tfs_path *path)
{
	const char *name = expr + 1, *close = name + strspn(name, WORD), *base = close + 1;
	const size_t len = *close == ')' ? strspn(base, WORD "%$") : 0;
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	int rc;

	if (*expr != '(' || close == name || !len || strncmp(base + len, "->", 2) != 0 ||
	    strpbrk(base + 1, "%$()"))
		return 0;
	if (*base == '$' && strncmp(base, "$arg", 4) != 0 && strncmp(base, "$retval-", 8) != 0)
		return 0;
	/* the parser of paths knows no registers */
	rc = tfs_strbuf_addf(&sb, "base%s", base + len);
	if (!rc)
		rc = tfs_path_parse(sb.s, path, NULL);
	tfs_strbuf_release(&sb);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	free(path->name);
	path->name = strndup(base, len);
	*structure = strndup(name, (size_t)(close - name));
	return path->name && *structure ? 1 : -ENOMEM;
}

static int fetch_cast(const struct fetching *f, const struct tfs_probe_arg *arg,
		      const struct tfs_path *path, const struct tfs_btf_scope *scope,
		      struct tfs_err *err)
{
	const struct tfs_var_opts how = {
		.cast = arg->type,
		.name = arg->name,
		.no_x_types = !(f->opts->features->has & TFS_PROBE_HAS_X_TYPES),
		.no_char = !(f->opts->features->has & TFS_PROBE_HAS_CHAR),
		.no_means = f->opts->no_means,
	};
	struct tfs_fetch_list list = TFS_FETCH_LIST_INIT;
	struct tfs_err why = TFS_ERR_INIT;
	int rc = tfs_btf_fetch(scope, path, &how, &list, NULL, &why);

	if (!rc)
		rc = add_list(f->opts, f->args, &list);
	else if (is_wrong(rc) && err)
		*err = why;
	else
		rc = leave_out(f->args, arg->expr, &why);
	tfs_fetch_list_release(&list);
	return rc;
}

/* A cast for a kernel that has none is looked up here. @done: it was */
static int add_cast(const struct fetching *f, const struct tfs_probe_arg *arg, bool *done,
		    struct tfs_err *err)
{
	struct tfs_btf_scope scope;
	struct tfs_path path = { 0 };
	char *structure = NULL;
	int rc;

	*done = false;
	if (*arg->expr != '(' || tfs_dso_kind(f->dso) == TFS_DSO_PROGRAM ||
	    !tfs_probe_features_lack(f->opts->features, TFS_PROBE_HAS_CASTS) ||
	    !tfs_dso_has_btf(f->dso))
		return 0;
	rc = parse_cast(arg->expr, &structure, &path);
	if (rc > 0 && f->spec->ret == !strcmp(path.name, "$retval") &&
	    !tfs_dso_btf_scope(f->dso, f->point, f->spec->ret ? TFS_SCOPE_RETURN : 0, &scope,
			       NULL)) {
		*done = true;
		scope.cast_to = structure;
		rc = fetch_cast(f, arg, &path, &scope, err);
	}
	tfs_path_release(&path);
	free(structure);
	return rc < 0 ? rc : 0;
}

static int add_marker_arg(const struct fetching *f, const struct tfs_probe_arg *arg,
			  struct tfs_err *err)
{
	struct tfs_err why = TFS_ERR_INIT;
	struct tfs_fetch fetch = { 0 };
	int rc = tfs_marker_fetch(f->dso, f->point->marker, arg->expr, arg->type, &fetch, &why);

	if (!rc && arg->name) {
		free(fetch.name);
		rc = (fetch.name = strdup(arg->name)) ? 0 : -ENOMEM;
	}
	if (!rc)
		rc = add_fetch(f->args, &fetch);
	else if (is_wrong(rc) && err)
		*err = why;
	else
		rc = leave_out(f->args, arg->expr, &why);
	tfs_fetch_release(&fetch);
	return rc;
}

/* All that the author hands over, unless some of it is named. */
static int add_marker(const struct fetching *f)
{
	for (size_t i = 0; i < f->spec->n_args; i++) {
		if (is_marker_arg(f->spec, &f->spec->args[i]))
			return 0;
	}
	return add_list(f->opts, f->args, &f->point->marker->args);
}

/* Where a function of Go's returns, the kernel knows of no return value, but we do. */
static bool is_looked_up(const struct fetching *f, const struct tfs_probe_arg *arg)
{
	if (is_marker_arg(f->spec, arg))
		return false;
	return !arg->raw || ((f->point->flags & TFS_POINT_RET) && !strcmp(arg->expr, "$retval"));
}

/*
 * An argument of a kernel function, asked for at its return: since 6.9 the kernel saves the
 * argument registers at the entry (Documentation/trace/kprobetrace.rst).
 */
static bool is_entry_arg(const struct fetching *f, const struct tfs_probe_arg *arg)
{
	return f->spec->ret && !arg->raw && !is_ret(f->spec, arg) &&
	       strcmp(arg->expr, "$vars") != 0 && tfs_dso_kind(f->dso) != TFS_DSO_PROGRAM;
}

static int add_entry_arg(const struct fetching *f, const struct tfs_probe_arg *arg,
			 struct tfs_err *err)
{
	const struct tfs_machine *by_number = f->args->by_number;
	struct tfs_err why = TFS_ERR_INIT;
	struct var_source k = { 0 };
	int rc;

	if (!(f->opts->features->has & TFS_PROBE_HAS_RETURN_ARGS)) {
		tfs_err_say(&why, -EOPNOTSUPP,
			    "arguments at the return need kernel 6.9 or later, which saves them");
		tfs_err_hint(&why,
			     "probe the function's entry as well; tc-report --graph --pair joins "
			     "the two events");
		return leave_out(f->args, arg->expr, &why);
	}
	rc = get_var_source(f->dbg, f->point, 0, &k, &why);
	if (rc == -ENODATA)
		return leave_out(f->args, arg->expr, &why);
	if (rc) {
		if (err)
			*err = why;
		return rc;
	}
	f->args->by_number = tfs_dso_machine(f->dso);
	f->args->at_return = true;
	rc = add_variable(f, arg, &k, err);
	f->args->by_number = by_number;
	f->args->at_return = false;
	tfs_scope_free(k.scope);
	return rc;
}

static bool wants_scope(const struct fetching *f)
{
	for (size_t i = 0; i < f->spec->n_args; i++) {
		if (is_looked_up(f, &f->spec->args[i]))
			return true;
	}
	return false;
}

/* Find the source of the variables asked for; if there is none here, @unknown says why. */
static int find_variables(const struct fetching *f, struct var_source *k, bool *known,
			  struct tfs_err *unknown, struct tfs_err *err)
{
	int rc;

	*known = false;
	if (!wants_scope(f))
		return 0;
	if (!tfs_debuginfo_available(f->dbg) && !tfs_dso_has_btf(f->dso))
		return tfs_debuginfo_missing(f->dbg, err);
	rc = get_var_source(f->dbg, f->point, f->spec->ret ? TFS_SCOPE_RETURN : 0, k, unknown);
	if (rc)
		return rc == -ENODATA ? 0 : rc;
	*known = true;
	return k->by_btf && k->btf.is_local ? note_static(f->opts) : 0;
}

/* @k: NULL if the variables here are not known; @unknown says why */
static int fetch_one(const struct fetching *f, const struct tfs_probe_arg *arg,
		     const struct var_source *k, const struct tfs_err *unknown, struct tfs_err *err)
{
	bool done = false;
	int rc = arg->raw ? add_cast(f, arg, &done, err) : 0;

	if (rc || done)
		return rc;
	if (is_marker_arg(f->spec, arg))
		rc = add_marker_arg(f, arg, err);
	else if (!is_looked_up(f, arg))
		rc = add_raw(f, arg, err);
	else if (is_entry_arg(f, arg))
		rc = add_entry_arg(f, arg, err);
	else if (!k)
		rc = leave_out(f->args, arg->expr, unknown);
	else
		rc = add_variable(f, arg, k, err);
	if (!rc && k && is_ret(f->spec, arg))
		rc = note_returned(f->opts, f->point, k);
	return rc;
}

static int fetch_all(const struct fetching *f, struct tfs_err *err)
{
	struct tfs_err unknown = TFS_ERR_INIT;
	struct var_source k = { 0 };
	bool known = false;
	int rc = 0;

	if (f->point->marker)
		rc = add_marker(f);
	if (rc)
		return rc;
	rc = find_variables(f, &k, &known, &unknown, err);
	for (size_t i = 0; i < f->spec->n_args && !rc; i++)
		rc = fetch_one(f, &f->spec->args[i], known ? &k : NULL, &unknown, err);
	tfs_scope_free(k.scope);
	if (!rc && !f->args->narrow && f->args->followed && tfs_dso_is_narrow(f->dso))
		rc = tfs_strvec_push(f->opts->notices,
				     "pointers in memory are followed as a kernel of 32 bits does; "
				     "this machine's has 64");
	if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot look up the arguments");
	return rc;
}

int tfs_probe_args_fetch(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
			 const struct tfs_probe_resolve_opts *opts, const struct tfs_point *point,
			 struct tfs_probe_args *args, struct tfs_err *err)
{
	struct tfs_dso *dso = tfs_debuginfo_dso(dbg);
	const enum tfs_probe_type type = tfs_probe_type_for(dso, opts);
	const struct fetching f = {
		.dbg = dbg, .dso = dso, .spec = spec, .opts = opts, .point = point, .args = args
	};

	tfs_strbuf_init(&args->text);
	tfs_strbuf_init(&args->shape);
	args->narrow = opts->native && tfs_dso_is_narrow(dso);
	args->expr_max = opts->features->has & TFS_PROBE_HAS_CASTS ? TFS_PROBE_EXPR_MOST :
								     TFS_PROBE_EXPR_MAX;
	if (!(tfs_probe_type(type)->allows & TFS_PROBE_REGISTERS))
		args->by_number = tfs_dso_machine(dso);
	return spec->n_args || point->marker ? fetch_all(&f, err) : 0;
}
