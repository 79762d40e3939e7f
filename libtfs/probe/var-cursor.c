/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/strbuf-core.h"
#include "dwarf/go-abi.h"
#include "dwarf/var-struct.h"
#include "dwarf/var-written.h"

static int refuse_loc(struct tfs_refusing *r, const struct tfs_loc *loc)
{
	return tfs_var_refuse(r, loc->why, "%s%s%s", tfs_refusal_name(loc->why),
			      loc->what[0] ? ": " : "", loc->what);
}

int tfs_var_cursor_begin(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_var_cursor *cur)
{
	int rc;

	memset(cur, 0, sizeof(*cur));
	cur->scope = scope;
	rc = tfs_loc_of(scope, die, &cur->loc);
	if (rc)
		return rc;
	cur->doubt = tfs_var_doubt(scope, die, &cur->loc, &cur->declared);
	cur->loads = cur->loc.v.n;
	if (tfs_type_of(scope, die, &cur->type)) {
		tfs_loc_refuse(&cur->loc, TFS_REFUSAL_DAMAGED, "its type is not there");
		cur->type.class = TFS_TYPE_OTHER;
	}
	tfs_type_size(scope, &cur->type, &cur->size);
	if (cur->loc.kind == TFS_LOC_PIECES && tfs_go_is(die))
		tfs_go_locate_pieces(scope, &cur->type, &cur->loc);
	return 0;
}

int tfs_var_cursor_begin_result(const struct tfs_scope *scope, Dwarf_Die *die,
				struct tfs_var_cursor *cur)
{
	struct tfs_go_result results[TFS_GO_RESULTS_MAX];
	int n = tfs_go_results(scope, results);

	memset(cur, 0, sizeof(*cur));
	cur->scope = scope;
	tfs_loc_refuse(&cur->loc, TFS_REFUSAL_UNSUPPORTED, "where it is returned is not known");
	for (int i = 0; i < n; i++) {
		if (results[i].die.addr == die->addr)
			cur->loc = results[i].loc;
		else
			tfs_loc_release(&results[i].loc);
	}
	if (tfs_type_of(scope, die, &cur->type))
		return n == -ENOMEM ? n : -EBADMSG;
	tfs_type_size(scope, &cur->type, &cur->size);
	return n == -ENOMEM ? n : 0;
}

int tfs_var_cursor_begin_return(const struct tfs_scope *scope, struct tfs_var_cursor *cur,
				struct tfs_refusing *r)
{
	Dwarf_Die func = scope->func;
	int rc;

	memset(cur, 0, sizeof(*cur));
	cur->scope = scope;
	cur->loc.kind = TFS_LOC_REG;
	cur->loc.v.base = TFS_SVAL_RET;
	if (tfs_type_of(scope, &func, &cur->type))
		return tfs_var_refuse(r, TFS_REFUSAL_DAMAGED, "the function's type is not there");
	switch (cur->type.class) {
	case TFS_TYPE_VOID:
		return tfs_var_refuse(r, TFS_REFUSAL_NO_VALUE, "the function returns nothing");
	case TFS_TYPE_FLOAT:
		return tfs_var_refuse(r, TFS_REFUSAL_FP_REGISTER,
				      "the function returns a floating-point number, in a register "
				      "that a probe cannot read");
	case TFS_TYPE_ARRAY:
		return tfs_var_refuse(r, TFS_REFUSAL_PIECES,
				      "in which registers an array is returned is not known");
	default:
		break;
	}
	if (tfs_var_returned(scope) == TFS_RETURNED_NOT)
		return tfs_var_refuse(r, TFS_REFUSAL_OPTIMISED_OUT,
				      "nobody uses what the function returns, and the compiler "
				      "dropped it");
	if (tfs_type_size(scope, &cur->type, &cur->size))
		cur->size = 0;
	if (cur->type.class == TFS_TYPE_STRUCT) {
		rc = tfs_var_locate_struct(scope, &cur->type, cur->size, &cur->loc);
		return rc || cur->loc.kind != TFS_LOC_NONE ? rc : refuse_loc(r, &cur->loc);
	}
	if (!cur->size || cur->size * 8 > scope->machine->bits)
		return tfs_var_refuse(r, TFS_REFUSAL_PIECES,
				      "the function returns more than a register holds");
	return 0;
}

