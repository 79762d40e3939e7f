/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "probe/var-internal.h"

#include <dwarf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "dso/symbol.h"
#include "dwarf/debuginfo.h"
#include "probe/fetch-build.h"
#include "probe/fetch-type.h"

_Static_assert(TFS_SVAL_LOADS_MAX == TFS_FETCH_DEREF_MAX, "as many loads as the kernel does");

/* The kind of type that the user gave after ':'. */
enum cast {
	CAST_NONE,
	CAST_LETTER, /* x, s, u: the size is the variable's */
	CAST_STRING,
	CAST_SCALAR, /* as it stands; T[N] too */
};

struct emit {
	struct tfs_var_cursor *cur;
	const struct tfs_var_opts *opts;
	struct tfs_fetch *out;
	struct tfs_refusing *r;
};

static enum cast cast_kind(const char *cast)
{
	if (!cast || !*cast)
		return CAST_NONE;
	if (tfs_fetch_type_is_letter(cast))
		return CAST_LETTER;
	return tfs_fetch_type_is(cast, TFS_FETCH_TEXT) ? CAST_STRING : CAST_SCALAR;
}

/* Static memory, as a file offset or a symbol: both survive relocation. */
static int at_address(struct emit *e, uint64_t addr)
{
	const struct tfs_scope *scope = e->cur->scope;
	struct tfs_fetch *f = e->out;
	char *place = NULL, *plus;
	int rc;

	if (!scope->kernel) {
		f->base = TFS_FETCH_FILE;
		f->value = (int64_t)(addr - (uint64_t)scope->delta);
		if (f->value >= 0)
			return 0;
		return tfs_var_refuse(e->r, TFS_REFUSAL_RANGE,
				      "it lies before what the kernel can name");
	}
	rc = scope->dso ? tfs_symbol_format(scope->dso, addr, &place, NULL) : -ENOENT;
	if (rc == -ENOMEM)
		return tfs_err_set(e->r->err, rc, "cannot name address 0x%" PRIx64, addr);
	if (rc)
		return tfs_var_refuse(e->r, TFS_REFUSAL_SYMBOL,
				      "no symbol names address 0x%" PRIx64, addr);
	f->base = TFS_FETCH_SYM;
	plus = strrchr(place, '+');
	if (plus) {
		f->value = strtoll(plus + 1, NULL, 0);
		*plus = '\0';
	}
	f->sym = place;
	return 0;
}

/* Everything of @v but @add and the window: base and loads, the last @keep of them left out. */
static int chain(struct emit *e, const struct tfs_sval *v, unsigned int keep, int64_t *left)
{
	const struct tfs_machine *m = e->cur->scope->machine;
	struct tfs_fetch *f = e->out;
	unsigned int i, from = 0, n = v->n - keep;
	int rc = 0;

	/* The caller adds the rest: the offset of the load left out, or @add. */
	*left = keep ? v->off[n] : (int64_t)v->add;
	switch (v->base) {
	case TFS_SVAL_RET:
		f->base = TFS_FETCH_RETVAL;
		break;
	case TFS_SVAL_REG:
		f->base = (int)v->reg == m->sp ? TFS_FETCH_STACK : TFS_FETCH_REG;
		if (f->base == TFS_FETCH_REG)
			snprintf(f->reg, sizeof(f->reg), "%s", tfs_machine_reg(m, v->reg));
		break;
	case TFS_SVAL_CONST:
	case TFS_SVAL_ADDR:
		/* @+OFF and @SYM read: they take the place of the first dereference. */
		rc = at_address(e, v->c + (uint64_t)(n ? v->off[0] : *left));
		if (!n)
			*left = 0;
		from = 1;
		break;
	}
	for (i = 0; i < n && !rc; i++) {
		if (v->size[i] != m->bits / 8)
			return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
					      "a pointer would have to be computed");
		if (i >= from)
			rc = tfs_fetch_deref(e->out, v->off[i], e->r);
	}
	return rc;
}

