/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/macros.h"

/* Operators with two operands. */
struct operator_row {
	const char *text;
	enum tfs_operator kind;
};

static const struct operator_row operators[] = {
	{ "+", TFS_ADD },  { "-", TFS_SUB },   { "*", TFS_MUL },  { "/", TFS_DIV },
	{ "%", TFS_MOD },  { "&", TFS_AND },   { "|", TFS_OR },   { "<<", TFS_SHL },
	{ ">>", TFS_SHR }, { "&&", TFS_LAND }, { "||", TFS_LOR }, { "==", TFS_EQ },
	{ "!=", TFS_NE },  { "<", TFS_LT },    { "<=", TFS_LE },  { ">", TFS_GT },
	{ ">=", TFS_GE },
};

static const struct operator_row *find_operator(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operators); i++)
		if (!strcmp(operators[i].text, text))
			return &operators[i];
	return NULL;
}

/* Types by which libtraceevent cuts a value; every other one leaves it whole. */
static uint64_t mask_of(const char *type)
{
	static const struct {
		const char *type;
		uint64_t mask;
	} rows[] = {
		{ "u8", 0xff },        { "s8", 0xff },        { "char", 0xff },
		{ "u16", 0xffff },     { "s16", 0xffff },     { "short", 0xffff },
		{ "u32", 0xffffffff }, { "s32", 0xffffffff }, { "int", 0xffffffff },
	};
	static const char prefix[] = "unsigned ";
	size_t i;

	if (!strncmp(type, prefix, sizeof(prefix) - 1))
		type += sizeof(prefix) - 1;
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].type, type))
			return rows[i].mask;
	return UINT64_MAX;
}

/* The same of what a pointer type, "u8 *", points to. */
static uint64_t target_mask(const char *type)
{
	size_t len = strlen(type);
	char target[32];

	if (len < 3 || type[len - 1] != '*' || len - 2 >= sizeof(target))
		return UINT64_MAX;
	memcpy(target, type, len - 2);
	target[len - 2] = '\0';
	return mask_of(target);
}

const struct tep_format_field *tfs_arg_field(const struct tfs_compiler *c,
					     const struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	if (!arg)
		return NULL;
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY || arg->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		return arg->dynarray.field;
	if (arg->type != TEP_PRINT_FIELD)
		return NULL;
	return arg->field.field ? arg->field.field : tep_find_any_field(c->event, arg->field.name);
}

uint16_t tfs_dynamic(struct tfs_compiler *c, const struct tep_format_field *f)
{
	if (!f || f->size != 4) {
		tfs_refuse(c, "an unusual dynamic field");
		return 0;
	}
	return f->flags & TEP_FIELD_IS_RELATIVE ? TFS_STYLE_DYNAMIC | TFS_STYLE_RELATIVE :
						  TFS_STYLE_DYNAMIC;
}

static void emit_const(struct tfs_compiler *c, uint64_t val)
{
	struct tfs_op op = { .code = TFS_OP_CONST, .imm = val };

	tfs_emit(c, &op, 0);
}

static void emit_code(struct tfs_compiler *c, enum tfs_opcode code)
{
	struct tfs_op op = { .code = (uint8_t)code };

	tfs_emit(c, &op, 0);
}

static void emit_mask(struct tfs_compiler *c, uint64_t mask)
{
	struct tfs_op op = { .code = TFS_OP_MASK, .imm = mask };

	if (mask != UINT64_MAX)
		tfs_emit(c, &op, 0);
}

static bool is_swapped(const struct tfs_compiler *c)
{
	return c->env->big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

void tfs_compile_field(struct tfs_compiler *c, const struct tep_format_field *f)
{
	bool swap = is_swapped(c);
	struct tfs_op op = { 0 };

	if (!f) {
		tfs_refuse(c, "a field is missing");
		return;
	}
	switch (f->size) {
	case 1:
		op.code = TFS_OP_LOAD1;
		break;
	case 2:
		op.code = swap ? TFS_OP_SWAP2 : TFS_OP_LOAD2;
		break;
	case 4:
		op.code = swap ? TFS_OP_SWAP4 : TFS_OP_LOAD4;
		break;
	case 8:
		op.code = swap ? TFS_OP_SWAP8 : TFS_OP_LOAD8;
		break;
	default: /* no number to libtraceevent */
		op.code = TFS_OP_CONST;
	}
	if (op.code != TFS_OP_CONST)
		op.off = (uint32_t)f->offset;
	tfs_emit(c, &op, 0);
}

static void element(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *left = arg->op.left, *cast = NULL;
	const struct tep_format_field *f;
	struct tfs_op op = { .code = TFS_OP_ELEMENT };
	unsigned int size;

	for (; left && left->type == TEP_PRINT_TYPE; left = left->typecast.item)
		cast = cast ? cast : left;
	f = tfs_arg_field(c, left);
	if (!left || !f ||
	    (left->type != TEP_PRINT_FIELD && left->type != TEP_PRINT_DYNAMIC_ARRAY)) {
		tfs_refuse(c, "an element of no field");
		return;
	}
	size = f->elementsize;
	op.aux = size;
	if (left->type == TEP_PRINT_DYNAMIC_ARRAY) {
		op.code = TFS_OP_DYN_ELEMENT;
		op.style = tfs_dynamic(c, f);
		op.aux = 1; /* libtraceevent counts bytes */
		size = size ? size : c->env->long_size;
	}
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		tfs_refuse(c, "elements that are not numbers");
		return;
	}
	op.size = (uint8_t)size;
	op.off = (uint32_t)f->offset;
	tfs_compile_value(c, arg->op.right);
	tfs_emit(c, &op, 0);
	if (cast)
		emit_mask(c, target_mask(cast->typecast.type));
}

