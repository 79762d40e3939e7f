/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "report/printfmt.h"

#include <ctype.h>
#include <string.h>

#include <event-parse.h>

/* Deeper trees do not come out of the formats that types.c lets through. */
#define DEPTH_MAX 4096

void tfs_convs_init(struct tfs_convs *it, const char *format, struct tep_print_arg *args)
{
	it->p = format ? format : "";
	it->arg = args;
}

static struct tep_print_arg *take(struct tfs_convs *it)
{
	struct tep_print_arg *arg = it->arg;

	if (arg)
		it->arg = arg->next;
	return arg;
}

/* Flags, width, precision and length; @p is behind the '%'. Returns the conversion character. */
static const char *modifiers(struct tfs_convs *it, const char *p, struct tfs_conv *c)
{
	for (;; p++) {
		switch (*p) {
		case '#':
		case '.':
		case '-':
		case '+':
		case '0':
		case '1':
		case '2':
		case '3':
		case '4':
		case '5':
		case '6':
		case '7':
		case '8':
		case '9':
			break;
		case '*':
			c->width_arg = take(it);
			break;
		case 'l':
			c->longs++;
			break;
		case 'h':
			c->longs--;
			break;
		case 'L':
			c->longs = 2;
			break;
		case 'z':
		case 'Z':
			c->longs = 1;
			break;
		default:
			return p;
		}
	}
}

bool tfs_convs_next(struct tfs_convs *it, struct tfs_conv *c)
{
	const char *p = it->p;

	while (*p && (*p != '%' || p[1] == '%')) {
		if ((*p == '\\' && p[1]) || *p == '%')
			p++;
		p++;
	}
	if (!*p)
		return false;
	*c = (struct tfs_conv){ .start = p };
	p = modifiers(it, p + 1, c);
	c->suffix = p;
	if (*p && strchr("cduixXosp", *p)) {
		c->conv = *p++;
		c->suffix = p;
		c->arg = take(it);
		while (c->conv == 'p' && isalnum((unsigned char)*p))
			p++;
	} else if (*p) {
		p++;
	}
	c->len = (size_t)(p - c->start);
	it->p = p;
	return true;
}

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
