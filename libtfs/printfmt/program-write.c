/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/program-internal.h"

#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "base/meaning.h"
#include "base/strbuf-core.h"
#include "printfmt/program-debug.h"

static const char lower[] = "0123456789abcdef";

static char *octal(char *p, uint64_t n)
{
	unsigned int digits = n ? (63 - (unsigned int)__builtin_clzll(n)) / 3 + 1 : 1, i;

	for (i = digits; i; i--, n >>= 3)
		p[i - 1] = (char)('0' + (n & 7));
	return p + digits;
}

/* Digits of @value's magnitude and what stands before them: "-", "0x". */
static char *digits_of(char *p, const struct tfs_op *op, uint64_t value, char *prefix)
{
	unsigned int unused = 64 - 8U * op->size;
	char *end, *q;

	*prefix = '\0';
	if (op->style & TFS_STYLE_SIGNED) {
		int64_t n = (int64_t)(value << unused) >> unused;

		if (n < 0)
			*prefix++ = '-';
		else if (op->style & TFS_STYLE_PLUS)
			*prefix++ = '+';
		else if (op->style & TFS_STYLE_SPACE)
			*prefix++ = ' ';
		*prefix = '\0';
		return tfs_digits_dec(p, n < 0 ? -(uint64_t)n : (uint64_t)n);
	}
	value = value << unused >> unused;
	if (op->kind == 10)
		return tfs_digits_dec(p, value);
	if (op->kind == 8) {
		/* With '#' the first digit is a zero. */
		if (op->style & TFS_STYLE_ALT && value)
			*p++ = '0';
		return octal(p, value);
	}
	end = tfs_digits_hex(p, value, 0);
	if (op->style & TFS_STYLE_UPPER)
		for (q = p; q < end; q++)
			*q = *q >= 'a' ? (char)(*q - 'a' + 'A') : *q;
	if (op->style & TFS_STYLE_ALT && (value || op->style & TFS_STYLE_KERNEL)) {
		*prefix++ = '0';
		*prefix++ = op->style & TFS_STYLE_UPPER ? 'X' : 'x';
		*prefix = '\0';
	}
	return end;
}

static char *fill(char *q, char with, size_t n)
{
	memset(q, with, n);
	return q + n;
}

static char *put(char *q, const char *s, size_t n)
{
	memcpy(q, s, n);
	return q + n;
}

/* As printf() does; @q has room for the column and 24 bytes. */
static char *write_number(char *q, const struct tfs_op *op, uint64_t value)
{
	char digits[32], prefix[4];
	size_t len, pre, zeros = 0, pad;
	bool kernel = op->style & TFS_STYLE_KERNEL;

	len = (size_t)(digits_of(digits, op, value, prefix) - digits);
	pre = strlen(prefix);
	/* A precision of 0 and the value 0 have no digits, but for that of "%#o". */
	if (!op->prec && len == 1 && digits[0] == '0' && !kernel &&
	    !(op->kind == 8 && op->style & TFS_STYLE_ALT))
		len = 0;
	if (op->prec > (int)len)
		zeros = (size_t)op->prec - len;
	pad = op->width > pre + zeros + len ? op->width - pre - zeros - len : 0;
	if (op->style & TFS_STYLE_ZERO && !(op->style & TFS_STYLE_LEFT) &&
	    (op->prec < 0 || kernel)) {
		zeros += pad;
		pad = 0;
	}
	if (!(op->style & TFS_STYLE_LEFT))
		q = fill(q, ' ', pad);
	q = put(q, prefix, pre);
	q = fill(q, '0', zeros);
	q = put(q, digits, len);
	return op->style & TFS_STYLE_LEFT ? fill(q, ' ', pad) : q;
}

char *tfs_write_column(char *q, const struct tfs_op *op, const char *s, size_t len)
{
	size_t pad;

	if (op->prec >= 0 && len > (size_t)op->prec)
		len = (size_t)op->prec;
	pad = op->width > len ? op->width - len : 0;
	if (!(op->style & TFS_STYLE_LEFT))
		q = fill(q, ' ', pad);
	q = put(q, s, len);
	return op->style & TFS_STYLE_LEFT ? fill(q, ' ', pad) : q;
}

