/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "base/array.h"
#include "base/macros.h"
#include "printfmt/convs.h"
#include "printfmt/program-internal.h"

/* Fields further from a record's start belong to a broken format. */
#define SPAN_MAX 65536
/* libtraceevent keeps conversions of 31 characters. */
#define CONV_MAX 30
/* Longer programs do not come out of formats. */
#define OPS_MAX 65536

void tfs_refuse(struct tfs_compiler *c, const char *reason)
{
	if (c->rc)
		return;
	c->rc = -EOPNOTSUPP;
	c->reason = reason;
}

size_t tfs_emit(struct tfs_compiler *c, const struct tfs_op *op, size_t bound)
{
	struct tfs_program *p = c->program;

	if (p->n_ops >= OPS_MAX)
		tfs_refuse(c, "a very long format");
	if (!c->rc)
		c->rc = tfs_grow(&p->ops, &p->cap_ops, p->n_ops + 1);
	if (c->rc)
		return 0;
	p->ops[p->n_ops] = *op;
	p->bound += bound;
	return p->n_ops++;
}

void tfs_jump_here(struct tfs_compiler *c, size_t index)
{
	if (!c->rc)
		c->program->ops[index].off = (uint32_t)c->program->n_ops;
}

/*
 * Steps that are merged with a literal stay after it: a jump may go there, and operands are read
 * where they are.
 */
void tfs_fuse(struct tfs_program *p)
{
	static const struct {
		uint8_t load, number, code;
	} rows[] = {
		{ TFS_OP_LOAD4, TFS_OP_D32, TFS_OP_LITERAL_D32 },
		{ TFS_OP_LOAD4, TFS_OP_U32, TFS_OP_LITERAL_U32 },
		{ TFS_OP_LOAD4, TFS_OP_X32, TFS_OP_LITERAL_X32 },
		{ TFS_OP_LOAD4, TFS_OP_X32_ZERO, TFS_OP_LITERAL_X32 },
		{ TFS_OP_LOAD8, TFS_OP_D64, TFS_OP_LITERAL_D64 },
		{ TFS_OP_LOAD8, TFS_OP_U64, TFS_OP_LITERAL_U64 },
		{ TFS_OP_LOAD8, TFS_OP_X64, TFS_OP_LITERAL_X64 },
		{ TFS_OP_LOAD8, TFS_OP_X64_ZERO, TFS_OP_LITERAL_X64 },
	};
	struct tfs_op *op;
	size_t i;

	/* Each literal has a step after it, at least the end. */
	for (op = p->ops; op->code != TFS_OP_END; op++) {
		if (op->code != TFS_OP_LITERAL)
			continue;
		if (op[1].code == TFS_OP_STRING16)
			op->code = TFS_OP_LITERAL_STRING16;
		for (i = 0; i < ARRAY_SIZE(rows); i++)
			if (op[1].code == rows[i].load && op[2].code == rows[i].number)
				op->code = rows[i].code;
	}
}

void *tfs_own(struct tfs_compiler *c, void *p)
{
	struct tfs_program *program = c->program;

	if (!p && !c->rc)
		c->rc = -ENOMEM;
	if (!c->rc)
		c->rc = tfs_grow(&program->owned, &program->cap_owned, program->n_owned + 1);
	if (c->rc) {
		free(p);
		return NULL;
	}
	program->owned[program->n_owned++] = p;
	return p;
}

const char *tfs_own_text(struct tfs_compiler *c, const char *text, size_t len)
{
	char *copy = c->rc ? NULL : calloc(1, len + TFS_COPY_SLACK);

	if (copy)
		memcpy(copy, text, len);
	return tfs_own(c, copy);
}

bool tfs_deeper(struct tfs_compiler *c)
{
	if (++c->depth > 100)
		tfs_refuse(c, "a deep expression");
	return !c->rc;
}

