/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/strbuf.h"

/* An address has as many digits as libtraceevent reads. */
#define DIGITS_MAX 16

/* @name: of the name in tfs_symbols.names; @order: which line it was, counted from the last */
struct symbol {
	uint64_t addr;
	uint32_t name, order;
};

struct tfs_symbols {
	struct symbol *row;
	size_t n, cap;
	struct tfs_strbuf names;
};

/* 16 and more: no digit. A recording has a hundred thousand lines of sixteen digits. */
static inline unsigned int hex_digit(char c)
{
	unsigned int digit = (unsigned int)(unsigned char)c - '0';

	if (digit < 10)
		return digit;
	digit = ((unsigned int)(unsigned char)c | 0x20) - 'a';
	return digit < 6 ? digit + 10 : 16;
}

static const char *skip_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* As many digits as there are, behind which it goes on; NULL: none */
static const char *read_address(const char *p, const char *end, uint64_t *addr)
{
	const char *last = end - p > DIGITS_MAX ? p + DIGITS_MAX : end, *digits = p;
	unsigned int digit;
	uint32_t high, low;

	if (end - p >= DIGITS_MAX && tfs_digits_read_eight(p, &high) &&
	    tfs_digits_read_eight(p + 8, &low)) {
		*addr = (uint64_t)high << 32 | low;
		return p + DIGITS_MAX;
	}
	for (*addr = 0; p < last && (digit = hex_digit(*p)) < 16; p++)
		*addr = *addr << 4 | digit;
	return p > digits ? p : NULL;
}

/* Up to a blank; eight characters at a time where none of them can be one. */
static const char *skip_name(const char *p, const char *end)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t x;

	for (; end - p >= 8; p += 8) {
		memcpy(&x, p, sizeof(x));
		if ((x - each * '!') & ~x & each * 0x80)
			break;
	}
	while (p < end && *p != ' ' && *p != '\t' && *p != '\r')
		p++;
	return p;
}

/* "ffffffff81000000 T _stext\t[module]"; false: the line is of another form. */
static bool read_line(const char *p, const char *end, uint64_t *addr, char *kind, const char **name,
		      size_t *len)
{
	p = read_address(skip_blanks(p, end), end, addr);
	if (!p)
		return false;
	p = skip_blanks(p, end);
	if (p == end)
		return false;
	*kind = *p++;
	p = skip_blanks(p, end);
	*name = p;
	*len = (size_t)(skip_name(p, end) - p);
	return *len != 0;
}

static int add_row(struct tfs_symbols *s, uint64_t addr, const char *name, size_t len)
{
	size_t cap = s->cap ? s->cap * 2 : 4096;
	struct symbol *row;
	int rc;

	if (s->n == s->cap) {
		row = reallocarray(s->row, cap, sizeof(*row));
		if (!row)
			return -ENOMEM;
		s->row = row;
		s->cap = cap;
	}
	s->row[s->n] = (struct symbol){ .addr = addr,
					.name = (uint32_t)s->names.len,
					.order = UINT32_MAX - (uint32_t)s->n };
	s->n++;
	rc = tfs_strbuf_room(&s->names, len + 1);
	if (rc)
		return rc;
	memcpy(s->names.s + s->names.len, name, len);
	s->names.s[s->names.len + len] = '\0';
	s->names.len += len + 1;
	return 0;
}

static int read_lines(struct tfs_symbols *s, const char *p, const char *end)
{
	const char *eol, *name;
	size_t len;
	uint64_t addr;
	char kind;
	int rc = 0;

	for (; p < end && !rc; p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			eol = end;
		if (eol == p)
			continue;
		if (s->names.len > UINT32_MAX - (size_t)(eol - p) ||
		    !read_line(p, eol, &addr, &kind, &name, &len))
			break;
		/* ARM's mapping symbols, and offsets into per-CPU memory. */
		if (*name == '$' || (kind | 0x20) == 'a')
			continue;
		rc = add_row(s, addr, name, len);
	}
	return rc;
}

/* Of several at one address the last line comes first, as in libtraceevent's table. */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/*
 * The kernel's lines come by address as good as always: then only those of one address are turned
 * round. false: they do not.
 */
static bool turn_round(struct symbol *row, size_t n)
{
	struct symbol swap;
	size_t i, first, low, high;

	for (i = 1; i < n; i++)
		if (row[i].addr < row[i - 1].addr)
			return false;
	for (first = 0; first < n; first = i) {
		for (i = first + 1; i < n && row[i].addr == row[first].addr; i++)
			;
		for (low = first, high = i - 1; low < high; low++, high--) {
			swap = row[low];
			row[low] = row[high];
			row[high] = swap;
		}
	}
	return true;
}

int tfs_symbols_new(struct tfs_symbols **out)
{
	struct tfs_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	tfs_strbuf_init(&s->names);
	*out = s;
	return 0;
}

int tfs_symbols_add(struct tfs_symbols *s, const char *text, size_t size)
{
	bool empty = !s->n;
	int rc = read_lines(s, text, text + size);

	if (s->n && !(empty && turn_round(s->row, s->n)))
		qsort(s->row, s->n, sizeof(*s->row), compare);
	return rc;
}

void tfs_symbols_free(struct tfs_symbols *s)
{
	if (!s)
		return;
	tfs_strbuf_release(&s->names);
	free(s->row);
	free(s);
}

/*
 * The search goes as bsearch() does, which libtraceevent uses: it decides which of several symbols
 * at one address is found. What is behind the last symbol belongs to none.
 */
const char *tfs_symbols_find(const struct tfs_symbols *s, uint64_t addr, uint64_t *start)
{
	size_t low = 0, high = s->n, mid;
	const struct symbol *row;

	while (low < high) {
		mid = (low + high) / 2;
		row = &s->row[mid];
		if (addr == row->addr ||
		    (addr > row->addr && mid + 1 < s->n && addr < row[1].addr)) {
			*start = row->addr;
			return s->names.s + row->name;
		}
		if (addr < row->addr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

bool tfs_symbols_address(const struct tfs_symbols *s, const char *name, uint64_t *addr)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (!strcmp(s->names.s + s->row[i].name, name)) {
			*addr = s->row[i].addr;
			return true;
		}
	}
	return false;
}