/* @op with the record's width or precision in it */
static struct tfs_op resolved(const struct tfs_run *r, const struct tfs_op *op)
{
	struct tfs_op copy = *op;

	if (op->style & TFS_STYLE_STAR_WIDTH)
		copy.width = (uint16_t)r->star;
	if (op->style & TFS_STYLE_STAR_PREC)
		copy.prec = (int16_t)r->star;
	return copy;
}

static char *column(struct tfs_run *r, const struct tfs_op *op, char *q, const void *s, size_t len)
{
	struct tfs_op copy;

	if (!op->width && op->prec < 0 &&
	    !(op->style & (TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC))) {
		q = tfs_run_room(r, q, len);
		return q ? put(q, s, len) : NULL;
	}
	copy = resolved(r, op);
	q = tfs_run_room(r, q, len + copy.width);
	return q ? tfs_write_column(q, &copy, s, len) : NULL;
}

/* At most @max bytes at @at; a string without an end there is not for us unless @max says so. */
static char *record_string(struct tfs_run *r, const struct tfs_op *op, char *q, size_t at)
{
	const unsigned char *s = r->data + at, *end;

	if (at >= r->limit)
		return NULL;
	end = memchr(s, 0, r->limit - at);
	return end ? column(r, op, q, s, (size_t)(end - s)) : NULL;
}

static char *field_string(struct tfs_run *r, const struct tfs_op *op, char *q, size_t len)
{
	const unsigned char *s = r->data + op->off;

	return column(r, op, q, s, strnlen((const char *)s, len));
}

static char *dynamic_string(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	size_t at, len;

	if (!tfs_run_dynamic(r, op, &at, &len))
		return NULL;
	return len > op->aux ? record_string(r, op, q, at + op->aux) : q;
}

char *tfs_write_unescaped(struct tfs_run *r, char *q, const char *s, size_t len)
{
	static const char from[] = "nt\"", to[] = "\n\t\"";
	const char *end = s + len, *found;

	q = tfs_run_room(r, q, len);
	while (q && s < end) {
		/* The kernel leaves a backslash of the text as it is. */
		found = *s == '\\' && s + 1 < end && s[1] ? strchr(from, s[1]) : NULL;
		*q++ = found ? to[found - from] : *s;
		s += found ? 2 : 1;
	}
	return q;
}

static char *kernel_string(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	const struct tfs_format_env *env = r->program->env;
	uint64_t addr = tfs_run_load(r, op->off, op->size);
	const char *s = env->printk ? env->printk(env->printks, addr) : NULL;
	size_t len;

	if (!s)
		return tfs_digits_hex(q, addr, 0);
	len = strlen(s);
	if (op->kind)
		return tfs_write_unescaped(r, q, s, len);
	q = tfs_run_room(r, q, len);
	return q ? put(q, s, len) : NULL;
}

static char *hex_number(char *q, uint64_t value)
{
	*q++ = '0';
	*q++ = 'x';
	return tfs_digits_hex_roomy(q, value, 0);
}

/* Whatever it means: one digit, or hexadecimal, which shows bits and addresses, too */
static char *written(const struct tfs_op *op, char *q, uint64_t value)
{
	if (op->style & TFS_STYLE_SIGNED && (int64_t)value < 0)
		return tfs_digits_sdec(q, (int64_t)value);
	return value < 10 ? tfs_digits_dec(q, value) : hex_number(q, value);
}

/* "name", "name+0x1f/0x40", each perhaps with " [module]" */
static char *place(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t addr)
{
	const struct tfs_format_env *env = r->program->env;
	const struct tfs_symbol_info *at = env->symbol_info(env->symbols, addr);

	if (!at)
		return hex_number(q, addr);
	q = tfs_run_room(r, q, at->name_len + at->module_len + 44);
	if (!q)
		return NULL;
	q = put(q, at->name, at->name_len);
	if (op->style & TFS_STYLE_OFFSET) {
		*q++ = '+';
		q = hex_number(q, addr - at->start);
		if (env->kernel_text) {
			*q++ = '/';
			q = hex_number(q, at->size);
		}
	}
	if (!env->kernel_text || !at->module)
		return q;
	*q++ = ' ';
	return put(q, at->module, at->module_len);
}

