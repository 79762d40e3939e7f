/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <ctype.h>
#include <string.h>

#include <event-parse.h>

/* "0x" and 16 digits, or a sign and 19 */
#define NUMBER_MAX 20

static void written(struct tfs_print *p, struct tfs_node *n);

static void put(struct tfs_print *p, const char *text)
{
	tfs_print_literal(p, text, strlen(text));
}

/* --- what points into the record */

static bool is_text(const struct tfs_spot *spot)
{
	return spot->field->flags & TEP_FIELD_IS_STRING && spot->type.size <= 1 &&
	       !spot->type.pointers;
}

static void string(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_op plain = { .prec = -1 };

	put(p, "\"");
	tfs_print_text(p, n, &plain);
	put(p, "\"");
}

/* All numbers that there are: "{0x1,0x2}" */
static void numbers(struct tfs_print *p, const struct tfs_spot *spot)
{
	struct tfs_op count = { .code = spot->dynamic ? TFS_OP_DYN_LEN : TFS_OP_CONST };
	struct tfs_op divide = { .code = TFS_OP_BINARY_IMM, .kind = TFS_DIV };
	struct tfs_op op = { .code = TFS_OP_ARRAY, .style = TFS_STYLE_KERNEL };
	unsigned int size = spot->type.pointers ? p->c.env->long_size : spot->type.size;

	if (!size)
		size = spot->field->elementsize;
	op.size = (uint8_t)(size == 2 || size == 4 || size == 8 ? size : 1);
	tfs_print_at(p, spot, &op);
	if (spot->dynamic)
		tfs_print_at(p, spot, &count);
	else
		count.imm = (uint64_t)spot->field->size - spot->add;
	divide.imm = op.size;
	tfs_emit(&p->c, &count, 0);
	tfs_emit(&p->c, &divide, 0);
	tfs_emit(&p->c, &op, 0);
}

static bool pointed(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_print_mark mark = tfs_print_mark(p);
	struct tfs_spot spot;

	if (!tfs_print_spot(p, n, &spot) || (spot.dynamic && spot.add) ||
	    (!spot.dynamic && spot.add >= (uint64_t)spot.field->size)) {
		tfs_print_back(p, &mark);
		return false;
	}
	if (is_text(&spot))
		string(p, n);
	else
		numbers(p, &spot);
	return true;
}

/* --- what can be computed */

static bool value(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_print_mark mark = tfs_print_mark(p);
	struct tfs_op op = { .code = TFS_OP_WRITTEN };

	tfs_print_value(p, n);
	if (tfs_print_back(p, &mark))
		return false;
	if (n->type.is_signed && !n->type.pointers)
		op.style = TFS_STYLE_SIGNED;
	tfs_emit(&p->c, &op, NUMBER_MAX);
	return true;
}

static bool text(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_print_mark mark = tfs_print_mark(p);
	const struct tfs_op plain = { .prec = -1 };

	tfs_print_text(p, n, &plain);
	return !tfs_print_back(p, &mark);
}

/* --- the rest, as it stands */

/* "p, ", and "buffer, 500, ": where the kernel's function writes, and how much it may */
static struct tfs_node *without_buffer(struct tfs_print *p, struct tfs_node *arg)
{
	const struct tfs_print_mark mark = tfs_print_mark(p);
	struct tfs_spot spot;

	if (arg && arg->kind == TFS_NODE_NAME && tfs_node_is(arg, "p"))
		return arg->next;
	if (arg && arg->next && tfs_print_spot(p, arg, &spot) && is_text(&spot)) {
		tfs_print_resolve(p, arg->next);
		if (!p->c.rc && arg->next->is_const)
			return arg->next->next;
	}
	tfs_print_back(p, &mark);
	return arg;
}

static void list(struct tfs_print *p, struct tfs_node *first)
{
	struct tfs_node *arg;

	for (arg = first; arg; arg = arg->next) {
		written(p, arg);
		if (arg->next)
			put(p, ", ");
	}
}