void tfs_var_cursor_release(struct tfs_var_cursor *cur)
{
	tfs_loc_release(&cur->loc);
}

static const struct tfs_piece *piece_with(const struct tfs_loc *loc, uint64_t bit, uint64_t bits)
{
	unsigned int i;

	for (i = 0; i < loc->n_piece; i++) {
		const struct tfs_piece *p = &loc->piece[i];

		if (bit >= p->at && bit - p->at + bits <= p->bits)
			return p;
	}
	return NULL;
}

/*
 * If the object is in parts, what holds the @bits bits that are selected. @at: where they begin in
 * that, @size: bytes of that.
 */
static int part(const struct tfs_var_cursor *cur, uint64_t bits, const struct tfs_loc **loc,
		uint64_t *at, uint64_t *size, struct tfs_refusing *r)
{
	const struct tfs_piece *p;

	*loc = &cur->loc;
	*at = cur->bit;
	*size = cur->size;
	if (cur->loc.kind == TFS_LOC_PIECES) {
		p = piece_with(&cur->loc, cur->bit, bits);
		if (!p)
			return tfs_var_refuse(r, TFS_REFUSAL_PIECES,
					      "its parts are in different places");
		*loc = &p->loc;
		*at = cur->bit - p->at + p->skip;
		*size = (p->bits + p->skip + 7) / 8;
	}
	if ((*loc)->kind == TFS_LOC_NONE)
		return refuse_loc(r, *loc);
	return 0;
}

int tfs_var_cursor_check_written(const struct tfs_var_cursor *cur, uint64_t bits,
				 struct tfs_refusing *r)
{
	const struct tfs_loc *loc;
	uint64_t at, size;

	/* what has no such part is refused where it is read */
	if (part(cur, bits, &loc, &at, &size, &(struct tfs_refusing){ 0 }))
		return 0;
	if (!loc->frame || loc->kind != TFS_LOC_MEM || loc->v.base != TFS_SVAL_REG || loc->v.n)
		return 0;
	if (!tfs_var_is_replaced(cur->scope, loc->v.reg, (int64_t)(loc->v.add + at / 8),
				 (at % 8 + bits + 7) / 8))
		return 0;
	return tfs_var_refuse(r, TFS_REFUSAL_NOT_YET,
			      "its place in the frame is written only after this address");
}

static int const_bits(const struct tfs_scope *scope, const Dwarf_Block *block, uint64_t at,
		      unsigned int bits, uint64_t *out)
{
	uint64_t v = 0, first = at / 8, bytes = (at % 8 + bits + 7) / 8, i;

	if (bytes > 8 || first > block->length || bytes > block->length - first)
		return -ENOENT;
	for (i = 0; i < bytes; i++)
		v |= (uint64_t)block->data[first + (scope->machine->big ? bytes - 1 - i : i)]
		     << (8 * i);
	v >>= scope->machine->big ? bytes * 8 - at % 8 - bits : at % 8;
	*out = bits < 64 ? v & ((1ULL << bits) - 1) : v;
	return 0;
}

/* @bits bits at @at of a value, not in memory, that holds an object of @size bytes. */
static int cut(const struct tfs_scope *scope, struct tfs_sval *v, uint64_t at, unsigned int bits,
	       uint64_t size, struct tfs_refusing *r)
{
	uint64_t shift;

	if (!at && bits == size * 8)
		return 0;
	if (v->arith || v->add || v->bits || size * 8 > scope->machine->bits ||
	    at + bits > size * 8)
		return tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				      "a part of a value that would have to be computed");
	shift = scope->machine->big ? size * 8 - at - bits : at;
	if (v->base == TFS_SVAL_CONST && !v->n) {
		v->c = bits < 64 ? (v->c >> shift) & ((1ULL << bits) - 1) : v->c >> shift;
		return 0;
	}
	v->shift = (unsigned int)shift;
	v->bits = bits;
	return 0;
}

int tfs_var_cursor_address(struct tfs_var_cursor *cur, struct tfs_sval *out, struct tfs_refusing *r)
{
	const struct tfs_loc *loc;
	uint64_t at, size, whole = 0;
	int rc;

	/* all of it has to be there, for all of it is read */
	if (cur->loc.kind == TFS_LOC_PIECES && !cur->bits &&
	    (tfs_type_size(cur->scope, &cur->type, &whole) || whole > UINT32_MAX))
		return tfs_var_refuse(r, TFS_REFUSAL_PIECES, "its parts are in different places");
	rc = part(cur, cur->bits ? cur->bits : whole ? whole * 8 : 8, &loc, &at, &size, r);

	if (rc)
		return rc;
	if (loc->kind != TFS_LOC_MEM)
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
				      "it is not in memory here: it has no address");
	*out = loc->v;
	out->add += at / 8;
	return 0;
}

