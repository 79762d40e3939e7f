/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_GRAPH_INTERNAL_H
#define TFS_VIEW_GRAPH_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "base/strmap.h"
#include "pipeline/view.h"
#include "span/irq-text.h"
#include "span/pairs.h"
#include "view/graph.h"

struct tfs_event_text;
struct tfs_event_type;
struct tfs_field;
struct tfs_event;

/** TFS_GRAPH_BUCKETS - of a histogram: bucket n holds durations below 2^n ns */
#define TFS_GRAPH_BUCKETS 65
/** TFS_GRAPH_COMM - bytes of a task's name that are kept */
#define TFS_GRAPH_COMM 32

/**
 * struct graph_sum - what the calls of a function add up to, in ns or (@counts) units of the clock
 * @calls: that ended; @own_calls of them began and ended, so that their own time is known
 * @total: of calls that were not made, directly or not, by the function itself
 * @all: of all calls
 * @self: all time that was not spent in calls they made, or in interrupts
 * @histogram: number of calls by duration
 */
struct graph_sum {
	uint64_t calls, own_calls;
	uint64_t total, all, self, max;
	bool counts;
	uint64_t histogram[TFS_GRAPH_BUCKETS];
};

/**
 * struct graph_func - a function, a pair of events, or a system call; by its name
 * @event: of a system call: the event that it begins with, which stands for it as well; else NULL
 * @named: one of those asked for; @caller: its callees are; @met: there was a call
 * @hardirq, @softirq: its calls are interrupts from the first moment on
 */
struct graph_func {
	char *name, *event;
	bool named, caller, met;
	bool hardirq, softirq;
	struct graph_sum sum;
};

struct graph_address {
	uint64_t addr;
	struct graph_func *func; /* NULL: the slot is free */
};

/**
 * struct graph_funcs - the functions that were met
 * @v: in order of their first calls, @n of them
 * @address: open addressing, @n_slots is a power of two, @n_addresses are used
 */
struct graph_funcs {
	struct graph_func **v;
	size_t n, room;
	struct tfs_strmap by_name;
	struct graph_address *address;
	size_t n_slots, n_addresses;
	struct tfs_irq_text irq_text;
};

/**
 * struct graph_pair - a pair of events whose calls are shown
 * @as: the events and keys
 * @func: what it is called
 * @next_begin, @next_end: another pair that begins, or ends, with the same event
 */
struct graph_pair {
	const struct tfs_pair *as;
	struct graph_func *func;
	struct graph_pair *next_begin, *next_end;
};

/** struct graph_run - interrupts one after the other: when the first came, how long all took */
struct graph_run {
	uint64_t from, sum;
};

/**
 * struct graph_call - one that has begun and not ended
 * @pair: NULL: of function_graph
 * @begin: time stamp, and @cpu
 * @inner: ns that calls took which it made; @mixed: some of them in units of the clock, and itself
 *         in ns, or the reverse
 * @run: interrupts that came last, since the last other call that it made; @before: those that its
 *       caller had when it began
 * @depth: as recorded; that of pairs follows from what is around them
 * @column: levels that its line is indented by
 * @inside: it was asked for, or the one that made it was
 * @hidden: and is not to be shown all the same: too deep, an interrupt
 * @other: nor is this one, whose first record was not selected; calls that it makes may be
 * @drawn: its first line was printed
 * @late: it is over, and an interrupt came before that was recorded: it calls nobody any more
 * @hardirq, @softirq: an interrupt, or made by one; @interrupts: something that is shown
 * @args: after its name; NULL: nothing. @from: caller's address; 0: not recorded
 */
struct graph_call {
	struct graph_func *func;
	const struct graph_pair *pair;
	uint64_t begin, inner;
	struct graph_run run, before;
	uint32_t cpu;
	int depth, column;
	bool inside, hidden, other, drawn, late, mixed;
	bool hardirq, softirq, interrupts;
	char *args;
	uint64_t from;
};

/**
 * struct graph_key - whose calls are on one stack
 * @space: number of the buffer, or, of pairs with a key, of the pair and the buffer
 * @id: pid (of idle tasks the CPU as well), or the key's value
 */
struct graph_key {
	uint64_t space, id;
};

/**
 * struct graph_stack - open calls, each made by the one before it
 * @next: in the table
 * @drawn: those before were looked at when lines were drawn
 * @comm, @pid: of the task; @task: what they were copied from
 * @run: interrupts while nothing is open that we know of
 * @in_irq: the last line was an interrupt's, and was marked
 * @held: lines that are not written yet (by_task)
 */
