/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <event-parse.h>

#include "printfmt/print-layout.h"
#include "printfmt/print-parse.h"
#include "printfmt/spec.h"

/**
 * struct conversion - "%-5ld"
 * @size: bytes of the number that is printed
 * @kind: 'd', 's', ...
 * @suffix, @suffix_len: of "%p"
 * @star: a column's or a precision's argument
 * @means: what the number stands for, which is printed in its place; NULL: nothing else
 */
struct conversion {
	unsigned int size;
	char kind;
	const char *suffix;
	size_t suffix_len;
	bool star;
	const struct tfs_meaning *means;
	bool fetched;
};

/* Flags, width and precision into @op; the rest begins where it returns. */
static const char *read_style(struct tfs_print *p, const char *s, const char *end,
			      struct tfs_op *op, bool *star)
{
	const uint16_t stars = TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC;

	s = tfs_spec_style(s, end, op);
	*star = op->style & stars;
	if ((op->style & stars) == stars)
		tfs_refuse(&p->c, "two columns whose widths vary");
	if (op->width > TFS_COLUMN_MAX)
		tfs_refuse(&p->c, "a column too wide");
	return s;
}

/* After a '%' */
static const char *read_conversion(struct tfs_print *p, const char *s, const char *end,
				   struct conversion *conv, struct tfs_op *op)
{
	s = read_style(p, s, end, op, &conv->star);
	s = tfs_spec_size(s, end, p->c.env->long_size, &conv->size);
	conv->kind = s < end ? *s++ : '\0';
	conv->suffix = s;
	while (conv->kind == 'p' && s < end && isalnum((unsigned char)*s))
		s++;
	conv->suffix_len = (size_t)(s - conv->suffix);
	return s;
}

/* The plain ones have operations that do nothing else. */
static enum tfs_opcode number_code(const struct tfs_op *op, char kind)
{
	bool hex = op->kind == 16 && op->style == (TFS_STYLE_KERNEL | TFS_STYLE_ZERO) &&
		   op->width <= 16 && op->prec < 0;
	bool is_signed = op->style & TFS_STYLE_SIGNED;
	bool plain = (op->style & ~TFS_STYLE_SIGNED) == TFS_STYLE_KERNEL && !op->width &&
		     op->prec < 0;

	if (kind == 'X' || op->kind == 8 || (op->size != 4 && op->size != 8))
		return TFS_OP_NUMBER;
	if (hex)
		return op->size == 4 ? TFS_OP_X32_ZERO : TFS_OP_X64_ZERO;
	if (!plain)
		return TFS_OP_NUMBER;
	if (op->kind == 16)
		return op->size == 4 ? TFS_OP_X32 : TFS_OP_X64;
	if (op->size == 4)
		return is_signed ? TFS_OP_D32 : TFS_OP_U32;
	return is_signed ? TFS_OP_D64 : TFS_OP_U64;
}

static void number(struct tfs_print *p, struct tfs_node *n, const struct conversion *conv,
		   struct tfs_op op)
{
	op.size = (uint8_t)conv->size;
	tfs_spec_number(conv->kind, &op);
	if (conv->means) {
		tfs_print_meant(p, n, conv->means, &op);
		return;
	}
	op.code = (uint8_t)number_code(&op, conv->kind);
	if (conv->size <= 4)
		tfs_print_low(p, n);
	else
		tfs_print_value(p, n);
	tfs_emit(&p->c, &op, 26 + (op.width > op.prec ? op.width : (size_t)op.prec));
}

static void character(struct tfs_print *p, struct tfs_node *n, struct tfs_op op)
{
	struct tfs_op one = { .code = TFS_OP_CHAR }, column;

	tfs_print_resolve(p, n);
	/* It ends the text that contains it: formats that do so have nothing after it. */
	if (p->nested && n->is_const && !(n->value & 0xff))
		return;
	column = tfs_print_column(p, &op);
	tfs_print_low(p, n);
	tfs_emit(&p->c, &one, 1);
	tfs_print_column_end(p, &column);
}

static void convert(struct tfs_print *p, struct tfs_node *n, const struct conversion *conv,
		    struct tfs_op *op)
{
	switch (conv->kind) {
	case 'd':
	case 'i':
	case 'u':
	case 'x':
	case 'X':
	case 'o':
		number(p, n, conv, *op);
		break;
	case 'c':
		character(p, n, *op);
		break;
	case 's':
		if (conv->fetched) {
			tfs_print_fetched(p, n, op);
			break;
		}
		op->style &= (uint16_t) ~(TFS_STYLE_ZERO | TFS_STYLE_SPACE | TFS_STYLE_KERNEL);
		tfs_print_text(p, n, op);
		break;
	case 'p':
		tfs_print_pointer(p, n, conv->suffix, conv->suffix_len, op);
		break;
	default:
		tfs_refuse(&p->c, "an unusual conversion");
	}
}

