/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_SPAN_H
#define TFS_SPAN_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"

struct tfs_err;
struct tfs_event;
struct tfs_event_type;
struct tfs_strvec;
struct tfs_trace;

/**
 * enum tfs_span_kind - what lasted for a while
 * @TFS_SPAN_RUN: a task ran on a CPU (a CPU's row); idle tasks have tid 0
 * @TFS_SPAN_STATE: a task was in one state (a task's row): @state says which. Not of idle tasks
 * @TFS_SPAN_IRQ: interrupt handlers and vectors (a CPU's row)
 * @TFS_SPAN_SOFTIRQ: the same of softirqs
 * @TFS_SPAN_SYSCALL: a system call (a task's row)
 * @TFS_SPAN_GRAPH: a call of function_graph (a task's row)
 * @TFS_SPAN_PAIR: two events that belong together, see span/pairs.h. Without a key they are of one
 *	task; with one they may cross others, and begin and end in different tasks
 */
enum tfs_span_kind {
	TFS_SPAN_RUN,
	TFS_SPAN_STATE,
	TFS_SPAN_IRQ,
	TFS_SPAN_SOFTIRQ,
	TFS_SPAN_SYSCALL,
	TFS_SPAN_GRAPH,
	TFS_SPAN_PAIR,
	TFS_SPAN_KINDS,
};

/** TFS_SPAN_ALL - a mask of all kinds */
#define TFS_SPAN_ALL ((1u << TFS_SPAN_KINDS) - 1)

/**
 * enum tfs_span_flags - what is not known about a span
 * @TFS_SPAN_NO_BEGIN: it began before the recording, or before the end of a gap. @begin is the
 *	first time that it is known to have been there; in a task's row not before what ended there
 *	last, nor before what is around it
 * @TFS_SPAN_NO_END: nobody recorded its end, or it was open at the recording's end. @end is the
 *	last time at which it could be expected to be there
 * @TFS_SPAN_CUT: events were lost on its CPU while it was open; it ends at the last event before
 * @TFS_SPAN_UNSELECTED: the event that it began with was not selected, or if that is not known the
 *	one that it ended with. Views leave these out
 * @TFS_SPAN_MADE: it begins or ends with a switch between threads of the recorder, which the kernel
 *	leaves out (tracedat/dat-recorder.h). It was made at the time of the next one on the CPU
 * @TFS_SPAN_KEYED: of a pair with a key: it may cross others. @depth is a free slot of the pair's
 */
enum tfs_span_flags {
	TFS_SPAN_NO_BEGIN = 1 << 0,
	TFS_SPAN_NO_END = 1 << 1,
	TFS_SPAN_CUT = 1 << 2,
	TFS_SPAN_UNSELECTED = 1 << 3,
	TFS_SPAN_KEYED = 1 << 4,
	TFS_SPAN_MADE = 1 << 5,
};

/** TFS_SPAN_NO_COMM - comm_id of a task whose name is not known: that of "" */
#define TFS_SPAN_NO_COMM 0

/** TFS_SPAN_OPEN - flags of a span whose duration is not known */
#define TFS_SPAN_OPEN (TFS_SPAN_NO_BEGIN | TFS_SPAN_NO_END | TFS_SPAN_CUT)

/**
 * enum tfs_task_state - what a task does
 * @TFS_TASK_RUNNABLE: was woken, and waits for a CPU
 * @TFS_TASK_PREEMPTED: was taken off its CPU although it could run on
 * @TFS_TASK_SLEEPING: S; @TFS_TASK_BLOCKED: D; @TFS_TASK_STOPPED: T, t; @TFS_TASK_IDLE: I;
 * @TFS_TASK_PARKED: P; @TFS_TASK_DEAD: X, Z
 */
enum tfs_task_state {
	TFS_TASK_STATE_UNKNOWN,
	TFS_TASK_RUNNING,
	TFS_TASK_RUNNABLE,
	TFS_TASK_PREEMPTED,
	TFS_TASK_SLEEPING,
	TFS_TASK_BLOCKED,
	TFS_TASK_STOPPED,
	TFS_TASK_PARKED,
	TFS_TASK_IDLE,
	TFS_TASK_DEAD,
	TFS_TASK_STATES,
};

