/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/convs.h"

#include <ctype.h>
#include <string.h>

#include <event-parse.h>

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

/* Flags, width, precision and length; @p is after the '%'. Returns the conversion character. */
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
