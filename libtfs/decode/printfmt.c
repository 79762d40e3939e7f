/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "decode/printfmt.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "printfmt/convs.h"

/* Deeper trees do not come out of the formats that types.c lets through. */
#define DEPTH_MAX 4096
/* The widest column that a record may ask for with '*'. */
#define WIDTH_MAX 4096

static bool is_name(const char *atom)
{
	return atom && *atom && !isdigit((unsigned char)*atom);
}

static bool number_needs(const struct tep_print_arg *arg, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return is_name(arg->atom.atom);
	case TEP_PRINT_TYPE:
		return number_needs(arg->typecast.item, depth + 1);
	case TEP_PRINT_FUNC:
		return true;
	case TEP_PRINT_OP:
		return number_needs(arg->op.left, depth + 1) ||
		       number_needs(arg->op.right, depth + 1);
	default:
		return false;
	}
}

static bool string_needs(const struct tep_print_arg *arg, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_FUNC:
		return true;
	case TEP_PRINT_OP: /* COND ? TEXT : TEXT is the only one */
		if (number_needs(arg->op.left, depth + 1))
			return true;
		if (!arg->op.right || arg->op.right->type != TEP_PRINT_OP)
			return false;
		return string_needs(arg->op.right->op.left, depth + 1) ||
		       string_needs(arg->op.right->op.right, depth + 1);
	case TEP_PRINT_FLAGS:
		return number_needs(arg->flags.field, depth + 1);
	case TEP_PRINT_SYMBOL:
		return number_needs(arg->symbol.field, depth + 1);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return number_needs(arg->hex.size, depth + 1);
	case TEP_PRINT_INT_ARRAY:
		return number_needs(arg->int_array.count, depth + 1);
	default:
		return false;
	}
}

bool tfs_printfmt_needs_symbols(const struct tep_event *event)
{
	struct tfs_convs it;
	struct tfs_conv c;

	if (event->flags & TEP_EVENT_FL_ISBPRINT)
		return true;
	tfs_convs_init(&it, event->print_fmt.format, event->print_fmt.args);
	while (tfs_convs_next(&it, &c)) {
		if (number_needs(c.width_arg, 0))
			return true;
		if (c.conv == 's' ? string_needs(c.arg, 0) : number_needs(c.arg, 0))
			return true;
		if (c.conv == 'p' && *c.suffix && strchr("sSfFB", *c.suffix))
			return true;
	}
	return false;
}

static bool number_risky(const struct tep_print_arg *arg, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return false;
	if (arg->type == TEP_PRINT_TYPE)
		return number_risky(arg->typecast.item, depth + 1);
	if (arg->type != TEP_PRINT_OP)
		return false;
	return strchr("/%[", arg->op.op[0]) || number_risky(arg->op.left, depth + 1) ||
	       number_risky(arg->op.right, depth + 1);
}

static bool string_risky(const struct tep_print_arg *arg, int depth)
{
	if (!arg || depth > DEPTH_MAX)
		return false;
	switch (arg->type) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
	case TEP_PRINT_INT_ARRAY:
		return true;
	case TEP_PRINT_FLAGS:
		return number_risky(arg->flags.field, depth + 1);
	case TEP_PRINT_SYMBOL:
		return number_risky(arg->symbol.field, depth + 1);
	case TEP_PRINT_OP:
		return number_risky(arg->op.left, depth + 1) ||
		       (arg->op.right && arg->op.right->type == TEP_PRINT_OP &&
			(string_risky(arg->op.right->op.left, depth + 1) ||
			 string_risky(arg->op.right->op.right, depth + 1)));
	default:
		return false;
	}
}

bool tfs_printfmt_risky(const struct tep_event *event)
{
	struct tfs_convs it;
	struct tfs_conv c;

	tfs_convs_init(&it, event->print_fmt.format, event->print_fmt.args);
	while (tfs_convs_next(&it, &c))
		if (c.width_arg || string_risky(c.arg, 0) || number_risky(c.arg, 0))
			return true;
	return false;
}

/* One record being looked at; @depth of the expression. */
struct look {
	struct tep_event *event;
	const char *data;
	size_t limit;
	int depth;
};

static bool number(struct look *l, const struct tep_print_arg *arg, uint64_t *val);

static const struct tep_format_field *field_of(struct look *l, const struct tep_print_arg *arg)
{
	if (arg->type == TEP_PRINT_DYNAMIC_ARRAY || arg->type == TEP_PRINT_DYNAMIC_ARRAY_LEN)
		return arg->dynarray.field;
	if (arg->type != TEP_PRINT_FIELD)
		return NULL;
	return arg->field.field ? arg->field.field : tep_find_any_field(l->event, arg->field.name);
}

static bool load(struct look *l, size_t at, size_t size, uint64_t *val)
{
	if (at > l->limit || size > l->limit - at)
		return false;
	*val = tep_read_number(l->event->tep, l->data + at, (int)size);
	return true;
}

/* Where a field's data are: after its offset and length if it is dynamic */
static bool place(struct look *l, const struct tep_format_field *f, size_t *at, size_t *len)
{
	uint64_t loc;

	*at = (size_t)f->offset;
	*len = (size_t)f->size;
	if (!(f->flags & TEP_FIELD_IS_DYNAMIC))
		return true;
	if (!load(l, *at, *len, &loc))
		return false;
	*at = (loc & 0xffff) + (f->flags & TEP_FIELD_IS_RELATIVE ? *at + *len : 0);
	*len = loc >> 16 & 0xffff;
	return true;
}