/** tfs_task_state_name() - "running", "runnable", "preempted", "sleeping", "blocked", … */
const char *tfs_task_state_name(enum tfs_task_state state);

/** struct tfs_span_record - a record, while the callback runs */
struct tfs_span_record {
	const struct tfs_event_type *type;
	const void *data;
	uint32_t size;
};

/**
 * struct tfs_span - something that lasted from @begin to @end
 * @kind, @flags: enum tfs_span_kind and enum tfs_span_flags
 * @state: of TFS_SPAN_STATE
 * @input: of several recordings, the one it is from; @buffer: of that recording
 * @cpu, @end_cpu: where its first and last event were recorded; of TFS_SPAN_STATE where the task
 *	was last seen before it
 * @tid: the task; of an interrupt the one that was interrupted; of a keyed pair the one that began
 *	it, and @end_tid the one that ended it
 * @name: what it is called: the task of RUN and STATE, the handler, the softirq, the system call,
 *	the function, the pair's first event. @name_id: a dense number of it, from 0; equal names
 *	have equal numbers, also in different recordings
 * @pair: of TFS_SPAN_PAIR, which one: see tfs_spans_pair(). 0 else
 * @comm: name of the task @tid, "" if unknown; as @name of RUN and STATE. @comm_id: its number
 * @depth: spans of its row that were open around it: the CPU's of IRQ and SOFTIRQ; the task's of
 *	SYSCALL, GRAPH and PAIR together
 * @begin, @end: time stamps, @end >= @begin
 * @duration: @end - @begin, of GRAPH the time that the kernel measured, in ns
 * @self: of GRAPH the part of @duration that was not spent in calls it made; else @duration
 * @first, @last: the events it began and ended with; NULL if there was none, @first also if
 *	tfs_spans_opts does not ask for it
 *
 * Strings live as long as the model, everything else until the callback returns.
 */
struct tfs_span {
	enum tfs_span_kind kind;
	unsigned int flags;
	enum tfs_task_state state;
	uint32_t input, buffer;
	int cpu, end_cpu;
	int tid, end_tid;
	const char *name;
	uint32_t name_id;
	uint32_t pair;
	const char *comm;
	uint32_t comm_id;
	unsigned int depth;
	uint64_t begin, end;
	uint64_t duration, self;
	const struct tfs_span_record *first, *last;
};

/**
 * struct tfs_span_gap - events were lost, or are missing from the recording
 * @begin: time stamp of the last event of the CPU before it, or of the recording's first event
 * @end: of the first event after it; of @missing the recording's last event
 * @count: lost events; 0: the kernel did not count them
 * @missing: the rest of the CPU's events is missing: nobody knows how many there were
 */
struct tfs_span_gap {
	uint32_t input, buffer;
	int cpu;
	uint64_t begin, end;
	uint64_t count;
	bool missing;
};

/**
 * struct tfs_span_ops - who gets the spans
 * @span: in order of ends; those that a loss cuts come when the loss is met, and end where it began
 * @gap: NULL: not wanted. After the spans that it cut; those that are @missing come at the end
 *
 * Both return 0 or -errno, which ends the run.
 */
struct tfs_span_ops {
	int (*span)(void *ctx, const struct tfs_span *span);
	int (*gap)(void *ctx, const struct tfs_span_gap *gap);
};

/**
 * struct tfs_spans_opts - what to look for; everything is borrowed while the model lives
 * @traces: the @n recordings, in the order of their inputs
 * @kinds: 1 << enum tfs_span_kind, ...; only these are made
 * @records: 1 << enum tfs_span_kind, ...: of these also @first is kept, for a copy of each record
 * @states: 1 << enum tfs_task_state, ...: of TFS_SPAN_STATE, the records of these states alone are
 *	kept; 0: of all
 * @pairs: texts as span/pairs.h takes them; NULL or empty: probes that belong together by their
 *	names, and requests of block devices, timers and work items (TFS_SPAN_PAIR)
 * @syscall: name of a system call by its number, for raw_syscalls. NULL: they are called
 *	"syscall NR"
 * @syscalls: first argument of @syscall, for each of @traces
 * @ops, @ctx: who gets the spans
 */
