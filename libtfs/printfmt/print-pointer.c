/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-internal.h"

#include <string.h>

#include <event-parse.h>

#include "printfmt/program-debug.h"

/* "0x" and 16 digits */
#define HEX_MAX 18
/* The kernel's "%*ph" shows no more bytes. */
#define BYTES_MAX 64

/* Where @n points, with @need bytes that can be read there (0: as many as there are) */
static bool place(struct tfs_print *p, struct tfs_node *n, size_t need, struct tfs_op *op)
{
	struct tfs_spot spot;

	if (!tfs_print_spot(p, n, &spot)) {
		tfs_refuse(&p->c, "memory that is not in the record");
		return false;
	}
	if (spot.dynamic ? spot.add :
			   spot.field->size && spot.add + need > (size_t)spot.field->size) {
		tfs_refuse(&p->c, "memory outside its field");
		return false;
	}
	tfs_print_at(p, &spot, op);
	op->aux = spot.dynamic ? (uint32_t)need : (uint32_t)((size_t)spot.field->size - spot.add);
	return true;
}

static void address(struct tfs_print *p, struct tfs_node *n, size_t need, struct tfs_op op)
{
	if (place(p, n, need, &op))
		tfs_emit(&p->c, &op, 64);
}

static void ip4(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_IP4, .style = s[0] == 'i' ? TFS_STYLE_PLAIN : 0 };

	if (len > 2 && (s[2] == 'l' || (s[2] == 'h' && !p->c.env->big)))
		op.style |= TFS_STYLE_REVERSE;
	address(p, n, 4, op);
}

static void ip6(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_IP6, .style = s[0] == 'i' ? TFS_STYLE_PLAIN : 0 };

	if (s[0] == 'I' && len > 2 && s[2] == 'c')
		op.style |= TFS_STYLE_SHORT;
	address(p, n, 16, op);
}

static void socket_address(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_SOCKADDR,
			     .style = TFS_STYLE_KERNEL | (s[0] == 'i' ? TFS_STYLE_PLAIN : 0) };
	size_t i;

	for (i = 2; i < len; i++) {
		if (s[i] == 'p')
			op.style |= TFS_STYLE_PORT;
		else if (s[i] == 'c')
			op.style |= TFS_STYLE_SHORT;
		else if (s[i] == 'l' || (s[i] == 'h' && !p->c.env->big))
			op.style |= TFS_STYLE_REVERSE;
		else if (s[i] == 'f' || s[i] == 's')
			tfs_refuse(&p->c, "an unusual conversion");
	}
	address(p, n, 0, op);
}

static void ip(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	char kind = len > 1 ? s[1] : '\0';

	if (kind == '4')
		ip4(p, n, s, len);
	else if (kind == '6')
		ip6(p, n, s, len);
	else if (kind == 'S')
		socket_address(p, n, s, len);
	else
		tfs_refuse(&p->c, "an unusual conversion");
}

static void mac(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_MAC, .kind = s[0] == 'm' ? 0 : ':' };

	if (len > 1 && s[1] == 'F')
		op.kind = '-';
	if (len > 1 && s[1] == 'R')
		op.style |= TFS_STYLE_REVERSE;
	address(p, n, 6, op);
}

static void uuid(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len)
{
	struct tfs_op op = { .code = TFS_OP_UUID };
	char kind = len > 1 ? s[1] : 'b';

	if (kind == 'l' || kind == 'L')
		op.style |= TFS_STYLE_REVERSE;
	if (kind == 'L' || kind == 'B')
		op.style |= TFS_STYLE_UPPER;
	address(p, n, 16, op);
}

/* "%*ph": as many bytes as the column is wide, one without a column */
static void bytes(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len,
		  const struct tfs_op *style)
{
	struct tfs_op op = { .code = TFS_OP_HEX, .kind = ' ' };
	struct tfs_op count = { .code = TFS_OP_CONST, .imm = style->width ? style->width : 1 };

	if (len > 1 && s[1] == 'C')
		op.kind = ':';
	else if (len > 1 && s[1] == 'D')
		op.kind = '-';
	else if (len > 1 && s[1] == 'N')
		op.style = TFS_STYLE_PLAIN;
	if (!place(p, n, 0, &op))
		return;
	op.aux = BYTES_MAX;
	/* A '*' left its value there. */
	if (!(style->style & TFS_STYLE_STAR_WIDTH))
		tfs_emit(&p->c, &count, 0);
	tfs_emit(&p->c, &op, 0);
}