static char *function(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t addr)
{
	const struct tfs_format_env *env = r->program->env;
	uint64_t start = 0;
	const char *name;
	size_t len;

	if (op->style & TFS_STYLE_KERNEL && env->symbol_info)
		return place(r, op, q, addr);
	name = env->symbol ? env->symbol(env->symbols, addr, &start) : NULL;
	if (!name)
		return hex_number(q, addr);
	len = strlen(name);
	q = tfs_run_room(r, q, len + 20);
	if (!q)
		return NULL;
	q = put(q, name, len);
	if (!(op->style & TFS_STYLE_OFFSET))
		return q;
	*q++ = '+';
	return hex_number(q, addr - start);
}

static char *stack(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	uint64_t addr;
	size_t at, len;

	if (!tfs_run_dynamic(r, op, &at, &len))
		return NULL;
	/* Kernels that record how many there are do not show it. No code is in the first page. */
	addr = len >= op->size ? tfs_run_load(r, at, op->size) : 0;
	if (addr && addr < TFS_FIRST_PAGE) {
		at += op->size;
		len -= op->size;
	}
	for (; q && len >= op->size; at += op->size, len -= op->size) {
		addr = tfs_run_load(r, at, op->size);
		if (!addr)
			break;
		q = tfs_run_room(r, q, 24);
		q = q ? function(r, op, put(q, "=> ", 3), addr) : NULL;
		q = q ? tfs_run_room(r, q, 1) : NULL;
		if (q)
			*q++ = '\n';
	}
	return q;
}

/* Two digits for each byte of an address: "00000000deadbeef" */
static char *kernel_pointer(const struct tfs_run *r, char *q, uint64_t value)
{
	return tfs_digits_hex(q, value, 2 * r->program->env->long_size);
}

static char *pointer(const struct tfs_run *r, char *q, uint64_t value)
{
	if (r->program->env->kernel_text)
		return kernel_pointer(r, q, value);
	return value ? hex_number(q, value) : put(q, "(nil)", 5);
}

static char *error(const struct tfs_run *r, char *q, uint64_t value)
{
	char *end = tfs_write_error(r, q, value);

	return end ? end : pointer(r, q, value);
}

/* One with its sign bit set counts when nothing is left, and ends the list. */
static char *flags(const struct tfs_choices *choices, char *q, uint64_t value)
{
	const struct tfs_choice *row = choices->row, *end = row + choices->n;
	bool any = false;

	for (; row < end; row++) {
		if ((int64_t)row->value < 0) {
			if (!value)
				return tfs_copy(q, row->text, row->len);
		} else if (row->value && (value & row->value) == row->value) {
			if (any)
				q = tfs_copy(q, choices->delim, choices->delim_len);
			q = tfs_copy(q, row->text, row->len);
			any = true;
			value &= ~row->value;
			if (!value && !choices->sign)
				return q;
		}
	}
	if (!value)
		return q;
	if (any)
		q = tfs_copy(q, choices->delim, choices->delim_len);
	return hex_number(q, value);
}

/* As the kernel does: in order while any bits are left, and those at the end */
static char *kernel_flags(const struct tfs_choices *choices, char *q, uint64_t value)
{
	const struct tfs_choice *row = choices->row, *end = row + choices->n;
	bool any = false;

	for (; row < end && value; row++) {
		if ((value & row->value) != row->value)
			continue;
		if (any)
			q = tfs_copy(q, choices->delim, choices->delim_len);
		q = tfs_copy(q, row->text, row->len);
		any = true;
		value &= ~row->value;
	}
	if (!value)
		return q;
	if (any)
		q = tfs_copy(q, choices->delim, choices->delim_len);
	return hex_number(q, value);
}

/* The row of a value; NULL: it has none. */
static const struct tfs_choice *choice_of(const struct tfs_choices *choices, uint64_t value)
{
	const struct tfs_choice *row = choices->row;
	size_t at = tfs_bisect(i, choices->n, row[i].value < value);

	return at < choices->n && row[at].value == value ? &row[at] : NULL;
}

/* The flags of each element: "{read|write,,exec}" */
static char *layers(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	const unsigned char *p = tfs_run_array(r, op, n, op->size);
	uint64_t i;

	q = p ? tfs_run_room(r, q, 2) : NULL;
	if (!q)
		return NULL;
	*q++ = '{';
	for (i = 0; q && i < n; i++, p += op->size) {
		q = tfs_run_room(r, q, op->aux + 2);
		if (!q)
			return NULL;
		if (i)
			*q++ = ',';
		q = kernel_flags(op->choices, q, tfs_run_load(r, (size_t)(p - r->data), op->size));
	}
	*q++ = '}';
	return q;
}

