/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "printfmt/print-tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BLOCK_NODES 64
/* The longest formats of kernels have about 2,000. */
#define NODES_MAX 100000

struct tfs_node_block {
	struct tfs_node_block *next;
	size_t n;
	struct tfs_node node[BLOCK_NODES];
};

struct tfs_node *tfs_tree_node(struct tfs_tree *tree, enum tfs_node_kind kind)
{
	struct tfs_node_block *b = tree->blocks;

	if (tree->n_nodes >= NODES_MAX)
		return NULL;
	if (!b || b->n == BLOCK_NODES) {
		b = malloc(sizeof(*b));
		if (!b)
			return NULL;
		b->n = 0;
		b->next = tree->blocks;
		tree->blocks = b;
	}
	tree->n_nodes++;
	b->node[b->n] = (struct tfs_node){ .kind = kind };
	return &b->node[b->n++];
}

bool tfs_tree_text(struct tfs_tree *tree, char *text)
{
	if (text && tfs_grow(&tree->texts, &tree->cap_texts, tree->n_texts + 1)) {
		free(text);
		return false;
	}
	if (text)
		tree->texts[tree->n_texts++] = text;
	return text != NULL;
}

void tfs_tree_release(struct tfs_tree *tree)
{
	struct tfs_node_block *b, *next;
	size_t i;

	for (b = tree->blocks; b; b = next) {
		next = b->next;
		free(b);
	}
	for (i = 0; i < tree->n_texts; i++)
		free(tree->texts[i]);
	free(tree->texts);
	*tree = (struct tfs_tree){ 0 };
}

bool tfs_node_is(const struct tfs_node *node, const char *text)
{
	return node->len == strlen(text) && !memcmp(node->text, text, node->len);
}