/* Memory at address @a. */
static int read_memory(struct emit *e, const struct tfs_sval *a)
{
	int64_t left;
	int rc;

	if (a->arith || a->bits)
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
				      "its address would have to be computed");
	rc = chain(e, a, 0, &left);
	if (rc)
		return rc;
	/* An address alone is read by itself; after pointers one more dereference is due. */
	if (a->base == TFS_SVAL_ADDR && !a->n)
		return 0;
	return tfs_fetch_deref(e->out, left, e->r);
}

static const char *letter(const struct emit *e, bool is_signed)
{
	return tfs_var_letter(e->opts, is_signed);
}

static int scalar_type(struct emit *e, unsigned int bits, bool is_signed)
{
	if (cast_kind(e->opts->cast) == CAST_SCALAR)
		return tfs_fetch_set_type(e->out, e->r, "%s", e->opts->cast);
	if (!tfs_fetch_is_width(bits))
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
				      "a value of %u bytes: the kernel reads 1, 2, 4 or 8",
				      bits / 8);
	return tfs_fetch_set_type(e->out, e->r, "%s%u", letter(e, is_signed), bits);
}

/* s32 for 32 bits: a type that says no more than the sign. */
static bool is_cast_of(const char *cast, unsigned int bits)
{
	return tfs_fetch_type_is(cast, TFS_FETCH_SIZED) && tfs_fetch_type_bytes(cast) * 8 == bits;
}

/* Bits of a register: what is above them is not the variable's. */
static int windowed(struct emit *e, const struct tfs_sval *v, unsigned int bits, bool is_signed)
{
	unsigned int width = e->cur->scope->machine->bits;
	const char *cast = e->opts->cast;

	if (cast_kind(cast) == CAST_SCALAR && v->bits >= bits && is_cast_of(cast, bits))
		is_signed = *cast == 's';
	else if (cast_kind(cast) == CAST_SCALAR &&
		 (v->shift || v->bits < bits || !tfs_fetch_is_width(bits)))
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
				      "only some bits of a register are it: no other type will do");
	if (!v->shift && v->bits >= bits && tfs_fetch_is_width(bits))
		return scalar_type(e, bits, is_signed);
	if (v->is_signed && v->bits < bits && !is_signed)
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
				      "sign bits would have to be added");
	if (!v->shift && v->bits < bits && tfs_fetch_is_width(v->bits))
		return tfs_fetch_set_type(e->out, e->r, "%s%u", v->is_signed ? "s" : "u", v->bits);
	if (v->bits < bits) {
		bits = v->bits;
		is_signed = v->is_signed;
	}
	return tfs_fetch_set_bits(e->out, e->opts,
				  &(struct tfs_container){ .size = width, .shift = v->shift }, bits,
				  is_signed, e->r);
}

/* The address of something of the object, as a value. */
static int emit_link_address(struct emit *e, const struct tfs_sval *v, unsigned int bits)
{
	if (e->cur->scope->relocated || e->cur->scope->kernel)
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
				      "its value is an address that only the loader knows");
	e->out->base = TFS_FETCH_IMM;
	e->out->imm_hex = true;
	e->out->value = (int64_t)(v->c + v->add);
	return scalar_type(e, bits, false);
}

static int refuse_sum(struct emit *e, const struct tfs_sval *v)
{
	if (v->base == TFS_SVAL_REG && !v->n)
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC, "its value is %%%s%+" PRId64,
				      tfs_machine_reg(e->cur->scope->machine, v->reg),
				      (int64_t)v->add);
	return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
			      "its value is %+" PRId64 " and what is somewhere in memory",
			      (int64_t)v->add);
}

