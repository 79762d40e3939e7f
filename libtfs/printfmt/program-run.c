/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <errno.h>
#include <string.h>

#include "base/digits.h"
#include "base/strbuf.h"
#include "printfmt/packed.h"

static bool divide_signed(enum tfs_operator kind, int64_t x, int64_t y, uint64_t *val)
{
	if (!y)
		return false;
	/* The one quotient that does not fit. */
	if (y == -1)
		*val = kind == TFS_SDIV ? -(uint64_t)x : 0;
	else
		*val = (uint64_t)(kind == TFS_SDIV ? x / y : x % y);
	return true;
}

bool tfs_compute_signed(enum tfs_operator kind, uint64_t a, uint64_t b, uint64_t *val)
{
	int64_t x = (int64_t)a, y = (int64_t)b;

	switch (kind) {
	case TFS_SDIV:
	case TFS_SMOD:
		return divide_signed(kind, x, y, val);
	case TFS_XOR:
		*val = a ^ b;
		break;
	case TFS_SSHR:
		*val = (uint64_t)(x >> (b & 63));
		break;
	case TFS_SLT:
		*val = x < y;
		break;
	case TFS_SLE:
		*val = x <= y;
		break;
	case TFS_SGT:
		*val = x > y;
		break;
	default:
		*val = x >= y;
	}
	return true;
}

/* An element whose index is in @*value; false: not in the record. */
static bool element(const struct tfs_run *r, const struct tfs_op *op, uint64_t *value)
{
	size_t at = op->off, len;

	if (op->code == TFS_OP_DYN_ELEMENT && !tfs_run_dynamic(r, op, &at, &len))
		return false;
	if (at > r->size || *value > r->size)
		return false;
	at += *value * op->aux;
	if (at > r->size || op->size > r->size - at)
		return false;
	*value = tfs_run_load(r, at, op->size);
	return true;
}

static uint64_t extend(uint64_t value, unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (uint64_t)((int64_t)(value << unused) >> unused);
}

/* Values that are too rare to be done on the spot. */
static bool rare_value(struct tfs_run *r, const struct tfs_op *op, uint64_t *value)
{
	size_t at, len;

	switch (op->code) {
	case TFS_OP_NOT:
		*value = !*value;
		return true;
	case TFS_OP_INVERT:
		*value = ~*value;
		return true;
	case TFS_OP_NEGATE:
		*value = -*value;
		return true;
	case TFS_OP_EXTEND:
		*value = extend(*value, op->size);
		return true;
	case TFS_OP_BSWAP:
		*value = __builtin_bswap64(*value) >> (64 - 8 * op->size);
		return true;
	case TFS_OP_MSECS:
		*value = (uint32_t)((*value * 1000 + op->imm - 1) / op->imm);
		return true;
	case TFS_OP_STAR:
		r->star = (int)*value;
		return r->star >= 0 && r->star <= TFS_COLUMN_MAX;
	case TFS_OP_DYN_LEN:
		if (!tfs_run_dynamic(r, op, &at, &len))
			return false;
		*value = len;
		return true;
	case TFS_OP_ELEMENT:
	case TFS_OP_DYN_ELEMENT:
		return element(r, op, value);
	default: /* of the other byte order */
		*value = tfs_run_load(r, op->off, 2U << (op->code - TFS_OP_SWAP2));
		return true;
	}
}

static char *string(char *q, const unsigned char *s, size_t len)
{
	const unsigned char *end = memchr(s, 0, len);
	size_t n = end ? (size_t)(end - s) : len;

	memcpy(q, s, n);
	return q + n;
}

/* The first zero among eight bytes in memory order; 8: none. */
static unsigned int zero_at(uint64_t x)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	uint64_t zeros = ~(((x & low) + low) | x | low);

	if (!zeros)
		return 8;
	return (unsigned int)(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_ctzll(zeros) :
									  __builtin_clzll(zeros)) /
	       8;
}

/* Names of tasks have sixteen bytes. */
static char *string16(char *q, const unsigned char *s)
{
	uint64_t words[2];
	unsigned int n;

	memcpy(words, s, sizeof(words));
	memcpy(q, words, sizeof(words));
	n = zero_at(words[0]);
	return q + (n < 8 ? n : 8 + zero_at(words[1]));
}

static inline uint16_t load2(const unsigned char *data, const struct tfs_op *op)
{
	uint16_t v;

	memcpy(&v, data + op->off, sizeof(v));
	return v;
}

static inline uint32_t load4(const unsigned char *data, const struct tfs_op *op)
{
	uint32_t v;

	memcpy(&v, data + op->off, sizeof(v));
	return v;
}

static inline uint64_t load_signed(const unsigned char *data, const struct tfs_op *op)
{
	switch (op->code) {
	case TFS_OP_LOAD1S:
		return (uint64_t)(int8_t)data[op->off];
	case TFS_OP_LOAD2S:
		return (uint64_t)(int16_t)load2(data, op);
	default:
		return (uint64_t)(int32_t)load4(data, op);
	}
}

static inline uint64_t load8(const unsigned char *data, const struct tfs_op *op)
{
	uint64_t v;

	memcpy(&v, data + op->off, sizeof(v));
	return v;
}

static inline char *hex(char *q, const struct tfs_op *op, uint64_t value)
{
	return tfs_digits_hex_roomy(q, value, op->width);
}

/* Those that a literal and a plain load do not stand before. */
static inline char *number(char *q, const struct tfs_op *op, uint64_t value)
{
	switch (op->code) {
	case TFS_OP_D32:
		return tfs_digits_sdec(q, (int32_t)value);
	case TFS_OP_D64:
		return tfs_digits_sdec(q, (int64_t)value);
	case TFS_OP_U32:
		return tfs_digits_dec(q, (uint32_t)value);
	case TFS_OP_U64:
		return tfs_digits_dec(q, value);
	case TFS_OP_X32:
	case TFS_OP_X32_ZERO:
		return hex(q, op, (uint32_t)value);
	default:
		return hex(q, op, value);
	}
}

