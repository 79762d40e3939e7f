/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_SPAN_INTERNAL_H
#define TFS_SPAN_SPAN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hashmap.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "decode/event.h"
#include "span/irq-text.h"
#include "span/pairs.h"
#include "span/span.h"

struct tfs_dat_recorder;
struct tfs_field;

/** SPAN_COMM - bytes of a task's name in sched events */
#define SPAN_COMM 16
/** SPAN_UNSEEN - of a task in a CPU's missing rest: it is known from when it is met again */
#define SPAN_UNSEEN UINT64_MAX
/** SPAN_NO_NAME - no name_id */
#define SPAN_NO_NAME UINT32_MAX
/** SPAN_NO_CALL - a number that no system call has */
#define SPAN_NO_CALL INT64_MIN
/** SPAN_NO_NR - the same in 32 bits, also of numbers that have more */
#define SPAN_NO_NR INT32_MIN
/** SPAN_OPEN_MAX - so many spans are open at once in a row only where ends are missing */
#define SPAN_OPEN_MAX 4096

/**
 * enum span_abi - whose numbers the system calls of a task have
 * @SPAN_ABI_OWN: the recording's own, as far as is known
 * @SPAN_ABI_COMPAT: those of programs of 32 bits
 * @SPAN_ABI_CHILD: those, if it turns out to be the task that one of 32 bits has created
 */
enum span_abi { SPAN_ABI_OWN, SPAN_ABI_COMPAT, SPAN_ABI_CHILD };

/** enum span_role - what records of a type mean to the model, besides to pairs */
enum span_role {
	SPAN_UNKNOWN, /* not looked at yet */
	SPAN_NO_ROLE,
	SPAN_SWITCH,
	SPAN_WAKING,
	SPAN_WAKEUP,
	SPAN_WAKEUP_NEW,
	SPAN_MIGRATE,
	SPAN_IRQ_ENTRY, /* irq_handler_* */
	SPAN_IRQ_EXIT,
	SPAN_VECTOR_ENTRY, /* irq_vectors:*, ipi:* */
	SPAN_VECTOR_EXIT,
	SPAN_SOFTIRQ_ENTRY,
	SPAN_SOFTIRQ_EXIT,
	SPAN_SYS_ENTER,
	SPAN_SYS_EXIT,
	SPAN_RAW_ENTER,
	SPAN_RAW_EXIT,
	SPAN_CALL_ENTRY,
	SPAN_CALL_EXIT,
};

/** struct span_field - a number at a fixed place; @size 0: there is none */
struct span_field {
	uint16_t offset;
	uint8_t size;
	bool is_signed, big;
};

/** struct span_label - what a number is called in a print format: { 0x1, "S" } */
struct span_label {
	uint64_t value;
	char text[24];
};

struct span_labels {
	struct span_label *v;
	size_t n, alloc;
};

/**
 * struct span_type - by index of a recording's types
 * @field: what the role reads
 * @text: a string that it reads as well, NULL: none
 * @comm: names of tasks at fixed places, @size 0: none
 * @labels: of softirqs and task states
 * @name: of vectors and of system calls
 * @begins, @ends: pairs, chained by their next_begin and next_end
 */
struct span_type {
	enum span_role role;
	uint32_t name;
	struct span_field field[4];
	const struct tfs_field *text;
	struct span_text {
		uint16_t offset, size;
	} comm[2];
	struct span_labels labels;
	struct span_pair *begins, *ends;
};

/** struct span_pair - a pair of one recording; @id: of the same pair in all of them */
struct span_pair {
	const struct tfs_pair *as;
	uint32_t id, name;
	bool nests; /* ends of what is inside were missed when it ends */
	struct span_pair *next_begin, *next_end;
};

/** struct span_kept - a copy of the record that something began with */
struct span_kept {
	struct tfs_span_record rec;
	uint64_t data[];
};

/**
 * struct span_open - a span that has begun
 * @flags: of the span; @key: what its end has to have: irq, vector, pair, address of a function
 * @children: ns of calls that it made; @level: depth that the kernel recorded; @late, @hardirq: see
 *	span/span-graph.c
 */
struct span_open {
	uint64_t begin, key, children;
	uint32_t name;
	int cpu, tid, level;
	uint16_t depth;
	uint8_t flags, kind;
	bool late, hardirq;
	struct span_kept *kept;
};

struct span_stack {
	struct span_open *v;
	size_t n, alloc;
};

/** struct span_link - in the list of what was last seen on a CPU */
struct span_link {
	struct span_link *prev, *next;
};