/* The last load of @v is the read itself; the type says how much of it. */
static int emit_loaded(struct emit *e, struct tfs_sval *v, unsigned int bits, bool is_signed)
{
	bool big = e->cur->scope->machine->big;
	unsigned int load = v->size[v->n - 1] * 8U;
	int64_t left;
	int rc;

	if (v->shift % 8 || (v->shift && big))
		goto computed;
	v->off[v->n - 1] += v->shift / 8;
	rc = chain(e, v, 1, &left);
	if (!rc && !(v->base == TFS_SVAL_ADDR && v->n == 1))
		rc = tfs_fetch_deref(e->out, left, e->r);
	if (rc)
		return rc;
	if (v->bits && v->bits < load)
		load = v->bits;
	if (load == bits || (load > bits && !big))
		return scalar_type(e, bits, is_signed);
	/* Less than the variable has: it was extended, and the type has to say how. */
	if (!big && cast_kind(e->opts->cast) != CAST_SCALAR && (is_signed || !v->is_signed) &&
	    (load == 8 || load == 16 || load == 32))
		return tfs_fetch_set_type(e->out, e->r, "%s%u", v->is_signed ? "s" : "u", load);
computed:
	return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
			      "some bits of memory, which would have to be computed");
}

static int emit_constant(struct emit *e, const struct tfs_sval *v, unsigned int bits,
			 bool is_signed)
{
	uint64_t c = v->c;

	if (bits < 64) {
		c &= (1ULL << bits) - 1;
		if (is_signed && c >> (bits - 1))
			c |= ~((1ULL << bits) - 1);
	}
	e->out->base = TFS_FETCH_IMM;
	e->out->value = (int64_t)c;
	e->out->imm_hex = !is_signed && e->out->value < 0;
	return scalar_type(e, bits, is_signed);
}

/* @bits bits of value @v, which stand for a number with or without a sign. */
static int emit_value(struct emit *e, struct tfs_sval *v, unsigned int bits, bool is_signed)
{
	int64_t left;
	int rc;

	if (v->arith)
		return tfs_var_refuse(e->r, TFS_REFUSAL_ARITHMETIC,
				      "its value would have to be computed");
	if (v->base == TFS_SVAL_CONST && !v->n && !v->bits)
		return emit_constant(e, v, bits, is_signed);
	if (v->base == TFS_SVAL_ADDR && !v->n)
		return emit_link_address(e, v, bits);
	if (v->add)
		return refuse_sum(e, v);
	if (v->n)
		return emit_loaded(e, v, bits, is_signed);
	if (bits > e->cur->scope->machine->bits)
		return tfs_var_refuse(e->r, TFS_REFUSAL_PIECES, "it is wider than a register");
	rc = chain(e, v, 0, &left);
	if (rc)
		return rc;
	return v->bits ? windowed(e, v, bits, is_signed) : scalar_type(e, bits, is_signed);
}

static int emit_scalar(struct emit *e, bool is_signed)
{
	struct tfs_sval v;
	uint64_t size;
	int rc;

	if (tfs_type_size(e->cur->scope, &e->cur->type, &size) || !size)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "the size of its type is not known");
	if (size > 8)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
				      "a value of %" PRIu64 " bytes: the kernel reads 8 at most",
				      size);
	rc = tfs_var_cursor_value(e->cur, (unsigned int)size * 8, &v, e->r);
	return rc ? rc : emit_value(e, &v, (unsigned int)size * 8, is_signed);
}

static int bitfield_in_memory(struct emit *e, struct tfs_sval *addr, uint64_t at)
{
	unsigned int bits = e->cur->bits;
	struct tfs_container c;
	int rc = tfs_fetch_container(at, bits, e->cur->scope->machine->big, &c, e->r);

	if (rc)
		return rc;
	addr->add += c.byte;
	if (read_memory(e, addr))
		return e->r->err ? e->r->err->code : -EOPNOTSUPP;
	/* whole bytes are read with their sign; other bits never are */
	if (e->cur->type.is_signed && bits == c.size)
		return scalar_type(e, bits, true);
	return tfs_fetch_set_bits(e->out, e->opts, &c, bits, e->cur->type.is_signed, e->r);
}

