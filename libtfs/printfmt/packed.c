/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/packed.h"

#include <ctype.h>
#include <string.h>

#include "base/digits.h"
#include "printfmt/program-debug.h"
#include "printfmt/spec.h"

/* "0x" and 16 digits; also of a number without its column */
#define NUMBER_MAX 26
/* As libtraceevent says it */
#define UNKNOWN "(NO FORMAT FOUND at "
#define ALNUM "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/**
 * struct packed - the arguments of a record
 * @base: where they begin in it; @at: the next one
 * @ended: one was wanted that is not there
 */
struct packed {
	struct tfs_run *r;
	size_t base, at;
	bool ended;
};

/* A number of @size bytes; 0: there are no more. */
static uint64_t take(struct packed *p, unsigned int size)
{
	size_t align = size == 8 ? 4 : size;
	size_t at = p->base + (p->at - p->base + align - 1) / align * align;

	p->ended |= at > p->r->size || size > p->r->size - at;
	if (p->ended)
		return 0;
	p->at = at + size;
	return tfs_run_load(p->r, at, size);
}

/* The string up to its zero, or all that is left */
static const char *take_string(struct packed *p, size_t *len)
{
	const char *s = (const char *)p->r->data + p->at;
	size_t left = p->r->size - p->at;

	*len = strnlen(s, left);
	p->at += *len < left ? *len + 1 : left;
	return s;
}

/* Width and precision that are arguments */
static void take_stars(struct packed *p, struct tfs_op *op)
{
	int64_t n;

	if (op->style & TFS_STYLE_STAR_WIDTH) {
		n = (int32_t)take(p, 4);
		if (n < 0)
			op->style |= TFS_STYLE_LEFT;
		n = n < 0 ? -n : n;
		op->width = (uint16_t)(n < TFS_COLUMN_MAX ? n : TFS_COLUMN_MAX);
	}
	if (op->style & TFS_STYLE_STAR_PREC) {
		n = (int32_t)take(p, 4);
		op->prec = (int16_t)(n < 0 ? 0 : n < TFS_COLUMN_MAX ? n : TFS_COLUMN_MAX);
	}
	op->style &= (uint16_t) ~(TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC);
	if (op->width > TFS_COLUMN_MAX)
		op->width = TFS_COLUMN_MAX;
}

static char *number(struct tfs_run *r, struct tfs_op *op, char *q, uint64_t value)
{
	op->code = TFS_OP_NUMBER;
	q = tfs_run_room(r, q, NUMBER_MAX + op->width + (size_t)(op->prec > 0 ? op->prec : 0));
	return q ? tfs_write_op(r, op, q, value) : NULL;
}

static char *text(struct tfs_run *r, const struct tfs_op *op, char *q, const char *s, size_t len)
{
	q = tfs_run_room(r, q, len + op->width);
	return q ? tfs_write_column(q, op, s, len) : NULL;
}

static char *character(struct tfs_run *r, struct tfs_op *op, char *q, uint64_t value)
{
	const char c = (char)value;

	op->prec = -1;
	return text(r, op, q, &c, 1);
}

/* By @code's writer, in @op's column */
static char *by_writer(struct tfs_run *r, const struct tfs_op *op, char *q, struct tfs_op one,
		       uint64_t value)
{
	const struct tfs_op begin = { .code = TFS_OP_COLUMN_BEGIN };
	struct tfs_op end = *op;

	end.code = TFS_OP_COLUMN_END;
	q = tfs_run_room(r, q, TFS_ERROR_MAX + NUMBER_MAX);
	if (!q)
		return NULL;
	tfs_write_op(r, &begin, q, 0);
	q = tfs_write_op(r, &one, q, value);
	return q ? tfs_write_op(r, &end, q, 0) : NULL;
}

/* "%px": as a number, unless there is a width with all its digits */
static char *address(struct tfs_run *r, struct tfs_op *op, char *q, uint64_t value)
{
	op->size = (uint8_t)r->program->env->long_size;
	op->kind = 16;
	if (!op->width) {
		op->width = (uint16_t)(2 * op->size);
		op->style |= TFS_STYLE_ZERO;
	}
	return number(r, op, q, value);
}

/*
 * "%pe" is packed as a pointer by all kernels that have it. One that was packed as its text cannot
 * be mistaken for one: a kernel has no address of these bytes.
 */
