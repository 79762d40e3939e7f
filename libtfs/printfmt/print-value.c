/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <string.h>

#include <event-parse.h>

static void emit(struct tfs_print *p, enum tfs_opcode code, unsigned int size, uint64_t imm)
{
	struct tfs_op op = { .code = (uint8_t)code, .size = (uint8_t)size, .imm = imm };

	tfs_emit(&p->c, &op, 0);
}

static bool is_swapped(const struct tfs_print *p)
{
	return p->c.env->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static bool is_number_size(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Extends a value that was computed or loaded by the sign of its type */
static void extend(struct tfs_print *p, struct tfs_ctype type)
{
	if (type.pointers || type.size >= 8 || !type.size)
		return;
	if (type.is_signed)
		emit(p, TFS_OP_EXTEND, type.size, 0);
	else
		emit(p, TFS_OP_MASK, 0, UINT64_MAX >> (64 - 8 * type.size));
}

/* @low: what is above 32 bits does not count */
static void load(struct tfs_print *p, unsigned int offset, unsigned int size, bool is_signed,
		 bool low)
{
	static const uint8_t plain
		[] = { [1] = TFS_OP_LOAD1,
		       [2] = TFS_OP_LOAD2,
		       [4] = TFS_OP_LOAD4,
		       [8] = TFS_OP_LOAD8 },
	   sign[] = { [1] = TFS_OP_LOAD1S,
		      [2] = TFS_OP_LOAD2S,
		      [4] = TFS_OP_LOAD4S,
		      [8] = TFS_OP_LOAD8 },
	   swap[] = {
		   [1] = TFS_OP_LOAD1S, [2] = TFS_OP_SWAP2, [4] = TFS_OP_SWAP4, [8] = TFS_OP_SWAP8
	   };
	bool swapped = is_swapped(p) && size > 1;
	struct tfs_op op = { .off = offset };

	if (low && size == 4)
		is_signed = false;
	op.code = swapped ? swap[size] : is_signed ? sign[size] : plain[size];
	tfs_emit(&p->c, &op, 0);
	if (swapped && is_signed && size < 8)
		emit(p, TFS_OP_EXTEND, size, 0);
}

static void field(struct tfs_print *p, const struct tfs_node *n, bool low)
{
	const struct tep_format_field *f = tfs_print_field(p, n);

	if (!f || f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC) ||
	    !is_number_size((unsigned int)f->size)) {
		tfs_refuse(&p->c, "an address in this program");
		return;
	}
	load(p, (unsigned int)f->offset, (unsigned int)f->size,
	     n->type.is_signed && !n->type.pointers, low);
}

void tfs_print_at(struct tfs_print *p, const struct tfs_spot *spot, struct tfs_op *op)
{
	op->off = (uint32_t)spot->field->offset;
	if (spot->dynamic)
		op->style |= tfs_dynamic(&p->c, spot->field);
	else
		op->off += (uint32_t)spot->add;
}

/* An element at @spot; @index NULL: the one that it points to */
static void element(struct tfs_print *p, const struct tfs_spot *spot, struct tfs_node *index)
{
	struct tfs_ctype type = spot->type;
	struct tfs_op op = { .code = spot->dynamic ? TFS_OP_DYN_ELEMENT : TFS_OP_ELEMENT };
	unsigned int size = type.pointers ? p->c.env->long_size : type.size;
	uint64_t add = spot->dynamic ? spot->add : 0;

	if (!is_number_size(size) || add % size) {
		tfs_refuse(&p->c, "elements that are not numbers");
		return;
	}
	tfs_print_at(p, spot, &op);
	op.size = (uint8_t)size;
	op.aux = size;
	if (index && !index->is_const) {
		tfs_print_value(p, index);
		if (add)
			tfs_refuse(&p->c, "an element far from its array");
	} else {
		emit(p, TFS_OP_CONST, 0, (index ? index->value : 0) + add / size);
	}
	tfs_emit(&p->c, &op, 0);
	if (type.is_signed && !type.pointers)
		extend(p, type);
}

/* "p[i]", "*p": of an array in the record */
static void element_of(struct tfs_print *p, struct tfs_node *pointer, struct tfs_node *index)
{
	struct tfs_spot spot;

	if (tfs_print_spot(p, pointer, &spot))
		element(p, &spot, index);
	else
		tfs_refuse(&p->c, "memory that is not in the record");
}

static bool is_shift(enum tfs_node_op op)
{
	return op == TFS_NODE_SHL || op == TFS_NODE_SHR;
}

static bool is_logical(enum tfs_node_op op)
{
	return op == TFS_NODE_LAND || op == TFS_NODE_LOR;
}

/* One side of an operator, as a number of the type in which both meet */
static void side(struct tfs_print *p, struct tfs_node *n, struct tfs_ctype common)
{
	tfs_print_value(p, n);
	/* int to unsigned int: all other conversions leave the 64 bits as they are. */
	if (common.size == 4 && !common.is_signed && !common.pointers && n->type.is_signed &&
	    !n->type.pointers)
		emit(p, TFS_OP_MASK, 0, UINT32_MAX);
}

static void push(struct tfs_print *p)
{
	emit(p, TFS_OP_PUSH, 0, 0);
	if (++p->c.stack > TFS_STACK_MAX)
		tfs_refuse(&p->c, "a deep expression");
}

/* May the result have bits above its type's? */
static bool overflows(enum tfs_node_op op)
{
	return op == TFS_NODE_ADD || op == TFS_NODE_SUB || op == TFS_NODE_MUL || op == TFS_NODE_SHL;
}

static void binary(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_ctype common = tfs_print_common(n->a->type, n->b->type);
	struct tfs_op op = { .code = TFS_OP_BINARY };
	bool own = is_shift(n->op) || is_logical(n->op);

	if (is_shift(n->op))
		common = n->type;
	op.kind = (uint8_t)tfs_print_operator(n->op, common.is_signed && !common.pointers);
	if (is_shift(n->op))
		tfs_print_value(p, n->a);
	else
		side(p, n->a, own ? n->a->type : common);
	if (n->b->is_const) {
		op.code = TFS_OP_BINARY_IMM;
		op.imm = own ? n->b->value : tfs_print_fit(common, n->b->value);
		if (is_shift(n->op) && common.size == 4)
			op.imm &= 31;
	} else {
		push(p);
		side(p, n->b, own ? n->b->type : common);
		if (is_shift(n->op) && common.size == 4)
			emit(p, TFS_OP_MASK, 0, 31);
		p->c.stack--;
	}
	tfs_emit(&p->c, &op, 0);
	if (overflows(n->op))
		extend(p, n->type);
}

static void unary(struct tfs_print *p, struct tfs_node *n)
{
	switch (n->op) {
	case TFS_NODE_DEREF:
		element_of(p, n->a, NULL);
		return;
	case TFS_NODE_ADDRESS:
		tfs_refuse(&p->c, "an address in this program");
		return;
	default:
		break;
	}
	tfs_print_value(p, n->a);
	if (n->op == TFS_NODE_NOT) {
		emit(p, TFS_OP_NOT, 0, 0);
	} else if (n->op != TFS_NODE_PLUS) {
		emit(p, n->op == TFS_NODE_NEGATE ? TFS_OP_NEGATE : TFS_OP_INVERT, 0, 0);
		extend(p, n->type);
	}
}

/* A value of @n's type that becomes one of @type */
static void converted(struct tfs_print *p, struct tfs_node *n, struct tfs_ctype type)
{
	struct tfs_ctype from = n->type;

	tfs_print_value(p, n);
	if (type.is_bool && !type.pointers && !from.is_bool) {
		emit(p, TFS_OP_NOT, 0, 0);
		emit(p, TFS_OP_NOT, 0, 0);
		return;
	}
	if (type.pointers || type.size >= 8 || !type.size)
		return;
	/* It fits as it is */
	if (!from.pointers && from.size &&
	    (from.size < type.size ? !from.is_signed || type.is_signed :
				     from.size == type.size && from.is_signed == type.is_signed))
		return;
	extend(p, type);
}

static void condition(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_JUMP_ZERO };
	struct tfs_node *yes = n->b ? n->b : n->a;
	size_t other, end;

	if (n->a->is_const) {
		converted(p, n->a->value ? yes : n->c, n->type);
		return;
	}
	tfs_print_value(p, n->a);
	other = tfs_emit(&p->c, &op, 0);
	converted(p, yes, n->type);
	op.code = TFS_OP_JUMP;
	end = tfs_emit(&p->c, &op, 0);
	tfs_jump_here(&p->c, other);
	converted(p, n->c, n->type);
	tfs_jump_here(&p->c, end);
}