/* Printable ASCII but for blanks and quotes is left as it is (string_escape_mem()). */
static char *untrusted(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	static const char from[] = "\n\r\t\v\f\"\\\a\033", to[] = "nrtvf\"\\ae";
	const unsigned char *p = tfs_run_array(r, op, n, 1);
	const char *found;
	uint64_t i;

	q = p ? tfs_run_room(r, q, 4 * n) : NULL;
	for (i = 0; q && i < n; i++) {
		found = p[i] ? strchr(from, p[i]) : NULL;
		if (!found && p[i] > ' ' && p[i] < 0x7f && p[i] != '\'') {
			*q++ = (char)p[i];
			continue;
		}
		*q++ = '\\';
		if (found) {
			*q++ = to[found - from];
			continue;
		}
		*q++ = (char)('0' + (p[i] >> 6));
		*q++ = (char)('0' + (p[i] >> 3 & 7));
		*q++ = (char)('0' + (p[i] & 7));
	}
	return q;
}

static char *symbolic(const struct tfs_choices *choices, char *q, uint64_t value)
{
	const struct tfs_choice *row = choice_of(choices, value);

	return row ? tfs_copy(q, row->text, row->len) : hex_number(q, value);
}

static char *hex_byte(char *q, unsigned char byte)
{
	*q++ = lower[byte >> 4];
	*q++ = lower[byte & 15];
	return q;
}

static char *bytes(char *q, const unsigned char *p, size_t n, char delim)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (i && delim)
			*q++ = delim;
		q = hex_byte(q, p[i]);
	}
	return q;
}

static char *hex(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	char delim = op->style & TFS_STYLE_PLAIN ? '\0' : op->kind ? (char)op->kind : ' ';
	const unsigned char *p;

	if (op->aux && n > op->aux)
		n = op->aux;
	p = tfs_run_array(r, op, n, 1);
	q = p ? tfs_run_room(r, q, n * 3) : NULL;
	return q ? bytes(q, p, n, delim) : NULL;
}

static char *raw(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	size_t at, len, n = op->style & TFS_STYLE_STAR_PREC ? (size_t)r->star : 1;

	if (!tfs_run_dynamic(r, op, &at, &len))
		return NULL;
	if (n > len)
		n = len;
	q = tfs_run_room(r, q, n * 3);
	return q ? bytes(q, r->data + at, n, (char)op->kind) : NULL;
}

static char *numbers(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	const unsigned char *p = tfs_run_array(r, op, n, op->size);
	bool hexadecimal = op->style & TFS_STYLE_KERNEL ||
			   r->program->env->arrays == TFS_ARRAYS_HEX;
	uint64_t i, val;

	/* 20 digits and what is between two */
	q = p ? tfs_run_room(r, q, n * 21 + 2) : NULL;
	if (!q)
		return NULL;
	if (hexadecimal)
		*q++ = '{';
	for (i = 0; i < n; i++, p += op->size) {
		if (i)
			*q++ = hexadecimal ? ',' : ' ';
		val = tfs_run_load(r, (size_t)(p - r->data), op->size);
		q = hexadecimal ? hex_number(q, val) : tfs_digits_dec(q, val);
	}
	if (hexadecimal)
		*q++ = '}';
	return q;
}

/* "{1,-2}" or "{0x1,0x2}" */
static char *list(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	const unsigned char *p = tfs_run_array(r, op, n, op->size);
	unsigned int unused = 64 - 8U * op->size;
	uint64_t i, val;

	q = p ? tfs_run_room(r, q, n * 21 + 2) : NULL;
	if (!q)
		return NULL;
	*q++ = '{';
	for (i = 0; i < n; i++, p += op->size) {
		if (i)
			*q++ = ',';
		val = tfs_run_load(r, (size_t)(p - r->data), op->size);
		if (op->kind == 16)
			q = hex_number(q, val);
		else if (op->style & TFS_STYLE_SIGNED)
			q = tfs_digits_sdec(q, (int64_t)(val << unused) >> unused);
		else
			q = tfs_digits_dec(q, val);
	}
	*q++ = '}';
	return q;
}

