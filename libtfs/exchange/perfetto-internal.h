/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_EXCHANGE_PERFETTO_INTERNAL_H
#define TFS_EXCHANGE_PERFETTO_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"
#include "base/strbuf-core.h"
#include "decode/value.h"
#include "exchange/packets.h"
#include "exchange/perfetto.h"
#include "exchange/proto.h"
#include "pipeline/view.h"

struct perfetto_calls;
struct perfetto_stacks;
struct tfs_event_text;
struct tfs_event_type;
struct tfs_field;
struct tfs_out_file;
struct tfs_spans;
struct tfs_symbolize;

/* Readers refuse a file with CPUs from here on. */
#define PERFETTO_CPUS 1024
/* Numbers of events that are described in the file */
#define PERFETTO_GENERIC_FIRST 65536
#define PERFETTO_GENERIC_LAST 131072
/* Fields of an event, in a bundle and in itself */
enum { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3, BUNDLE_DESCRIPTOR = 11 };
enum { EVENT_TIMESTAMP = 1, EVENT_PID = 2 };
/* Messages of events that are written in place of others, or made up */
enum {
	MESSAGE_PRINT = 3,
	MESSAGE_SCHED_SWITCH = 4,
	MESSAGE_SCHED_WAKING = 20,
	MESSAGE_SYS_ENTER = 329,
	MESSAGE_SYS_EXIT = 330,
	MESSAGE_FUNCGRAPH_EXIT = 438,
};

/**
 * enum perfetto_rule_kind - how a field is written
 * @PERFETTO_NUMBER: as it is
 * @PERFETTO_NUMBERS: an array, each a field of its own
 * @PERFETTO_STRING: text up to a zero
 * @PERFETTO_SYMBOL: an address, as the number of an interned name
 * @PERFETTO_NAME: the same as text
 * @PERFETTO_TEXT: any value as tc-report prints it
 * @PERFETTO_DEVICE: "8,0"
 * @PERFETTO_RECORDER: the task that recorded the event
 * @PERFETTO_REST: this field and those after it as "name=value name=value"
 */
enum perfetto_rule_kind {
	PERFETTO_NUMBER,
	PERFETTO_NUMBERS,
	PERFETTO_STRING,
	PERFETTO_SYMBOL,
	PERFETTO_NAME,
	PERFETTO_TEXT,
	PERFETTO_DEVICE,
	PERFETTO_RECORDER,
	PERFETTO_REST,
};

struct perfetto_rule {
	enum perfetto_rule_kind kind;
	uint32_t number;
	const struct tfs_field *field;
};

/**
 * enum perfetto_event_kind - what else there is to know of an event
 * @PERFETTO_PLAIN: nothing
 * @PERFETTO_NOTHING: it is not written
 * @PERFETTO_WAKING, @PERFETTO_WAKEUP: the latter takes the place of the former if that was not
 *	recorded
 * @PERFETTO_CALL, @PERFETTO_RETURN: of function_graph
 * @PERFETTO_ENTER, @PERFETTO_EXIT: a system call; two events may be of the same call
 * @PERFETTO_PRINT: an event whose text is the message
 */
enum perfetto_event_kind {
	PERFETTO_PLAIN,
	PERFETTO_NOTHING,
	PERFETTO_WAKING,
	PERFETTO_WAKEUP,
	PERFETTO_CALL,
	PERFETTO_RETURN,
	PERFETTO_ENTER,
	PERFETTO_EXIT,
	PERFETTO_PRINT,
};

/**
 * struct perfetto_type - how events of a type are written
 * @message: the field that its message is of an event
 * @generic: the file has to describe it; @described: it does
 * @by_name: a system call's event of its own (syscalls:sys_enter_read)
 * @other: for PERFETTO_ENTER and _EXIT: how a second event of the same call is written; owned
 * @func, @depth: of a call
 * @rule: @n fields
 */
struct perfetto_type {
	enum perfetto_event_kind kind;
	uint32_t message;
	bool generic, described, by_name;
	struct perfetto_type *other;
	const struct tfs_field *func, *depth;
	size_t n;
	struct perfetto_rule rule[];
};

