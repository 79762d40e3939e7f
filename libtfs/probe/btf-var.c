/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/btf-var.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/strbuf-core.h"
#include "btf/btf-name.h"
#include "btf/btf.h"
#include "dso/arch/machine.h"
#include "probe/fetch-build.h"
#include "probe/fetch-type.h"
#include "probe/var-internal.h"

/*
 * struct var_at - where a path has led to
 * @fetch: base and dereferences: the value itself, or with @memory the address that @bit counts
 *	from
 * @type: of what is selected, peeled
 * @bits: of a bitfield, else 0
 */
struct var_at {
	const struct tfs_btf_scope *scope;
	struct tfs_fetch fetch;
	struct tfs_btf_type type;
	bool memory;
	uint64_t bit;
	unsigned int bits;
	struct tfs_refusing *r;
};

static int damaged(struct tfs_refusing *r)
{
	return tfs_var_refuse(r, TFS_REFUSAL_DAMAGED, "the type information (BTF) is damaged");
}

static unsigned int pointer_size(const struct var_at *p)
{
	return p->scope->machine->bits / 8;
}

static bool is_struct(const struct tfs_btf_type *t)
{
	return t->kind == TFS_BTF_STRUCT || t->kind == TFS_BTF_UNION;
}

/* Passed in one register, whatever the other arguments are. */
static bool is_plain(const struct tfs_btf_type *t)
{
	return t->kind == TFS_BTF_PTR ||
	       ((t->kind == TFS_BTF_INT || t->kind == TFS_BTF_ENUM || t->kind == TFS_BTF_ENUM64) &&
		t->size <= 8);
}

/* --- where a parameter is --- */

/* The value of the @n-th argument, when all before it are plain too. */
static int locate_param(struct var_at *p, unsigned int n)
{
	const struct tfs_machine *machine = p->scope->machine;
	unsigned int regs = 0, slot;

	if (!machine->arg[0])
		return tfs_var_refuse(p->r, TFS_REFUSAL_UNSUPPORTED,
				      "how functions are called on %s is not known without debug "
				      "information",
				      p->scope->machine->name);
	while (machine->arg[regs])
		regs++;
	if (n < regs) {
		p->fetch.base = TFS_FETCH_REG;
		snprintf(p->fetch.reg, sizeof(p->fetch.reg), "%s", machine->arg[n]);
		return 0;
	}
	if (machine->arg_stack < 0)
		return tfs_var_refuse(p->r, TFS_REFUSAL_UNSUPPORTED,
				      "it is passed on the stack, and without debug information "
				      "it is not known where");
	slot = n - regs;
	p->fetch.base = TFS_FETCH_STACK;
	p->memory = true;
	p->bit = ((uint64_t)machine->arg_stack + slot * 8ULL) * 8;
	/* a shorter value is at the end of its slot */
	if (p->scope->machine->big && p->type.kind != TFS_BTF_PTR && p->type.size < 8)
		p->bit += (8 - p->type.size) * 8ULL;
	return 0;
}

static int find_proto(const struct tfs_btf_scope *scope, struct tfs_btf_type *proto,
		      struct tfs_refusing *r)
{
	if (tfs_btf_func(scope->btf, scope->func, proto))
		return tfs_var_refuse(r, TFS_REFUSAL_NO_VARIABLE,
				      "the kernel's type information (BTF) has no prototype of "
				      "'%s'",
				      scope->func);
	return 0;
}

/* A return value in memory moves all arguments. */
static int check_return(const struct tfs_btf_scope *scope, const struct tfs_btf_type *proto,
			struct tfs_refusing *r)
{
	struct tfs_btf_type ret;

	if (tfs_btf_peel(scope->btf, proto->ref, &ret))
		return damaged(r);
	if (ret.kind == TFS_BTF_VOID || is_plain(&ret))
		return 0;
	return tfs_var_refuse(r, TFS_REFUSAL_UNSUPPORTED,
			      "the function returns a structure: where its arguments are depends "
			      "on more than the prototype");
}

/* The parameter @n of @proto; refused if one before it is passed in a way that is not sure. */
static int begin_param(struct var_at *p, const struct tfs_btf_type *proto, unsigned int n)
{
	int rc = check_return(p->scope, proto, p->r);

	for (unsigned int i = 0; i <= n && !rc; i++) {
		const char *name;
		uint32_t type;

		if (tfs_btf_param(p->scope->btf, proto, i, &name, &type) ||
		    tfs_btf_peel(p->scope->btf, type, &p->type))
			return damaged(p->r);
		if (!is_plain(&p->type))
			rc = tfs_var_refuse(p->r, TFS_REFUSAL_UNSUPPORTED,
					    i == n ? "it is a structure passed by value" :
						     "'%s' before it is passed by value: the "
						     "arguments after it can be located only "
						     "with debug information",
					    name);
	}
	return rc ? rc : locate_param(p, n);
}

