/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "dwarf/loc.h"

#include <dwarf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STACK_MAX 32
#define PIECES_MAX 64
/* Frame base within entry value within piece: real ones are three deep. */
#define DEPTH_MAX 6
/* A compiler's longest have some hundreds. */
#define OPS_MAX 4096

struct eval {
	const struct tfs_scope *scope;
	Dwarf_Attribute *attr;
	unsigned int depth;
	struct tfs_sval stack[STACK_MAX];
	unsigned int lsh[STACK_MAX]; /* shifted left by, awaiting a shift right */
	unsigned int n;
	struct tfs_loc now; /* the piece being described: kind and payload if not on the stack */
	bool described;     /* @now is set */
	bool bad;           /* @now is a refusal: ignore what follows, up to the next piece */
	uint64_t done;      /* bits of pieces so far */
	bool frame;
};

static void refuse(struct eval *e, enum tfs_refusal why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void refuse(struct eval *e, enum tfs_refusal why, const char *fmt, ...)
{
	char what[sizeof(e->now.what)];
	va_list ap;

	if (e->bad)
		return;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	tfs_loc_refuse(&e->now, why, "%s", what);
	e->described = true;
	e->bad = true;
}

static unsigned int addr_size(const struct eval *e)
{
	return e->scope->machine->bits / 8;
}

static uint64_t low_bits(unsigned int bits)
{
	return bits >= 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

static struct tfs_sval *push(struct eval *e, const struct tfs_sval *v)
{
	if (e->n == STACK_MAX) {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "the location needs too deep a stack");
		return NULL;
	}
	e->stack[e->n] = *v;
	e->lsh[e->n] = 0;
	return &e->stack[e->n++];
}

static void push_const(struct eval *e, uint64_t c)
{
	push(e, &(struct tfs_sval){ .base = TFS_SVAL_CONST, .c = c });
}

static void push_reg(struct eval *e, uint64_t reg, int64_t add)
{
	const struct tfs_machine *m = e->scope->machine;

	if (m->zero >= 0 && reg == (uint64_t)m->zero) {
		push_const(e, (uint64_t)add);
		return;
	}
	if (tfs_machine_is_fp(m, (unsigned int)reg)) {
		refuse(e, TFS_REFUSAL_FP_REGISTER, "register %u", (unsigned int)reg);
		return;
	}
	if (reg > UINT16_MAX || !tfs_machine_reg(m, (unsigned int)reg)) {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "register %u, which a probe cannot read",
		       (unsigned int)reg);
		return;
	}
	push(e, &(struct tfs_sval){
			.base = TFS_SVAL_REG, .reg = (unsigned int)reg, .add = (uint64_t)add });
}

/* Top of the stack, which must be there. */
static struct tfs_sval *top(struct eval *e, unsigned int below)
{
	if (e->n <= below) {
		refuse(e, TFS_REFUSAL_DAMAGED, "location takes from an empty stack");
		return NULL;
	}
	return &e->stack[e->n - 1 - below];
}

static bool is_const(const struct tfs_sval *v)
{
	return v->base == TFS_SVAL_CONST && !v->n && !v->bits && !v->arith;
}

/* An address, a pointer, or a full word: something that can be added to or followed. */
static bool is_word(const struct eval *e, const struct tfs_sval *v)
{
	unsigned int i = (unsigned int)(v - e->stack);

	return !v->arith && !v->bits && !e->lsh[i] &&
	       (!v->n || v->add || v->size[v->n - 1] == addr_size(e));
}

static void make_arith(struct eval *e, struct tfs_sval *v)
{
	*v = (struct tfs_sval){ .arith = true };
	e->lsh[v - e->stack] = 0;
}