/* Nobody else prints an event that libtraceevent cannot parse: what is not known is said. */
static void convert_or_say(struct tfs_print *p, struct tfs_node *n, const struct conversion *conv,
			   struct tfs_op *op)
{
	const struct tfs_print_mark mark = tfs_print_mark(p);
	const struct tfs_op style = *op;

	convert(p, n, conv, op);
	if (p->c.event->flags & TEP_EVENT_FL_FAILED && tfs_print_back(p, &mark))
		tfs_print_written(p, n, style);
}

static struct tfs_node *take(struct tfs_print *p, struct tfs_node **args)
{
	struct tfs_node *n = *args;

	if (n)
		*args = n->next;
	else
		tfs_refuse(&p->c, "an argument is missing");
	return n;
}

/*
 * The text between @s and the conversion at @next, without what the kernel prints only with some
 * values: "0x" is a number's and not a name's, and quotes are a string's that could be read.
 */
static size_t text_before(const char *s, const char *next, const struct conversion *conv,
			  struct tfs_op *op)
{
	size_t len = (size_t)(next - s);

	if (conv->fetched)
		return len - 1;
	if (!conv->means || conv->kind != 'x' || len < 2 || memcmp(next - 2, "0x", 2) != 0)
		return len;
	op->style |= TFS_STYLE_ALT;
	return len - 2;
}

void tfs_print_format(struct tfs_print *p, const struct tfs_node *format, struct tfs_node *args)
{
	static const struct tfs_op star = { .code = TFS_OP_STAR };
	const char *s = format->text, *end = s + format->len, *next, *behind;
	struct conversion conv = { 0 };
	struct tfs_node *n, *width;
	struct tfs_op op;

	while (s < end && !p->c.rc) {
		next = memchr(s, '%', (size_t)(end - s));
		if (!next || (next + 1 < end && next[1] == '%')) {
			tfs_print_literal(p, s, (size_t)((next ? next + 1 : end) - s));
			s = next ? next + 2 : end;
			continue;
		}
		op = (struct tfs_op){ .code = TFS_OP_END };
		behind = read_conversion(p, next + 1, end, &conv, &op);
		conv.means = args && !conv.star && strchr("diux", conv.kind) ?
				     tfs_print_meaning(p, args) :
				     NULL;
		conv.fetched = args && conv.kind == 's' && next > s && next[-1] == '"' &&
			       behind < end && *behind == '"' && tfs_print_is_fetched(p, args);
		tfs_print_literal(p, s, text_before(s, next, &conv, &op));
		s = behind + conv.fetched;
		width = conv.star ? take(p, &args) : NULL;
		if (width) {
			tfs_print_value(p, width);
			tfs_emit(&p->c, &star, 0);
		}
		n = p->c.rc ? NULL : take(p, &args);
		if (n)
			convert_or_say(p, n, &conv, &op);
	}
}

static void compile(struct tfs_print *p, const struct tfs_print_source *source)
{
	static const struct tfs_op end = { .code = TFS_OP_END };
	int rc = tfs_print_parse(source->text, source->size, p->c.env->long_size, &p->tree, NULL);

	if (rc == -EBADMSG)
		tfs_refuse(&p->c, "the print format cannot be parsed");
	else if (rc)
		p->c.rc = rc;
	if (!p->c.rc && source->layout)
		p->c.rc = tfs_print_layout(source->event, &p->tree);
	if (!p->c.rc)
		tfs_print_format(p, p->tree.format, p->tree.args);
	tfs_emit(&p->c, &end, 0);
	tfs_tree_release(&p->tree);
}

int tfs_program_compile_print(const struct tfs_print_source *source,
			      const struct tfs_format_env *env, struct tfs_program **out,
			      const char **reason)
{
	struct tep_event *event = source->event;
	struct tfs_print p = { .c = { .event = event, .env = env }, .source = source };

	p.c.program = calloc(1, sizeof(*p.c.program));
	if (!p.c.program)
		return -ENOMEM;
	p.c.program->env = env;
	if (event->flags & TEP_EVENT_FL_PRINTRAW)
		tfs_refuse(&p.c, "not printed by its format");
	tfs_measure(&p.c);
	compile(&p, source);
	if (p.c.rc) {
		if (reason)
			*reason = p.c.rc == -EOPNOTSUPP ? p.c.reason : NULL;
		tfs_program_free(p.c.program);
		return p.c.rc;
	}
	tfs_fuse(p.c.program);
	*out = p.c.program;
	return 0;
}
