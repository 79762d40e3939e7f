/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/symbols.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/digits.h"
#include "printfmt/env.h"

/* An address has as many digits as libtraceevent reads. */
#define DIGITS_MAX 16
/* Shortest line of the kernel, to estimate the room for all. */
#define LINE_MIN 32
/* Powers of two: names by their symbol, and those found lately by the address asked for. */
#define NAMES 1024
#define LATELY 1024
/* Longer names are looked up each time. */
#define MISSED_MAX 64
/* One symbol in so many is not a function: the kernel looks up data, too. */
#define DATA_SHARE 20

/* @at: of the name, counted from the first text's first byte on: the later line has the larger */
struct symbol {
	uint64_t addr;
	uint32_t at;
};

/* A text that was added. @from: what its first byte counts as. */
struct text {
	const char *s, *end;
	uint32_t from;
};

/* A symbol that was asked for: it holds the addresses from @low up to @high, if it does alone. */
struct name {
	struct name *next;
	size_t row;
	uint64_t low, high;
	bool is_text;
	struct tfs_symbol_info place; /* its module's name is in a text */
	char s[];
};

/* State that lookups change; names are made under the lock, and stay. @missed: in no symbol */
struct found {
	pthread_mutex_t lock;
	char missed[MISSED_MAX];
	struct name *names[NAMES];
	struct name *_Atomic lately[LATELY];
};

struct tfs_symbols {
	struct symbol *row;
	size_t n, cap;
	struct text *texts;
	size_t n_texts, n_data;
	bool first; /* see tfs_symbols_prefer_first() */
	struct found *found;
};

/* 16 and more: no digit */
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

/* Reads all digits and returns the byte after them; NULL: none */
static const char *read_address(const char *p, const char *end, uint64_t *addr)
{
	const char *last = end - p > DIGITS_MAX ? p + DIGITS_MAX : end, *digits = p;
	unsigned int digit;

	for (*addr = 0; p < last && (digit = hex_digit(*p)) < 16; p++)
		*addr = *addr << 4 | digit;
	return p > digits ? p : NULL;
}

/* Up to a blank or the line's end; eight characters at a time where none of them can be one. */
static const char *skip_name(const char *p, const char *end)
{
	const uint64_t each = 0x0101010101010101;
	uint64_t x;

	for (; end - p >= 8; p += 8) {
		memcpy(&x, p, sizeof(x));
		if ((x - each * '!') & ~x & each * 0x80)
			break;
	}
	while (p < end && *p != ' ' && *p != '\t' && *p != '\r' && *p != '\n')
		p++;
	return p;
}

/* "ffffffff81000000 T _stext\t[module]"; false: the line is of another form. */
static bool read_line(const char *p, const char *end, uint64_t *addr, char *kind, const char **name)
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
	return skip_name(p, end) > p;
}

static int add_row(struct tfs_symbols *s, uint64_t addr, uint32_t at)
{
	if (tfs_grow(&s->row, &s->cap, s->n + 1))
		return -ENOMEM;
	s->row[s->n++] = (struct symbol){ .addr = addr, .at = at };
	return 0;
}

/*
 * A line as the kernel writes it, of which a recording has a hundred thousand: sixteen digits, and
 * one blank before and after a letter.
 */
static inline bool read_plain_address(const char *p, const char *end, uint64_t *addr)
{
	uint32_t high, low;

	if (end - p < DIGITS_MAX + 4 || p[16] != ' ' || p[17] <= ' ' || p[18] != ' ' ||
	    p[19] <= ' ' || !tfs_digits_read_eight(p, &high) || !tfs_digits_read_eight(p + 8, &low))
		return false;
	*addr = (uint64_t)high << 32 | low;
	return true;
}

/* Kinds of functions */
static bool is_text(char kind)
{
	return (kind | 0x20) == 't' || (kind | 0x20) == 'w';
}

static int read_lines(struct tfs_symbols *s, const struct text *text)
{
	const char *p = text->s, *end = text->end, *eol, *name;
	uint64_t addr;
	char kind;
	int rc = 0;

	for (; p < end && !rc; p = eol + 1) {
		eol = memchr(p, '\n', (size_t)(end - p));
		if (!eol)
			eol = end;
		if (read_plain_address(p, eol, &addr)) {
			kind = p[17];
			name = p + 19;
		} else if (eol == p) {
			continue;
		} else if (!read_line(p, eol, &addr, &kind, &name)) {
			break;
		}
		/* ARM's mapping symbols, and offsets into per-CPU memory. */
		if (*name == '$' || (kind | 0x20) == 'a')
			continue;
		s->n_data += !is_text(kind);
		rc = add_row(s, addr, text->from + (uint32_t)(name - text->s));
	}
	return rc;
}

/* At one address the last line comes first, as in libtraceevent's table. */
static int compare(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->at < y->at) - (x->at > y->at);
}