static void load(struct eval *e, unsigned int size)
{
	struct tfs_sval *v = top(e, 0);

	if (!v)
		return;
	if (!size || size > addr_size(e)) {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "a read of %u bytes", size);
		return;
	}
	if (!is_word(e, v)) {
		make_arith(e, v);
		return;
	}
	if (v->n == TFS_SVAL_LOADS_MAX) {
		refuse(e, TFS_REFUSAL_DEEP, "%s", "");
		return;
	}
	if (v->base == TFS_SVAL_CONST) {
		v->base = TFS_SVAL_ADDR;
	}
	v->off[v->n] = (int64_t)v->add;
	v->size[v->n] = (uint8_t)size;
	v->n++;
	v->add = 0;
}

/* Keep @bits bits from bit @shift on of what @v is. */
static void window(struct eval *e, struct tfs_sval *v, unsigned int shift, unsigned int bits,
		   bool is_signed)
{
	unsigned int have = v->bits;

	if (!have && !shift && bits >= addr_size(e) * 8U &&
	    (!v->n || v->size[v->n - 1] * 8U >= bits))
		return;
	if (v->arith || v->add) {
		make_arith(e, v);
		return;
	}
	if (!have)
		have = v->n ? v->size[v->n - 1] * 8U : addr_size(e) * 8U;
	if (shift >= have) {
		/* All of it shifted out: only signs remain. */
		make_arith(e, v);
		return;
	}
	if (bits > have - shift) {
		/* The bits above are zero, or copies of the sign. */
		bits = have - shift;
		is_signed = v->bits && v->is_signed;
	}
	v->shift += shift;
	v->bits = bits;
	v->is_signed = is_signed;
}

static void add_to(struct eval *e, struct tfs_sval *v, uint64_t c)
{
	if (is_const(v))
		v->c += c;
	else if (!c)
		return;
	else if (is_word(e, v))
		v->add += c;
	else
		make_arith(e, v);
}

static void shift_right(struct eval *e, struct tfs_sval *v, unsigned int by, bool is_signed)
{
	unsigned int width = addr_size(e) * 8U;
	unsigned int i = (unsigned int)(v - e->stack);
	unsigned int lsh = e->lsh[i];

	if (by < lsh || by >= width || (v->bits && v->is_signed && !lsh)) {
		make_arith(e, v);
		return;
	}
	e->lsh[i] = 0;
	if (v->bits && v->bits + lsh < width)
		is_signed = false;
	window(e, v, by - lsh, width - by, is_signed);
}

static void binary_const(struct eval *e, unsigned int op, struct tfs_sval *v, uint64_t c)
{
	unsigned int width = addr_size(e) * 8U;
	unsigned int bits;

	switch (op) {
	case DW_OP_plus:
		add_to(e, v, c);
		break;
	case DW_OP_minus:
		add_to(e, v, -c);
		break;
	case DW_OP_and:
		c &= low_bits(width);
		bits = c ? 64U - (unsigned int)__builtin_clzll(c) : 0;
		if (bits && c == low_bits(bits) && !e->lsh[v - e->stack])
			window(e, v, 0, bits, false);
		else
			make_arith(e, v);
		break;
	case DW_OP_shl:
		if (c < width && !v->add && !v->arith)
			e->lsh[v - e->stack] += (unsigned int)c;
		else
			make_arith(e, v);
		break;
	case DW_OP_shr:
	case DW_OP_shra:
		shift_right(e, v, c < width ? (unsigned int)c : width, op == DW_OP_shra);
		break;
	default:
		make_arith(e, v);
	}
}

static uint64_t fold(unsigned int op, uint64_t a, uint64_t b, bool *known)
{
	*known = true;
	switch (op) {
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	default:
		*known = false;
		return 0;
	}
}