static bool is_error_text(const struct packed *p)
{
	const unsigned char *s = p->r->data + p->at, *end = p->r->data + p->r->size;

	if (end - s < 3 || s[0] != '-' || s[1] != 'E')
		return false;
	for (s++; s < end && (isupper(*s) || isdigit(*s)); s++)
		;
	return s < end && !*s;
}

/* Is the text of "%p" and @suffix made when it is printed? The others have it in the record. */
static bool is_late(const struct packed *p, const char *suffix)
{
	if (!isalnum((unsigned char)*suffix))
		return true;
	if (*suffix == 'e')
		return !is_error_text(p);
	/* "F" and "f" were kernels' before 5.2, which know no "%pfw". */
	return strchr("SsFxK", *suffix) || (*suffix == 'f' && suffix[1] != 'w');
}

static char *pointer(struct packed *p, struct tfs_op *op, char *q, const char *suffix)
{
	struct tfs_op one = { .code = TFS_OP_POINTER, .style = TFS_STYLE_KERNEL };
	const char kind = *suffix;
	uint64_t value;
	const char *s;
	size_t len;

	if (!is_late(p, suffix)) {
		s = take_string(p, &len);
		q = tfs_run_room(p->r, q, len);
		return q ? mempcpy(q, s, len) : NULL;
	}
	value = take(p, p->r->program->env->long_size);
	if (p->ended)
		return q;
	if (kind == 'x')
		return address(p->r, op, q, value);
	if (kind == 'e')
		one.code = TFS_OP_ERROR;
	else if (isalpha((unsigned char)kind) && kind != 'K')
		one.code = TFS_OP_FUNCTION;
	if (kind == 'S' || kind == 'F')
		one.style |= TFS_STYLE_OFFSET;
	return by_writer(p->r, op, q, one, value);
}

/* One conversion, whose letter is at *@s, which goes on after it */
static char *convert(struct packed *p, struct tfs_op *op, char *q, const char **s)
{
	const char kind = *(*s)++;
	const char *string;
	uint64_t value;
	size_t len;

	switch (kind) {
	case '%':
		return text(p->r, &(struct tfs_op){ .prec = -1 }, q, "%", 1);
	case 's':
		string = take_string(p, &len);
		return text(p->r, op, q, string, len);
	case 'p':
		q = pointer(p, op, q, *s);
		*s += strspn(*s, ALNUM);
		return q;
	case 'c':
		value = take(p, 1);
		return p->ended ? q : character(p->r, op, q, value);
	default:
		if (!strchr("diuxXo", kind) || !kind)
			p->ended = true;
		value = p->ended ? 0 : take(p, op->size);
		tfs_spec_number(kind, op);
		return p->ended ? q : number(p->r, op, q, value);
	}
}

/* Text between conversions, or (*@s is a '%') one of them */
static char *step(struct packed *p, char *q, const char **s)
{
	const struct tfs_format_env *env = p->r->program->env;
	const char *from = *s, *end = strchr(from, '\0');
	struct tfs_op op = { .code = TFS_OP_END };
	unsigned int size;

	if (*from != '%') {
		*s += strcspn(from, "%");
		return tfs_write_unescaped(p->r, q, from, (size_t)(*s - from));
	}
	*s = tfs_spec_size(tfs_spec_style(from + 1, end, &op), end, env->long_size, &size);
	op.size = (uint8_t)size;
	take_stars(p, &op);
	if (!p->ended)
		q = convert(p, &op, q, s);
	if (!p->ended)
		return q;
	*s = end;
	/* The kernel's own text ends here. */
	return env->kernel_text ? q : tfs_write_unescaped(p->r, q, from, (size_t)(end - from));
}

char *tfs_write_packed(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	const struct tfs_format_env *env = r->program->env;
	const uint64_t addr = tfs_run_load(r, op->off, op->size);
	const char *s = env->printk ? env->printk(env->printks, addr) : NULL;
	struct packed p = { .r = r, .base = op->aux, .at = op->aux };

	if (!s) {
		q = tfs_run_room(r, q, sizeof(UNKNOWN) + NUMBER_MAX);
		if (!q)
			return NULL;
		q = mempcpy(q, UNKNOWN, sizeof(UNKNOWN) - 1);
		q = tfs_digits_hex(q, addr, 0);
		*q++ = ')';
		return q;
	}
	while (q && *s)
		q = step(&p, q, &s);
	return q;
}