static void bitmap(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len,
		   const struct tfs_op *style)
{
	struct tfs_op op = { .code = TFS_OP_BITMAP };
	struct tfs_op count = { .code = TFS_OP_CONST, .imm = style->width };

	if (len > 1 && s[1] == 'l')
		op.style = TFS_STYLE_PLAIN;
	if (!place(p, n, 0, &op))
		return;
	if (!(style->style & TFS_STYLE_STAR_WIDTH))
		tfs_emit(&p->c, &count, 0);
	tfs_emit(&p->c, &op, 0);
}

/* "%pa": an address in the record, whose place is given */
static void physical(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_NUMBER, .size = 8, .kind = 16, .prec = -1 };
	struct tfs_op zero = { .code = TFS_OP_CONST }, load = { .code = TFS_OP_ELEMENT };
	struct tfs_spot spot;

	if (!tfs_print_spot(p, n, &spot) || spot.dynamic || spot.add) {
		tfs_refuse(&p->c, "memory that is not in the record");
		return;
	}
	load.off = (uint32_t)spot.field->offset;
	load.size = (uint8_t)spot.field->size;
	load.aux = load.size;
	if (load.size != 4 && load.size != 8)
		tfs_refuse(&p->c, "an address of an unusual size");
	op.style = TFS_STYLE_ZERO | TFS_STYLE_ALT | TFS_STYLE_KERNEL;
	op.width = (uint16_t)(2 + 2 * load.size);
	tfs_emit(&p->c, &zero, 0);
	tfs_emit(&p->c, &load, 0);
	tfs_emit(&p->c, &op, 26);
}

static void symbol(struct tfs_print *p, struct tfs_node *n, char kind)
{
	struct tfs_op op = { .code = TFS_OP_FUNCTION };

	op.style = TFS_STYLE_KERNEL | (kind == 's' || kind == 'f' ? 0 : TFS_STYLE_OFFSET);
	tfs_print_value(p, n);
	tfs_emit(&p->c, &op, HEX_MAX);
}

static void number(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_POINTER };

	tfs_print_value(p, n);
	tfs_emit(&p->c, &op, HEX_MAX);
}

/* "%pe": the name of an error that a pointer stands for */
static void error(struct tfs_print *p, struct tfs_node *n)
{
	struct tfs_op op = { .code = TFS_OP_ERROR };

	tfs_print_value(p, n);
	tfs_emit(&p->c, &op, TFS_ERROR_MAX);
}

/* Texts other than a number of bytes or bits are padded as a whole. */
static void in_column(struct tfs_print *p, struct tfs_node *n, const char *s, size_t len,
		      struct tfs_op *style)
{
	struct tfs_op column = tfs_print_column(p, style);
	char kind = len ? *s : '\0';

	if (kind && strchr("sSfFB", kind))
		symbol(p, n, kind);
	else if (kind && strchr("mM", kind))
		mac(p, n, s, len);
	else if (kind && strchr("iI", kind))
		ip(p, n, s, len);
	else if (kind == 'U')
		uuid(p, n, s, len);
	else if (kind == 'e')
		error(p, n);
	else if (kind == 'a')
		physical(p, n);
	else
		number(p, n);
	tfs_print_column_end(p, &column);
}

void tfs_print_pointer(struct tfs_print *p, struct tfs_node *n, const char *suffix, size_t len,
		       struct tfs_op *style)
{
	if (len && *suffix == 'h')
		bytes(p, n, suffix, len, style);
	else if (len && *suffix == 'b')
		bitmap(p, n, suffix, len, style);
	else
		in_column(p, n, suffix, len, style);
}