static void binary(struct eval *e, unsigned int op)
{
	struct tfs_sval *b = top(e, 0), *a = top(e, 1);
	struct tfs_sval keep;
	bool known = false;
	uint64_t c;

	if (!a || !b)
		return;
	if (is_const(a) && is_const(b)) {
		c = fold(op, a->c, b->c, &known);
		if (known)
			*a = (struct tfs_sval){ .c = c & low_bits(addr_size(e) * 8U) };
		else
			make_arith(e, a);
	} else if (is_const(b)) {
		binary_const(e, op, a, b->c);
	} else if (is_const(a) && op == DW_OP_plus) {
		c = a->c;
		keep = *b;
		e->lsh[e->n - 2] = e->lsh[e->n - 1];
		*a = keep;
		add_to(e, a, c);
	} else {
		make_arith(e, a);
	}
	e->n--;
}

static void unary(struct eval *e, unsigned int op)
{
	struct tfs_sval *v = top(e, 0);

	if (!v)
		return;
	if (is_const(v) && op == DW_OP_neg)
		v->c = -v->c;
	else if (is_const(v) && op == DW_OP_not)
		v->c = ~v->c;
	else
		make_arith(e, v);
}

static void stack_op(struct eval *e, const Dwarf_Op *op)
{
	struct tfs_sval *v;
	struct tfs_sval copy[3];
	unsigned int pick = op->atom == DW_OP_over ? 1 :
			    op->atom == DW_OP_pick ? (unsigned int)op->number & 0xff :
						     0;
	unsigned int i, take = op->atom == DW_OP_rot ? 3 : 2;

	switch (op->atom) {
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_pick:
		v = top(e, pick);
		if (v && e->lsh[v - e->stack])
			make_arith(e, v);
		if (v) {
			copy[0] = *v;
			push(e, &copy[0]);
		}
		break;
	case DW_OP_drop:
		if (top(e, 0))
			e->n--;
		break;
	default: /* swap, rot: the top goes to the bottom of the two or three */
		if (!top(e, take - 1))
			break;
		for (i = 0; i < take; i++) {
			v = top(e, i);
			if (e->lsh[v - e->stack])
				make_arith(e, v);
			copy[i] = *v;
		}
		for (i = 0; i < take; i++)
			*top(e, i) = copy[(i + 1) % take];
	}
}

/* Size in bits and signedness of a base type; floating point cannot be computed with here. */
static bool base_type(struct eval *e, const Dwarf_Op *op, unsigned int *bits, bool *is_signed)
{
	Dwarf_Attribute attr;
	Dwarf_Word size, enc;
	Dwarf_Die die;

	if (!e->attr || dwarf_getlocation_die(e->attr, op, &die) != 0 ||
	    !dwarf_attr(&die, DW_AT_byte_size, &attr) || dwarf_formudata(&attr, &size) != 0 ||
	    !dwarf_attr(&die, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &enc) != 0) {
		refuse(e, TFS_REFUSAL_DAMAGED, "operation with a type that is not there");
		return false;
	}
	if (enc == DW_ATE_float || enc == DW_ATE_complex_float || enc == DW_ATE_imaginary_float) {
		refuse(e, TFS_REFUSAL_ARITHMETIC, "a floating-point conversion");
		return false;
	}
	if (!size || size > 8) {
		refuse(e, TFS_REFUSAL_ARITHMETIC, "a value of %u bytes", (unsigned int)size);
		return false;
	}
	*bits = (unsigned int)size * 8;
	*is_signed = enc == DW_ATE_signed || enc == DW_ATE_signed_char;
	return true;
}

static void convert(struct eval *e, const Dwarf_Op *op)
{
	struct tfs_sval *v = top(e, 0);
	unsigned int bits = addr_size(e) * 8U, have;
	bool is_signed = false;

	if (!v)
		return;
	/* 0 is the generic type. */
	if (op->number && !base_type(e, op, &bits, &is_signed))
		return;
	if (v->arith || e->lsh[v - e->stack]) {
		make_arith(e, v);
	} else if (is_const(v)) {
		v->c &= low_bits(bits);
		if (is_signed && bits < 64 && v->c >> (bits - 1))
			v->c |= ~low_bits(bits);
	} else {
		have = v->bits ? v->bits : addr_size(e) * 8U;
		/* Wider keeps the value; narrower cuts, and then the new type says what sign is. */
		if (bits < have || (bits == have && is_signed != v->is_signed))
			window(e, v, 0, bits, is_signed);
	}
}