static int begin_named(struct var_at *p, const char *name)
{
	struct tfs_btf_type proto;
	int rc = find_proto(p->scope, &proto, p->r);

	for (uint32_t i = 0; !rc && i < proto.n; i++) {
		const char *param;
		uint32_t type;

		if (tfs_btf_param(p->scope->btf, &proto, i, &param, &type))
			return damaged(p->r);
		if (!strcmp(param, name))
			return begin_param(p, &proto, i);
	}
	if (!rc)
		rc = tfs_var_refuse(p->r, TFS_REFUSAL_NO_VARIABLE,
				    "'%s' has no such parameter, and of other variables nothing is "
				    "known without debug information",
				    p->scope->func);
	return rc;
}

static int begin_return(struct var_at *p)
{
	struct tfs_btf_type proto;
	int rc = find_proto(p->scope, &proto, p->r);

	if (rc)
		return rc;
	if (tfs_btf_peel(p->scope->btf, proto.ref, &p->type))
		return damaged(p->r);
	if (p->type.kind == TFS_BTF_VOID)
		return tfs_var_refuse(p->r, TFS_REFUSAL_NO_VALUE, "'%s' returns nothing",
				      p->scope->func);
	if (!is_plain(&p->type))
		return tfs_var_refuse(p->r, TFS_REFUSAL_UNSUPPORTED,
				      "what it returns is in more than one register, or in memory");
	p->fetch.base = TFS_FETCH_RETVAL;
	return 0;
}

/* --- a cast --- */

/* A parameter, or what else may be an address. */
static int begin_base(struct var_at *p, const char *base)
{
	static const char number[] = "$arg";
	int rc;

	if (*base == '%') {
		if (!tfs_machine_has(p->scope->machine, base + 1))
			return tfs_var_refuse(p->r, TFS_REFUSAL_NO_VARIABLE,
					      "the kernel knows no register '%s'", base);
		p->fetch.base = TFS_FETCH_REG;
		snprintf(p->fetch.reg, sizeof(p->fetch.reg), "%s", base + 1);
		return 0;
	}
	if (!strncmp(base, number, strlen(number))) {
		p->fetch.base = TFS_FETCH_ARG;
		p->fetch.value = strtol(base + strlen(number), NULL, 10);
		return 0;
	}
	if (!strcmp(base, "$retval")) {
		p->fetch.base = TFS_FETCH_RETVAL;
		return 0;
	}
	rc = begin_named(p, base);
	if (!rc && p->type.kind != TFS_BTF_PTR && p->type.size < pointer_size(p))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "it is too short to be an address");
	return rc;
}

static int begin_cast(struct var_at *p, const char *base)
{
	const char *name = p->scope->cast_to;
	int rc = begin_base(p, base);

	if (!rc && p->memory)
		rc = tfs_fetch_deref(&p->fetch, (int64_t)(p->bit / 8), p->r);
	if (rc)
		return rc;
	p->memory = true;
	p->bit = 0;
	if (tfs_btf_struct(p->scope->btf, name, TFS_BTF_STRUCT, &p->type) &&
	    tfs_btf_struct(p->scope->btf, name, TFS_BTF_UNION, &p->type))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "the kernel's type information (BTF) has no structure '%s'",
				      name);
	return 0;
}

/* --- the way of a path --- */

/* To what the selected pointer points at. */
static int deref(struct var_at *p)
{
	int rc = p->memory ? tfs_fetch_deref(&p->fetch, (int64_t)(p->bit / 8), p->r) : 0;

	if (rc)
		return rc;
	p->memory = true;
	p->bit = 0;
	return tfs_btf_peel(p->scope->btf, p->type.ref, &p->type) ? damaged(p->r) : 0;
}