static void length(struct tfs_print *p, const struct tfs_node *n)
{
	const struct tep_format_field *f = n->a ? tfs_print_named(p, n->a) : NULL;
	struct tfs_op op = { .code = TFS_OP_DYN_LEN, .style = tfs_dynamic(&p->c, f) };

	if (f)
		op.off = (uint32_t)f->offset;
	tfs_emit(&p->c, &op, 0);
}

/* As they are, as libtraceevent's plugin shows them, where the tick rate is not known */
static void jiffies(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_format_env *env = p->c.env;
	uint64_t hz = 0;

	tfs_print_value(p, n->a);
	emit(p, TFS_OP_MASK, 0, UINT32_MAX);
	if (env->constant && env->constant(env->constants, "HZ", 2, &hz) && hz && hz <= 100000)
		emit(p, TFS_OP_MSECS, 0, hz);
}

static void call(struct tfs_print *p, struct tfs_node *n)
{
	if (tfs_node_is(n, "__get_dynamic_array_len") ||
	    tfs_node_is(n, "__get_rel_dynamic_array_len")) {
		length(p, n);
	} else if (tfs_node_is(n, "__builtin_expect")) {
		tfs_print_value(p, n->a);
	} else if (n->len > 4 && memmem(n->text, n->len, "swa", 3)) {
		tfs_print_value(p, n->a);
		extend(p, n->type);
		emit(p, TFS_OP_BSWAP, n->type.size, 0);
	} else if (tfs_node_is(n, "jiffies_to_msecs")) {
		jiffies(p, n);
	} else if (tfs_node_is(n, "bits")) {
		tfs_print_value(p, n->a);
		emit(p, TFS_OP_BINARY_IMM, 0, n->value >> 8);
		if (!p->c.rc)
			p->c.program->ops[p->c.program->n_ops - 1].kind = TFS_SHR;
		emit(p, TFS_OP_MASK, 0, UINT64_MAX >> (64 - (n->value & 0xff)));
	} else {
		tfs_refuse(&p->c, "a function that is not known");
	}
}