/* @len bytes from the highest to the lowest, a comma after each four */
static char *bitmask(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	size_t at, len, i;

	if (op->width || op->prec >= 0 || !tfs_run_dynamic(r, op, &at, &len) || !len || len % 4)
		return NULL;
	q = tfs_run_room(r, q, len * 3);
	for (i = len; q && i; i--) {
		q = hex_byte(q, r->data[at + (r->program->env->big ? len - i : i - 1)]);
		if (i > 1 && i % 4 == 1)
			*q++ = ',';
	}
	return q;
}

static bool has_bit(const struct tfs_run *r, size_t at, size_t len, size_t bit)
{
	size_t byte = r->program->env->big ? len - 1 - bit / 8 : bit / 8;

	return r->data[at + byte] >> (bit & 7) & 1;
}

/* "0-3,7" */
static char *cpus(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	size_t at, len, i, first;
	char *start;

	if (op->width || op->prec >= 0 || !tfs_run_dynamic(r, op, &at, &len) || !len)
		return NULL;
	q = start = tfs_run_room(r, q, len * 8 * 7);
	for (i = 0; q && i < len * 8; i++) {
		if (!has_bit(r, at, len, i))
			continue;
		first = i;
		while (i + 1 < len * 8 && has_bit(r, at, len, i + 1))
			i++;
		if (q > start)
			*q++ = ',';
		q = tfs_digits_dec(q, first);
		if (i > first) {
			*q++ = '-';
			q = tfs_digits_dec(q, i);
		}
	}
	return q;
}

/* Bit @i of a mask, which is of longs. */
static bool mask_bit(const struct tfs_run *r, size_t at, size_t i)
{
	size_t bytes = r->program->env->long_size, byte = i / 8;

	if (r->program->env->big)
		byte = byte / bytes * bytes + (bytes - 1 - byte % bytes);
	return r->data[at + byte] >> (i & 7) & 1;
}

/* Half bytes from the highest, a comma after each eight that are left */
static char *mask_digits(const struct tfs_run *r, char *q, size_t at, size_t n)
{
	size_t i, bit;
	unsigned int half;

	for (i = (n + 3) / 4; i; i--) {
		for (half = 0, bit = 4 * i; bit > 4 * (i - 1); bit--)
			half = half << 1 | (bit <= n && mask_bit(r, at, bit - 1));
		*q++ = lower[half];
		if (i > 1 && i % 8 == 1)
			*q++ = ',';
	}
	return q;
}

static char *mask_ranges(const struct tfs_run *r, char *q, size_t at, size_t n)
{
	size_t i, first;
	bool any = false;

	for (i = 0; i < n; i++) {
		if (!mask_bit(r, at, i))
			continue;
		for (first = i; i + 1 < n && mask_bit(r, at, i + 1); i++)
			;
		if (any)
			*q++ = ',';
		any = true;
		q = tfs_digits_dec(q, first);
		if (i > first) {
			*q++ = '-';
			q = tfs_digits_dec(q, i);
		}
	}
	return q;
}

/* @n bits as the kernel's "%*pb" and "%*pbl"; UINT64_MAX: all that a dynamic field has */
static char *bitmap(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t n)
{
	size_t long_size = r->program->env->long_size, at = op->off, len, bytes;

	if (op->style & TFS_STYLE_DYNAMIC) {
		if (!tfs_run_dynamic(r, op, &at, &len))
			return NULL;
		if (n == UINT64_MAX)
			n = 8 * len;
	}
	if (n > 8 * (uint64_t)TFS_COLUMN_MAX)
		return NULL;
	bytes = (n + 8 * long_size - 1) / (8 * long_size) * long_size;
	if (!r->program->env->big)
		bytes = (n + 7) / 8;
	if (at > r->size || bytes > r->size - at)
		return NULL;
	q = tfs_run_room(r, q, 7 * n + 8);
	if (!q)
		return NULL;
	return op->style & TFS_STYLE_PLAIN ? mask_ranges(r, q, at, n) : mask_digits(r, q, at, n);
}