static int emit_bitfield(struct emit *e)
{
	struct tfs_var_cursor *cur = e->cur;
	const struct tfs_loc *loc = &cur->loc;
	struct tfs_sval v;
	uint64_t at = cur->bit;
	int rc;

	if (cast_kind(e->opts->cast) > CAST_LETTER)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "a bitfield has no other type");
	if (loc->kind == TFS_LOC_MEM) {
		v = loc->v;
		return bitfield_in_memory(e, &v, at);
	}
	rc = tfs_var_cursor_value(cur, cur->bits, &v, e->r);
	if (rc)
		return rc;
	if (v.n || v.base == TFS_SVAL_ADDR)
		return tfs_var_refuse(e->r, TFS_REFUSAL_PIECES, "bits of a part in memory");
	if (v.base == TFS_SVAL_CONST) {
		if (cur->type.is_signed && cur->bits < 64 && v.c >> (cur->bits - 1))
			v.c |= ~((1ULL << cur->bits) - 1);
		return emit_value(e, &v, 64, cur->type.is_signed);
	}
	return emit_value(e, &v, cur->bits, cur->type.is_signed);
}

/* The type of an array of elements; the kernel has only arrays of fixed length. */
static int row_type(struct emit *e, const struct tfs_row *row, uint64_t size)
{
	if (row->text)
		return tfs_fetch_set_type(e->out, e->r, "%s[%d]",
					  cast_kind(e->opts->cast) == CAST_LETTER ? "x8" :
					  e->opts->no_char                        ? "u8" :
										    "char",
					  TFS_FETCH_ARRAY_MAX);
	return tfs_fetch_set_type(e->out, e->r, "%s%u[%d]", letter(e, row->element.is_signed),
				  (unsigned int)size * 8, TFS_FETCH_ARRAY_MAX);
}

static bool is_number(enum tfs_type_class class)
{
	return class == TFS_TYPE_INT || class == TFS_TYPE_BOOL || class == TFS_TYPE_CHAR ||
	       class == TFS_TYPE_ENUM || class == TFS_TYPE_POINTER;
}

/* Elements that are not numbers: emit their address; for an interface, that of its value. */
static int emit_row_address(struct emit *e, const struct tfs_row *row)
{
	enum cast kind = cast_kind(e->opts->cast);
	int rc;

	if (kind == CAST_STRING || kind == CAST_SCALAR)
		return -ENOENT;
	e->cur->bit += row->data.bit;
	e->cur->type = row->data.type;
	rc = emit_scalar(e, false);
	e->cur->beside = row->type ? "_type" : "_len";
	return rc;
}

/* Text or elements that a struct of a library points at; -ENOENT, and nothing said, if none. */
static int emit_row(struct emit *e)
{
	struct tfs_var_cursor *cur = e->cur;
	const char *cast = e->opts->cast;
	enum cast kind = cast_kind(cast);
	struct tfs_sval addr;
	struct tfs_row row;
	uint64_t size = 0;
	int rc;

	if (cur->type.class != TFS_TYPE_STRUCT || tfs_type_row(cur->scope, &cur->type, &row))
		return -ENOENT;
	if (!row.text && (!is_number(row.element.class) ||
			  tfs_type_size(cur->scope, &row.element, &size) || size > 8))
		return row.sized ? emit_row_address(e, &row) : -ENOENT;
	if (kind == CAST_STRING && row.sized)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
				      "no zero byte ends it: without a type it is read with its "
				      "length");
	if (kind == CAST_SCALAR && !strchr(cast, '['))
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "'%s': it is more than one value",
				      cast);
	cur->bit += row.data.bit;
	rc = tfs_var_cursor_follow(cur, &row.element, e->r);
	if (!rc)
		rc = tfs_var_cursor_address(cur, &addr, e->r);
	if (!rc)
		rc = read_memory(e, &addr);
	if (rc)
		return rc;
	cur->beside = row.sized && kind != CAST_SCALAR ? "_len" : NULL;
	if (kind == CAST_SCALAR || kind == CAST_STRING)
		return tfs_fetch_set_type(e->out, e->r, "%s", cast);
	return row.sized ? row_type(e, &row, size) : tfs_fetch_set_type(e->out, e->r, "string");
}