/*
 * clang 14 omits the dereference of a spill slot from a location that converts the value. The stack
 * pointer itself is not the value of a variable that is not a pointer.
 */
static bool is_stack_pointer(const struct tfs_var_cursor *cur, const struct tfs_sval *v)
{
	return v->base == TFS_SVAL_REG && !v->n && (int)v->reg == cur->scope->machine->sp &&
	       (cur->type.class != TFS_TYPE_POINTER || v->bits);
}

int tfs_var_cursor_value(struct tfs_var_cursor *cur, unsigned int bits, struct tfs_sval *out,
			 struct tfs_refusing *r)
{
	const struct tfs_loc *loc;
	uint64_t at, size, c = 0;
	int rc = part(cur, bits, &loc, &at, &size, r);

	if (rc)
		return rc;
	switch (loc->kind) {
	case TFS_LOC_MEM:
		*out = loc->v;
		if (out->n == TFS_FETCH_DEREF_MAX)
			return tfs_var_refuse(r, TFS_REFUSAL_DEEP,
					      "more dereferences than the kernel allows (%d)",
					      TFS_FETCH_DEREF_MAX);
		out->off[out->n] = (int64_t)(out->add + at / 8);
		out->size[out->n++] = (uint8_t)(bits / 8);
		out->add = 0;
		return 0;
	case TFS_LOC_REG:
	case TFS_LOC_VALUE:
		*out = loc->v;
		if (is_stack_pointer(cur, out))
			return tfs_var_refuse(
				r, TFS_REFUSAL_DAMAGED,
				"the debug information takes the stack pointer for it");
		return cut(cur->scope, out, at, bits, size, r);
	case TFS_LOC_BYTES:
		if (const_bits(cur->scope, &loc->bytes, at, bits, &c))
			return tfs_var_refuse(r, TFS_REFUSAL_DAMAGED, "its constant is too short");
		*out = (struct tfs_sval){ .base = TFS_SVAL_CONST, .c = c };
		return 0;
	case TFS_LOC_IMPLICIT:
		return tfs_var_refuse(
			r, TFS_REFUSAL_IMPLICIT_POINTER,
			"the pointer was optimised away; what it points at can be had");
	default:
		return tfs_var_refuse(r, TFS_REFUSAL_PIECES, "parts in parts");
	}
}

/* A pointer that exists only as "points at that variable": go on there. */
static int follow_implicit(struct tfs_var_cursor *cur, const struct tfs_type *to,
			   struct tfs_refusing *r)
{
	struct tfs_loc there;
	struct tfs_type type;
	Dwarf_Die target = cur->loc.target;
	int64_t off = cur->loc.target_off;
	int rc = tfs_loc_of(cur->scope, &target, &there);

	if (rc)
		return rc;
	tfs_loc_release(&cur->loc);
	cur->loc = there;
	cur->doubt = tfs_var_doubt(cur->scope, &target, &there, &cur->declared);
	cur->loads = there.v.n;
	cur->size = 0;
	if (!tfs_type_of(cur->scope, &target, &type))
		tfs_type_size(cur->scope, &type, &cur->size);
	if (off < 0 || off > UINT32_MAX)
		return tfs_var_refuse(r, TFS_REFUSAL_DAMAGED, "it points before a variable");
	cur->type = *to;
	cur->bit = (uint64_t)off * 8;
	cur->bits = 0;
	return there.kind == TFS_LOC_NONE ? refuse_loc(r, &cur->loc) : 0;
}

int tfs_var_cursor_follow(struct tfs_var_cursor *cur, const struct tfs_type *to,
			  struct tfs_refusing *r)
{
	struct tfs_sval v = { 0 };
	int rc;

