/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_FOLD_H
#define TFS_STACK_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "stack/frames.h"

/** TFS_FOLD_ROOT - the node above all others; it has no name */
#define TFS_FOLD_ROOT 0
/** TFS_FOLD_DEPTH_MAX - nodes below the root, one below the other, at most */
#define TFS_FOLD_DEPTH_MAX 2048
/** TFS_FOLD_NODES_MAX - nodes at most, if nothing else was asked for */
#define TFS_FOLD_NODES_MAX (1U << 22)
/** TFS_FOLD_NAMES_MAX - bytes of different names at most */
#define TFS_FOLD_NAMES_MAX ((size_t)32 << 20)

/**
 * struct tfs_fold_node - a frame, called by the frames from the root to it
 * @parent: index of its caller's node, which is lower than its own
 * @name: see tfs_fold_name()
 * @depth: nodes between it and the root, plus 1
 * @samples: how often weight was added to it
 * @self: weight of the stacks that end here
 * @total: weight of all stacks that come through here, once tfs_fold_sum() was called
 */
struct tfs_fold_node {
	uint32_t parent, name, depth, samples;
	uint64_t self, total;
};

/**
 * struct tfs_fold_name - what a node is called
 * @text: @len bytes and a zero: without control characters, ';' and annotation
 * @dso: path of the file it is in; NULL: unknown, or not code
 * @kind: same text and another kind is another name
 */
struct tfs_fold_name {
	const char *text, *dso;
	size_t len;
	enum tfs_frame_kind kind;
};

/**
 * struct tfs_fold - stacks that were merged into a tree, with weights
 *
 * Memory is bounded: stacks that are deeper than TFS_FOLD_DEPTH_MAX, or that would need more nodes
 * or names than there may be, end at the last frame that there was room for, and are counted
 * (tfs_fold_cut()). One thread at a time while it changes.
 */
struct tfs_fold;

/** tfs_fold_new() - with the root only; @nodes_max: 0 for TFS_FOLD_NODES_MAX. 0 or -ENOMEM */
int tfs_fold_new(uint32_t nodes_max, struct tfs_fold **out);
void tfs_fold_free(struct tfs_fold *fold);

/**
 * tfs_fold_child() - the node of what @parent called, made if there is none yet
 * @name: its name and file, copied; control characters become '_', ';' becomes ':'. @len bytes
 *
 * Return: 0 and *@node, which is @parent if there is no more room; -ENOMEM.
 */
int tfs_fold_child(struct tfs_fold *fold, uint32_t parent, const struct tfs_fold_name *name,
		   uint32_t *node);

/** tfs_fold_add() - a stack that ends at @node; sums stop at the largest number there is */
void tfs_fold_add(struct tfs_fold *fold, uint32_t node, uint64_t weight);

/** tfs_fold_sum() - set all totals. Return: that of the root */
uint64_t tfs_fold_sum(struct tfs_fold *fold);

/** tfs_fold_nodes() - all, *@n of them, the root first; valid until one is added */
const struct tfs_fold_node *tfs_fold_nodes(const struct tfs_fold *fold, uint32_t *n);
/** tfs_fold_name() - @name of a node, below tfs_fold_n_names(); valid as long as @fold */
struct tfs_fold_name tfs_fold_name(const struct tfs_fold *fold, uint32_t name);
uint32_t tfs_fold_n_names(const struct tfs_fold *fold);
/** tfs_fold_cut() - how often a frame was left out because there was no room */
uint64_t tfs_fold_cut(const struct tfs_fold *fold);

/** tfs_fold_suffix() - how folded text marks a kind: "_[k]", "_[j]", "_[i]", "_[w]", or "" */
const char *tfs_fold_suffix(enum tfs_frame_kind kind);

#endif
