/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-parse.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "printfmt/print-lex.h"
#include "printfmt/print-tree.h"

/* Kernels' formats nest 30 deep. */
#define DEPTH_MAX 150

/**
 * struct parser - @lex over the text, nodes into @tree
 * @depth: of what is being parsed
 * @rc: the first failure; nothing is parsed after it
 */
struct parser {
	struct tfs_lex lex;
	struct tfs_tree *tree;
	unsigned int long_size;
	unsigned int depth;
	int rc;
};

static struct tfs_node *expression(struct parser *p);
static struct tfs_node *unary(struct parser *p);

static struct tfs_node *fail(struct parser *p, int rc)
{
	if (!p->rc)
		p->rc = rc;
	return NULL;
}

static struct tfs_node *node(struct parser *p, enum tfs_node_kind kind)
{
	struct tfs_node *n = p->rc ? NULL : tfs_tree_node(p->tree, kind);

	if (!n)
		return fail(p, -ENOMEM);
	n->text = p->lex.text;
	n->len = p->lex.len;
	return n;
}

static bool want(struct parser *p, const char *text)
{
	if (!p->rc && !tfs_lex_take(&p->lex, text))
		fail(p, -EBADMSG);
	return !p->rc;
}

static bool deeper(struct parser *p)
{
	if (++p->depth > DEPTH_MAX)
		fail(p, -EBADMSG);
	return !p->rc;
}

/* --- literals */

static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 16;
}

/* One character of a literal that an escape may spell; @*s is after it then. */
static char unescape(const char **s, const char *end)
{
	static const char from[] = "ntrabfv0e", to[] = "\n\t\r\a\b\f\v\0\033";
	const char *p = *s, *found;
	unsigned int value = 0, n;

	if (*p != '\\' || p + 1 >= end) {
		*s = p + 1;
		return *p;
	}
	p++;
	if (*p == 'x') {
		for (p++; p < end && digit(*p) < 16; p++)
			value = value * 16 + digit(*p);
	} else if (*p >= '0' && *p <= '7') {
		for (n = 0; p < end && n < 3 && *p >= '0' && *p <= '7'; p++, n++)
			value = value * 8 + digit(*p);
	} else {
		found = strchr(from, *p);
		value = (unsigned char)(found && *found ? to[found - from] : *p);
		p++;
	}
	*s = p;
	return (char)value;
}

static struct tfs_node *string(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_STRING);
	size_t cap = 0, len = 0;
	char *text = NULL, *more;
	const char *s;

	if (!n)
		return NULL;
	while (p->lex.token == TFS_TOKEN_STRING) {
		cap += p->lex.len + 1;
		more = realloc(text, cap);
		if (!more) {
			free(text);
			return fail(p, -ENOMEM);
		}
		text = more;
		for (s = p->lex.text; s < p->lex.text + p->lex.len;)
			text[len++] = unescape(&s, p->lex.text + p->lex.len);
		text[len] = '\0';
		tfs_lex_next(&p->lex);
	}
	n->text = text;
	n->len = len;
	return tfs_tree_text(p->tree, text) ? n : fail(p, -ENOMEM);
}

static struct tfs_node *character(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_NUMBER);
	const char *s = p->lex.text;

	if (!n || !p->lex.len)
		return fail(p, -EBADMSG);
	n->type = (struct tfs_ctype){ .size = 4, .is_signed = true };
	n->value = (uint64_t)(int64_t)(signed char)unescape(&s, s + p->lex.len);
	tfs_lex_next(&p->lex);
	return n;
}

/* By its base, suffix and value, as in C: the first of int, long that holds it. */
static void number_type(struct tfs_node *n, bool decimal, bool is_unsigned, unsigned int longs,
			unsigned int long_size)
{
	unsigned int size = longs ? (longs > 1 ? 8 : long_size) : 4;

	if (size == 4 && n->value > UINT32_MAX)
		size = 8;
	if (size == 4 && n->value > INT32_MAX && !is_unsigned) {
		if (decimal)
			size = 8;
		else
			is_unsigned = true;
	}
	if (size == 8 && n->value > INT64_MAX)
		is_unsigned = true;
	n->type = (struct tfs_ctype){ .size = size, .is_signed = !is_unsigned };
}

static struct tfs_node *number(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_NUMBER);
	const char *s = p->lex.text, *end = s + p->lex.len;
	unsigned int base = 10, longs = 0;
	bool is_unsigned = false;

	if (!n)
		return NULL;
	if (p->lex.len > 1 && s[0] == '0') {
		base = (s[1] | 0x20) == 'x' ? 16 : 8;
		s += base == 16 ? 2 : 1;
	}
	for (; s < end && digit(*s) < base; s++)
		n->value = n->value * base + digit(*s);
	for (; s < end; s++) {
		if ((*s | 0x20) == 'u')
			is_unsigned = true;
		else if ((*s | 0x20) == 'l')
			longs++;
		else
			return fail(p, -EBADMSG);
	}
	number_type(n, base == 10, is_unsigned, longs, p->long_size);
	tfs_lex_next(&p->lex);
	return n;
}