static bool element(struct look *l, const struct tep_print_arg *arg, uint64_t *val)
{
	const struct tep_print_arg *left = arg->op.left;
	const struct tep_format_field *f;
	size_t at, len, size;
	uint64_t index;

	while (left && left->type == TEP_PRINT_TYPE)
		left = left->typecast.item;
	f = left ? field_of(l, left) : NULL;
	if (!f || !number(l, arg->op.right, &index) || !place(l, f, &at, &len))
		return false;
	size = f->elementsize ? f->elementsize : (size_t)tep_get_long_size(l->event->tep);
	if (index > l->limit)
		return false;
	return load(l, at + index * (left->type == TEP_PRINT_FIELD ? size : 1), size, val);
}

/* Two-character operators have their second one in op[1]. */
static uint64_t compute(const char *op, uint64_t a, uint64_t b)
{
	bool two = op[1] != '\0';

	switch (op[0]) {
	case '/':
		return b ? a / b : 0;
	case '%':
		return b ? a % b : 0;
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '&':
		return two ? a && b : a & b;
	case '|':
		return two ? a || b : a | b;
	case '~':
		return ~b;
	case '!':
		return two ? a != b : !b;
	case '=':
		return a == b;
	default:
		return 0;
	}
}

static uint64_t compare(const char *op, uint64_t a, uint64_t b)
{
	if (op[1] == '<')
		return a << (b & 63);
	if (op[1] == '>')
		return a >> (b & 63);
	if (op[1] == '=')
		return op[0] == '<' ? a <= b : a >= b;
	return op[0] == '<' ? a < b : a > b;
}

static bool operation(struct look *l, const struct tep_print_arg *arg, uint64_t *val)
{
	const char *op = arg->op.op;
	uint64_t a = 0, b = 0;

	if (op[0] == '[')
		return element(l, arg, val);
	if (!number(l, arg->op.left, &a))
		return false;
	if (op[0] == '?') {
		arg = arg->op.right;
		if (!arg || arg->type != TEP_PRINT_OP)
			return false;
		return number(l, a ? arg->op.left : arg->op.right, val);
	}
	if (!number(l, arg->op.right, &b) || (strchr("/%", op[0]) && !b))
		return false;
	*val = strchr("<>", op[0]) ? compare(op, a, b) : compute(op, a, b);
	return true;
}

static uint64_t cast(const char *type, uint64_t val)
{
	size_t len = strlen(type);

	if (len && type[len - 1] == '*')
		return val;
	if (strstr(type, "char") || !strcmp(type, "u8") || !strcmp(type, "s8"))
		return val & 0xff;
	if (strstr(type, "short") || strstr(type, "16"))
		return val & 0xffff;
	return strstr(type, "int") || strstr(type, "32") ? val & 0xffffffff : val;
}

static bool number(struct look *l, const struct tep_print_arg *arg, uint64_t *val)
{
	const struct tep_format_field *f;
	size_t at, len;
	bool fine = true;

	*val = 0;
	if (!arg || ++l->depth > DEPTH_MAX)
		return !arg;
	switch (arg->type) {
	case TEP_PRINT_ATOM:
		*val = strtoull(arg->atom.atom, NULL, 0);
		break;
	case TEP_PRINT_FIELD:
		f = field_of(l, arg);
		fine = !f || load(l, (size_t)f->offset, (size_t)f->size, val);
		break;
	case TEP_PRINT_TYPE:
		fine = number(l, arg->typecast.item, val);
		*val = cast(arg->typecast.type, *val);
		break;
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		f = field_of(l, arg);
		fine = f && place(l, f, &at, &len);
		*val = fine ? len : 0;
		break;
	case TEP_PRINT_OP:
		fine = operation(l, arg, val);
		break;
	default:
		break;
	}
	l->depth--;
	return fine;
}

/* @count elements of @size bytes from where @arg points */
static bool array(struct look *l, const struct tep_print_arg *arg,
		  const struct tep_print_arg *count, const struct tep_print_arg *size)
{
	const struct tep_format_field *f = arg ? field_of(l, arg) : NULL;
	uint64_t n, each = 1;
	size_t at, len;

	if (!f || !number(l, count, &n) || (size && !number(l, size, &each)) ||
	    !place(l, f, &at, &len))
		return false;
	return n <= l->limit && each <= 8 && at <= l->limit && n * each <= l->limit - at;
}

static bool string(struct look *l, const struct tep_print_arg *arg)
{
	const struct tep_print_arg *colon;
	uint64_t val;

	if (!arg)
		return true;
	switch (arg->type) {
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return array(l, arg->hex.field, arg->hex.size, NULL);
	case TEP_PRINT_INT_ARRAY:
		return array(l, arg->int_array.field, arg->int_array.count, arg->int_array.el_size);
	case TEP_PRINT_FLAGS:
		return number(l, arg->flags.field, &val);
	case TEP_PRINT_SYMBOL:
		return number(l, arg->symbol.field, &val);
	case TEP_PRINT_OP:
		colon = arg->op.right;
		if (!number(l, arg->op.left, &val) || !colon || colon->type != TEP_PRINT_OP ||
		    ++l->depth > DEPTH_MAX)
			return false;
		return string(l, val ? colon->op.left : colon->op.right);
	default:
		return true;
	}
}

bool tfs_printfmt_safe(struct tep_event *event, const void *data, size_t limit)
{
	struct look l = { event, data, limit, 0 };
	struct tfs_convs it;
	struct tfs_conv c;
	uint64_t val;

	tfs_convs_init(&it, event->print_fmt.format, event->print_fmt.args);
	while (tfs_convs_next(&it, &c)) {
		l.depth = 0;
		if (c.width_arg && (!number(&l, c.width_arg, &val) || (int)val > WIDTH_MAX ||
				    (int)val < -WIDTH_MAX))
			return false;
		if (c.arg && !(c.conv == 's' ? string(&l, c.arg) : number(&l, c.arg, &val)))
			return false;
	}
	return true;
}