/* A number; a name is the address of a symbol, or 0. */
static uint64_t atom(const struct tfs_compiler *c, const char *text)
{
	uint64_t val = strtoull(text, NULL, 0);

	if (!val && !isdigit((unsigned char)*text) && c->env->address &&
	    !c->env->address(c->env->symbols, text, &val))
		val = 0;
	return val;
}

static bool unary_const(const char *op, uint64_t val, uint64_t *out)
{
	if (!strcmp(op, "!"))
		*out = !val;
	else if (!strcmp(op, "~"))
		*out = ~val;
	else
		return false;
	return true;
}

static bool operation_is_const(struct tfs_compiler *c, const struct tep_print_arg *arg,
			       uint64_t *val)
{
	const struct operator_row *row = find_operator(arg->op.op);
	uint64_t a, b;

	if (!tfs_value_is_const(c, arg->op.right, &b))
		return false;
	if (!row)
		return unary_const(arg->op.op, b, val);
	return tfs_value_is_const(c, arg->op.left, &a) && tfs_compute(row->kind, a, b, val);
}

bool tfs_value_is_const(struct tfs_compiler *c, const struct tep_print_arg *arg, uint64_t *val)
{
	bool is = false;

	*val = 0;
	if (!arg)
		return false;
	if (tfs_deeper(c)) {
		switch (arg->type) {
		case TEP_PRINT_NULL:
			is = true;
			break;
		case TEP_PRINT_ATOM:
			is = true;
			*val = atom(c, arg->atom.atom);
			break;
		case TEP_PRINT_TYPE:
			is = tfs_value_is_const(c, arg->typecast.item, val);
			*val &= mask_of(arg->typecast.type);
			break;
		case TEP_PRINT_OP:
			is = operation_is_const(c, arg, val);
			break;
		default:
			break;
		}
	}
	c->depth--;
	return is;
}

/* Both sides are computed, as libtraceevent does for && and ||, too. */
static void binary(struct tfs_compiler *c, const struct tep_print_arg *arg, enum tfs_operator kind)
{
	struct tfs_op op = { .code = TFS_OP_BINARY, .kind = (uint8_t)kind };
	uint64_t val;

	tfs_compile_value(c, arg->op.left);
	if (tfs_value_is_const(c, arg->op.right, &val)) {
		op.code = TFS_OP_BINARY_IMM;
		op.imm = val;
		tfs_emit(c, &op, 0);
		return;
	}
	emit_code(c, TFS_OP_PUSH);
	if (++c->stack > TFS_STACK_MAX)
		tfs_refuse(c, "a deep expression");
	tfs_compile_value(c, arg->op.right);
	c->stack--;
	tfs_emit(c, &op, 0);
}

static void choice(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *colon = arg->op.right;
	struct tfs_op op = { .code = TFS_OP_JUMP_ZERO };
	size_t other, end;

	if (!colon || colon->type != TEP_PRINT_OP) {
		tfs_refuse(c, "a condition without choices");
		return;
	}
	tfs_compile_value(c, arg->op.left);
	other = tfs_emit(c, &op, 0);
	tfs_compile_value(c, colon->op.left);
	op.code = TFS_OP_JUMP;
	end = tfs_emit(c, &op, 0);
	tfs_jump_here(c, other);
	tfs_compile_value(c, colon->op.right);
	tfs_jump_here(c, end);
}

static void operation(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	const struct operator_row *row = find_operator(arg->op.op);
	uint64_t val;

	if (operation_is_const(c, arg, &val)) {
		emit_const(c, val);
	} else if (!strcmp(arg->op.op, "[")) {
		element(c, arg);
	} else if (!strcmp(arg->op.op, "?")) {
		choice(c, arg);
	} else if (row) {
		binary(c, arg, row->kind);
	} else if (!strcmp(arg->op.op, "!") || !strcmp(arg->op.op, "~")) {
		tfs_compile_value(c, arg->op.right);
		emit_code(c, arg->op.op[0] == '!' ? TFS_OP_NOT : TFS_OP_INVERT);
	} else {
		tfs_refuse(c, "an unknown operator");
	}
}

static void dynamic_length(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	const struct tep_format_field *f = tfs_arg_field(c, arg);
	struct tfs_op op = { .code = TFS_OP_DYN_LEN, .style = tfs_dynamic(c, f) };

	if (c->rc)
		return;
	op.off = (uint32_t)f->offset;
	tfs_emit(c, &op, 0);
}

void tfs_compile_value(struct tfs_compiler *c, const struct tep_print_arg *arg)
{
	if (!arg)
		tfs_refuse(c, "an argument is missing");
	if (!tfs_deeper(c) || !arg)
		goto out;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		emit_const(c, atom(c, arg->atom.atom));
		break;
	case TEP_PRINT_FIELD:
		tfs_compile_field(c, tfs_arg_field(c, arg));
		break;
	case TEP_PRINT_TYPE:
		tfs_compile_value(c, arg->typecast.item);
		emit_mask(c, mask_of(arg->typecast.type));
		break;
	case TEP_PRINT_OP:
		operation(c, arg);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		dynamic_length(c, arg);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY:
		tfs_refuse(c, "an address in this program");
		break;
	case TEP_PRINT_FUNC:
		tfs_refuse(c, "a plugin's function");
		break;
	default: /* to libtraceevent a text's number is 0 */
		emit_const(c, 0);
	}
out:
	c->depth--;
}
