/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_TREE_H
#define TFS_PRINTFMT_PRINT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "printfmt/print-type.h"

/**
 * enum tfs_node_kind - what a node of a parsed print format is
 *
 * "op" is the node's operator; "a", "b", "c" its operands.
 */
enum tfs_node_kind {
	TFS_NODE_NUMBER,    /* value, type */
	TFS_NODE_STRING,    /* text: adjoining literals in one, escapes resolved */
	TFS_NODE_NAME,      /* text: an identifier */
	TFS_NODE_FIELD,     /* text: REC->text */
	TFS_NODE_CAST,      /* (type)a; c: the call that a is the body of */
	TFS_NODE_SIZEOF,    /* value: sizeof(type); a: sizeof expression */
	TFS_NODE_UNARY,     /* op a, with op one of - + ! ~ * & */
	TFS_NODE_BINARY,    /* a op b */
	TFS_NODE_CONDITION, /* a ? b : c; without b: a ?: c */
	TFS_NODE_INDEX,     /* a[b] */
	TFS_NODE_MEMBER,    /* a.text, a->text */
	TFS_NODE_CALL,      /* text(a...): a is the first argument, the others follow by ->next */
	TFS_NODE_LIST,      /* { a... } */
	TFS_NODE_BLOCK,     /* ({ a... }): its statements */
	TFS_NODE_DECLARE,   /* type text = a, in a block; a may be NULL; b: a structure's name */
	TFS_NODE_ASSIGN,    /* a = b, in a block */
};

/** enum tfs_node_op - operators */
enum tfs_node_op {
	TFS_NODE_ADD,
	TFS_NODE_SUB,
	TFS_NODE_MUL,
	TFS_NODE_DIV,
	TFS_NODE_MOD,
	TFS_NODE_AND,
	TFS_NODE_OR,
	TFS_NODE_XOR,
	TFS_NODE_SHL,
	TFS_NODE_SHR,
	TFS_NODE_LAND,
	TFS_NODE_LOR,
	TFS_NODE_EQ,
	TFS_NODE_NE,
	TFS_NODE_LT,
	TFS_NODE_LE,
	TFS_NODE_GT,
	TFS_NODE_GE,
	TFS_NODE_NEGATE,
	TFS_NODE_PLUS,
	TFS_NODE_NOT,
	TFS_NODE_INVERT,
	TFS_NODE_DEREF,
	TFS_NODE_ADDRESS,
};

/**
 * struct tfs_node - see enum tfs_node_kind; @text has @len characters and is not terminated
 * @type: of a cast, a number or a declaration; of all others once it was resolved
 * @resolved: @type and @is_const are known (print-resolve.h)
 * @is_const: it is @value for all records
 */
struct tfs_node {
	enum tfs_node_kind kind;
	enum tfs_node_op op;
	struct tfs_ctype type;
	bool resolved, is_const;
	uint64_t value;
	const char *text;
	size_t len;
	struct tfs_node *a, *b, *c, *next;
};

/**
 * struct tfs_tree - a parsed print format
 * @format: the node of the format string
 * @args: the first of its arguments, the others follow by ->next
 *
 * Nodes and the texts of strings belong to the tree; names point into the text that was parsed.
 */
struct tfs_tree {
	struct tfs_node *format, *args;
	struct tfs_node_block *blocks;
	void **texts;
	size_t n_texts, cap_texts, n_nodes;
};

/** tfs_tree_node() - a new node, zeroed; NULL without memory or when there are too many */
struct tfs_node *tfs_tree_node(struct tfs_tree *tree, enum tfs_node_kind kind);
/** tfs_tree_text() - the tree takes over @text, from malloc(); false: no memory, and it is freed */
bool tfs_tree_text(struct tfs_tree *tree, char *text);
void tfs_tree_release(struct tfs_tree *tree);
/** tfs_node_is() - is the node's text @text? */
bool tfs_node_is(const struct tfs_node *node, const char *text);

#endif
