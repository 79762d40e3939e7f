/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "chart/flame-tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashmap.h"

/* The name of a node of the joined tree, found by its text and kind */
struct joined_name {
	struct tfs_fold_name name;
	uint32_t id;
};

/* Both folds while they become one tree; nodes and names have their final number of elements. */
struct join {
	struct tfs_flame_tree *tree;
	struct joined_name *names;
	struct tfs_hashmap by_name, by_place;
	uint32_t *node_of, *name_of; /* of the present fold's nodes and names */
};

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t hash_name(const struct tfs_fold_name *name)
{
	uint64_t hash = tfs_hash64(TFS_HASH64_INIT, name->text, name->len);

	return tfs_hash64(hash, &name->kind, sizeof(name->kind));
}

static bool has_name(const void *entry, const void *key)
{
	const struct tfs_fold_name *a = &((const struct joined_name *)entry)->name, *b = key;

	return a->len == b->len && a->kind == b->kind && !memcmp(a->text, b->text, a->len);
}

static int join_names(struct join *j, const struct tfs_fold *fold)
{
	uint32_t n = tfs_fold_n_names(fold);
	struct joined_name *known;
	struct tfs_fold_name name;
	uint64_t hash;

	for (uint32_t i = 0; i < n; i++) {
		name = tfs_fold_name(fold, i);
		hash = hash_name(&name);
		known = tfs_hashmap_find(&j->by_name, hash, has_name, &name);
		if (!known) {
			known = &j->names[j->tree->n_names];
			known->name = name;
			known->id = j->tree->n_names;
			if (tfs_hashmap_add(&j->by_name, hash, known))
				return -ENOMEM;
			j->tree->n_names++;
		}
		j->name_of[i] = known->id;
	}
	return 0;
}

static uint64_t place(uint32_t parent, uint32_t name)
{
	return tfs_hash_int((uint64_t)parent << 32 | name);
}

static int join_nodes(struct join *j, const struct tfs_fold *fold, enum tfs_flame_side side)
{
	struct tfs_flame_tree *tree = j->tree;
	const struct tfs_fold_node *from;
	struct tfs_flame_node *to;
	uint32_t n, parent, name;

	if (!tree->node)
		return -ENOMEM;
	from = tfs_fold_nodes(fold, &n);
	for (uint32_t i = 0; i < n; i++) {
		parent = i ? j->node_of[from[i].parent] : 0;
		name = i ? j->name_of[from[i].name] : 0;
		to = i ? tfs_hashmap_find(&j->by_place, place(parent, name), NULL, NULL) :
			 tree->node;
		if (!to) {
			to = &tree->node[tree->n];
			to->parent = parent;
			to->name = name;
			to->depth = tree->node[parent].depth + 1;
			if (to->depth > tree->depth)
				tree->depth = to->depth;
			if (tfs_hashmap_add(&j->by_place, place(parent, name), to))
				return -ENOMEM;
			tree->n++;
		}
		j->node_of[i] = (uint32_t)(to - tree->node);
		to->self[side] = sum(to->self[side], from[i].self);
		to->samples[side] += from[i].samples;
		tree->samples[side] += from[i].samples;
	}
	return 0;
}