/* A number that has room for one may be a pointer: what the kernel's struct pt_regs holds. */
static bool is_address(const struct tfs_var_cursor *cur)
{
	uint64_t size;

	return cur->type.class == TFS_TYPE_INT && !tfs_type_size(cur->scope, &cur->type, &size) &&
	       size * 8 == cur->scope->machine->bits;
}

static int follow_address(struct tfs_var_cursor *cur, struct tfs_refusing *r)
{
	struct tfs_type text = cur->type;

	text.class = TFS_TYPE_CHAR;
	return tfs_var_cursor_follow(cur, &text, r);
}

static bool is_described(const struct emit *e)
{
	uint64_t at, add;

	return tfs_type_described(&e->cur->type, &at, &add) != 0;
}

/* Only the first element of an array that is a descriptor can be had, of others any. */
static int refuse_array(struct emit *e)
{
	struct tfs_elements all;

	if (is_described(e))
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
				      "an array whose bounds are known only when the program runs: "
				      "* before its name stands for the first element");
	if (tfs_type_elements(e->cur->scope, &e->cur->type, &all))
		all.first = 0;
	return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
			      "an array: select an element, as in [%" PRId64 "]", all.first);
}

/* Text at the place a pointer or an array is: the pointer is followed first. */
static int emit_string(struct emit *e, const char *type)
{
	struct tfs_var_cursor *cur = e->cur;
	struct tfs_sval addr;
	int rc = 0;

	if (cur->bits)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "a bitfield is not a string");
	if (cur->type.class == TFS_TYPE_POINTER)
		rc = tfs_var_cursor_deref(cur, e->r);
	else if (is_address(cur))
		rc = follow_address(cur, e->r);
	else if (cur->type.class != TFS_TYPE_ARRAY && cur->type.class != TFS_TYPE_CHAR &&
		 cur->type.class != TFS_TYPE_STRUCT)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
				      "it is not a string: neither a pointer nor an array");
	if (rc)
		return rc;
	if (is_described(e))
		return refuse_array(e);
	if (cur->type.class == TFS_TYPE_STRUCT) {
		rc = emit_row(e);
		return rc != -ENOENT ? rc :
				       tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
						      "a struct is not text: select a member");
	}
	rc = tfs_var_cursor_address(cur, &addr, e->r);
	if (!rc)
		rc = read_memory(e, &addr);
	return rc ? rc : tfs_fetch_set_type(e->out, e->r, "%s", type);
}

/* T[N] as typed: of an array, or of what a pointer points at. */
static int emit_cast_array(struct emit *e)
{
	const char *type = e->opts->cast;
	int rc = emit_row(e);

	if (rc != -ENOENT)
		return rc;
	if (e->cur->type.class == TFS_TYPE_POINTER || e->cur->type.class == TFS_TYPE_ARRAY)
		return emit_string(e, type);
	return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "'%s': it is neither a pointer nor an array",
			      type);
}

/* Why a struct has no value, and what to do. */
static int refuse_struct(struct emit *e)
{
	Dwarf_Die die = e->cur->type.die;
	const char *name = dwarf_diename(&die);
	struct tfs_member m;

	if (name && !strncmp(name, "basic_string<", 13) &&
	    !tfs_type_member(e->cur->scope, &e->cur->type, "__r_", &m))
		return tfs_var_refuse(
			e->r, TFS_REFUSAL_UNSUPPORTED,
			"libc++ keeps a short string in the object and a long one "
			"elsewhere: which it is, is known only when the program runs");
	return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
			      "a struct: select a member, or take its address with &");
}