/* Puts the text since TFS_OP_COLUMN_BEGIN into @op's column */
static char *column_end(struct tfs_run *r, const struct tfs_op *op, char *q)
{
	struct tfs_op copy = resolved(r, op);
	size_t len = (size_t)(q - r->out->s) - r->column, pad;
	char *start;

	if (copy.prec >= 0 && len > (size_t)copy.prec)
		len = (size_t)copy.prec;
	pad = copy.width > len ? copy.width - len : 0;
	q = tfs_run_room(r, r->out->s + r->column + len, pad);
	if (!q)
		return NULL;
	if (copy.style & TFS_STYLE_LEFT)
		return fill(q, ' ', pad);
	start = r->out->s + r->column;
	memmove(start + pad, start, len);
	fill(start, ' ', pad);
	return q + pad;
}

static char *number(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t value)
{
	struct tfs_op copy;

	if (!(op->style & (TFS_STYLE_STAR_WIDTH | TFS_STYLE_STAR_PREC)))
		return write_number(q, op, value);
	copy = resolved(r, op);
	q = tfs_run_room(r, q, (size_t)TFS_COLUMN_MAX + 26);
	return q ? write_number(q, &copy, value) : NULL;
}

static char *named(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t value)
{
	uint64_t mask = op->aux < 8 ? ((uint64_t)1 << 8 * op->aux) - 1 : UINT64_MAX;
	const struct tfs_choice *row = choice_of(op->choices, value & mask);

	return row ? tfs_copy(q, row->text, row->len) : number(r, op, q, value);
}

/* A zero ends the text where libtraceevent takes it up again. */
static char *character(char *q, uint64_t value)
{
	*q++ = (char)value;
	return q[-1] ? q : NULL;
}

char *tfs_write_op(struct tfs_run *r, const struct tfs_op *op, char *q, uint64_t value)
{
	switch (op->code) {
	case TFS_OP_NUMBER:
		return number(r, op, q, value);
	case TFS_OP_WRITTEN:
		return written(op, q, value);
	case TFS_OP_CHAR:
		return character(q, value);
	case TFS_OP_POINTER:
		return pointer(r, q, value);
	case TFS_OP_FUNCTION:
		return function(r, op, q, value);
	case TFS_OP_STACK:
		return stack(r, op, q);
	case TFS_OP_LAYERS:
		return layers(r, op, q, value);
	case TFS_OP_UNTRUSTED:
		return untrusted(r, op, q, value);
	case TFS_OP_STYLED:
		return field_string(r, op, q, op->aux);
	case TFS_OP_REST:
		return field_string(r, op, q, r->size - op->off);
	case TFS_OP_DYN_STRING:
		return dynamic_string(r, op, q);
	case TFS_OP_CONST_STRING:
		return column(r, op, q, op->text, op->off);
	case TFS_OP_KERNEL_STRING:
		return kernel_string(r, op, q);
	case TFS_OP_FLAGS:
		return op->style & TFS_STYLE_KERNEL ? kernel_flags(op->choices, q, value) :
						      flags(op->choices, q, value);
	case TFS_OP_SYMBOLIC:
		return symbolic(op->choices, q, value);
	case TFS_OP_NAMED:
		return named(r, op, q, value);
	case TFS_OP_FLOAT:
		return tfs_float_put(q, value, op->size);
	case TFS_OP_HEX:
		return hex(r, op, q, value);
	case TFS_OP_ARRAY:
		return numbers(r, op, q, value);
	case TFS_OP_BITMASK:
		return bitmask(r, op, q);
	case TFS_OP_CPUMASK:
		return cpus(r, op, q);
	case TFS_OP_LIST:
		return list(r, op, q, value);
	case TFS_OP_DUMP:
		return tfs_write_dump(r, op, q, value);
	case TFS_OP_ERROR:
		return error(r, q, value);
	case TFS_OP_BITMAP:
		return bitmap(r, op, q, value);
	case TFS_OP_COLUMN_BEGIN:
		r->column = (size_t)(q - r->out->s);
		return q;
	case TFS_OP_COLUMN_END:
		return column_end(r, op, q);
	case TFS_OP_RAW:
		return raw(r, op, q);
	case TFS_OP_CONTENT:
		return tfs_write_content(r, op, q);
	case TFS_OP_CUT:
		return tfs_run_cut(r, q);
	default:
		return tfs_write_address(r, op, q);
	}
}