static void typed_op(struct eval *e, const Dwarf_Op *op)
{
	unsigned int bits = 0;
	bool is_signed = false;
	struct tfs_sval *v;

	switch (op->atom) {
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		convert(e, op);
		return;
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		if (tfs_machine_is_fp(e->scope->machine, (unsigned int)op->number)) {
			refuse(e, TFS_REFUSAL_FP_REGISTER, "register %u", (unsigned int)op->number);
			return;
		}
		if (!base_type(e, op, &bits, &is_signed))
			return;
		push_reg(e, op->number, 0);
		break;
	default: /* deref_type: number is the size */
		if (!base_type(e, op, &bits, &is_signed))
			return;
		load(e, (unsigned int)op->number);
	}
	v = e->bad ? NULL : top(e, 0);
	if (v && !is_const(v))
		window(e, v, 0, bits, is_signed);
}

static void const_type(struct eval *e, const Dwarf_Op *op)
{
	unsigned int bits, i;
	bool is_signed;
	uint64_t c = 0;
	Dwarf_Block block;
	bool big = e->scope->machine->big;

	if (!base_type(e, op, &bits, &is_signed))
		return;
	if (dwarf_getlocation_implicit_value(e->attr, op, &block) != 0 || block.length > 8) {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "a typed constant");
		return;
	}
	for (i = 0; i < block.length; i++)
		c |= (uint64_t)block.data[big ? block.length - 1 - i : i] << (8 * i);
	if (is_signed && bits < 64 && c >> (bits - 1))
		c |= ~low_bits(bits);
	push_const(e, c);
}

/* Only at the entry itself do registers still hold their values on entry. */
static void entry_value(struct eval *e, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &inner) != 0 ||
	    dwarf_getlocation(&inner, &ops, &n) != 0 || n != 1) {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "an entry value that is not a register");
		return;
	}
	if (ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31) {
		if (e->scope->pc == e->scope->entry)
			push_reg(e, ops->atom - DW_OP_reg0, 0);
		else
			refuse(e, TFS_REFUSAL_ENTRY_VALUE, "%%%s on entry",
			       tfs_machine_reg(e->scope->machine, ops->atom - DW_OP_reg0) ?:
				       "a register");
	} else if (e->scope->pc != e->scope->entry) {
		refuse(e, TFS_REFUSAL_ENTRY_VALUE, "%s", "");
	} else {
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "an entry value that is not a register");
	}
}

/* fbreg and call_frame_cfa: address in the frame. */
static int frame_op(struct eval *e, bool cfa, int64_t off)
{
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;
	Dwarf_Die func = e->scope->func;
	struct tfs_loc base = { 0 };
	int rc;

	if (e->depth >= DEPTH_MAX) {
		refuse(e, TFS_REFUSAL_DAMAGED, "the frame base is defined by itself");
		return 0;
	}
	rc = cfa ? tfs_loc_cfa(e->scope, e->depth, &base) :
		   tfs_loc_frame_base(e->scope, e->depth, &base);
	if (rc)
		return rc;
	if (base.kind != TFS_LOC_MEM) {
		refuse(e, base.kind == TFS_LOC_NONE ? base.why : TFS_REFUSAL_UNSUPPORTED, "%s",
		       base.what);
	} else {
		/*
		 * Memory at or above the CFA belongs to the caller and was written before the call,
		 * except for the save area that some ABIs reserve there.
		 */
		bool at_cfa = cfa || (dwarf_attr_integrate(&func, DW_AT_frame_base, &attr) &&
				      tfs_loc_here(e->scope, &attr, &ops, &n) && n == 1 &&
				      ops->atom == DW_OP_call_frame_cfa);

		if (!at_cfa || off < (int64_t)e->scope->machine->saved)
			e->frame = true;
		push(e, &base.v);
		if (!e->bad)
			add_to(e, &e->stack[e->n - 1], (uint64_t)off);
	}
	tfs_loc_release(&base);
	return 0;
}