static int step_member(struct var_at *p, const char *name)
{
	struct tfs_btf_member m;
	int rc = 0;

	if (p->type.kind == TFS_BTF_PTR)
		rc = deref(p);
	if (rc)
		return rc;
	if (p->type.kind == TFS_BTF_FWD &&
	    tfs_btf_struct(p->scope->btf, p->type.name,
			   p->type.flag ? TFS_BTF_UNION : TFS_BTF_STRUCT, &p->type))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "'%s' is declared there, but not defined", p->type.name);
	if (!is_struct(&p->type) || !p->memory)
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "it is not a struct or a pointer to one: no member '%s'",
				      name);
	rc = tfs_btf_find_member(p->scope->btf, &p->type, name, &m);
	if (rc == -ENOENT)
		return tfs_var_refuse(p->r, TFS_REFUSAL_NO_MEMBER, "'%s%s' has no member '%s'",
				      p->type.kind == TFS_BTF_UNION ? "union " : "struct ",
				      p->type.name, name);
	if (rc || tfs_btf_peel(p->scope->btf, m.type, &p->type))
		return damaged(p->r);
	p->bit += m.bit;
	p->bits = m.bits;
	return 0;
}

static int step_index(struct var_at *p, int64_t index)
{
	uint64_t size, off;
	uint32_t type, n;
	int rc = 0;

	if (p->type.kind == TFS_BTF_ARRAY) {
		tfs_btf_array(p->scope->btf, &p->type, &type, &n);
	} else if (p->type.kind == TFS_BTF_PTR) {
		type = p->type.ref;
		rc = deref(p);
	} else {
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "it is neither a pointer nor an array");
	}
	if (rc)
		return rc;
	if (tfs_btf_size(p->scope->btf, type, pointer_size(p), &size))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "the size of its elements is not known");
	if (index < 0 || __builtin_mul_overflow(size, (uint64_t)index, &off) || off > INT32_MAX)
		return tfs_var_refuse(p->r, TFS_REFUSAL_RANGE,
				      "[%" PRId64 "] is more than the kernel can add", index);
	p->bit += off * 8;
	return tfs_btf_peel(p->scope->btf, type, &p->type) ? damaged(p->r) : 0;
}

static int walk(struct var_at *p, const struct tfs_path *path)
{
	int rc = 0;

	for (size_t i = 0; i < path->n && !rc; i++) {
		if (p->bits)
			return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "a bitfield has no members");
		rc = path->step[i].kind == TFS_STEP_INDEX ? step_index(p, path->step[i].index) :
							    step_member(p, path->step[i].name);
	}
	for (unsigned int i = 0; i < path->stars && !rc; i++) {
		if (p->bits || (p->type.kind != TFS_BTF_PTR && p->type.kind != TFS_BTF_ARRAY))
			rc = tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "it is not a pointer");
		else
			rc = step_index(p, 0);
	}
	return rc;
}

/* --- what is fetched --- */

static const char *letter(const struct var_at *p, const struct tfs_var_opts *opts,
			  const struct tfs_btf_type *type)
{
	return tfs_var_letter(opts, tfs_btf_is_signed(p->scope->btf, type));
}

/* The value itself: of memory, one dereference more. */
static int read_it(struct var_at *p)
{
	if (!p->memory)
		return 0;
	if (p->bit % 8)
		return damaged(p->r);
	return tfs_fetch_deref(&p->fetch, (int64_t)(p->bit / 8), p->r);
}

static bool is_text(const struct var_at *p, uint32_t id)
{
	struct tfs_btf_type t;

	return !tfs_btf_peel(p->scope->btf, id, &t) && t.kind == TFS_BTF_INT && t.size == 1 &&
	       !strcmp(t.name, "char");
}

static bool is_const(const struct var_at *p, uint32_t id)
{
	struct tfs_btf_type t;

	while (!tfs_btf_type(p->scope->btf, id, &t)) {
		if (t.kind == TFS_BTF_CONST)
			return true;
		if (t.kind != TFS_BTF_VOLATILE && t.kind != TFS_BTF_TYPEDEF &&
		    t.kind != TFS_BTF_TYPE_TAG)
			return false;
		id = t.ref;
	}
	return false;
}

/* A number that has room for one may be a pointer: what struct pt_regs holds. */
static int follow_number(struct var_at *p)
{
	int rc = read_it(p);

	p->memory = true;
	p->bit = 0;
	return rc;
}

/* Text, or a row of values, where a pointer points to or an array is. */
static int emit_there(struct var_at *p, const char *type)
{
	int rc = 0;

	if (p->bits)
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "a bitfield is not a string");
	if (p->type.kind == TFS_BTF_PTR)
		rc = deref(p);
	else if (p->type.kind == TFS_BTF_INT && p->type.size == pointer_size(p))
		rc = follow_number(p);
	else if (!p->memory || (p->type.kind != TFS_BTF_ARRAY && p->type.kind != TFS_BTF_INT))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "it is neither a pointer nor an array");
	if (!rc && is_struct(&p->type) && !strchr(type, '['))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "a struct is not text: select a member");
	if (!rc)
		rc = read_it(p);
	return rc ? rc : tfs_fetch_set_type(&p->fetch, p->r, "%s", type);
}