/* --- blocks */

/* Lists "a, b, c" up to @close; the first node, or NULL for none. */
static struct tfs_node *list(struct parser *p, const char *close)
{
	struct tfs_node *first = NULL, **tail = &first, *one;

	while (!p->rc && !tfs_lex_is(&p->lex, close)) {
		one = expression(p);
		if (!one)
			return NULL;
		*tail = one;
		tail = &one->next;
		if (!tfs_lex_take(&p->lex, ","))
			break;
	}
	want(p, close);
	return first;
}

/* "TYPE NAME", "TYPE NAME[]", each perhaps with "= VALUE" */
static struct tfs_node *declaration(struct parser *p, const struct tfs_ctype *type)
{
	struct tfs_node *n = node(p, TFS_NODE_DECLARE);

	if (!n || p->lex.token != TFS_TOKEN_NAME)
		return fail(p, -EBADMSG);
	n->type = *type;
	tfs_lex_next(&p->lex);
	if (tfs_lex_take(&p->lex, "[")) {
		n->type.pointers++;
		while (!tfs_lex_is(&p->lex, "]") && p->lex.token != TFS_TOKEN_END)
			tfs_lex_next(&p->lex);
		want(p, "]");
	}
	if (tfs_lex_take(&p->lex, "="))
		n->a = expression(p);
	return p->rc ? NULL : n;
}

/* The name of "union name" or "struct name", where one begins; else NULL */
static struct tfs_node *tag(struct parser *p)
{
	struct tfs_lex before = p->lex;
	struct tfs_node *n = NULL;

	if (tfs_lex_take(&p->lex, "union") || tfs_lex_take(&p->lex, "struct"))
		n = node(p, TFS_NODE_NAME);
	p->lex = before;
	return n;
}

static struct tfs_node *statement(struct parser *p)
{
	struct tfs_node *n, *assign, *name_of_type = tag(p);
	struct tfs_ctype type;

	if (p->lex.token == TFS_TOKEN_NAME && tfs_ctype_parse(&p->lex, p->long_size, &type)) {
		n = declaration(p, &type);
		if (n)
			n->b = name_of_type;
		return n;
	}
	n = expression(p);
	if (!n || !tfs_lex_is(&p->lex, "="))
		return n;
	assign = node(p, TFS_NODE_ASSIGN);
	tfs_lex_next(&p->lex);
	if (!assign)
		return NULL;
	assign->a = n;
	assign->b = expression(p);
	return assign->b ? assign : NULL;
}

/* After "(": "{ statements }" and ")". */
static struct tfs_node *block(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_BLOCK), **tail, *one;

	if (!n || !want(p, "{"))
		return NULL;
	tail = &n->a;
	while (!p->rc && !tfs_lex_is(&p->lex, "}")) {
		if (tfs_lex_take(&p->lex, ";"))
			continue;
		one = statement(p);
		if (!one)
			return NULL;
		*tail = one;
		tail = &one->next;
		if (!tfs_lex_is(&p->lex, "}"))
			want(p, ";");
	}
	want(p, "}");
	return want(p, ")") && n->a ? n : fail(p, -EBADMSG);
}

/* --- expressions */

static struct tfs_node *name(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_NAME);

	tfs_lex_next(&p->lex);
	if (n && tfs_lex_take(&p->lex, "(")) {
		n->kind = TFS_NODE_CALL;
		n->a = list(p, ")");
	}
	return p->rc ? NULL : n;
}

/* "struct { ... }" without a name: the kernel's macros have one with an assertion, of no size. */
static bool skip_assertion(struct parser *p)
{
	struct tfs_lex before = p->lex;
	unsigned int open = 0;

	if (!tfs_lex_take(&p->lex, "struct") || !tfs_lex_is(&p->lex, "{")) {
		p->lex = before;
		return false;
	}
	do {
		open += tfs_lex_is(&p->lex, "{");
		open -= tfs_lex_is(&p->lex, "}");
		tfs_lex_next(&p->lex);
	} while (open && p->lex.token != TFS_TOKEN_END);
	return true;
}

/* After "sizeof(": a type or an expression. */
static struct tfs_node *size_of(struct parser *p)
{
	struct tfs_node *n = node(p, TFS_NODE_SIZEOF);
	struct tfs_ctype type;

	if (!n)
		return NULL;
	if (skip_assertion(p)) {
		n->value = 0;
	} else if (tfs_ctype_parse(&p->lex, p->long_size, &type)) {
		n->value = type.pointers ? p->long_size : type.size;
		if (!n->value)
			return fail(p, -EBADMSG);
	} else {
		n->a = expression(p);
	}
	return want(p, ")") ? n : NULL;
}