/* The register holds the variable, as against what it points at. */
static void in_register(struct eval *e, uint64_t reg)
{
	push_reg(e, reg, 0);
	if (e->bad)
		return;
	e->now.kind = e->stack[e->n - 1].base == TFS_SVAL_REG ? TFS_LOC_REG : TFS_LOC_VALUE;
	e->now.v = e->stack[--e->n];
	e->described = true;
}

static void address_op(struct eval *e, const Dwarf_Op *op)
{
	Dwarf_Attribute attr;
	Dwarf_Addr addr = op->number;
	Dwarf_Word u;

	if (op->atom == DW_OP_addr) {
		push(e, &(struct tfs_sval){ .base = TFS_SVAL_ADDR, .c = addr });
		return;
	}
	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &attr) != 0) {
		refuse(e, TFS_REFUSAL_DAMAGED, "an address index that is out of range");
		return;
	}
	if (op->atom == DW_OP_addrx || op->atom == DW_OP_GNU_addr_index) {
		if (dwarf_formaddr(&attr, &addr) == 0) {
			push(e, &(struct tfs_sval){ .base = TFS_SVAL_ADDR, .c = addr });
			return;
		}
	} else if (dwarf_formudata(&attr, &u) == 0 || dwarf_formaddr(&attr, &u) == 0) {
		push_const(e, u);
		return;
	}
	refuse(e, TFS_REFUSAL_DAMAGED, "an address index that is out of range");
}

static void implicit(struct eval *e, const Dwarf_Op *op)
{
	if (op->atom == DW_OP_implicit_value) {
		if (e->attr && dwarf_getlocation_implicit_value(e->attr, op, &e->now.bytes) == 0) {
			e->now.kind = TFS_LOC_BYTES;
			e->described = true;
			return;
		}
	} else if (e->attr && dwarf_getlocation_die(e->attr, op, &e->now.target) == 0) {
		e->now.kind = TFS_LOC_IMPLICIT;
		e->now.target_off = (int64_t)op->number2;
		e->described = true;
		return;
	}
	refuse(e, TFS_REFUSAL_DAMAGED, "an implicit value that is not there");
}

static void operators(struct eval *e, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_plus_uconst:
		if (top(e, 0))
			add_to(e, top(e, 0), op->number);
		break;
	case DW_OP_deref:
		load(e, addr_size(e));
		break;
	case DW_OP_deref_size:
		load(e, (unsigned int)(op->number & 0xff));
		break;
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot:
		stack_op(e, op);
		break;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
		unary(e, op->atom);
		break;
	case DW_OP_and:
	case DW_OP_div:
	case DW_OP_minus:
	case DW_OP_mod:
	case DW_OP_mul:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne:
		binary(e, op->atom);
		break;
	case DW_OP_skip:
	case DW_OP_bra:
		refuse(e, TFS_REFUSAL_ARITHMETIC, "the value depends on a condition");
		break;
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		refuse(e, TFS_REFUSAL_TLS, TFS_TLS_WHY);
		break;
	case DW_OP_GNU_parameter_ref:
	case DW_OP_GNU_variable_value:
		refuse(e, TFS_REFUSAL_OPTIMISED_OUT, "only the caller knows its value");
		break;
	case DW_OP_nop:
		break;
	default:
		refuse(e, TFS_REFUSAL_UNSUPPORTED, "location operation 0x%x", op->atom);
	}
}