static int emit_bitfield(struct var_at *p, const struct tfs_var_opts *opts)
{
	struct tfs_container c;
	int rc;

	if (opts->cast && *opts->cast && !tfs_fetch_type_is_letter(opts->cast))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "a bitfield has no other type");
	/* BTF counts a big-endian bitfield from the other end, as the machine does */
	rc = tfs_fetch_container(p->bit, p->bits, p->scope->machine->big, &c, p->r);
	if (rc)
		return rc;
	rc = tfs_fetch_deref(&p->fetch, (int64_t)c.byte, p->r);
	return rc ? rc :
		    tfs_fetch_set_bits(&p->fetch, opts, &c, p->bits,
				       tfs_btf_is_signed(p->scope->btf, &p->type), p->r);
}

static int emit_array(struct var_at *p, const struct tfs_var_opts *opts)
{
	struct tfs_btf_type element;
	uint32_t id, n;
	uint64_t size;
	int rc;

	tfs_btf_array(p->scope->btf, &p->type, &id, &n);
	if (is_text(p, id) && !(opts->cast && *opts->cast) && !opts->no_guessed_strings)
		return emit_there(p, "string");
	if (tfs_btf_peel(p->scope->btf, id, &element) || !is_plain(&element) || !n ||
	    tfs_btf_size(p->scope->btf, id, pointer_size(p), &size))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE,
				      "an array: select an element, as in [0]");
	rc = read_it(p);
	return rc ? rc :
		    tfs_fetch_set_type(&p->fetch, p->r, "%s%u[%u]", letter(p, opts, &element),
				       (unsigned int)size * 8,
				       n > TFS_FETCH_ARRAY_MAX ? TFS_FETCH_ARRAY_MAX : n);
}

static int emit_scalar(struct var_at *p, const struct tfs_var_opts *opts)
{
	uint64_t size;
	int rc;

	if (tfs_btf_size(p->scope->btf, p->type.id, pointer_size(p), &size) ||
	    !tfs_fetch_is_width(size * 8))
		return tfs_var_refuse(
			p->r, TFS_REFUSAL_TYPE, "%s",
			is_struct(&p->type) ?
				"a struct: select a member, or take its address with &" :
				"its type has no value that the kernel could read");
	rc = read_it(p);
	if (rc)
		return rc;
	if (opts->cast && *opts->cast && !tfs_fetch_type_is_letter(opts->cast))
		return tfs_fetch_set_type(&p->fetch, p->r, "%s", opts->cast);
	return tfs_fetch_set_type(&p->fetch, p->r, "%s%u", letter(p, opts, &p->type),
				  (unsigned int)size * 8);
}

static int emit_address(struct var_at *p, const struct tfs_var_opts *opts)
{
	if (!p->memory || p->bits)
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "it has no address");
	if (p->bit)
		return tfs_var_refuse(p->r, TFS_REFUSAL_ARITHMETIC,
				      "its address would have to be computed");
	return tfs_fetch_set_type(&p->fetch, p->r, "%s%u",
				  tfs_fetch_type_is_letter(opts->cast) ? opts->cast : "x",
				  p->scope->machine->bits);
}

static int emit(struct var_at *p, const struct tfs_var_opts *opts)
{
	const char *cast = opts->cast ? opts->cast : "";

	p->fetch.user = opts->user;
	if (!tfs_fetch_type_is_word(cast))
		return tfs_var_refuse(p->r, TFS_REFUSAL_TYPE, "'%s' is not a type", cast);
	if (tfs_fetch_type_is(cast, TFS_FETCH_TEXT) || strchr(cast, '['))
		return emit_there(p, cast);
	if (p->bits)
		return emit_bitfield(p, opts);
	if (p->type.kind == TFS_BTF_ARRAY)
		return emit_array(p, opts);
	if (p->type.kind == TFS_BTF_PTR && !*cast && !opts->no_guessed_strings &&
	    is_text(p, p->type.ref) && (!opts->only_const_text || is_const(p, p->type.ref)))
		return emit_there(p, "string");
	return emit_scalar(p, opts);
}