struct tfs_spans_opts {
	struct tfs_trace *const *traces;
	size_t n;
	unsigned int kinds, records, states;
	const struct tfs_strvec *pairs;
	tfs_syscall_name_func *syscall;
	const void *const *syscalls;
	const struct tfs_span_ops *ops;
	void *ctx;
};

/**
 * struct tfs_spans - spans from events, once for all views
 *
 * A view with TFS_VIEW_UNSELECTED and TFS_VIEW_MISSING hands over every event and every loss.
 * Recordings and buffers are kept apart. A loss on a CPU ends what was open there, and tasks last
 * seen there are in no known state until they are met again. Memory is that of tasks, names and
 * open spans. One thread.
 */
struct tfs_spans;

/** struct tfs_spans_counts - what was not as expected */
struct tfs_spans_counts {
	uint64_t cut, no_begin, no_end; /* spans by flag, unselected ones left out */
	uint64_t gaps, lost, uncounted; /* losses; lost events; losses that were not counted */
	uint64_t missing;               /* CPUs whose last events are missing, not among @gaps */
	uint64_t more_cpus; /* recordings that may have had CPUs of which nothing is left */
	uint64_t made;      /* switches between threads of the recorder: TFS_SPAN_MADE */
	uint64_t negative;  /* ends before their beginnings, taken as no time */
};

/**
 * tfs_spans_new() - before the first event
 *
 * Return: 0; what tfs_pairs_find() returns for @opts->pairs; -ENOMEM with @err set. Release with
 * tfs_spans_free().
 */
int tfs_spans_new(const struct tfs_spans_opts *opts, struct tfs_spans **out, struct tfs_err *err);
void tfs_spans_free(struct tfs_spans *spans);
/** tfs_spans_event() - the next event. 0, what a callback returned, -ENOMEM */
int tfs_spans_event(struct tfs_spans *spans, const struct tfs_event *event);
/**
 * tfs_spans_lost() - events were lost before @event, which was not handed over yet; or, with
 *	@event->missing, the rest of the CPU's is missing: what is open there ends with its last
 *	event. As above
 */
int tfs_spans_lost(struct tfs_spans *spans, const struct tfs_event *event);
/**
 * tfs_spans_callers() - the calls of function_graph that a span of that kind was called by
 * @names: their name_id, the outermost first; room for @max
 *
 * During its callback. Return: how many there are, perhaps more than @max.
 */
size_t tfs_spans_callers(const struct tfs_spans *spans, uint32_t *names, size_t max);
/** tfs_spans_end() - after the last event: what is open has no end. As above */
int tfs_spans_end(struct tfs_spans *spans);
/** tfs_spans_counts() - so far */
const struct tfs_spans_counts *tfs_spans_counts(const struct tfs_spans *spans);
/** tfs_spans_bounds() - time stamps of the first and last event of all; false: there were none */
bool tfs_spans_bounds(const struct tfs_spans *spans, uint64_t *first, uint64_t *last);
/**
 * tfs_spans_comm() - name of an event's task by the events before it: a comm_id, TFS_SPAN_NO_COMM:
 *	none
 */
uint32_t tfs_spans_comm(const struct tfs_spans *spans, const struct tfs_event *event);
/** tfs_spans_name() - of a name_id or comm_id; NULL: there is none so far */
const char *tfs_spans_name(const struct tfs_spans *spans, uint32_t id);
/** tfs_spans_pair() - "BEGIN:END" of a @pair; NULL: there is none. Lives as the model does */
const char *tfs_spans_pair(const struct tfs_spans *spans, uint32_t pair);

#endif