	if (cur->loc.kind == TFS_LOC_IMPLICIT && !cur->bit)
		return follow_implicit(cur, to, r);
	rc = tfs_var_cursor_check_written(cur, cur->scope->machine->bits, r);
	if (!rc)
		rc = tfs_var_cursor_value(cur, cur->scope->machine->bits, &v, r);
	if (rc)
		return rc;
	/* The kernel reads through neither a constant nor what is cut or computed. */
	if (v.base == TFS_SVAL_CONST && !v.n)
		return tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				      "the pointer is the constant 0x%" PRIx64 " here", v.c);
	if (v.arith || (v.bits && v.bits != cur->scope->machine->bits) || v.shift)
		return tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				      "the pointer would have to be computed");
	v.bits = 0;
	tfs_loc_release(&cur->loc);
	memset(&cur->loc, 0, sizeof(cur->loc));
	cur->loc.kind = TFS_LOC_MEM;
	cur->loc.v = v;
	cur->type = *to;
	cur->size = 0;
	tfs_type_size(cur->scope, to, &cur->size);
	cur->bit = 0;
	cur->bits = 0;
	return 0;
}

int tfs_var_cursor_deref(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	struct tfs_type to;
	Dwarf_Die die = cur->type.die;

	if (cur->type.class != TFS_TYPE_POINTER)
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE, "it is not a pointer");
	if (tfs_type_of(cur->scope, &die, &to))
		return tfs_var_refuse(r, TFS_REFUSAL_DAMAGED, "its type is not there");
	return tfs_var_cursor_follow(cur, &to, r);
}

int tfs_var_cursor_through(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	int rc = 0;

	for (int guard = 0; guard < TFS_FETCH_DEREF_MAX && !rc; guard++) {
		if (!tfs_type_is_reference(&cur->type))
			break;
		rc = tfs_var_cursor_deref(cur, r);
	}
	return rc;
}

/* A struct without a definition, or with several. */
static int refuse_declared(const struct tfs_var_cursor *cur, const struct tfs_step *step,
			   struct tfs_refusing *r)
{
	struct tfs_strbuf list = TFS_STRBUF_INIT;
	int rc;

	if (tfs_type_definitions(cur->scope, &cur->type, &list) < 2) {
		rc = tfs_var_refuse(
			r, TFS_REFUSAL_TYPE,
			"'%s': the struct is only declared, not defined, in this program",
			step->name);
	} else {
		rc = tfs_var_refuse(r, TFS_REFUSAL_AMBIGUOUS,
				    "'%s': the struct is only declared here, and its definitions "
				    "elsewhere differ: %s",
				    step->name, list.s);
		tfs_err_hint(r->err, "the pointer itself can be had; a probe in the file that "
				     "defines it knows the members");
	}
	tfs_strbuf_release(&list);
	return rc;
}

/*
 * To what a class of C++'s library holds, a pointer to it followed. -ENOENT, with nothing said, if
 * it is not such a class, or if what it holds is @several and that is not asked for.
 */
static int step_into(struct tfs_var_cursor *cur, bool several, struct tfs_refusing *r)
{
	struct tfs_held held;
	int rc = cur->bits ? -ENOENT : tfs_type_held(cur->scope, &cur->type, &held);

	if (rc == -ENOMEM)
		return tfs_err_set(r->err, rc, "cannot look into a class");
	if (rc)
		return rc;
	if (!several && (held.how == TFS_HOLDS_ROW || held.how == TFS_HOLDS_ARRAY))
		return -ENOENT;
	cur->bit += held.what.bit;
	cur->type = held.what.type;
	if (held.how == TFS_HOLDS_POINTER || held.how == TFS_HOLDS_ROW)
		return tfs_var_cursor_deref(cur, r);
	return 0;
}

/* A member of the class, else of what it holds: a smart pointer stands for that. */
static int find_in(struct tfs_var_cursor *cur, const char *name, struct tfs_member *m,
		   struct tfs_refusing *r)
{
	int rc = tfs_type_member(cur->scope, &cur->type, name, m);

	for (int guard = 0; rc == -ENOENT && guard < TFS_FETCH_DEREF_MAX; guard++) {
		rc = step_into(cur, false, r);
		while (!rc && cur->type.class == TFS_TYPE_POINTER)
			rc = tfs_var_cursor_deref(cur, r);
		if (rc)
			return rc == -ENOENT ? rc : -ECANCELED;
		if (cur->type.class != TFS_TYPE_STRUCT)
			return -ENOENT;
		rc = tfs_type_member(cur->scope, &cur->type, name, m);
	}
	return rc;
}