static void value(struct tfs_print *p, struct tfs_node *n, bool low)
{
	switch (n->kind) {
	case TFS_NODE_FIELD:
		field(p, n, low);
		break;
	case TFS_NODE_CAST:
		/* A cast to int or longer keeps the lower 32 bits. */
		if (low && (n->type.pointers || n->type.size >= 4))
			tfs_print_low(p, n->a);
		else
			converted(p, n->a, n->type);
		break;
	case TFS_NODE_UNARY:
		unary(p, n);
		break;
	case TFS_NODE_BINARY:
		binary(p, n);
		break;
	case TFS_NODE_CONDITION:
		condition(p, n);
		break;
	case TFS_NODE_INDEX:
		element_of(p, n->a, n->b);
		break;
	case TFS_NODE_CALL:
		call(p, n);
		break;
	case TFS_NODE_BLOCK:
		if (n->b)
			tfs_refuse(&p->c, "a text where a number is wanted");
		else
			value(p, n->c, low);
		break;
	default:
		tfs_refuse(&p->c, "an address in this program");
	}
}

static void enter(struct tfs_print *p, struct tfs_node *n, bool low)
{
	tfs_print_resolve(p, n);
	if (p->c.rc)
		return;
	if (n->is_const) {
		emit(p, TFS_OP_CONST, 0, n->value);
		return;
	}
	if (++p->c.depth > TFS_PRINT_DEPTH)
		tfs_refuse(&p->c, "a deep expression");
	else
		value(p, n, low);
	p->c.depth--;
}

void tfs_print_value(struct tfs_print *p, struct tfs_node *n)
{
	enter(p, n, false);
}

void tfs_print_low(struct tfs_print *p, struct tfs_node *n)
{
	enter(p, n, true);
}