static inline char *literal(char *q, const struct tfs_op *op)
{
	return tfs_copy(q, op->text, op->off);
}

static inline char *written(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t value)
{
	return op->code == TFS_OP_PACKED ? tfs_write_packed(r, op, q) :
					   tfs_write_op(r, op, q, value);
}

/* Where the text ends, or NULL with @r->rc. */
static char *run(struct tfs_run *r, char *q)
{
	const unsigned char *data = r->data;
	uint64_t stack[TFS_STACK_MAX], value = 0;
	const struct tfs_op *ops = r->program->ops, *op = ops;
	unsigned int depth = 0;

	for (;; op++) {
		switch (op->code) {
		case TFS_OP_END:
			return q;
		case TFS_OP_CONST:
			value = op->imm;
			break;
		case TFS_OP_LOAD1:
			value = data[op->off];
			break;
		case TFS_OP_LOAD2:
			value = load2(data, op);
			break;
		case TFS_OP_LOAD4:
			value = load4(data, op);
			break;
		case TFS_OP_LOAD8:
			value = load8(data, op);
			break;
		case TFS_OP_LOAD1S ... TFS_OP_LOAD4S:
			value = load_signed(data, op);
			break;
		case TFS_OP_MASK:
			value &= op->imm;
			break;
		case TFS_OP_PUSH:
			stack[depth++] = value;
			break;
		case TFS_OP_BINARY:
			/* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): was pushed */
			if (!tfs_compute(op->kind, stack[--depth], value, &value))
				return NULL;
			break;
		case TFS_OP_BINARY_IMM:
			if (!tfs_compute(op->kind, value, op->imm, &value))
				return NULL;
			break;
		case TFS_OP_SWAP2 ... TFS_OP_STAR:
			if (!rare_value(r, op, &value))
				return NULL;
			break;
		case TFS_OP_JUMP_ZERO:
			op = value ? op : ops + op->off - 1;
			break;
		case TFS_OP_JUMP:
			op = ops + op->off - 1;
			break;
		case TFS_OP_LITERAL:
			q = literal(q, op);
			break;
		case TFS_OP_LITERAL_D32:
			q = tfs_digits_sdec(literal(q, op), (int32_t)load4(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_U32:
			q = tfs_digits_dec(literal(q, op), load4(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_D64:
			q = tfs_digits_sdec(literal(q, op), (int64_t)load8(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_U64:
			q = tfs_digits_dec(literal(q, op), load8(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_X32:
			q = hex(literal(q, op), op + 2, load4(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_X64:
			q = hex(literal(q, op), op + 2, load8(data, op + 1));
			op += 2;
			break;
		case TFS_OP_LITERAL_STRING16:
			q = string16(literal(q, op), data + op[1].off);
			op++;
			break;
		case TFS_OP_D32 ... TFS_OP_X64_ZERO:
			q = number(q, op, value);
			break;
		case TFS_OP_STRING16:
			q = string16(q, data + op->off);
			break;
		case TFS_OP_STRING:
			q = string(q, data + op->off, op->aux);
			break;
		default:
			q = written(r, op, q, value);
			if (!q)
				return NULL;
		}
	}
}

size_t tfs_run_limit(const struct tfs_program *p, size_t size, size_t room)
{
	size_t limit = (size < p->need ? p->need : size) + TFS_RUN_ON;

	return limit < room ? limit : room;
}

/* Runs from @q, with room for steps that do not ask for it. NULL with @r->rc; 0: it is cut */
static inline char *run_at(struct tfs_run *r, char *q)
{
	r->rc = 1;
	r->start = (size_t)(q - r->out->s);
	tfs_run_set_end(r, q);
	q = run(r, q);
	return q && q > r->end ? tfs_run_cut(r, q) : q;
}

int tfs_text_cut(struct tfs_strbuf *out, size_t start)
{
	if (out->len - start > TFS_TEXT_MAX)
		out->len = start + TFS_TEXT_MAX;
	return tfs_strbuf_adds(out, TFS_TEXT_CUT);
}

int tfs_run_program(struct tfs_run *r)
{
	struct tfs_strbuf *out = r->out;
	size_t start = out->len;
	char *q;

	r->rc = tfs_strbuf_room(out, r->program->bound);
	if (r->rc)
		return r->rc;
	q = run_at(r, out->s + out->len);
	if (!q && !r->rc)
		return tfs_text_cut(out, start);
	out->len = q ? (size_t)(q - out->s) : start;
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is room, and so a string */
	out->s[out->len] = '\0';
	return q ? 0 : r->rc;
}

int tfs_program_run(const struct tfs_program *p, struct tfs_strbuf *out, const void *data,
		    size_t size, size_t room)
{
	struct tfs_run r = { .program = p, .data = data, .size = size, .out = out };

	if (size < p->need)
		return 1;
	r.limit = tfs_run_limit(p, size, room);
	return tfs_run_program(&r);
}

size_t tfs_program_bound(const struct tfs_program *p)
{
	return p->bound;
}

char *tfs_program_put(const struct tfs_program *p, struct tfs_strbuf *out, char *q,
		      const void *data, size_t size, size_t room)
{
	struct tfs_run r = { .program = p, .data = data, .size = size, .out = out };

	if (size < p->need)
		return NULL;
	r.limit = tfs_run_limit(p, size, room);
	return run_at(&r, q);
}