struct graph_stack {
	struct graph_stack *next;
	struct graph_key key;
	struct graph_call *v;
	size_t n, room, drawn;
	const void *task;
	int pid;
	char comm[TFS_GRAPH_COMM];
	uint32_t buffer, cpu;
	struct graph_run run;
	bool in_irq;
	struct tfs_strbuf held;
};

/**
 * struct graph_cpu - one CPU of one buffer
 * @last: the task whose selected record came last; NULL: none yet
 * @shown: a line has shown that @pid runs here
 * @lost, @lost_some: not shown yet: events, and others that nobody counted; @lost_at: the last of
 *                    these before this time stamp
 * @missing: not shown yet: the rest of its events is, from @lost_at on
 */
struct graph_cpu {
	struct graph_stack *last;
	bool shown;
	int pid;
	uint64_t lost, lost_at;
	bool lost_some, missing;
};

struct graph_cpus {
	struct graph_cpu *v;
	size_t n;
};

/** enum graph_kind - what records of a type are */
enum graph_kind { GRAPH_UNKNOWN, GRAPH_OTHER, GRAPH_ENTRY, GRAPH_EXIT };

/**
 * struct graph_type - by index of the recording's types; fields that it does not have are NULL
 * @begins, @ends: pairs, see their @next_begin and @next_end
 */
struct graph_type {
	enum graph_kind kind;
	const struct tfs_field *func, *depth, *calltime, *rettime, *retval, *retaddr, *args;
	struct graph_pair *begins, *ends;
};

/**
 * struct graph_end - how a call ended
 * @loss: events were lost on its CPU, its end perhaps among them
 * @known: false: nobody knows when, @duration and what follows have no meaning
 * @counts: @duration is between two stamps of a clock that does not count ns
 * @from, @to: by the clock of durations; 0: not recorded
 * @has_value: @value is what it returned; @text: the same of a pair, or NULL
 */
struct graph_end {
	uint64_t ts;
	uint32_t cpu;
	bool known, counts, has_value, loss;
	uint64_t duration, from, to;
	uint64_t value;
	const char *text;
};

/**
 * struct tfs_graph - see view/graph.h
 * @cut: not all calls are asked for
 * @begun: something was written; @is_text: a latency tracer's
 * @lone_events: other events are shown also when nothing is open
 * @out: where text goes at the moment
 * @now: time stamp of the last record
 * @types: of each type of the recording
 * @pair: one for each of @pairs
 * @bucket: the table of stacks: @n_buckets, a power of two
 * @cpus: of each buffer
 * @held: bytes that all stacks hold; @written: lines of task @pid were written last (by_task)
 * @text: one event's; @line: what is being made
 * @unfinished, @unbegun: calls of the summary
 */
struct tfs_graph {
	struct tfs_view view;
	struct tfs_trace *trace;
	struct tfs_strbuf *out;
	struct tfs_graph_opts opts;
	bool cut, begun, lone_events, is_text;
	uint64_t now;
	struct graph_type *types;
	struct tfs_pairs pairs;
	struct graph_pair *pair;
	struct graph_funcs funcs;
	struct graph_stack **bucket;
	size_t n_buckets, n_stacks;
	struct graph_cpus *cpus;
	size_t n_buffers;
	struct tfs_event_text *event_text;
	size_t held;
	bool written;
	int pid;
	struct tfs_strbuf text, line;
	uint64_t unfinished, unbegun;
};

/* view/graph-funcs.c: functions by address and by name */

void tfs_graph_funcs_release(struct graph_funcs *funcs);
/** tfs_graph_func_at() - the one that holds @addr; NULL: no memory */
struct graph_func *tfs_graph_func_at(struct tfs_graph *g, uint64_t addr);
/** tfs_graph_func_named() - the one of that name, of a pair; NULL: no memory */
struct graph_func *tfs_graph_func_named(struct tfs_graph *g, const char *name);
/** tfs_graph_func_event() - a system call that begins with records of @type. 0 or -ENOMEM */
int tfs_graph_func_event(struct tfs_graph *g, struct graph_func *f,
			 const struct tfs_event_type *type);

/* view/graph-stacks.c: tables of tasks and CPUs */