/* A node by what decides its place among its siblings */
struct place {
	uint32_t parent, rank, node;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static int compare_names(const void *a, const void *b)
{
	const struct joined_name *x = a, *y = b;
	size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int rc = memcmp(x->name.text, y->name.text, len);

	if (!rc && x->name.len != y->name.len)
		rc = x->name.len < y->name.len ? -1 : 1;
	return rc ? rc : (int)x->name.kind - (int)y->name.kind;
}

/* Numbers the names by their order, and keeps them in it; [0] stays the root's. */
static int sort_names(struct join *j)
{
	struct tfs_flame_tree *tree = j->tree;
	uint32_t *rank = calloc(tree->n_names, sizeof(*rank));

	if (!rank)
		return -ENOMEM;
	qsort(j->names + 1, tree->n_names - 1, sizeof(*j->names), compare_names);
	for (uint32_t i = 0; i < tree->n_names; i++) {
		rank[j->names[i].id] = i;
		tree->name[i] = j->names[i].name;
	}
	for (uint32_t i = 0; i < tree->n; i++)
		tree->node[i].name = rank[tree->node[i].name];
	free(rank);
	return 0;
}

/* Puts each node before those that it called. @moved: of each its new index */
static int sort_nodes(struct tfs_flame_tree *tree, uint32_t *moved)
{
	struct tfs_flame_node *sorted = calloc(tree->n, sizeof(*sorted));
	struct place *places = calloc(tree->n, sizeof(*places));
	uint32_t *first = calloc((size_t)tree->n + 1, sizeof(*first));
	uint32_t *next = calloc((size_t)tree->depth + 2, sizeof(*next));
	uint32_t *path = calloc((size_t)tree->depth + 2, sizeof(*path)), depth = 0, to = 0, at;
	int rc = sorted && places && first && next && path ? 0 : -ENOMEM;

	if (rc)
		goto out;
	for (uint32_t i = 1; i < tree->n; i++)
		places[i] = (struct place){ tree->node[i].parent, tree->node[i].name, i };
	qsort(places + 1, tree->n - 1, sizeof(*places), compare_places);
	for (uint32_t i = 1, parent = 0; parent <= tree->n; parent++) {
		while (i < tree->n && places[i].parent < parent)
			i++;
		first[parent] = i;
	}
	sorted[to++] = tree->node[0];
	next[0] = first[0]; /* the child of path[depth], an index of sorted, that comes next */
	path[0] = 0;
	for (;;) {
		if (next[depth] < tree->n &&
		    places[next[depth]].parent == sorted[path[depth]].end) {
			at = places[next[depth]++].node;
			sorted[to] = tree->node[at];
			sorted[to].parent = path[depth];
			sorted[to].end = at; /* where it was, until what it called is placed */
			moved[at] = to;
			path[++depth] = to++;
			next[depth] = first[at];
		} else {
			sorted[path[depth]].end = to;
			if (!depth--)
				break;
		}
	}
	free(tree->node);
	tree->node = sorted;
	sorted = NULL;
out:
	free(sorted);
	free(places);
	free(first);
	free(next);
	free(path);
	return rc;
}

static void add_up(struct tfs_flame_tree *tree)
{
	struct tfs_flame_node *v = tree->node;

	for (int side = 0; side < TFS_FLAME_SIDES; side++) {
		for (uint32_t i = 0; i < tree->n; i++)
			v[i].total[side] = v[i].self[side];
		for (uint32_t i = tree->n; --i;)
			v[v[i].parent].total[side] =
				sum(v[v[i].parent].total[side], v[i].total[side]);
	}
}

static int join_fold(struct join *j, const struct tfs_fold *fold, enum tfs_flame_side side)
{
	int rc;

	if (!fold)
		return 0;
	rc = join_names(j, fold);
	return rc ? rc : join_nodes(j, fold, side);
}

/* Room for the nodes and names of both folds */
static int make_room(struct join *j, const struct tfs_fold *before, const struct tfs_fold *after)
{
	const struct tfs_fold *folds[] = { before, after };
	size_t n = 1, names = 1, n_max = 1, names_max = 1;
	uint32_t nodes;

	for (int i = 0; i < 2; i++) {
		if (!folds[i])
			continue;
		tfs_fold_nodes(folds[i], &nodes);
		n += nodes;
		names += tfs_fold_n_names(folds[i]);
		n_max = nodes > n_max ? nodes : n_max;
		if (tfs_fold_n_names(folds[i]) > names_max)
			names_max = tfs_fold_n_names(folds[i]);
	}
	if (n > UINT32_MAX || names > UINT32_MAX)
		return -ENOMEM;
	j->tree->node = calloc(n, sizeof(*j->tree->node));
	j->tree->name = calloc(names, sizeof(*j->tree->name));
	j->names = calloc(names, sizeof(*j->names));
	j->node_of = calloc(n_max, sizeof(*j->node_of));
	j->name_of = calloc(names_max, sizeof(*j->name_of));
	if (!j->tree->node || !j->tree->name || !j->names || !j->node_of || !j->name_of)
		return -ENOMEM;
	j->names[0].name = (struct tfs_fold_name){ .text = "all", .len = 3 };
	j->tree->n = j->tree->n_names = 1;
	return 0;
}

/* Sorts the nodes; the present fold is the one after. */
static int place_nodes(struct join *j, const struct tfs_fold *after)
{
	struct tfs_flame_tree *tree = j->tree;
	uint32_t *moved = calloc(tree->n, sizeof(*moved)), n;
	int rc;

	tfs_fold_nodes(after, &n);
	tree->of_fold = calloc(n, sizeof(*tree->of_fold));
	rc = moved && tree->of_fold ? sort_nodes(tree, moved) : -ENOMEM;
	if (!rc) {
		tree->n_fold = n;
		for (uint32_t i = 0; i < n; i++)
			tree->of_fold[i] = moved[j->node_of[i]];
	}
	free(moved);
	return rc;
}

int tfs_flame_tree_new(const struct tfs_fold *before, const struct tfs_fold *after,
		       struct tfs_flame_tree **out)
{
	struct join j = { .tree = calloc(1, sizeof(*j.tree)) };
	int rc = j.tree ? make_room(&j, before, after) : -ENOMEM;

	if (!rc)
		rc = join_fold(&j, before, TFS_FLAME_BEFORE);
	if (!rc)
		rc = join_fold(&j, after, TFS_FLAME_AFTER);
	if (!rc)
		rc = sort_names(&j);
	if (!rc)
		rc = place_nodes(&j, after);
	tfs_hashmap_release(&j.by_name);
	tfs_hashmap_release(&j.by_place);
	free(j.names);
	free(j.node_of);
	free(j.name_of);
	if (rc) {
		tfs_flame_tree_free(j.tree);
		return rc;
	}
	add_up(j.tree);
	*out = j.tree;
	return 0;
}

void tfs_flame_tree_free(struct tfs_flame_tree *tree)
{
	if (!tree)
		return;
	free(tree->node);
	free(tree->of_fold);
	free(tree->name);
	free(tree);
}

double tfs_flame_factor(const struct tfs_flame_tree *tree)
{
	const uint64_t *total = tree->node->total;

	if (!total[TFS_FLAME_BEFORE])
		return 1;
	return (double)total[TFS_FLAME_AFTER] / (double)total[TFS_FLAME_BEFORE];
}

/* The variance of a side's weight at @node, whose samples weigh as those of the side on average */
static double variance(const struct tfs_flame_tree *tree, const struct tfs_flame_node *node,
		       enum tfs_flame_side side, double factor)
{
	double weight = (double)tree->node->total[side] * factor;

	if (!tree->samples[side])
		return 0;
	weight /= (double)tree->samples[side];
	return (double)node->samples[side] * weight * weight;
}

double tfs_flame_change(const struct tfs_flame_tree *tree, const struct tfs_flame_node *node,
			double factor)
{
	double change =
		(double)node->self[TFS_FLAME_AFTER] - (double)node->self[TFS_FLAME_BEFORE] * factor;
	double chance = variance(tree, node, TFS_FLAME_BEFORE, factor) +
			variance(tree, node, TFS_FLAME_AFTER, 1);

	return change * change < 4 * chance ? 0 : change;
}