static int emit_array(struct emit *e)
{
	struct tfs_type element;
	struct tfs_sval addr;
	uint64_t stride, size, count = 0;
	char type[sizeof(e->out->type)];
	int rc;

	if (tfs_type_element(e->cur->scope, &e->cur->type, &element, &stride, &count))
		return refuse_array(e);
	if (element.class == TFS_TYPE_CHAR && !e->opts->no_guessed_strings &&
	    cast_kind(e->opts->cast) == CAST_NONE)
		return emit_string(e, "string");
	if (element.class == TFS_TYPE_STRUCT || element.class == TFS_TYPE_ARRAY || !count ||
	    tfs_type_size(e->cur->scope, &element, &size) || size != stride ||
	    tfs_type_size(e->cur->scope, &e->cur->type, &size) ||
	    (stride != 1 && stride != 2 && stride != 4 && stride != 8))
		return refuse_array(e);
	if (count > TFS_FETCH_ARRAY_MAX)
		count = TFS_FETCH_ARRAY_MAX;
	rc = tfs_var_cursor_address(e->cur, &addr, e->r);
	if (!rc)
		rc = read_memory(e, &addr);
	if (rc)
		return rc;
	snprintf(type, sizeof(type), "%s%u[%u]", letter(e, element.is_signed),
		 (unsigned int)stride * 8, (unsigned int)count);
	return tfs_fetch_set_type(e->out, e->r, "%s", type);
}

static bool points_to_const(Dwarf_Die *pointer)
{
	Dwarf_Attribute attr;
	Dwarf_Die die = *pointer;

	while (dwarf_formref_die(dwarf_attr(&die, DW_AT_type, &attr), &die)) {
		switch (dwarf_tag(&die)) {
		case DW_TAG_const_type:
			return true;
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
		case DW_TAG_typedef:
			break;
		default:
			return false;
		}
	}
	return false;
}

/* Where the pointer would have to be computed, what it points to is all there is to have. */
static bool has_value(const struct emit *e)
{
	struct tfs_refusing none = { 0 };
	struct tfs_sval v;

	return !tfs_var_cursor_value(e->cur, e->cur->scope->machine->bits, &v, &none) && !v.add &&
	       !v.arith;
}

static bool is_guessed_text(const struct emit *e)
{
	Dwarf_Die die = e->cur->type.die;
	struct tfs_type to;

	return cast_kind(e->opts->cast) == CAST_NONE && !e->opts->no_guessed_strings &&
	       dwarf_tag(&die) == DW_TAG_pointer_type && !tfs_type_of(e->cur->scope, &die, &to) &&
	       to.class == TFS_TYPE_CHAR &&
	       (!e->opts->only_const_text || points_to_const(&die) || !has_value(e));
}

static int emit_pointer(struct emit *e)
{
	unsigned int bits = e->cur->scope->machine->bits;
	struct tfs_sval v;
	int rc;

	if (!is_guessed_text(e))
		return emit_scalar(e, false);
	if (e->cur->loc.kind == TFS_LOC_IMPLICIT)
		return emit_string(e, "string");
	rc = tfs_var_cursor_value(e->cur, bits, &v, e->r);
	if (rc)
		return rc;
	/* A constant pointer is NULL, which has no text to read. */
	if (v.base == TFS_SVAL_CONST && !v.n)
		return emit_value(e, &v, bits, false);
	return emit_string(e, "string");
}

static int emit_address(struct emit *e)
{
	struct tfs_sval addr;
	int rc;

	if (e->cur->bits)
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "a bitfield has no address");
	rc = tfs_var_cursor_address(e->cur, &addr, e->r);
	return rc ? rc : emit_value(e, &addr, e->cur->scope->machine->bits, false);
}

static int emit_selected(struct emit *e);

/* A smart pointer is its pointer, std::array its elements, an optional its value if it has one. */
static int emit_held(struct emit *e, const struct tfs_held *held)
{
	int rc;

	e->cur->bit += held->what.bit;
	e->cur->type = held->what.type;
	rc = emit_selected(e);
	if (!rc && held->how == TFS_HOLDS_VALUE)
		e->cur->beside = "_set";
	return rc;
}

