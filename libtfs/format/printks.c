/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/printks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct printk {
	uint64_t addr;
	char *text;
};

/* Sorted by address. */
struct tfs_printks {
	struct printk *row;
	size_t n, cap;
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
	size_t low = 0, high = p->n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (p->row[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int tfs_printks_add(struct tfs_printks *p, uint64_t addr, const char *text, size_t len)
{
	size_t at = place(p, addr), cap = p->cap ? p->cap * 2 : 64;
	struct printk *row;
	char *copy;

	if (p->n == p->cap) {
		row = reallocarray(p->row, cap, sizeof(*row));
		if (!row)
			return -ENOMEM;
		p->row = row;
		p->cap = cap;
	}
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
	memmove(p->row + at + 1, p->row + at, (p->n - at) * sizeof(*p->row));
	p->row[at] = (struct printk){ addr, copy };
	p->n++;
	return 0;
}

const char *tfs_printks_find(const struct tfs_printks *p, uint64_t addr)
{
	size_t at = place(p, addr);

	return at < p->n && p->row[at].addr == addr ? p->row[at].text : NULL;
}