/* Text between conversions, without its escapes. */
static void literal(struct tfs_compiler *c, const char *p, const char *end)
{
	struct tfs_op op = { .code = TFS_OP_LITERAL };
	size_t n = 0;
	char *text;

	if (p == end)
		return;
	text = tfs_own(c, c->rc ? NULL : calloc(1, (size_t)(end - p) + TFS_COPY_SLACK));
	if (!text)
		return;
	while (p < end) {
		if (*p == '%') { /* "%%" */
			p++;
		} else if (*p == '\\') {
			if (++p == end) {
				tfs_refuse(c, "a backslash at the end");
				return;
			}
			if (strchr("ntr", *p)) {
				text[n++] = "\n\t\r"[strchr("ntr", *p++) - "ntr"];
				continue;
			}
		}
		text[n++] = *p++;
	}
	op.text = text;
	op.off = (uint32_t)n;
	tfs_emit(c, &op, n);
}

static const char *read_number(const char *p, unsigned int *n)
{
	for (*n = 0; *p >= '0' && *p <= '9'; p++)
		*n = *n < 100000 ? *n * 10 + (unsigned int)(*p - '0') : *n;
	return p;
}

/* "%-08.3l": flags, width, precision; what printf() would not understand is refused. */
static void style_of(struct tfs_compiler *c, const struct tfs_conv *conv, struct tfs_op *op)
{
	static const char marks[] = "-0+#";
	static const uint16_t styles[] = { TFS_STYLE_LEFT, TFS_STYLE_ZERO, TFS_STYLE_PLUS,
					   TFS_STYLE_ALT };
	const char *p = conv->start + 1;
	unsigned int width, prec = 0;

	for (; *p && strchr(marks, *p); p++)
		op->style |= styles[strchr(marks, *p) - marks];
	if (*p == '*') {
		op->style |= TFS_STYLE_STAR_WIDTH;
		p++;
	}
	p = read_number(p, &width);
	op->prec = -1;
	if (*p == '.') {
		p++;
		if (*p == '*') {
			op->style |= TFS_STYLE_STAR_PREC;
			p++;
		}
		p = read_number(p, &prec);
		op->prec = (int16_t)(prec <= TFS_COLUMN_MAX ? prec : 0);
	}
	op->width = (uint16_t)(width <= TFS_COLUMN_MAX ? width : 0);
	while (*p && strchr("hlLzZ", *p))
		p++;
	if (p != conv->suffix - (conv->conv ? 1 : 0) || width > TFS_COLUMN_MAX ||
	    prec > TFS_COLUMN_MAX || conv->len > CONV_MAX)
		tfs_refuse(c, "an unusual conversion");
}

/* The step that prints it: one of its own for the commonest conversions */
static uint8_t number_code(const struct tfs_op *op, char conv)
{
	const uint16_t odd = TFS_STYLE_PLUS | TFS_STYLE_ALT | TFS_STYLE_STAR_WIDTH |
			     TFS_STYLE_STAR_PREC;
	bool is_long = op->size == 8;

	if (op->size < 4 || op->prec >= 0)
		return TFS_OP_NUMBER;
	if (conv == 'x' && op->width <= 16 && op->style == TFS_STYLE_ZERO)
		return is_long ? TFS_OP_X64_ZERO : TFS_OP_X32_ZERO;
	if (op->width || op->style & odd || op->kind == 8 || conv == 'X')
		return TFS_OP_NUMBER;
	if (op->kind == 16)
		return is_long ? TFS_OP_X64 : TFS_OP_X32;
	if (op->style & TFS_STYLE_SIGNED)
		return is_long ? TFS_OP_D64 : TFS_OP_D32;
	return is_long ? TFS_OP_U64 : TFS_OP_U32;
}

static void number(struct tfs_compiler *c, const struct tfs_conv *conv, struct tfs_op *op)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 8 };
	static const char bases[] = "d\012i\012u\012x\020X\020o\010";

	if (conv->longs < -2 || conv->longs > 2) {
		tfs_refuse(c, "an unusual conversion");
		return;
	}
	op->size = sizes[conv->longs + 2];
	op->kind = (uint8_t)strchr(bases, conv->conv)[1];
	if (c->kernel && op->style & TFS_STYLE_ALT)
		op->style |= TFS_STYLE_KERNEL;
	if (conv->conv == 'd' || conv->conv == 'i')
		op->style |= TFS_STYLE_SIGNED;
	if (conv->conv == 'X')
		op->style |= TFS_STYLE_UPPER;
	op->code = number_code(op, conv->conv);
	tfs_compile_value(c, conv->arg);
	tfs_emit(c, op, 26 + (op->width > op->prec ? op->width : (size_t)op->prec));
}

