/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_KERNEL_INTERNAL_H
#define TFS_VIEW_KERNEL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "decode/prefix.h"
#include "pipeline/view.h"
#include "view/kernel-event.h"

struct tfs_event_text;
struct tfs_record;
struct tfs_trace;

/**
 * struct tfs_kernel_context - what a line of the file "trace" is made with
 * @clock: the thread's own, as is @body
 */
struct tfs_kernel_context {
	struct tfs_trace *trace;
	const struct tfs_kernel_style *style;
	enum tfs_time_format time_format;
	struct tfs_event_text *event_text;
	struct tfs_prefix_clock *clock;
};

/** tfs_kernel_loss() - append the line about lost events; 0 or -ENOMEM */
int tfs_kernel_loss(const struct tfs_record *rec, struct tfs_strbuf *out);
/** tfs_kernel_line() - append the record's line; 0 or -ENOMEM */
int tfs_kernel_line(const struct tfs_kernel_context *p, const struct tfs_event *event,
		    struct tfs_strbuf *out);
/** tfs_kernel_text() - append the text after the line's time stamp; 0 or -ENOMEM */
int tfs_kernel_text(const struct tfs_kernel_context *p, const struct tfs_event *event,
		    struct tfs_strbuf *out);

/** tfs_kernel_arguments() - append what is between the brackets of a system call; 0 or -ENOMEM */
int tfs_kernel_arguments(const struct tfs_kernel_event *ke, const struct tfs_event *event,
			 struct tfs_strbuf *out);

/** TFS_KERNEL_DEPTH - levels of calls that the kernel remembers (FTRACE_RETFUNC_DEPTH) */
#define TFS_KERNEL_DEPTH 50

/**
 * struct tfs_kernel_cpu - what the kernel remembers of a CPU while it draws
 * @pid: of the task that was drawn last; @met: there was one
 * @depth: at which comments are indented
 * @joined: record that was drawn with its entry; NULL: none
 * @calls: functions that are open, by their depths; 0: none
 */
struct tfs_kernel_cpu {
	int pid;
	bool met;
	int depth;
	const void *joined;
	uint64_t calls[TFS_KERNEL_DEPTH];
};

/**
 * struct tfs_kernel_view - see tfs_kernel_view_new()
 * @line: of the present event
 * @held: the line before it, which lacks the mark at @mark, @held_ts its time stamp, until the
 *        time of the line after is known; empty: none
 * @start: time stamp of the first line, once @begun
 * @cpus: @n_cpus, grown as they are met
 * @cpu_width: digits of a CPU's number
 * @irq_start, @irq_end: functions that interrupts enter, once @sections is set
 */
struct tfs_kernel_view {
	struct tfs_view view;
	struct tfs_kernel_style style;
	struct tfs_kernel_context context;
	struct tfs_prefix_clock clock;
	bool graph, latency, begun, sections;
	struct tfs_strbuf line, held;
	size_t mark;
	uint64_t held_ts, start;
	struct tfs_kernel_cpu *cpus;
	size_t n_cpus;
	int cpu_width;
	uint64_t irq_start, irq_end;
};

/**
 * tfs_kernel_draw() - append the event to @v->line as a graph has it
 *
 * Return: 1, 0 when it is not drawn but has a line like any other, -ENOMEM.
 */
int tfs_kernel_draw(struct tfs_kernel_view *v, const struct tfs_event *event);
/** tfs_kernel_joined() - was @event drawn with its entry? Once for each event */
bool tfs_kernel_joined(struct tfs_kernel_view *v, const struct tfs_event *event);
/** tfs_kernel_graph_head() - append the columns' headings; 0 or -ENOMEM */
int tfs_kernel_graph_head(const struct tfs_kernel_view *v, struct tfs_strbuf *out);

#endif