/* Few bytes are shown as they are: a kuid_t, a union that stands for one pointer or another. */
static int emit_struct(struct emit *e)
{
	struct tfs_held held;
	uint64_t size;

	if (cast_kind(e->opts->cast) == CAST_NONE && !e->opts->no_guessed_strings &&
	    !tfs_type_held(e->cur->scope, &e->cur->type, &held) && held.how != TFS_HOLDS_ROW)
		return emit_held(e, &held);

	if (!tfs_type_size(e->cur->scope, &e->cur->type, &size) &&
	    (size == 1 || size == 2 || size == 4 || size == 8))
		return emit_scalar(e, false);
	return refuse_struct(e);
}

/* The type that the user gave reads past the object, which may even be intended. */
static void note_beyond(struct emit *e)
{
	const char *cast = e->opts->cast;
	uint64_t size, bytes;

	if (cast_kind(cast) != CAST_SCALAR || e->cur->bits ||
	    e->cur->loc.kind == TFS_LOC_IMPLICIT ||
	    (e->cur->type.class == TFS_TYPE_POINTER && strchr(cast, '[')) ||
	    tfs_type_size(e->cur->scope, &e->cur->type, &size) || !size)
		return;
	bytes = tfs_fetch_type_bytes(cast);
	if (bytes > size)
		e->out->beyond = bytes - size;
}

static int emit_selected(struct emit *e)
{
	const char *cast = e->opts->cast;
	int rc;

	note_beyond(e);
	if (cast_kind(cast) == CAST_STRING)
		return emit_string(e, cast);
	if (cast_kind(cast) == CAST_SCALAR && strchr(cast, '['))
		return emit_cast_array(e);
	if (e->cur->bits)
		return emit_bitfield(e);
	switch (e->cur->type.class) {
	case TFS_TYPE_ARRAY:
		return emit_array(e);
	case TFS_TYPE_POINTER:
		return emit_pointer(e);
	case TFS_TYPE_STRUCT:
		rc = e->opts->no_guessed_strings ? -ENOENT : emit_row(e);
		return rc == -ENOENT ? emit_struct(e) : rc;
	case TFS_TYPE_VOID:
	case TFS_TYPE_OTHER:
		if (tfs_debuginfo_shared_missing(e->cur->scope->dbg))
			return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE,
					      "its type is in a file that is not here: %s",
					      tfs_debuginfo_shared_missing(e->cur->scope->dbg));
		return tfs_var_refuse(e->r, TFS_REFUSAL_TYPE, "its type has no value");
	default:
		return emit_scalar(e, e->cur->type.is_signed);
	}
}

/* Is the type a wrapper (std::unique_ptr, std::optional), to be read as the value it holds? */
static bool is_held(const struct emit *e, const struct tfs_type *type)
{
	struct tfs_held held;
	struct tfs_type what;

	if (cast_kind(e->opts->cast) != CAST_NONE || tfs_type_held(e->cur->scope, type, &held))
		return false;
	what = held.what.type;
	return held.how != TFS_HOLDS_ROW &&
	       (held.how != TFS_HOLDS_VALUE || what.class != TFS_TYPE_STRUCT);
}

/*
 * To what a reference refers to, if that can be read; of a struct that has no value the reference
 * gives the address.
 */
static int look_through(struct emit *e)
{
	struct tfs_type to = e->cur->type;
	struct tfs_row row;

	for (int guard = 0; tfs_type_is_reference(&to) && guard < TFS_FETCH_DEREF_MAX; guard++) {
		Dwarf_Die die = to.die;

		if (tfs_type_of(e->cur->scope, &die, &to))
			return tfs_var_refuse(e->r, TFS_REFUSAL_DAMAGED, "its type is not there");
	}
	if (to.class == TFS_TYPE_VOID || to.class == TFS_TYPE_OTHER ||
	    (to.class == TFS_TYPE_STRUCT && cast_kind(e->opts->cast) != CAST_STRING &&
	     tfs_type_row(e->cur->scope, &to, &row) && !is_held(e, &to)))
		return 0;
	return tfs_var_cursor_through(e->cur, e->r);
}

