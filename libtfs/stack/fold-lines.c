/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stack/fold-lines.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf-core.h"
#include "stack/fold.h"

/*
 * Lines in the order of their bytes, without having them all in memory: one level after the other
 * is sorted by what its lines continue with, which is a node's name and then either ' ', its weight
 * and the line's end, or ';' and what it called.
 */

/* A way in which lines continue. @key: @len bytes, first at @at of the level's keys */
struct branch {
	uint32_t node;
	bool ends; /* at @node */
	size_t at, len;
	const char *key;
};

/* The branches of a node, of which those below @next were written. @path: bytes before them */
struct level {
	struct branch *branch;
	size_t n, alloc, next, path;
	struct tfs_strbuf keys;
};

struct writer {
	const struct tfs_fold *fold;
	const struct tfs_fold_node *node;
	uint32_t n;
	unsigned int flags;
	uint64_t divisor;
	uint64_t *weight;          /* of each node, divided; NULL: as they are */
	uint32_t *first, *sibling; /* children of each node; 0: none, no more */
	struct level *level;
	size_t n_levels, levels_alloc;
	struct tfs_strbuf path;
};

/* The rest of a weight after division */
struct rest {
	uint64_t n;
	uint32_t node;
};

static int compare_rests(const void *a, const void *b)
{
	const struct rest *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->node < y->node ? -1 : 1;
}

/* Rounding all down would lose most of a profile of short times. */
static int divide(struct writer *w)
{
	struct rest *rest = calloc(w->n, sizeof(*rest));
	uint64_t left = w->divisor / 2;

	w->weight = calloc(w->n, sizeof(*w->weight));
	if (!rest || !w->weight) {
		free(rest);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		w->weight[i] = w->node[i].self / w->divisor;
		rest[i] = (struct rest){ w->node[i].self % w->divisor, i };
		left += rest[i].n;
	}
	qsort(rest, w->n, sizeof(*rest), compare_rests);
	for (uint32_t i = 0; i < w->n && left >= w->divisor; i++, left -= w->divisor)
		w->weight[rest[i].node]++;
	free(rest);
	return 0;
}

static uint64_t weight_of(const struct writer *w, uint32_t node)
{
	return w->weight ? w->weight[node] : w->node[node].self;
}

static int add_branch(struct writer *w, struct level *l, uint32_t node, bool ends)
{
	struct tfs_fold_name name = tfs_fold_name(w->fold, w->node[node].name);
	const char *suffix = w->flags & TFS_FOLD_ANNOTATE ? tfs_fold_suffix(name.kind) : "";
	size_t at = l->keys.len;
	int rc = tfs_grow(&l->branch, &l->alloc, l->n + 1);

	if (!rc)
		rc = tfs_strbuf_add(&l->keys, name.text, name.len);
	if (!rc)
		rc = tfs_strbuf_adds(&l->keys, suffix);
	if (!rc)
		rc = ends ? tfs_strbuf_addf(&l->keys, " %" PRIu64, weight_of(w, node)) :
			    tfs_strbuf_addc(&l->keys, ';');
	if (!rc)
		l->branch[l->n++] = (struct branch){ node, ends, at, l->keys.len - at, NULL };
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct branch *x = a, *y = b;
	int rc = memcmp(x->key, y->key, x->len < y->len ? x->len : y->len);

	if (rc || x->len == y->len)
		return rc;
	return x->len < y->len ? -1 : 1;
}

/* The branches of a node become the innermost level. */
static int enter(struct writer *w, uint32_t node)
{
	struct level *l;
	int rc = 0;

	if (tfs_grow(&w->level, &w->levels_alloc, w->n_levels + 1))
		return -ENOMEM;
	l = &w->level[w->n_levels++];
	memset(l, 0, sizeof(*l));
	tfs_strbuf_init(&l->keys);
	l->path = w->path.len;
	for (uint32_t i = w->first[node]; i && !rc; i = w->sibling[i]) {
		if (weight_of(w, i))
			rc = add_branch(w, l, i, true);
		if (!rc && w->first[i])
			rc = add_branch(w, l, i, false);
	}
	if (rc)
		return rc;
	for (size_t i = 0; i < l->n; i++)
		l->branch[i].key = l->keys.s + l->branch[i].at;
	if (l->n)
		qsort(l->branch, l->n, sizeof(*l->branch), compare);
	return 0;
}

static void leave(struct writer *w)
{
	struct level *l = &w->level[--w->n_levels];

	free(l->branch);
	tfs_strbuf_release(&l->keys);
}

static int list_children(struct writer *w)
{
	w->first = calloc(w->n, sizeof(*w->first));
	w->sibling = calloc(w->n, sizeof(*w->sibling));
	if (!w->first || !w->sibling)
		return -ENOMEM;
	for (uint32_t i = 1; i < w->n; i++) {
		w->sibling[i] = w->first[w->node[i].parent];
		w->first[w->node[i].parent] = i;
	}
	return 0;
}

/* The next branch of the innermost level, or back from it */
static int step(struct writer *w, tfs_fold_line_func *line, void *ctx)
{
	struct level *l = &w->level[w->n_levels - 1];
	const struct branch *b;
	int rc;

	if (l->next == l->n) {
		leave(w);
		return 0;
	}
	b = &l->branch[l->next++];
	w->path.len = l->path;
	rc = tfs_strbuf_add(&w->path, b->key, b->len);
	if (rc)
		return rc;
	if (!b->ends)
		return enter(w, b->node);
	rc = tfs_strbuf_addc(&w->path, '\n');
	return rc ? rc : line(ctx, w->path.s, w->path.len);
}

int tfs_fold_lines(const struct tfs_fold *fold, unsigned int flags, uint64_t divisor,
		   tfs_fold_line_func *line, void *ctx)
{
	struct writer w = { .fold = fold, .flags = flags, .divisor = divisor ? divisor : 1 };
	int rc;

	w.node = tfs_fold_nodes(fold, &w.n);
	tfs_strbuf_init(&w.path);
	rc = list_children(&w);
	if (!rc && w.divisor > 1)
		rc = divide(&w);
	if (!rc)
		rc = enter(&w, TFS_FOLD_ROOT);
	while (!rc && w.n_levels)
		rc = step(&w, line, ctx);
	while (w.n_levels)
		leave(&w);
	free(w.level);
	free(w.first);
	free(w.sibling);
	free(w.weight);
	tfs_strbuf_release(&w.path);
	return rc;
}
