/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_PARSE_H
#define TFS_PRINTFMT_PRINT_PARSE_H

#include <stddef.h>

struct tfs_node;
struct tfs_tree;

/**
 * tfs_print_parse() - parse the text after "print fmt:" in a format file
 * @text: @size bytes, which may be anything; outlives the tree
 * @long_size: of the recorded kernel: 4 or 8 bytes
 * @tree: zeroed; set on success, release with tfs_tree_release()
 * @at: may be NULL; with -EBADMSG where in @text it could not go on
 *
 * C expressions as the kernel's macros leave them, blocks "({ ... })" with declarations included.
 * Names are not looked up, and nothing is computed. Depth and number of nodes are bounded. Pure.
 *
 * Return: 0, -EBADMSG or -ENOMEM.
 */
int tfs_print_parse(const char *text, size_t size, unsigned int long_size, struct tfs_tree *tree,
		    size_t *at);

/**
 * tfs_print_parse_expression() - one expression, whose nodes are added to @tree
 * @text: terminated; outlives the tree
 *
 * Return: NULL without memory, or when it is not one.
 */
struct tfs_node *tfs_print_parse_expression(const char *text, unsigned int long_size,
					    struct tfs_tree *tree);

#endif
