/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_INSN_CONTROL_FLOW_GRAPH_H
#define TFS_INSN_CONTROL_FLOW_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dso;

/**
 * struct tfs_flow_graph_node - a basic block: calls are in it, for they come back
 * @begin, @end: addresses; @last: of its last instruction
 * @next: nodes that control goes to from there, -1 for none
 * @indirect: it ends in a jump that only the running program knows the target of
 * @orphan: no known jump or predecessor leads there
 */
struct tfs_flow_graph_node {
	uint64_t begin;
	uint64_t end;
	uint64_t last;
	long next[2];
	bool indirect;
	bool orphan;
};

/** struct tfs_flow_graph - the control flow of one function; nodes ascend */
struct tfs_flow_graph {
	struct tfs_flow_graph_node *node;
	size_t n;
	uint64_t entry;
};

/** struct tfs_code_range - the instructions in [@from, @to) */
struct tfs_code_range {
	uint64_t from;
	uint64_t to;
};

/** TFS_CODE_RANGES_MAX - a function in more parts than that is not decoded */
#define TFS_CODE_RANGES_MAX 64

/**
 * struct tfs_flow_graph_code - the code of a function
 * @range, @n_ranges: in any order
 * @entry: where it is entered
 * @cut, @n: addresses of instructions at which nodes are to begin as well; sorted or not
 * @returns: does what is called at an address come back? NULL: always
 */
struct tfs_flow_graph_code {
	const struct tfs_code_range *range;
	size_t n_ranges;
	uint64_t entry;
	const uint64_t *cut;
	size_t n;
	bool (*returns)(void *ctx, uint64_t callee);
	void *ctx;
};

/**
 * tfs_flow_graph_build() - decode a function
 * @out: release with tfs_flow_graph_release(), also after a failure
 *
 * Return: 0; -ENOENT if its instructions are not understood, or it has more than a megabyte;
 * -ENOMEM.
 */
int tfs_flow_graph_build(const struct tfs_dso *dso, const struct tfs_flow_graph_code *code,
			 struct tfs_flow_graph *out);
void tfs_flow_graph_release(struct tfs_flow_graph *g);

/** tfs_flow_graph_at() - the node that holds an address, -1 if none does */
long tfs_flow_graph_at(const struct tfs_flow_graph *g, uint64_t addr);

/**
 * tfs_flow_graph_reaches() - can control come from the beginning of a node to that of another?
 * @from: node; -1 for the function's entry, which may be @to itself; otherwise at least one step
 *	is made
 * @avoid: nodes that may not be passed, @n of them; @from may be one, and @to is none
 *
 * Return: true also without memory for the search.
 */
bool tfs_flow_graph_reaches(const struct tfs_flow_graph *g, long from, long to, const long *avoid,
			    size_t n);

#endif
