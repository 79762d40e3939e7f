/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/printks.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct printk {
	uint64_t addr;
	char *text;
	size_t nth; /* of those that were added */
};

/* Sorted by address, and of several at one the last that was added first, if not @mixed. */
struct tfs_printks {
	struct printk *row;
	size_t n, cap;
	bool mixed;
};

int tfs_printks_new(struct tfs_printks **out)
{
	*out = calloc(1, sizeof(**out));
	return *out ? 0 : -ENOMEM;
}

void tfs_printks_free(struct tfs_printks *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++)
		free(p->row[i].text);
	free(p->row);
	free(p);
}

/* Where @addr is, or would be. */
static size_t place(const struct tfs_printks *p, uint64_t addr)
{
	return tfs_bisect(i, p->n, p->row[i].addr < addr);
}

static int compare(const void *a, const void *b)
{
	const struct printk *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->nth > y->nth ? -1 : 1;
}

void tfs_printks_sort(struct tfs_printks *p)
{
	if (p->mixed)
		qsort(p->row, p->n, sizeof(*p->row), compare);
	p->mixed = false;
}

int tfs_printks_add(struct tfs_printks *p, uint64_t addr, const char *text, size_t len)
{
	char *copy;

	if (tfs_grow(&p->row, &p->cap, p->n + 1))
		return -ENOMEM;
	if (len && text[0] == '"') {
		text++;
		len--;
	}
	if (len && text[len - 1] == '"') {
		len--;
		if (len >= 2 && !memcmp(text + len - 2, "\\n", 2))
			len -= 2;
	}
	copy = strndup(text, len);
	if (!copy)
		return -ENOMEM;
	/* The kernel's are in order; a file's in any. */
	p->mixed |= p->n && addr <= p->row[p->n - 1].addr;
	p->row[p->n] = (struct printk){ addr, copy, p->n };
	p->n++;
	return 0;
}

const char *tfs_printks_find(const struct tfs_printks *p, uint64_t addr)
{
	size_t at = place(p, addr);

	return at < p->n && p->row[at].addr == addr ? p->row[at].text : NULL;
}