/* Put the rows of one address, which came in the order of their lines, in compare()'s order. */
static void reverse(struct symbol *row, size_t n)
{
	struct symbol swap;
	size_t i;

	for (i = 0; i < n / 2; i++) {
		swap = row[i];
		row[i] = row[n - 1 - i];
		row[n - 1 - i] = swap;
	}
}

/* Sort the rows before the first whose address is lower than the one before it; their number */
static size_t sort_run(struct symbol *row, size_t n)
{
	size_t i, first = 0;

	for (i = 1; i < n && row[i].addr >= row[i - 1].addr; i++) {
		if (row[i].addr == row[first].addr)
			continue;
		reverse(row + first, i - first);
		first = i;
	}
	reverse(row + first, i - first);
	return i;
}

/* Merge the sorted rows before @mid and those from it on. */
static int merge(struct symbol *row, size_t mid, size_t n)
{
	size_t left = mid, right = n - mid;
	struct symbol *copy;

	if (!left || !right)
		return 0;
	copy = malloc(right * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, row + mid, right * sizeof(*copy));
	while (right) {
		if (left && compare(&row[left - 1], &copy[right - 1]) > 0) {
			row[left + right - 1] = row[left - 1];
			left--;
		} else {
			row[left + right - 1] = copy[right - 1];
			right--;
		}
	}
	free(copy);
	return 0;
}

/*
 * Sort the rows from @old on, in the order of their lines, among those before, which are sorted.
 * The kernel's own lines come by address, and only those of modules, a few, do not.
 */
static int sort_rows(struct symbol *row, size_t old, size_t n)
{
	size_t run = sort_run(row + old, n - old);
	int rc;

	qsort(row + old + run, n - old - run, sizeof(*row), compare);
	rc = merge(row + old, run, n - old);
	return rc ? rc : merge(row, old, n);
}

int tfs_symbols_new(struct tfs_symbols **out)
{
	struct tfs_symbols *s = calloc(1, sizeof(*s));

	if (s)
		s->found = calloc(1, sizeof(*s->found));
	if (!s || !s->found) {
		free(s);
		return -ENOMEM;
	}
	pthread_mutex_init(&s->found->lock, NULL);
	*out = s;
	return 0;
}

static void forget_names(struct found *f)
{
	struct name *name;
	size_t i;

	f->missed[0] = '\0';
	for (i = 0; i < LATELY; i++)
		atomic_store_explicit(&f->lately[i], NULL, memory_order_relaxed);
	for (i = 0; i < NAMES; i++) {
		while ((name = f->names[i])) {
			f->names[i] = name->next;
			free(name);
		}
	}
}

static struct text *add_text(struct tfs_symbols *s, const char *text, size_t size)
{
	const struct text *last = s->n_texts ? &s->texts[s->n_texts - 1] : NULL;
	uint32_t from = last ? last->from + (uint32_t)(last->end - last->s) : 0;
	struct text *t;

	/* Longer lists are cut; no kernel has so many. */
	if (size > UINT32_MAX - from)
		size = UINT32_MAX - from;
	if (tfs_grow_one(&s->texts, s->n_texts))
		return NULL;
	t = &s->texts[s->n_texts++];
	*t = (struct text){ text, text + size, from };
	return t;
}

void tfs_symbols_prefer_first(struct tfs_symbols *s)
{
	s->first = true;
}

int tfs_symbols_add(struct tfs_symbols *s, const char *text, size_t size)
{
	struct text *t = add_text(s, text, size);
	size_t old = s->n;
	int rc, sorted;

	if (!t)
		return -ENOMEM;
	forget_names(s->found);
	if (!s->row) {
		s->row = calloc(size / LINE_MIN + 1, sizeof(*s->row));
		s->cap = s->row ? size / LINE_MIN + 1 : 0;
	}
	rc = read_lines(s, t);
	sorted = s->n > old ? sort_rows(s->row, old, s->n) : 0;
	return rc ? rc : sorted;
}

void tfs_symbols_free(struct tfs_symbols *s)
{
	if (!s)
		return;
	forget_names(s->found);
	pthread_mutex_destroy(&s->found->lock);
	free(s->found);
	free(s->texts);
	free(s->row);
	free(s);
}

/*
 * The search goes as bsearch() does, which libtraceevent uses: it decides which of several symbols
 * at one address is found. Addresses after the last symbol have none.
 */
