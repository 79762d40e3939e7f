/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_FLAME_TREE_H
#define TFS_CHART_FLAME_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "stack/fold.h"

/** enum tfs_flame_side - the recordings of a difference: the one before and the one after */
enum tfs_flame_side { TFS_FLAME_BEFORE, TFS_FLAME_AFTER, TFS_FLAME_SIDES };

/**
 * struct tfs_flame_node - a frame of a flame graph
 * @parent: index of its caller, lower than its own; the root is its own
 * @end: index of the first node after it that it did not call: the nodes between were called by it
 * @name: index of its name
 * @depth: nodes above it
 * @samples: how often a stack ended here, for each side
 * @self: weight of the stacks that end here
 * @total: weight of the stacks that come through here
 *
 * A graph of one side has zeros in TFS_FLAME_BEFORE.
 */
struct tfs_flame_node {
	uint32_t parent, end, name, depth;
	uint64_t samples[TFS_FLAME_SIDES];
	uint64_t self[TFS_FLAME_SIDES];
	uint64_t total[TFS_FLAME_SIDES];
};

/**
 * struct tfs_flame_tree - what a flame graph draws
 * @node: @n nodes, each before those that it called, sorted by name; the root first
 * @name: @n_names of the nodes; [0] is that of the root
 * @depth: of the deepest node
 * @samples: of all nodes, for each side
 * @of_fold: for each of the @n_fold nodes of the fold after, its node here
 *
 * Texts of names belong to the folds.
 */
struct tfs_flame_tree {
	struct tfs_flame_node *node;
	struct tfs_fold_name *name;
	uint32_t *of_fold;
	uint32_t n, n_names, n_fold, depth;
	uint64_t samples[TFS_FLAME_SIDES];
};

/**
 * tfs_flame_tree_new() - sort one tree of stacks, or join two
 * @before: NULL: there is only one
 * @after: outlives the tree, as @before does; tfs_fold_sum() need not have been called
 *
 * Frames are the same if their names and kinds are, and their callers. Return: 0 or -ENOMEM.
 */
int tfs_flame_tree_new(const struct tfs_fold *before, const struct tfs_fold *after,
		       struct tfs_flame_tree **out);
/** tfs_flame_tree_free() - takes NULL */
void tfs_flame_tree_free(struct tfs_flame_tree *tree);

/** tfs_flame_factor() - by what weights before are multiplied to have the total of those after */
double tfs_flame_factor(const struct tfs_flame_tree *tree);

/**
 * tfs_flame_change() - how much heavier the stacks that end at @node became
 * @factor: by which weights before are multiplied: 1, or tfs_flame_factor()
 *
 * Return: the difference of weights; 0 if it is less than chance explains: twice the standard
 * deviation of as many samples, the square root of their number.
 */
double tfs_flame_change(const struct tfs_flame_tree *tree, const struct tfs_flame_node *node,
			double factor);

#endif
