/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_FGRAPH_H
#define TFS_DECODE_FGRAPH_H

#include <stdbool.h>

struct tfs_event_type;
struct tfs_event;
struct tfs_native;
struct tfs_record;
struct tfs_trace;

/*
 * function_graph entries and exits as trace-cmd report draws them. An entry whose exit follows at
 * once in its buffer is a leaf: both become one line. Which are is found by who reads the records
 * in order, with is_entry(), join() and joined(); printing an event looks at nothing else.
 */
struct tfs_fgraph;

/** tfs_fgraph_new() - take over ftrace's two events; options tailprint and depth as trace-cmd's */
int tfs_fgraph_new(struct tfs_trace *trace);
void tfs_fgraph_free(struct tfs_trace *trace);

/** tfs_fgraph_compile() - what draws @type: 0; -ENOENT if it is neither of the two; -ENOMEM */
int tfs_fgraph_compile(const struct tfs_trace *trace, const struct tfs_event_type *type,
		       struct tfs_native **out);
/** tfs_fgraph_is_entry() - is this an entry that we draw? */
bool tfs_fgraph_is_entry(const struct tfs_event_type *type);
/** tfs_fgraph_is_call() - is this an entry, whoever draws it? @type may be NULL */
bool tfs_fgraph_is_call(const struct tfs_event_type *type);
/**
 * tfs_fgraph_join() - if @next is the exit of entry @event, note it there as its leaf
 *
 * tfs_fgraph_joined() knows it then, after tfs_fgraph_new().
 */
void tfs_fgraph_join(struct tfs_trace *trace, struct tfs_event *event,
		     const struct tfs_record *next);
/** tfs_fgraph_joined() - was @rec noted as the exit of a leaf? True once for each */
bool tfs_fgraph_joined(struct tfs_trace *trace, const struct tfs_record *rec);

/** tfs_fgraph_begin() - the event that libtraceevent is made to print; under the trace's lock */
void tfs_fgraph_begin(struct tfs_trace *trace, const struct tfs_event *event);

#endif