static const struct symbol *bisect(const struct tfs_symbols *s, uint64_t addr)
{
	size_t low = 0, high = s->n, mid;
	const struct symbol *row;

	while (low < high) {
		mid = (low + high) / 2;
		row = &s->row[mid];
		if (addr == row->addr || (addr > row->addr && mid + 1 < s->n && addr < row[1].addr))
			return row;
		if (addr < row->addr)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

/* For several symbols at one address the kernel uses the first of its list. */
static const struct symbol *search(const struct tfs_symbols *s, uint64_t addr)
{
	const struct symbol *found = bisect(s, addr), *first = found, *row;

	if (!found || !s->first)
		return found;
	for (row = found; row > s->row && row[-1].addr == found->addr; row--)
		if (row[-1].at < first->at)
			first = row - 1;
	for (row = found + 1; row < s->row + s->n && row->addr == found->addr; row++)
		if (row->at < first->at)
			first = row;
	return first;
}

/* The name in the texts, and where they end */
static const char *name_of(const struct tfs_symbols *s, const struct symbol *row, const char **end)
{
	const struct text *t = &s->texts[s->n_texts - 1];

	while (row->at < t->from)
		t--;
	*end = t->end;
	return t->s + (row->at - t->from);
}

/* "name\t[module]" */
static void read_module(struct tfs_symbol_info *place, const char *text, const char *end)
{
	const char *close;

	text = skip_blanks(text, end);
	if (text == end || *text != '[')
		return;
	close = memchr(text, ']', (size_t)(end - text));
	if (!close || memchr(text, '\n', (size_t)(close - text)))
		return;
	place->module = text;
	place->module_len = (size_t)(close + 1 - text);
}

static struct name *new_name(const struct tfs_symbols *s, size_t i)
{
	const struct symbol *row = &s->row[i];
	bool first = !i || row[-1].addr < row->addr, last = i + 1 == s->n;
	const char *end, *kind, *text = name_of(s, row, &end);
	size_t len = (size_t)(skip_name(text, end) - text);
	struct name *name = malloc(sizeof(*name) + len + 1);

	if (!name)
		return NULL;
	name->row = i;
	/* The address of several is for search() each time. */
	name->low = row->addr + !(first && (last || row[1].addr > row->addr));
	name->high = last ? row->addr + 1 : row[1].addr;
	while (++i < s->n && s->row[i].addr == row->addr)
		;
	name->place = (struct tfs_symbol_info){
		.name = name->s,
		.name_len = len,
		.start = row->addr,
		.size = i < s->n ? s->row[i].addr - row->addr : 0,
	};
	/* Before each name stands a letter, and before that an address. */
	for (kind = text - 1; *kind == ' ' || *kind == '\t'; kind--)
		;
	name->is_text = is_text(*kind);
	read_module(&name->place, text + len, end);
	memcpy(name->s, text, len);
	name->s[len] = '\0';
	return name;
}

/* The same for each row every time: what was handed out stays. */
static struct name *keep_name(const struct tfs_symbols *s, size_t row)
{
	struct found *f = s->found;
	struct name **list = &f->names[row % NAMES], *name;

	pthread_mutex_lock(&f->lock);
	for (name = *list; name && name->row != row; name = name->next)
		;
	if (!name) {
		name = new_name(s, row);
		if (name) {
			name->next = *list;
			*list = name;
		}
	}
	pthread_mutex_unlock(&f->lock);
	return name;
}

static inline const struct name *find(const struct tfs_symbols *s, uint64_t addr)
{
	struct name *_Atomic *lately = &s->found->lately[(addr ^ addr >> 10) % LATELY];
	struct name *name = atomic_load_explicit(lately, memory_order_acquire);
	const struct symbol *row;

	if (!name || addr < name->low || addr >= name->high) {
		row = search(s, addr);
		name = row ? keep_name(s, (size_t)(row - s->row)) : NULL;
		if (!name)
			return NULL;
		atomic_store_explicit(lately, name, memory_order_release);
	}
	return name;
}

const char *tfs_symbols_find(const struct tfs_symbols *s, uint64_t addr, uint64_t *start)
{
	const struct name *name = find(s, addr);

	if (!name)
		return NULL;
	*start = name->place.start;
	return name->s;
}

const struct tfs_symbol_info *tfs_symbols_info(const struct tfs_symbols *s, uint64_t addr)
{
	const struct name *name = find(s, addr);

	/* With CONFIG_KALLSYMS_ALL there are as many data as functions; else a few marks. */
	if (!name || (!name->is_text && s->n_data < s->n / DATA_SHARE))
		return NULL;
	return &name->place;
}

/* A name that a format leaves open is asked for again at once, by the other compiler. */
static bool was_missed(struct found *f, const char *name)
{
	bool missed;

	pthread_mutex_lock(&f->lock);
	missed = *name && !strcmp(f->missed, name);
	pthread_mutex_unlock(&f->lock);
	return missed;
}

static void note_missed(struct found *f, const char *name, size_t len)
{
	if (len >= sizeof(f->missed))
		return;
	pthread_mutex_lock(&f->lock);
	memcpy(f->missed, name, len + 1);
	pthread_mutex_unlock(&f->lock);
}

bool tfs_symbols_address(const struct tfs_symbols *s, const char *name, uint64_t *addr)
{
	size_t i, len = strlen(name);
	const char *text, *end;

	if (was_missed(s->found, name))
		return false;
	for (i = 0; i < s->n; i++) {
		text = name_of(s, &s->row[i], &end);
		if (*text == *name && (size_t)(end - text) >= len && !memcmp(text, name, len) &&
		    skip_name(text, end) == text + len) {
			*addr = s->row[i].addr;
			return true;
		}
	}
	note_missed(s->found, name, len);
	return false;
}
