/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "view/table-internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Rows are sorted by one column after the other, each time those that are equal so far: their cells
 * in that column are read once, whatever the number of rows.
 */

struct sorted {
	uint64_t value; /* of a text its number */
	uint32_t row;
	bool missing;
};

struct column {
	const struct tfs_table *t;
	const struct tfs_table_key *key;
	enum tfs_cell_kind kind;
};

/* All of an encoded cell is a number, perhaps in quotes: it is sorted as that. */
struct number {
	uint64_t value; /* without its sign */
	bool is_number, negative;
};

static void read_number(const char *s, size_t len, struct number *number)
{
	char digits[24], *end;
	bool hex;

	if (len > 2 && *s == '"' && s[len - 1] == '"') {
		s++;
		len -= 2;
	}
	number->negative = len && *s == '-';
	s += number->negative;
	len -= number->negative;
	if (!len || len >= sizeof(digits) || *s < '0' || *s > '9')
		return;
	memcpy(digits, s, len);
	digits[len] = '\0';
	hex = !strncmp(digits, "0x", 2);
	errno = 0;
	number->value = strtoull(digits, &end, hex ? 16 : 10);
	number->is_number = !errno && end == digits + len;
}

static int compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int diff = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return diff ? diff : (a_len > b_len) - (a_len < b_len);
}

/* Numbers by their value, before what is not a number */
static int compare_texts(const struct tfs_table *t, bool encoded, uint32_t a, uint32_t b)
{
	struct number x = { 0 }, y = { 0 };
	size_t a_len, b_len;
	const char *p = tfs_table_text_at(t, a, &a_len);
	const char *q = tfs_table_text_at(t, b, &b_len);
	int diff;

	if (encoded) {
		read_number(p, a_len, &x);
		read_number(q, b_len, &y);
	}
	if (!x.is_number || !y.is_number)
		return x.is_number ? -1 : y.is_number ? 1 : compare_bytes(p, a_len, q, b_len);
	if (x.negative != y.negative)
		return x.negative ? -1 : 1;
	diff = (x.value > y.value) - (x.value < y.value);
	return x.negative ? -diff : diff;
}

/* Missing cells come last; what is equal stays in the order in which it was added. */
static int compare(const void *a, const void *b, void *context)
{
	const struct sorted *x = a, *y = b;
	const struct column *c = context;
	int diff = 0;

	if (x->missing != y->missing)
		return x->missing ? 1 : -1;
	if (x->value == y->value)
		return (x->row > y->row) - (x->row < y->row);
	if (c->kind == TFS_CELL_TEXT || c->kind == TFS_CELL_ENCODED)
		diff = compare_texts(c->t, c->kind == TFS_CELL_ENCODED, (uint32_t)x->value,
				     (uint32_t)y->value);
	else if (c->kind == TFS_CELL_SIGNED)
		diff = (int64_t)x->value > (int64_t)y->value ? 1 : -1;
	else
		diff = x->value > y->value ? 1 : -1;
	if (!diff)
		return (x->row > y->row) - (x->row < y->row);
	return c->key->down ? -diff : diff;
}

/* Is a row as the one before it, by this column? */
static bool is_equal(const struct sorted *x, const struct column *c)
{
	const struct sorted *y = x - 1;

	if (x->missing || y->missing)
		return x->missing == y->missing;
	return x->value == y->value ||
	       (c->kind == TFS_CELL_ENCODED &&
		!compare_texts(c->t, true, (uint32_t)x->value, (uint32_t)y->value));
}

/* By the column, as far as they are not in order already. True: there are different ones */
static bool sort_by(const struct column *c, struct sorted *v, size_t n)
{
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const struct tfs_table_row *row = tfs_table_read(c->t, v[i].row);

		v[i].missing = !(row->known >> c->key->column & 1);
		v[i].value = v[i].missing ? 0 : row->cell[c->key->column];
		differ |= i && (v[i].value != v[i - 1].value || v[i].missing != v[i - 1].missing);
	}
	if (differ)
		qsort_r(v, n, sizeof(*v), compare, (void *)c);
	return differ;
}

/* By column number @k of those to sort by, and the ones after it */
static void sort_from(const struct tfs_table *t, size_t k, struct sorted *v, size_t n)
{
	struct column c = { .t = t };
	size_t begin, end;

	for (; k < t->n_keys && n > 1; k++) {
		c.key = &t->key[k];
		c.kind = t->opts.columns[c.key->column].kind;
		if (sort_by(&c, v, n))
			break;
	}
	if (k >= t->n_keys)
		return;
	for (begin = 0; begin < n; begin = end) {
		for (end = begin + 1; end < n && is_equal(&v[end], &c); end++)
			;
		if (end - begin > 1)
			sort_from(t, k + 1, v + begin, end - begin);
	}
}

int tfs_table_sort(const struct tfs_table *t, uint32_t *row)
{
	struct sorted *v = malloc((t->n + 1) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n; i++)
		v[i].row = i;
	sort_from(t, 0, v, t->n);
	for (size_t i = 0; i < t->n; i++)
		row[i] = v[i].row;
	free(v);
	return 0;
}