static void character(struct tfs_compiler *c, const struct tfs_conv *conv, struct tfs_op *op)
{
	if (op->width || op->prec >= 0 || op->style || conv->longs) {
		tfs_refuse(c, "an unusual conversion");
		return;
	}
	op->code = TFS_OP_CHAR;
	tfs_compile_value(c, conv->arg);
	tfs_emit(c, op, 1);
}

void tfs_compile_conv(struct tfs_compiler *c, const struct tfs_conv *conv)
{
	static const struct tfs_op star = { .code = TFS_OP_STAR };
	struct tfs_op op = { .code = TFS_OP_END };

	if (!conv->conv || !conv->arg) {
		tfs_refuse(c, conv->conv ? "an argument is missing" : "an unusual conversion");
		return;
	}
	style_of(c, conv, &op);
	if (conv->width_arg) {
		tfs_compile_value(c, conv->width_arg);
		tfs_emit(c, &star, 0);
	}
	if (conv->conv == 'p')
		tfs_compile_pointer(c, conv->arg, conv->suffix, &op);
	else if (conv->conv == 'c')
		character(c, conv, &op);
	else if (conv->conv != 's')
		number(c, conv, &op);
	else if (conv->longs || op.style & TFS_STYLE_ZERO)
		tfs_refuse(c, "an unusual conversion");
	else
		tfs_compile_text(c, conv->arg, &op);
}

/* A record that is shorter than its fields is not for us. */
void tfs_measure(struct tfs_compiler *c)
{
	const struct tep_format_field *lists[] = { c->event->format.common_fields,
						   c->event->format.fields },
				      *f;
	size_t i, end;

	c->program->bound = TFS_COPY_SLACK;
	for (i = 0; i < 2; i++) {
		for (f = lists[i]; f; f = f->next) {
			if (f->offset < 0 || f->size < 0 || f->offset > SPAN_MAX ||
			    f->size > SPAN_MAX - f->offset || f->elementsize > SPAN_MAX) {
				tfs_refuse(c, "a field out of any record");
				return;
			}
			end = (size_t)f->offset + (size_t)f->size;
			if (end > c->program->need)
				c->program->need = end;
		}
	}
}

static void format(struct tfs_compiler *c)
{
	static const struct tfs_op end = { .code = TFS_OP_END }, cut = { .code = TFS_OP_CUT };
	const struct tep_print_fmt *fmt = &c->event->print_fmt;
	const char *p = fmt->format ? fmt->format : "";
	struct tfs_convs it;
	struct tfs_conv conv;

	tfs_convs_init(&it, p, fmt->args);
	while (!c->rc && c->program->bound <= TFS_BOUND_MAX && tfs_convs_next(&it, &conv)) {
		literal(c, p, conv.start);
		tfs_compile_conv(c, &conv);
		p = conv.suffix;
		if (conv.conv == 'p')
			p += tfs_pointer_suffix(p);
	}
	if (c->program->bound > TFS_BOUND_MAX)
		tfs_emit(c, &cut, 0);
	literal(c, p, strchr(p, '\0'));
	tfs_emit(c, &end, 0);
}

int tfs_program_compile(struct tep_event *event, const struct tfs_format_env *env,
			struct tfs_program **out, const char **reason)
{
	struct tfs_compiler c = { .event = event, .env = env };

	c.program = calloc(1, sizeof(*c.program));
	if (!c.program)
		return -ENOMEM;
	c.program->env = env;
	if (event->flags & TEP_EVENT_FL_FAILED)
		tfs_refuse(&c, "the print format cannot be parsed");
	if (event->flags & (TEP_EVENT_FL_ISBPRINT | TEP_EVENT_FL_PRINTRAW))
		tfs_refuse(&c, "not printed by its format");
	tfs_measure(&c);
	format(&c);
	if (c.rc) {
		if (reason)
			*reason = c.rc == -EOPNOTSUPP ? c.reason : NULL;
		tfs_program_free(c.program);
		return c.rc;
	}
	tfs_fuse(c.program);
	*out = c.program;
	return 0;
}

bool tfs_program_is_partial(const struct tfs_program *p)
{
	return p->partial;
}

void tfs_program_free(struct tfs_program *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n_owned; i++)
		free(p->owned[i]);
	free(p->owned);
	free(p->ops);
	free(p);
}