/** tfs_graph_stack() - find or make; NULL: no memory */
struct graph_stack *tfs_graph_stack(struct tfs_graph *g, const struct graph_key *key);
/** tfs_graph_stack_drop() - forget one that is empty */
void tfs_graph_stack_drop(struct tfs_graph *g, struct graph_stack *st);
void tfs_graph_stacks_free(struct tfs_graph *g);
/** tfs_graph_cpu() - NULL: no memory, or a number that no CPU has */
struct graph_cpu *tfs_graph_cpu(struct tfs_graph *g, uint32_t buffer, uint32_t cpu);
/** tfs_graph_stacks_each() - @call each, until one fails; in no order */
int tfs_graph_stacks_each(struct tfs_graph *g,
			  int (*call)(struct tfs_graph *g, struct graph_stack *st,
				      const void *context),
			  const void *context);

/* view/graph-calls.c: what is open */

/**
 * tfs_graph_enter() - a call begins
 * @call: @func, @pair, @depth (of function_graph) and @from are set; takes over @args, also when it
 *        fails
 */
int tfs_graph_enter(struct tfs_graph *g, struct graph_stack *st, struct graph_call *call,
		    const struct tfs_event *event);
/** tfs_graph_leave() - a call ends: of @like, whose @func, @pair and @depth are set */
int tfs_graph_leave(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *like,
		    struct graph_end *end, const struct tfs_event *event);
/** tfs_graph_comment() - another event, while @st's calls are open; its text is in @g->text */
int tfs_graph_comment(struct tfs_graph *g, struct graph_stack *st, const struct tfs_event *event);
/** tfs_graph_abandon() - everything open ends unfinished */
int tfs_graph_abandon(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end);
/** tfs_graph_is_visible() - is the call one of those that are shown? */
static inline bool tfs_graph_is_visible(const struct graph_call *call)
{
	return call->inside && !call->hidden && !call->other;
}
/** tfs_graph_end_syscalls() - the task is in another system call, or in none: open ones are over */
int tfs_graph_end_syscalls(struct tfs_graph *g, struct graph_stack *st, enum tfs_pair_syscall kind,
			   const struct tfs_event *event);
/** tfs_graph_last() - the call that was opened last; there is one */
static inline struct graph_call *tfs_graph_last(const struct graph_stack *st)
{
	return &st->v[st->n - 1];
}

/* view/graph-text.c: lines */

/** tfs_graph_draw_open() - the first lines of all open calls that have none yet */
int tfs_graph_draw_open(struct tfs_graph *g, struct graph_stack *st);
/** tfs_graph_draw_end() - the last line of the innermost call, its only one if it has none yet */
int tfs_graph_draw_end(struct tfs_graph *g, struct graph_stack *st, const struct graph_end *end);
/** tfs_graph_draw_unbegun() - the end of a call whose beginning was not seen */
int tfs_graph_draw_unbegun(struct tfs_graph *g, struct graph_stack *st,
			   const struct graph_call *call, const struct graph_end *end);
int tfs_graph_draw_comment(struct tfs_graph *g, struct graph_stack *st, const struct graph_call *at,
			   const struct tfs_event *event);
/** tfs_graph_draw_lost() - events lost on all CPUs since the last report of it */
int tfs_graph_draw_lost(struct tfs_graph *g);
/** tfs_graph_write_held() - what @st holds, under its task's name */
int tfs_graph_write_held(struct tfs_graph *g, struct graph_stack *st);

/** TFS_GRAPH_VALUE - room for tfs_graph_value() */
#define TFS_GRAPH_VALUE 24
/** tfs_graph_value() - what a function returned: errors as negative numbers, else in hexadecimal */
void tfs_graph_value(uint64_t value, char text[TFS_GRAPH_VALUE]);

/* view/graph-export.c: a row a call */

/** tfs_graph_export_call() - a call that is over; @unbegun: its beginning was not seen */
int tfs_graph_export_call(struct tfs_graph *g, const struct graph_stack *st,
			  const struct graph_call *call, const struct graph_end *end, bool unbegun);
/** tfs_graph_export_loss() - events lost on all CPUs since the last report of it */
int tfs_graph_export_loss(struct tfs_graph *g);

/* view/graph-sum.c: the table */

/**
 * tfs_graph_sum_add() - a call that ended, @end->known
 * @self: NULL: not known; @again: the function is open further out, too
 */
void tfs_graph_sum_add(struct graph_func *f, const struct graph_end *end, const uint64_t *self,
		       bool again);
int tfs_graph_sum_put(struct tfs_graph *g);

#endif