static int step_member(struct tfs_var_cursor *cur, const struct tfs_step *step,
		       struct tfs_refusing *r)
{
	struct tfs_strbuf names = TFS_STRBUF_INIT;
	struct tfs_member m;
	int rc = 0;

	/* As perf and gdb do, . and -> are the same; references are looked through. */
	while (!rc && cur->type.class == TFS_TYPE_POINTER)
		rc = tfs_var_cursor_deref(cur, r);
	if (rc)
		return rc;
	if (cur->type.class != TFS_TYPE_STRUCT)
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
				      "'%s': what is before it is not a struct, union or class",
				      step->name);
	rc = find_in(cur, step->name, &m, r);
	if (rc == -ECANCELED)
		return r->err && r->err->code ? r->err->code : -EOPNOTSUPP;
	if (rc == -ENODATA)
		return refuse_declared(cur, step, r);
	if (rc == -ENOENT) {
		rc = tfs_var_refuse(r, TFS_REFUSAL_NO_MEMBER, "no member '%s'", step->name);
		if (tfs_type_members(&cur->type, 20, &names) == 0 && names.len)
			tfs_err_hint(r->err, "its members: %s", names.s);
		tfs_strbuf_release(&names);
		return rc;
	}
	if (rc)
		return tfs_var_refuse(r, TFS_REFUSAL_UNSUPPORTED,
				      "where member '%s' is, is known only when the program runs, "
				      "or it is in more than one base",
				      step->name);
	cur->type = m.type;
	cur->bit += m.bit;
	cur->bits = m.bits;
	return 0;
}

/* Step to the elements of a slice or a sized string; other structures have none. */
static int follow_row(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	struct tfs_row row;
	int rc;

	if (tfs_type_row(cur->scope, &cur->type, &row) || !row.sized) {
		rc = step_into(cur, true, r);
		return rc != -ENOENT ?
			       rc :
			       tfs_var_refuse(r, TFS_REFUSAL_TYPE, "it is not an array or pointer");
	}
	cur->bit += row.data.bit;
	cur->type = row.data.type;
	return tfs_var_cursor_follow(cur, &row.element, r);
}

/* std::array is the array in it. */
static int to_array(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	struct tfs_held held;
	int rc = cur->type.class == TFS_TYPE_STRUCT ? tfs_type_held(cur->scope, &cur->type, &held) :
						      -ENOENT;

	if (rc)
		return rc == -ENOENT ? 0 : tfs_err_set(r->err, rc, "cannot look into a class");
	return held.how == TFS_HOLDS_ARRAY ? step_into(cur, true, r) : 0;
}

/* An array that is a descriptor: to its elements, which are still the array's. */
static int to_data(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	struct tfs_type array = cur->type;
	uint64_t at, add;
	int rc = tfs_type_described(&array, &at, &add);

	if (rc < 0)
		return tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				      "where its elements are would have to be computed");
	if (!rc)
		return 0;
	cur->bit += at * 8;
	rc = tfs_var_cursor_follow(cur, &array, r);
	cur->bit = add * 8;
	return rc;
}

/* The elements that an index selects from: an array's, or those a pointer points to, followed. */
static int find_elements(struct tfs_var_cursor *cur, struct tfs_elements *e, struct tfs_refusing *r)
{
	int rc;

	if (cur->type.class == TFS_TYPE_ARRAY) {
		rc = tfs_type_elements(cur->scope, &cur->type, e);
		return rc ? tfs_var_refuse(r, TFS_REFUSAL_DAMAGED,
					   "the type of its elements is not there") :
			    to_data(cur, r);
	}
	rc = cur->type.class == TFS_TYPE_STRUCT ? follow_row(cur, r) : tfs_var_cursor_deref(cur, r);
	if (rc)
		return rc;
	/* in Go a pointer to an array is indexed as the array is */
	if (cur->type.class == TFS_TYPE_ARRAY && tfs_go_is(&cur->type.die) &&
	    !tfs_type_elements(cur->scope, &cur->type, e))
		return 0;
	*e = (struct tfs_elements){ .type = cur->type, .has_first = true };
	e->has_stride = !tfs_type_size(cur->scope, &cur->type, &e->stride);
	e->varies = cur->type.class == TFS_TYPE_ARRAY;
	return 0;
}

