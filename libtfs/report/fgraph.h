/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REPORT_FGRAPH_H
#define TFS_REPORT_FGRAPH_H

#include <stdbool.h>

struct tfs_merge;
struct tfs_record;
struct tfs_trace;

/*
 * function_graph entries and exits as trace-cmd report draws them. An entry whose exit follows at
 * once on its CPU is a leaf: both become one line, for which the merged stream is looked ahead.
 * One thread, in order of the merged stream.
 */
struct tfs_fgraph;

/** tfs_fgraph_new() - take over ftrace's two events; options tailprint and depth as trace-cmd's */
int tfs_fgraph_new(struct tfs_trace *trace);
void tfs_fgraph_free(struct tfs_trace *trace);

/** tfs_fgraph_begin() - where the records behind the next one come from; NULL: join none */
void tfs_fgraph_begin(struct tfs_trace *trace, struct tfs_merge *merge);
/** tfs_fgraph_joined() - was @rec printed already, as the exit of a leaf? True once for each */
bool tfs_fgraph_joined(struct tfs_trace *trace, const struct tfs_record *rec);

#endif
