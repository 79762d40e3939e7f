/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_COLLECT_H
#define TFS_STACK_COLLECT_H

#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_event;
struct tfs_fold;
struct tfs_strbuf;
struct tfs_symbolize;
struct tfs_trace;

/** enum tfs_collect_root - the first frame of a stack: "comm", "comm-PID" or "comm-PID/TID" */
enum tfs_collect_root { TFS_ROOT_COMM, TFS_ROOT_PID, TFS_ROOT_TID };

/**
 * enum tfs_collect_kind - which stacks are folded, and by what they are weighed
 * @TFS_COLLECT_AUTO: the stacks of events; if there are none, the calls of function_graph
 * @TFS_COLLECT_STACKS: the stacks of events, by 1 or a field
 * @TFS_COLLECT_GRAPH: function_graph: open calls, by ns without those of the calls they made
 * @TFS_COLLECT_OFF_CPU: the stacks at which tasks left their CPU, by ns until they ran again
 */
enum tfs_collect_kind {
	TFS_COLLECT_AUTO,
	TFS_COLLECT_STACKS,
	TFS_COLLECT_GRAPH,
	TFS_COLLECT_OFF_CPU,
};

/**
 * enum tfs_off_cpu - which time off the CPU counts
 * @TFS_OFF_CPU_BLOCKED: of tasks that waited for something (states S, D, ...), up to their wakeup
 * @TFS_OFF_CPU_RUNNABLE: of tasks that waited for a CPU: after a wakeup, or because they were
 *	preempted; its leaf is "[runqueue]"
 * @TFS_OFF_CPU_ALL: both: the time from when tasks leave their CPU until they run again
 */
enum tfs_off_cpu { TFS_OFF_CPU_BLOCKED, TFS_OFF_CPU_RUNNABLE, TFS_OFF_CPU_ALL };

/** enum tfs_collect_flags - what else */
enum tfs_collect_flags {
	TFS_COLLECT_ADDRESSES = 1 << 0, /* "[name <address>]" for what has no symbol */
};

/** tfs_collect_sample_func - the stack of an event was folded into @node; 0 or -errno */
typedef int tfs_collect_sample_func(void *ctx, const struct tfs_event *event, uint32_t node);

/**
 * struct tfs_collect_opts - what to fold
 * @traces: @n recordings, which outlive the collection
 * @files: what each is called: the first frame if there are several; may be NULL if @n is 1
 * @symbolize: names of user frames in each; NULL, or of one recording NULL: not known
 * @weight: a field of the events, whose value is their weight; NULL: each event counts 1
 * @off_cpu: of TFS_COLLECT_OFF_CPU
 * @flags: enum tfs_collect_flags
 * @nodes_max: see tfs_fold_new()
 * @sample: called with @ctx for each event whose stack is folded; NULL: not wanted
 */
struct tfs_collect_opts {
	struct tfs_trace *const *traces;
	const char *const *files;
	const struct tfs_symbolize *const *symbolize;
	size_t n;
	enum tfs_collect_root root;
	enum tfs_collect_kind kind;
	enum tfs_off_cpu off_cpu;
	const char *weight;
	unsigned int flags;
	uint32_t nodes_max;
	tfs_collect_sample_func *sample;
	void *ctx;
};

/**
 * struct tfs_collect_counts - what notes say of stacks
 * @missing: CPUs whose last events are
 * @cut: user stacks of a CPU profile's samples that are as long as the kernel stores them
 * @orphans: stacks without their event
 * @others: of a CPU profile: stacks that are not of its samples
 * @shortened: frames that were left out
 */
struct tfs_collect_counts {
	uint64_t missing, cut, orphans, others, shortened;
};

/**
 * struct tfs_collect - a view's stacks, folded: what --folded, flame graphs and others draw
 *
 * A view with TFS_VIEW_UNSELECTED and without TFS_VIEW_WORKERS gives it each event. One thread.
 */
struct tfs_collect;

/** tfs_collect_new() - 0; -ENOENT if no event has the field @weight, with @err set; -ENOMEM */
int tfs_collect_new(const struct tfs_collect_opts *opts, struct tfs_collect **out,
		    struct tfs_err *err);
void tfs_collect_free(struct tfs_collect *c);
/** tfs_collect_event() - each event in order of time, whether selected or not; 0 or -ENOMEM */
int tfs_collect_event(struct tfs_collect *c, const struct tfs_event *event);
/** tfs_collect_lost() - the loss before an event, from the view's lost(); 0 or -ENOMEM */
int tfs_collect_lost(struct tfs_collect *c, const struct tfs_event *event);
/** tfs_collect_end() - after the last event: completes what is open, sums; 0 or -ENOMEM */
int tfs_collect_end(struct tfs_collect *c);

/* After tfs_collect_end() */

/** tfs_collect_fold() - the tree; borrowed */
struct tfs_fold *tfs_collect_fold(struct tfs_collect *c);
/** tfs_collect_unit() - what weights are: "samples", "ns", or the field's name; borrowed */
const char *tfs_collect_unit(const struct tfs_collect *c);
/**
 * tfs_collect_notes() - what was left out or is unknown, a sentence a line, for people
 *
 * Return: 0, with @out unchanged if there is nothing to say; -ENOMEM.
 */
int tfs_collect_notes(const struct tfs_collect *c, struct tfs_strbuf *out);
/**
 * tfs_collect_note_missing() - that the last events of @cpus CPUs are missing, and that recordings
 *	of @opts may have had CPUs of which nothing is left; nothing if of none
 */
int tfs_collect_note_missing(const struct tfs_collect_opts *opts, uint64_t cpus,
			     struct tfs_strbuf *out);

/** tfs_collect_note_counts() - a line for each of @counts but missing; nothing for 0 */
int tfs_collect_note_counts(const struct tfs_collect_counts *counts, struct tfs_strbuf *out);

#endif