/* "(REC)" or "REC", for "(REC)->field" */
static bool is_record(const struct tfs_node *n)
{
	return n->kind == TFS_NODE_NAME && tfs_node_is(n, "REC");
}

static struct tfs_node *primary(struct parser *p)
{
	struct tfs_node *n;

	switch (p->lex.token) {
	case TFS_TOKEN_NUMBER:
		return number(p);
	case TFS_TOKEN_STRING:
		return string(p);
	case TFS_TOKEN_CHARACTER:
		return character(p);
	case TFS_TOKEN_NAME:
		if (tfs_lex_take(&p->lex, "sizeof"))
			return want(p, "(") ? size_of(p) : NULL;
		return name(p);
	default:
		break;
	}
	if (tfs_lex_take(&p->lex, "(")) {
		if (tfs_lex_is(&p->lex, "{"))
			return block(p);
		n = expression(p);
		return want(p, ")") ? n : NULL;
	}
	if (!tfs_lex_take(&p->lex, "{"))
		return fail(p, -EBADMSG);
	n = node(p, TFS_NODE_LIST);
	if (n)
		n->a = list(p, "}");
	return p->rc ? NULL : n;
}

/* ".name", "->name" after @of; the operator was read already */
static struct tfs_node *member(struct parser *p, struct tfs_node *of)
{
	struct tfs_node *n = node(p, TFS_NODE_MEMBER);

	if (!n || p->lex.token != TFS_TOKEN_NAME)
		return fail(p, -EBADMSG);
	if (is_record(of))
		n->kind = TFS_NODE_FIELD;
	else
		n->a = of;
	tfs_lex_next(&p->lex);
	return n;
}

static struct tfs_node *postfix(struct parser *p)
{
	struct tfs_node *n = primary(p), *index;

	while (n) {
		if (tfs_lex_take(&p->lex, "[")) {
			index = node(p, TFS_NODE_INDEX);
			if (!index)
				return NULL;
			index->a = n;
			index->b = expression(p);
			n = want(p, "]") ? index : NULL;
		} else if (tfs_lex_take(&p->lex, "->") || tfs_lex_take(&p->lex, ".")) {
			n = member(p, n);
		} else {
			break;
		}
	}
	return n;
}

/* After "(", if a type follows: a cast, or a value of "(type []){ ... }". */
static struct tfs_node *cast(struct parser *p, const struct tfs_ctype *type)
{
	struct tfs_node *n = node(p, TFS_NODE_CAST);

	if (!n)
		return NULL;
	n->type = *type;
	if (tfs_lex_take(&p->lex, "[")) {
		n->type.pointers++;
		while (!tfs_lex_is(&p->lex, "]") && p->lex.token != TFS_TOKEN_END)
			tfs_lex_next(&p->lex);
		want(p, "]");
	}
	if (!want(p, ")"))
		return NULL;
	/* "(type []){ ... }[i]" binds as a primary expression does. */
	n->a = tfs_lex_is(&p->lex, "{") ? postfix(p) : unary(p);
	return n->a ? n : NULL;
}

/*
 * An unknown word in parentheses followed by an operand: a cast to a type that changes nothing. No
 * other construct of print formats looks the same.
 */
static bool is_unknown_cast(const struct parser *p)
{
	struct tfs_lex lex = p->lex;
	struct tfs_ctype type;

	if (lex.token != TFS_TOKEN_NAME || tfs_ctype_parse(&lex, 8, &type) ||
	    tfs_lex_is(&lex, "REC"))
		return false;
	tfs_lex_next(&lex);
	if (tfs_lex_is(&lex, "*"))
		while (tfs_lex_take(&lex, "*"))
			;
	if (!tfs_lex_take(&lex, ")"))
		return false;
	return lex.token == TFS_TOKEN_NAME || lex.token == TFS_TOKEN_NUMBER ||
	       tfs_lex_is(&lex, "(");
}

static struct tfs_node *unknown_cast(struct parser *p)
{
	struct tfs_ctype type = { 0 };

	for (tfs_lex_next(&p->lex); tfs_lex_take(&p->lex, "*");)
		type.pointers++;
	return cast(p, &type);
}

static struct tfs_node *operand(struct parser *p)
{
	struct tfs_lex before = p->lex;
	struct tfs_ctype type;

	if (tfs_lex_take(&p->lex, "(")) {
		if (tfs_ctype_parse(&p->lex, p->long_size, &type))
			return cast(p, &type);
		if (is_unknown_cast(p))
			return unknown_cast(p);
		p->lex = before;
	}
	return postfix(p);
}