/**
 * struct perfetto_cpu - a CPU's bundle, and what was interned for it
 * @events, @described, @interned: fields of the bundle, and of the packet's interned data
 * @symbols: by address; the entry is the number
 * @last: stamps of the last events of each buffer; 0: none
 * @lost: events were lost before this bundle
 * @call: the last event of a system call
 * @running: the task that the last sched_switch of @buffer put on; not @known: there was none, or
 *	events were lost since
 * @open: tasks last seen here, with open calls
 */
struct perfetto_cpu {
	struct tfs_sequence sequence;
	struct tfs_proto events, described, interned;
	struct tfs_hashmap symbols;
	uint64_t *last;
	bool lost;
	struct {
		int pid;
		uint64_t id;
		bool enter, by_name, any;
	} call;
	struct {
		bool known;
		uint32_t buffer;
		uint64_t pid, prio;
		char comm[16];
		size_t size;
	} running;
	struct perfetto_calls *open;
};

/**
 * struct perfetto_loss - events lost on a CPU of a buffer, between two time stamps; if they are
 *	@missing, its last ones
 */
struct perfetto_loss {
	uint32_t cpu, buffer;
	uint64_t begin, end;
	int64_t count; /* or TFS_LOST_UNKNOWN */
	bool missing;
};

/** struct perfetto_counts - what the file contains, and what it does not */
struct perfetto_counts {
	uint64_t events, losses, lost, missing;
	uint64_t unknown, far_cpus, woken, cut, unmatched, deep, made;
	uint64_t samples, sampled_ns, stacks, spans;
	bool uncounted;
};

/**
 * struct perfetto_machine - a recording
 * @id: of several; 0: it is the only one
 * @types: by index of the type; NULL: not met yet
 * @cpus: by number, up to @n_cpus; NULL: without events
 * @tasks: open calls of function_graph (struct perfetto_calls), by task
 * @full: bytes from which on a bundle is written
 * @symbolize: its tasks; NULL: not known
 * @own_tracks: tracks of threads and pairs that were described
 * @own_syscalls: readers have no names for its system calls
 * @waking: sched_waking was met
 * @missing: the last events of CPUs, to be written at the end
 * @has_loss_tracks: the track that has those of the CPUs below it was described
 */
struct perfetto_machine {
	struct tfs_trace *trace;
	const char *file;
	uint32_t id;
	size_t input;
	struct perfetto_type **types;
	size_t n_types;
	struct perfetto_cpu **cpus;
	size_t n_cpus, cpus_alloc;
	struct tfs_hashmap tasks;
	struct tfs_sequence meta, tracks, samples;
	struct tfs_hashmap loss_tracks, own_tracks;
	const struct tfs_symbolize *symbolize;
	struct tfs_dat_recorder *recorder;
	struct tfs_event_text *text;
	size_t full;
	bool own_syscalls, waking, has_loss_tracks;
	uint64_t uuid;
	struct perfetto_loss *missing;
	size_t n_missing, alloc_missing;
	struct perfetto_counts counts;
};

/**
 * struct perfetto - the view
 * @next: number of the next event that the file describes
 * @values: of the fields of the event that is being written
 * @scratch: text of values; @event_text: of an event
 * @last: the last time stamp
 */
struct perfetto {
	struct tfs_view view;
	struct tfs_out_file *file;
	struct tfs_packets *packets;
	unsigned int flags;
	struct perfetto_machine *machine;
	size_t n;
	struct perfetto_stacks *stacks;
	struct tfs_spans *spans; /* NULL: none are of interest */
	const void **syscalls;   /* of the spans */
	bool usual_pairs;        /* none were asked for */
	uint32_t next;
	struct tfs_value *values;
	size_t n_values;
	struct tfs_strbuf scratch, event_text;
	bool begun;
	uint64_t last;
};

/* perfetto-types.c */

/** tfs_perfetto_type() - how events of @type are written, found out once; 0 or -ENOMEM */
int tfs_perfetto_type(struct perfetto *pf, struct perfetto_machine *m,
		      const struct tfs_event_type *type, struct perfetto_type **out);
void tfs_perfetto_type_free(struct perfetto_type *t);

/* perfetto-event.c */