/**
 * struct span_calls - what a task has called
 * @call: the system call, if @in_call; @raw: its event is one of raw_syscalls
 * @ended, @ended_raw: number of the system call that ended last, SPAN_NO_CALL once that was used
 * @idle_since: when the last of all of them ended
 * @next: of those that no task uses
 */
struct span_calls {
	struct span_calls *next;
	struct span_stack graph, pairs;
	struct span_open call;
	uint64_t idle_since;
	int64_t nr, ended;
	bool in_call, raw, named, ended_raw;
};

/**
 * struct span_task - a task of one buffer; there may be a million of them
 * @since: @state lasts since then
 * @seen: known since then: its first event, or (@was_cut) the end of a gap
 * @flags: of the state's span
 * @has_comm: @name is from an event of sched
 * @abi: enum span_abi
 * @was_up: the sched_wakeup that belongs to the last sched_waking was met
 * @cpu: where it was last seen, whose list @link is in; NULL: nowhere yet
 * @calls: NULL while nothing is open; then @ended (SPAN_NO_NR: SPAN_NO_CALL), @ended_raw and
 *	@idle_since are those of struct span_calls
 */
struct span_task {
	struct span_link link;
	struct span_cpu *cpu;
	uint64_t since, seen;
	int pid;
	uint32_t name;
	uint8_t state, flags;
	bool was_cut : 1, has_comm : 1, ended_raw : 1;
	uint8_t abi : 2, was_up : 1;
	int32_t ended;
	uint64_t idle_since;
	struct span_calls *calls;
	struct span_kept *kept;
};

/**
 * struct span_cpu - a CPU of one buffer
 * @missing: the rest of its events is
 * @last: time stamp of its last event; @known: it is known what happens since then
 * @cur: who runs since @run_begin; NULL: not known
 * @tasks, @async: last seen here, begun here: heads of lists
 */
struct span_cpu {
	int nr;
	bool seen, missing;
	uint64_t last, known;
	struct span_task *cur;
	uint64_t run_begin;
	unsigned int run_flags;
	struct span_kept *run_kept;
	struct span_task idle;
	struct span_stack irqs;
	struct span_link tasks, async;
};

/**
 * struct span_scope - a buffer of a recording
 * @cpus: by number, @n_cpus; NULL: not met
 * @tasks: all, in @by_pid those that live; @spare: the first of dead ones, to be used again
 * @async: open pairs with keys, by pair and key
 * @woken: wakeups were recorded; @missing: time from which on some are missing, UINT64_MAX: none
 * @more_cpus_from: CPUs from this number on are missing, if there are any; SIZE_MAX: there are none
 * @cloner: the task of 32 bits that last created another, or 0
 * @waking: sched_waking was recorded; @switches: sched_switch was, so that states can be known
 * @first, @last: time stamps; @any: they are set
 */
struct span_scope {
	uint32_t input, buffer;
	struct span_cpu **cpus;
	size_t n_cpus;
	struct tfs_pool tasks;
	struct tfs_idmap by_pid;
	uint32_t spare;
	int cloner;
	struct tfs_hashmap async;
	bool waking, woken, switches, any;
	uint64_t first, last, missing;
	size_t more_cpus_from;
};

/**
 * struct span_input - a recording; @has_irq_text: @irq_text was looked for
 * @recorder: its threads; NULL: not known
 */
struct span_input {
	struct tfs_trace *trace;
	struct tfs_dat_recorder *recorder;
	struct span_type *types;
	size_t n_types;
	struct tfs_pairs pairs;
	struct span_pair *pair;
	struct span_scope *scopes;
	size_t n_scopes;
	struct tfs_irq_text irq_text;
	bool has_irq_text;
};

/** struct span_slots - of a pair with keys: which depths are taken */
struct span_slots {
	uint64_t *taken;
	size_t n;
};

struct tfs_spans {
	struct tfs_spans_opts opts;
	unsigned int kinds;
	struct span_input *inputs;
	struct tfs_spans_counts counts;
	/* names: by text; @names: by number, in blocks; @memo: by what they were made from */
	struct tfs_idmap by_name;
	const char **names;
	size_t n_names, alloc_names;
	struct span_block *block;
	struct tfs_hashmap memo;
	uint32_t none; /* of "" */
	/* pairs by number, their texts and slots */
	const char **pair_names;
	struct span_slots *slots;
	size_t n_pairs, alloc_pairs, alloc_slots;
	/* calls that no task uses */
	struct span_calls *spare;
	/* calls around the span that is handed over; NULL: it is none of function_graph */
	const struct span_stack *around;
};

/** struct span_at - an event and where it belongs */
struct span_at {
	const struct tfs_event *event;
	struct span_input *input;
	struct span_scope *scope;
	struct span_cpu *cpu;
	const struct span_type *type;
	uint64_t ts;
};