static int one_op(struct eval *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push_const(e, op->atom - DW_OP_lit0);
		return 0;
	}
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		in_register(e, op->atom - DW_OP_reg0);
		return 0;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_reg(e, op->atom - DW_OP_breg0, (int64_t)op->number);
		if ((int)(op->atom - DW_OP_breg0) == e->scope->machine->sp)
			e->frame = true;
		return 0;
	}
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_constx:
	case DW_OP_GNU_addr_index:
	case DW_OP_GNU_const_index:
		address_op(e, op);
		break;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		push_const(e, op->number);
		break;
	case DW_OP_regx:
		in_register(e, op->number);
		break;
	case DW_OP_bregx:
		push_reg(e, op->number, (int64_t)op->number2);
		break;
	case DW_OP_fbreg:
		return frame_op(e, false, (int64_t)op->number);
	case DW_OP_call_frame_cfa:
		return frame_op(e, true, 0);
	case DW_OP_implicit_value:
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		implicit(e, op);
		break;
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		entry_value(e, op);
		break;
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		typed_op(e, op);
		break;
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		const_type(e, op);
		break;
	default:
		operators(e, op);
	}
	return 0;
}

/* End a location or piece: the top of the stack is its address or, with @value, its value. */
static void end_location(struct eval *e, bool value)
{
	struct tfs_sval *v;

	if (e->described)
		return;
	if (!e->n) {
		refuse(e, TFS_REFUSAL_OPTIMISED_OUT, "%s", "");
		return;
	}
	v = &e->stack[e->n - 1];
	if (v->arith || e->lsh[e->n - 1] || (!value && !is_word(e, v))) {
		refuse(e, TFS_REFUSAL_ARITHMETIC, "%s", "");
		return;
	}
	if (!value && v->base == TFS_SVAL_CONST && !v->n)
		v->base = TFS_SVAL_ADDR;
	e->now.v = *v;
	e->now.kind = value ? TFS_LOC_VALUE : TFS_LOC_MEM;
	e->described = true;
}

static int add_piece(struct eval *e, uint64_t bits, uint64_t skip, struct tfs_loc *out)
{
	struct tfs_piece *piece;

	end_location(e, false);
	e->now.frame = e->frame;
	if (out->n_piece == PIECES_MAX || bits > UINT32_MAX) {
		tfs_loc_refuse(out, TFS_REFUSAL_PIECES, "too many parts");
		return 1;
	}
	piece = realloc(out->piece, (out->n_piece + 1) * sizeof(*piece));
	if (!piece)
		return -ENOMEM;
	out->piece = piece;
	out->kind = TFS_LOC_PIECES;
	piece += out->n_piece++;
	*piece = (struct tfs_piece){ .loc = e->now, .at = e->done, .bits = bits, .skip = skip };
	e->done += bits;
	out->frame = out->frame || e->frame;
	memset(&e->now, 0, sizeof(e->now));
	e->described = false;
	e->bad = false;
	e->frame = false;
	e->n = 0;
	return 0;
}

int tfs_loc_eval(const struct tfs_scope *scope, Dwarf_Attribute *attr, const Dwarf_Op *op, size_t n,
		 unsigned int depth, struct tfs_loc *out)
{
	struct eval e = { .scope = scope, .attr = attr, .depth = depth };
	size_t i;
	int rc = 0;

	if (n > OPS_MAX) {
		tfs_loc_refuse(out, TFS_REFUSAL_UNSUPPORTED, "a location of %zu operations", n);
		return 0;
	}
	for (i = 0; i < n && !rc; i++) {
		if (op[i].atom == DW_OP_piece)
			rc = add_piece(&e, op[i].number * 8, 0, out);
		else if (op[i].atom == DW_OP_bit_piece)
			rc = add_piece(&e, op[i].number, op[i].number2, out);
		else if (op[i].atom == DW_OP_stack_value)
			end_location(&e, true);
		else if (!e.bad)
			rc = one_op(&e, &op[i]);
	}
	if (rc)
		return rc < 0 ? rc : 0;
	if (out->n_piece) {
		out->frame = out->frame || e.frame;
		return 0;
	}
	end_location(&e, false);
	*out = e.now;
	out->frame = e.frame;
	return 0;
}