/** tfs_perfetto_event() - append an event to its CPU's bundle; 0 or -ENOMEM */
int tfs_perfetto_event(struct perfetto *pf, struct perfetto_machine *m, struct perfetto_cpu *cpu,
		       struct perfetto_type *t, const struct tfs_event *event);
/** tfs_perfetto_symbol() - number of the interned name of a kernel address; 0: no memory */
uint64_t tfs_perfetto_symbol(struct perfetto_machine *m, struct perfetto_cpu *cpu, uint64_t addr);

/* perfetto-calls.c */

/** tfs_perfetto_call() - a call begins; 0; 1: too deep to be written; -ENOMEM */
int tfs_perfetto_call(struct perfetto_machine *m, const struct perfetto_type *t,
		      const struct tfs_event *event);
/**
 * tfs_perfetto_return() - a call ends; those in it that are open still end with it
 * Return: 1: write its end; 0: its beginning is not in the file; -ENOMEM.
 */
int tfs_perfetto_return(struct perfetto_machine *m, const struct perfetto_type *t,
			const struct tfs_event *event);
/** tfs_perfetto_cut() - end the calls of tasks last seen on @cpu at @ts */
int tfs_perfetto_cut(struct perfetto_machine *m, struct perfetto_cpu *cpu, uint64_t ts);
void tfs_perfetto_calls_release(struct perfetto_machine *m);

/* perfetto-meta.c */

/** tfs_perfetto_knows_syscalls() - do readers have names for the machine's system calls? */
bool tfs_perfetto_knows_syscalls(const struct perfetto_machine *m);

/** tfs_perfetto_begin() - the packets at the beginning of a file, from the first time stamp on */
int tfs_perfetto_begin(struct perfetto *pf, uint64_t ts);
/** tfs_perfetto_finish() - those at its end: statistics, what is not in the file */
int tfs_perfetto_finish(struct perfetto *pf);

/* perfetto-tracks.c */

int tfs_perfetto_loss(struct perfetto *pf, struct perfetto_machine *m,
		      const struct perfetto_loss *loss);

/* perfetto-stacks.c */

/** tfs_perfetto_stacks_new() - 0 or -ENOMEM; *@out is to be freed in any case */
int tfs_perfetto_stacks_new(struct perfetto *pf, const struct tfs_perfetto_opts *opts,
			    struct perfetto_stacks **out);
void tfs_perfetto_stacks_free(struct perfetto_stacks *s);
/** tfs_perfetto_stacks_event() - each event, whether selected or not; 0 or -errno */
int tfs_perfetto_stacks_event(struct perfetto_stacks *s, const struct tfs_event *event);
void tfs_perfetto_stacks_lost(struct perfetto_stacks *s, const struct tfs_event *event);
int tfs_perfetto_stacks_end(struct perfetto_stacks *s);
/** tfs_perfetto_stacks_cut() - frames for which there was no room */
uint64_t tfs_perfetto_stacks_cut(const struct perfetto_stacks *s);

/* perfetto-spans.c */

/** tfs_perfetto_spans_new() - makes @pf->spans; see tfs_spans_new() */
int tfs_perfetto_spans_new(struct perfetto *pf, const struct tfs_perfetto_opts *opts,
			   struct tfs_err *err);
/** tfs_perfetto_tgid() - the process of a thread; -1: not known */
int tfs_perfetto_tgid(const struct perfetto_machine *m, int tid, uint64_t ts);
/** tfs_perfetto_thread_uuid() - of a thread's track */
uint64_t tfs_perfetto_thread_uuid(const struct perfetto_machine *m, int tid);
/** tfs_perfetto_thread_track() - describe it, once; @tgid -1: its process is not known */
int tfs_perfetto_thread_track(struct perfetto *pf, struct perfetto_machine *m, int tid, int tgid,
			      const char *comm);
/** tfs_perfetto_put_instant() - an event that is no more than a stack, on the track @uuid */
void tfs_perfetto_put_instant(struct tfs_proto *p, uint64_t uuid, const struct tfs_event_type *type,
			      uint64_t callstack);

/* perfetto.c */

/** tfs_perfetto_cpu() - a CPU of a machine; made if it is new; 0 or -ENOMEM */
int tfs_perfetto_cpu(struct perfetto_machine *m, uint32_t number, struct perfetto_cpu **out);

#endif