/* span/span-emit.c */

/** tfs_span_number() - a field's value, signed ones extended; false: the record is too short */
static inline bool tfs_span_number(const struct tfs_event *event, struct span_field f,
				   uint64_t *value)
{
	const unsigned char *p = (const unsigned char *)event->rec.data + f.offset;
	uint64_t v = 0;

	if (!f.size || (uint32_t)f.offset + f.size > event->rec.size)
		return false;
	if (f.big || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
		for (unsigned int i = 0; i < f.size; i++)
			v |= (uint64_t)p[i] << 8 * (f.big ? f.size - 1 - i : i);
	} else if (f.size == 4) {
		uint32_t w;

		memcpy(&w, p, sizeof(w));
		v = w;
	} else {
		memcpy(&v, p, f.size);
	}
	if (f.is_signed && f.size < 8 && v >> (8 * f.size - 1))
		v |= UINT64_MAX << 8 * f.size;
	*value = v;
	return true;
}

/** tfs_span_wants() - are spans of the kind made? */
static inline bool tfs_span_wants(const struct tfs_spans *s, enum tfs_span_kind kind)
{
	return s->kinds & 1u << kind;
}

/**
 * tfs_span_emit() - hand over a span: what is common to all is filled in
 * @span: kind, flags, names, tasks, CPUs, begin, end and what is particular to the kind are set;
 *	if @end is before @begin it takes no time
 */
int tfs_span_emit(struct tfs_spans *s, const struct span_scope *scope, struct tfs_span *span);
/** tfs_span_record() - the event as a span's last record */
struct tfs_span_record tfs_span_record(const struct tfs_event *event);
/** tfs_span_keep() - a copy of the event if records of @kind are wanted, NULL else. 0 or -ENOMEM */
int tfs_span_keep(const struct tfs_spans *s, enum tfs_span_kind kind, const struct tfs_event *event,
		  struct span_kept **kept);
/** tfs_span_push() - open a span; takes over nothing if it fails. 0 or -ENOMEM */
int tfs_span_push(struct span_stack *st, const struct span_open *open);

/* span/span-names.c */

/** tfs_span_names_new() - no names yet. 0 or -ENOMEM */
int tfs_span_names_new(struct tfs_spans *s);
/** tfs_span_name() - the number of a text of @len bytes, up to its NUL. 0 or -ENOMEM */
int tfs_span_name(struct tfs_spans *s, const char *text, size_t len, uint32_t *id);
/** tfs_span_memo() - the name that was noted for @key; SPAN_NO_NAME: none */
uint32_t tfs_span_memo(const struct tfs_spans *s, uint64_t key);
/** tfs_span_note() - note a name for @key, which has none. 0 or -ENOMEM */
int tfs_span_note(struct tfs_spans *s, uint64_t key, uint32_t id);
/** tfs_span_labels() - the { number, "text" } of a print format. 0 or -ENOMEM */
int tfs_span_labels(const struct tfs_event_type *type, struct span_labels *out);
/** tfs_span_label() - NULL: the number has none */
const char *tfs_span_label(const struct span_labels *labels, uint64_t value);
void tfs_span_names_release(struct tfs_spans *s);

/* span/span-types.c: what records of a type mean */

/** tfs_span_learn() - fill in @t from @type. 0 or -ENOMEM */
int tfs_span_learn(struct tfs_spans *s, struct span_type *t, const struct tfs_event_type *type);

/* span/span-tasks.c */

/** tfs_span_task() - of a pid on a CPU, whose own the idle task is; made if new; NULL: no memory */
struct span_task *tfs_span_task(struct tfs_spans *s, const struct span_at *at, int pid);
/** tfs_span_task_seen() - the task is on @cpu, or about to be */
void tfs_span_task_seen(struct span_task *task, struct span_cpu *cpu);
/** tfs_span_task_unseen() - nobody knows on which CPU it is */
void tfs_span_task_unseen(struct span_task *task);
/** tfs_span_task_comm() - its name in a sched event, @size bytes. 0 or -ENOMEM */
int tfs_span_task_comm(struct tfs_spans *s, struct span_task *task, const char *comm, size_t size);
/** tfs_span_task_known() - its name from the recording, if sched events had none. 0 or -ENOMEM */
int tfs_span_task_known(struct tfs_spans *s, struct span_task *task, const struct tfs_event *event);
/** tfs_span_task_drop() - it is dead */
void tfs_span_task_drop(struct tfs_spans *s, struct span_scope *scope, struct span_task *task);
/** tfs_span_find_task() - the task of a pid that is not 0; NULL: not met yet, or dead */
struct span_task *tfs_span_find_task(const struct span_scope *scope, int pid);
/** tfs_span_tasks_release() - forget all tasks, with what they have open */
void tfs_span_tasks_release(struct tfs_spans *s, struct span_scope *scope);

