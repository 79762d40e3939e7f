/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_GRAPH_FOLD_H
#define TFS_STACK_GRAPH_FOLD_H

#include <stdbool.h>

#include "stack/collect.h"

struct tfs_err;
struct tfs_event;
struct tfs_fold;
struct tfs_fold_stacks;
struct tfs_strbuf;

/**
 * struct tfs_graph_fold - folds the calls of function_graph, by the time without calls they made
 *
 * Calls that a loss cut end there. Those whose beginning or end was not recorded are counted and
 * left out. Memory is that of the span model. One thread at a time.
 */
struct tfs_graph_fold;

/** tfs_graph_fold_new() - as tfs_off_cpu_fold_new() */
int tfs_graph_fold_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
		       struct tfs_fold_stacks *fs, struct tfs_graph_fold **out,
		       struct tfs_err *err);
void tfs_graph_fold_free(struct tfs_graph_fold *g);
int tfs_graph_fold_event(struct tfs_graph_fold *g, const struct tfs_event *event);
int tfs_graph_fold_lost(struct tfs_graph_fold *g, const struct tfs_event *event);
int tfs_graph_fold_end(struct tfs_graph_fold *g);
/** tfs_graph_fold_any() - was there any call? */
bool tfs_graph_fold_any(const struct tfs_graph_fold *g);
/** tfs_graph_fold_notes() - as tfs_collect_notes() */
int tfs_graph_fold_notes(const struct tfs_graph_fold *g, struct tfs_strbuf *out);

#endif