static int fetch_path(const struct tfs_btf_scope *scope, const struct tfs_path *path,
		      const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		      struct tfs_refusing *r)
{
	struct var_at p = { .scope = scope, .r = r };
	bool ret = !strcmp(path->name, "$retval");
	int rc;

	if (ret != scope->is_return)
		return tfs_var_refuse(r, TFS_REFUSAL_NO_VALUE,
				      ret ? "there is a return value only in a return probe: "
					    "FUNCTION%%return" :
					    "a function that has returned has no variables: only "
					    "$retval");
	if (scope->cast_to)
		rc = begin_cast(&p, path->name);
	else
		rc = ret ? begin_return(&p) : begin_named(&p, path->name);
	if (!rc)
		rc = walk(&p, path);
	if (!rc)
		rc = path->address ? emit_address(&p, opts) : emit(&p, opts);
	if (!rc)
		rc = tfs_fetch_name(path, opts, "", &p.fetch);
	return rc ? rc : tfs_fetch_list_take(list, &p.fetch);
}

/* $params, and $vars, of which there are no more. */
static int fetch_all(const struct tfs_btf_scope *scope, const struct tfs_var_opts *opts,
		     struct tfs_fetch_list *list, struct tfs_refusing *r)
{
	struct tfs_var_opts plain = *opts;
	struct tfs_btf_type proto;
	int rc = find_proto(scope, &proto, r);

	plain.name = NULL;
	plain.only_const_text = true;
	for (uint32_t i = 0; !rc && i < proto.n; i++) {
		struct tfs_err one = TFS_ERR_INIT;
		struct tfs_refusing refusing = { .err = &one };
		struct tfs_path path = { 0 };
		const char *name;
		uint32_t type;

		if (tfs_btf_param(scope->btf, &proto, i, &name, &type))
			return damaged(r);
		if (!*name)
			continue;
		path.name = (char *)name;
		rc = fetch_path(scope, &path, &plain, list, &refusing);
		if (rc && refusing.why != TFS_REFUSAL_NONE)
			rc = tfs_fetch_list_refuse(list, name, refusing.why, &one);
	}
	return rc;
}

int tfs_btf_fetch(const struct tfs_btf_scope *scope, const struct tfs_path *path,
		  const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		  enum tfs_refusal *why, struct tfs_err *err)
{
	static const struct tfs_var_opts none;
	struct tfs_refusing r = { .err = err };
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	bool all = !strcmp(path->name, "$params") || !strcmp(path->name, "$vars");
	int rc;

	if (!opts)
		opts = &none;
	if (all && (path->n || path->stars || path->address))
		rc = tfs_var_refuse(&r, TFS_REFUSAL_TYPE, "it has no members");
	else if (all && !scope->is_return)
		rc = fetch_all(scope, opts, list, &r);
	else
		rc = fetch_path(scope, path, opts, list, &r);
	if (why)
		*why = r.why;
	if (rc && r.why != TFS_REFUSAL_NONE && !tfs_path_print(path, &text))
		tfs_err_prefix(err, "'%s'", text.s);
	else if (rc && err && !err->code)
		tfs_err_set(err, rc, "cannot look up '%s'", path->name);
	tfs_strbuf_release(&text);
	return rc;
}

/* --- -V --- */

static int add_var(const struct tfs_btf_scope *scope, const char *name, uint32_t type, bool here,
		   struct tfs_var_list *list)
{
	struct tfs_strbuf sb = TFS_STRBUF_INIT;
	struct tfs_var_info *v;
	int rc;

	if (tfs_grow_one(&list->var, list->n))
		return -ENOMEM;
	v = &list->var[list->n];
	*v = (struct tfs_var_info){ .param = true, .here = here };
	rc = tfs_btf_declare(scope->btf, type, "", &sb);
	if (!rc)
		rc = tfs_strbuf_detach(&sb, &v->type);
	v->name = strdup(name);
	v->range = strdup("");
	list->n++;
	tfs_strbuf_release(&sb);
	return rc || (v->name && v->range) ? rc : -ENOMEM;
}

int tfs_btf_vars(const struct tfs_btf_scope *scope, struct tfs_var_list *list, struct tfs_err *err)
{
	struct tfs_refusing r = { .err = err };
	struct tfs_btf_type proto;
	int rc = find_proto(scope, &proto, &r);

	for (uint32_t i = 0; !rc && i < proto.n; i++) {
		struct tfs_refusing quiet = { 0 };
		struct var_at p = { .scope = scope, .r = &quiet };
		const char *name;
		uint32_t type;

		if (tfs_btf_param(scope->btf, &proto, i, &name, &type))
			return damaged(&r);
		if (*name)
			rc = add_var(scope, name, type, !begin_param(&p, &proto, i), list);
	}
	return rc && err && !err->code ? tfs_err_set(err, rc, "cannot list the parameters") : rc;
}