/* Handlers of roles. 0, -ENOMEM, or what a callback returned */

int tfs_span_switch(struct tfs_spans *s, const struct span_at *at);
int tfs_span_waking(struct tfs_spans *s, const struct span_at *at, enum span_role role);
int tfs_span_migrate(struct tfs_spans *s, const struct span_at *at);
int tfs_span_irq(struct tfs_spans *s, const struct span_at *at);
int tfs_span_syscall(struct tfs_spans *s, const struct span_at *at);
int tfs_span_call(struct tfs_spans *s, const struct span_at *at);
int tfs_span_pairs(struct tfs_spans *s, const struct span_at *at);

/**
 * struct span_close - how what is open ends all at once
 * @flag: TFS_SPAN_CUT or TFS_SPAN_NO_END
 */
struct span_close {
	unsigned int flag;
	uint64_t ts;
	int cpu;
};

int tfs_span_close_run(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
		       const struct span_close *how);
int tfs_span_close_state(struct tfs_spans *s, const struct span_scope *scope,
			 struct span_task *task, const struct span_close *how);
int tfs_span_close_irqs(struct tfs_spans *s, const struct span_scope *scope, struct span_cpu *cpu,
			const struct span_close *how);
int tfs_span_close_calls(struct tfs_spans *s, const struct span_scope *scope,
			 struct span_task *task, const struct span_close *how);
int tfs_span_close_async(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
			 const struct span_close *how);
/** tfs_span_gap() - events were lost on @cpu */
int tfs_span_gap(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu,
		 const struct tfs_span_gap *gap);
/** tfs_span_missing() - the rest of @cpu's events is missing */
int tfs_span_missing(struct tfs_spans *s, struct span_scope *scope, struct span_cpu *cpu);
/** tfs_span_missing_gaps() - hand over such gaps; the recording is from @first to @last */
int tfs_span_missing_gaps(const struct tfs_spans *s, const struct span_scope *scope, uint64_t first,
			  uint64_t last);
/**
 * tfs_span_cut_task() - end what is open of it: it is in no known state
 * @known: when it is known again: a time, or SPAN_UNSEEN
 */
int tfs_span_cut_task(struct tfs_spans *s, struct span_scope *scope, struct span_task *task,
		      const struct span_close *how, uint64_t known);
/** tfs_span_close_scope() - nothing more comes */
int tfs_span_close_scope(struct tfs_spans *s, struct span_scope *scope);
/** tfs_span_calls_free() - also what is open in them, and those after them */
void tfs_span_calls_free(struct span_calls *calls);
void tfs_span_async_release(struct tfs_spans *s, struct span_scope *scope);

/** tfs_span_pairs_new() - the pairs of all recordings, noted in their types */
int tfs_span_pairs_new(struct tfs_spans *s, struct tfs_err *err);
void tfs_span_pairs_release(struct tfs_spans *s);

/* span/span-calls.c: depth of a task's rows */

/** tfs_span_depth() - where the next span of the task is drawn */
uint16_t tfs_span_depth(const struct span_calls *calls);
/**
 * tfs_span_unbegun() - where a span of the row begins if that was not recorded: when the task
 *	was first seen, but not before what is around it, nor over what ended since. At most @end
 */
uint64_t tfs_span_unbegun(const struct span_task *task, uint64_t end);
/** tfs_span_ended() - something in the task's row ended at @ts */
static inline void tfs_span_ended(struct span_calls *calls, uint64_t ts)
{
	if (calls->idle_since < ts)
		calls->idle_since = ts;
}
/** tfs_span_calls() - of a task; NULL: no memory. Used until tfs_span_calls_done() */
struct span_calls *tfs_span_calls(struct tfs_spans *s, struct span_task *task);
/** tfs_span_calls_done() - an event was dealt with: if nothing is open, the task needs them not */
void tfs_span_calls_done(struct tfs_spans *s, struct span_task *task);
/** tfs_span_end_graph() - durations of a call whose end was not recorded; @open is not in @calls */
void tfs_span_end_graph(const struct span_calls *calls, const struct span_open *open,
			struct tfs_span *span);
/**
 * tfs_span_end_call() - hand over a span of a task's row; frees what @open kept
 * @event: that it ends with; NULL: none
 */
int tfs_span_end_call(struct tfs_spans *s, const struct span_scope *scope,
		      const struct span_task *task, struct span_open *open,
		      const struct span_close *how, const struct tfs_event *event);

#endif