static const char *operator_of(const struct tfs_node *n)
{
	static const char *const texts[] = {
		[TFS_NODE_ADD] = " + ",  [TFS_NODE_SUB] = " - ",   [TFS_NODE_MUL] = " * ",
		[TFS_NODE_DIV] = " / ",  [TFS_NODE_MOD] = " % ",   [TFS_NODE_AND] = " & ",
		[TFS_NODE_OR] = " | ",   [TFS_NODE_XOR] = " ^ ",   [TFS_NODE_SHL] = " << ",
		[TFS_NODE_SHR] = " >> ", [TFS_NODE_LAND] = " && ", [TFS_NODE_LOR] = " || ",
		[TFS_NODE_EQ] = " == ",  [TFS_NODE_NE] = " != ",   [TFS_NODE_LT] = " < ",
		[TFS_NODE_LE] = " <= ",  [TFS_NODE_GT] = " > ",    [TFS_NODE_GE] = " >= ",
		[TFS_NODE_NEGATE] = "-", [TFS_NODE_PLUS] = "+",    [TFS_NODE_NOT] = "!",
		[TFS_NODE_INVERT] = "~", [TFS_NODE_DEREF] = "*",   [TFS_NODE_ADDRESS] = "&",
	};

	return texts[n->op];
}

/* An operand that has operators of its own is in brackets, as it may have been. */
static void operand(struct tfs_print *p, struct tfs_node *n)
{
	const struct tfs_node *bare = tfs_print_unwrap(n);
	bool brackets = bare->kind == TFS_NODE_BINARY || bare->kind == TFS_NODE_CONDITION;
	const struct tfs_print_mark mark = tfs_print_mark(p);

	/* Computed, it has none. */
	if (brackets && value(p, n))
		return;
	tfs_print_back(p, &mark);
	put(p, brackets ? "(" : "");
	written(p, n);
	put(p, brackets ? ")" : "");
}

static void expression(struct tfs_print *p, struct tfs_node *n)
{
	switch (n->kind) {
	case TFS_NODE_CALL:
		tfs_print_literal(p, n->text, n->len);
		put(p, "(");
		list(p, without_buffer(p, n->a));
		put(p, ")");
		break;
	case TFS_NODE_UNARY:
		put(p, operator_of(n));
		operand(p, n->a);
		break;
	case TFS_NODE_BINARY:
		operand(p, n->a);
		put(p, operator_of(n));
		operand(p, n->b);
		break;
	case TFS_NODE_CONDITION:
		operand(p, n->a);
		put(p, n->b ? " ? " : " ?: ");
		if (n->b) {
			operand(p, n->b);
			put(p, " : ");
		}
		operand(p, n->c);
		break;
	case TFS_NODE_INDEX:
		operand(p, n->a);
		put(p, "[");
		written(p, n->b);
		put(p, "]");
		break;
	case TFS_NODE_MEMBER:
		operand(p, n->a);
		put(p, "->");
		tfs_print_literal(p, n->text, n->len);
		break;
	case TFS_NODE_FIELD:
		put(p, "REC->");
		tfs_print_literal(p, n->text, n->len);
		break;
	case TFS_NODE_LIST:
		put(p, "{");
		list(p, n->a);
		put(p, "}");
		break;
	default:
		tfs_refuse(&p->c, "a statement where none is understood");
	}
}

/* Without casts, or the call whose body is meant */
static struct tfs_node *original(struct tfs_node *n)
{
	while (n->kind == TFS_NODE_CAST && !n->c)
		n = n->a;
	return n->kind == TFS_NODE_CAST ? n->c : n;
}

static void written(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_node *bare = tfs_print_unwrap(n);

	if (++p->c.depth > TFS_PRINT_DEPTH) {
		tfs_refuse(&p->c, "a deep expression");
	} else if (bare->kind == TFS_NODE_NAME ||
		   (bare->kind == TFS_NODE_NUMBER && isdigit((unsigned char)*bare->text))) {
		tfs_print_literal(p, bare->text, bare->len);
	} else if (bare->kind == TFS_NODE_STRING) {
		put(p, "\"");
		tfs_print_literal(p, bare->text, bare->len);
		put(p, "\"");
	} else if (!pointed(p, n) && !value(p, n) && !text(p, n)) {
		expression(p, original(n));
	}
	p->c.depth--;
}

void tfs_print_written(struct tfs_print *p, struct tfs_node *n, struct tfs_op style)
{
	const struct tfs_op column = tfs_print_column(p, &style);

	p->c.program->partial = true;
	written(p, n);
	tfs_print_column_end(p, &column);
}