static int check_cast(const struct tfs_var_opts *opts, struct tfs_refusing *r)
{
	if (opts->cast && !tfs_fetch_type_is_word(opts->cast))
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE, "'%s' is not a type", opts->cast);
	return 0;
}

int tfs_var_cursor_emit_length(struct tfs_var_cursor *cur, const struct tfs_var_opts *opts,
			       struct tfs_fetch *out, struct tfs_refusing *r)
{
	const struct tfs_var_opts plain = { .no_x_types = opts->no_x_types, .user = opts->user };
	struct emit e = { .cur = cur, .opts = &plain, .out = out, .r = r };
	struct tfs_held held;
	struct tfs_row row;
	int rc = tfs_var_cursor_through(cur, r);

	if (rc)
		return rc;
	out->user = opts->user;
	if (!tfs_type_held(cur->scope, &cur->type, &held) && held.how == TFS_HOLDS_VALUE) {
		cur->bit += held.flag.bit;
		cur->type = held.flag.type;
		rc = emit_scalar(&e, false);
	} else if (cur->type.class != TFS_TYPE_STRUCT ||
		   tfs_type_row(cur->scope, &cur->type, &row) || !row.sized) {
		return tfs_var_refuse(r, TFS_REFUSAL_TYPE, "it has no length");
	} else {
		cur->bit += row.len.bit;
		cur->type = row.len.type;
		rc = emit_scalar(&e, !row.type);
	}
	if (rc)
		tfs_fetch_release(out);
	return rc;
}

/* "x32", "s8[3]" and "b5@0/8" of so many bits record all of a value that has them. */
static bool records_all(const struct tfs_fetch *f, unsigned int bits)
{
	return tfs_fetch_is_number(f) && strtoul(f->type + 1, NULL, 10) == bits;
}

/* A number is shown as what it stands for, unless a type was typed. */
static int note_meaning(struct emit *e)
{
	struct tfs_type type = e->cur->type;
	struct tfs_meaning *means = &e->out->means;
	unsigned int bits = e->cur->bits;
	uint64_t size = 0;

	/* of what has a length beside it the report does not show all elements */
	if (e->opts->no_means || cast_kind(e->opts->cast) != CAST_NONE ||
	    (e->cur->beside && strchr(e->out->type, '[')))
		return 0;
	if (type.class == TFS_TYPE_ARRAY &&
	    tfs_type_element(e->cur->scope, &e->cur->type, &type, &size, NULL))
		return 0;
	if (!bits && !tfs_type_size(e->cur->scope, &type, &size) && size <= 8)
		bits = (unsigned int)size * 8;
	if (!bits || !records_all(e->out, bits))
		return 0;
	if (type.class == TFS_TYPE_FLOAT && (bits == 32 || bits == 64))
		means->kind = TFS_MEANS_FLOAT;
	return type.class == TFS_TYPE_ENUM ? tfs_type_enumerators(&type, bits, means) : 0;
}

int tfs_var_cursor_emit(struct tfs_var_cursor *cur, enum tfs_var_wanted wanted,
			const struct tfs_var_opts *opts, struct tfs_fetch *out,
			struct tfs_refusing *r)
{
	struct emit e = { .cur = cur, .opts = opts, .out = out, .r = r };
	const bool address = wanted == TFS_VAR_ADDRESS;
	int rc = check_cast(opts, r);

	out->user = opts->user;
	if (!rc)
		rc = address ? tfs_var_cursor_through(cur, r) : look_through(&e);
	if (!rc)
		rc = address ? emit_address(&e) : emit_selected(&e);
	if (!rc && !address)
		rc = note_meaning(&e);
	if (rc)
		tfs_fetch_release(out);
	return rc;
}