static struct tfs_node *unary(struct parser *p)
{
	static const struct {
		char text[2];
		enum tfs_node_op op;
	} ops[] = {
		{ "-", TFS_NODE_NEGATE }, { "+", TFS_NODE_PLUS },  { "!", TFS_NODE_NOT },
		{ "~", TFS_NODE_INVERT }, { "*", TFS_NODE_DEREF }, { "&", TFS_NODE_ADDRESS },
	};
	struct tfs_node *n = NULL;
	size_t i;

	if (!deeper(p))
		return NULL;
	for (i = 0; p->lex.token == TFS_TOKEN_OPERATOR && i < ARRAY_SIZE(ops); i++) {
		if (!tfs_lex_take(&p->lex, ops[i].text))
			continue;
		n = node(p, TFS_NODE_UNARY);
		if (n) {
			n->op = ops[i].op;
			n->a = unary(p);
		}
		p->depth--;
		return n && n->a ? n : NULL;
	}
	n = operand(p);
	p->depth--;
	return n;
}

/* Operators of two operands; a higher level binds tighter. */
static const struct {
	const char *text;
	enum tfs_node_op op;
	unsigned int level;
} operators[] = {
	{ "*", TFS_NODE_MUL, 10 }, { "/", TFS_NODE_DIV, 10 },  { "%", TFS_NODE_MOD, 10 },
	{ "+", TFS_NODE_ADD, 9 },  { "-", TFS_NODE_SUB, 9 },   { "<<", TFS_NODE_SHL, 8 },
	{ ">>", TFS_NODE_SHR, 8 }, { "<", TFS_NODE_LT, 7 },    { "<=", TFS_NODE_LE, 7 },
	{ ">", TFS_NODE_GT, 7 },   { ">=", TFS_NODE_GE, 7 },   { "==", TFS_NODE_EQ, 6 },
	{ "!=", TFS_NODE_NE, 6 },  { "&", TFS_NODE_AND, 5 },   { "^", TFS_NODE_XOR, 4 },
	{ "|", TFS_NODE_OR, 3 },   { "&&", TFS_NODE_LAND, 2 }, { "||", TFS_NODE_LOR, 1 },
};

static size_t find_operator(const struct parser *p)
{
	size_t i, n = ARRAY_SIZE(operators);

	if (p->lex.token != TFS_TOKEN_OPERATOR)
		return n;
	for (i = 0; i < n && !tfs_lex_is(&p->lex, operators[i].text); i++)
		;
	return i;
}

/* Operators of @level and above */
static struct tfs_node *binary(struct parser *p, unsigned int level)
{
	struct tfs_node *left, *n;
	size_t i;

	if (!deeper(p))
		return NULL;
	left = unary(p);
	while (left) {
		i = find_operator(p);
		if (i == ARRAY_SIZE(operators) || operators[i].level < level)
			break;
		n = node(p, TFS_NODE_BINARY);
		tfs_lex_next(&p->lex);
		if (!n)
			return NULL;
		n->op = operators[i].op;
		n->a = left;
		n->b = binary(p, operators[i].level + 1);
		left = n->b ? n : NULL;
	}
	p->depth--;
	return left;
}

static struct tfs_node *expression(struct parser *p)
{
	struct tfs_node *n, *condition;

	if (!deeper(p))
		return NULL;
	n = binary(p, 1);
	if (n && tfs_lex_take(&p->lex, "?")) {
		condition = node(p, TFS_NODE_CONDITION);
		if (!condition)
			return NULL;
		condition->a = n;
		if (!tfs_lex_is(&p->lex, ":"))
			condition->b = expression(p);
		if (want(p, ":"))
			condition->c = expression(p);
		n = condition->c ? condition : NULL;
	}
	p->depth--;
	return p->rc ? NULL : n;
}

int tfs_print_parse(const char *text, size_t size, unsigned int long_size, struct tfs_tree *tree,
		    size_t *at)
{
	struct parser p = { .tree = tree, .long_size = long_size };
	struct tfs_node **tail = &tree->args;

	tfs_lex_init(&p.lex, text, size);
	if (p.lex.token == TFS_TOKEN_STRING)
		tree->format = string(&p);
	else
		fail(&p, -EBADMSG);
	while (!p.rc && p.lex.token != TFS_TOKEN_END && want(&p, ",")) {
		*tail = expression(&p);
		if (*tail)
			tail = &(*tail)->next;
	}
	if (p.rc && at)
		*at = (size_t)(p.lex.text - text);
	if (p.rc)
		tfs_tree_release(tree);
	return p.rc;
}

struct tfs_node *tfs_print_parse_expression(const char *text, unsigned int long_size,
					    struct tfs_tree *tree)
{
	struct parser p = { .tree = tree, .long_size = long_size };
	struct tfs_node *n;

	tfs_lex_init(&p.lex, text, strlen(text));
	n = expression(&p);
	return p.lex.token == TFS_TOKEN_END ? n : NULL;
}