/* How many elements @index is from the first one, and that it is one of them. */
static int count_from_first(const struct tfs_elements *e, int64_t index, int64_t *n,
			    struct tfs_refusing *r)
{
	int rc;

	if (!e->has_first) {
		rc = tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				    "[%" PRId64 "]: the index of the first element is known only "
				    "when the program runs",
				    index);
		tfs_err_hint(r->err, "* before the name stands for the first element");
		return rc;
	}
	if (__builtin_sub_overflow(index, e->first, n))
		return tfs_var_refuse(r, TFS_REFUSAL_RANGE,
				      "[%" PRId64 "]: too far away for the kernel", index);
	if (!e->has_count || !e->count || (*n >= 0 && (uint64_t)*n < e->count))
		return 0;
	if (!e->first)
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
				      "[%" PRId64 "]: the array has %" PRIu64 " elements", index,
				      e->count);
	return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
			      "[%" PRId64 "]: the array goes from %" PRId64 " to %" PRId64, index,
			      e->first, e->first + (int64_t)e->count - 1);
}

/* Element @index, as the language counts; NULL: the first one. */
static int step_to(struct tfs_var_cursor *cur, const int64_t *index, struct tfs_refusing *r)
{
	struct tfs_elements e;
	int64_t n = 0, off;
	int rc = find_elements(cur, &e, r);

	if (!rc && index)
		rc = count_from_first(&e, *index, &n, r);
	if (rc)
		return rc;
	if (n && !e.has_stride)
		return tfs_var_refuse(r, TFS_REFUSAL_ARITHMETIC,
				      e.varies ? "[%" PRId64 "]: how far its elements are apart is "
						 "known only when the program runs" :
						 "[%" PRId64
						 "]: the size of an element is not known",
				      *index);
	if (n && (e.stride > INT32_MAX || __builtin_mul_overflow(n, (int64_t)e.stride, &off) ||
		  off > INT32_MAX || off < -INT32_MAX))
		return tfs_var_refuse(r, TFS_REFUSAL_RANGE,
				      "[%" PRId64 "]: too far away for the kernel", *index);
	cur->type = e.type;
	cur->bits = 0;
	if (!n)
		return 0;
	if (off >= 0)
		cur->bit += (uint64_t)off * 8;
	else if (cur->loc.kind == TFS_LOC_MEM)
		cur->loc.v.add += (uint64_t)off;
	else
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE, "[%" PRId64 "]: before the start",
				      *index);
	return 0;
}

static int step_index(struct tfs_var_cursor *cur, const int64_t *index, struct tfs_refusing *r)
{
	int rc = tfs_var_cursor_through(cur, r);

	if (!rc)
		rc = to_array(cur, r);
	if (rc)
		return rc;
	if (cur->type.class == TFS_TYPE_ARRAY || cur->type.class == TFS_TYPE_POINTER ||
	    cur->type.class == TFS_TYPE_STRUCT)
		return step_to(cur, index, r);
	return tfs_var_refuse(r, TFS_REFUSAL_TYPE,
			      "[%" PRId64 "]: what is before it is not an array or pointer",
			      *index);
}

static bool is_lvalue(const struct tfs_type *type)
{
	Dwarf_Die die = type->die;
	int tag = type->class == TFS_TYPE_POINTER ? dwarf_tag(&die) : 0;

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

int tfs_var_cursor_walk(struct tfs_var_cursor *cur, const struct tfs_path *path,
			struct tfs_refusing *r)
{
	unsigned int star;
	size_t i;
	int rc = 0;

	for (i = 0; i < path->n && !rc; i++)
		rc = path->step[i].kind == TFS_STEP_INDEX ?
			     step_index(cur, &path->step[i].index, r) :
			     step_member(cur, &path->step[i], r);
	for (star = 0; star < path->stars && !rc; star++) {
		/* C++'s stands for what it refers to already; a star of Rust's looks through. */
		if (is_lvalue(&cur->type))
			rc = tfs_var_cursor_deref(cur, r);
		if (rc)
			break;
		if (cur->type.class == TFS_TYPE_STRUCT) {
			rc = step_into(cur, true, r);
			if (rc != -ENOENT)
				continue;
		}
		if (cur->type.class == TFS_TYPE_ARRAY)
			rc = step_index(cur, NULL, r);
		else
			rc = tfs_var_cursor_deref(cur, r);
	}
	return rc;
}
