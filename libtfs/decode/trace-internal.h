/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_TRACE_INTERNAL_H
#define TFS_DECODE_TRACE_INTERNAL_H

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <event-parse.h>

#include "printfmt/env.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

struct tfs_dat_constants;
struct tfs_dat_values;
struct tfs_fgraph;
struct tfs_fields;
struct tfs_compat;
struct tfs_guests;
struct tfs_native;
struct tfs_event_flag;
struct tfs_patch;
struct tfs_printks;
struct tfs_program;
struct tfs_symbols;

/** TFS_EVENT_IDS - common_type has 16 bits */
#define TFS_EVENT_IDS 65536

/** TFS_EVENT_SPAN_MAX - fields further from a record's start than this belong to a broken format */
#define TFS_EVENT_SPAN_MAX 65536

/**
 * TFS_SCRATCH_SIZE - what libtraceevent may touch from a record's first byte: a dynamic field's
 * offset and its length have 16 bits each and are not always compared with the record's size
 */
#define TFS_SCRATCH_SIZE (2 * 65536 + 64)

/**
 * struct tfs_event_type - one event of the recording
 * @tep: libtraceevent's view; NULL until tfs_trace_event() needs it, and when it cannot be parsed
 * @program: its print format, compiled; NULL: libtraceevent prints it, @refused says why
 * @native: prints it without libtraceevent; NULL: does not
 * @all: all its fields, for -R or because its print format cannot be parsed; NULL: libtraceevent
 * @column: " name: " padded as reports print it, and its length
 * @room: bytes that this and what @program prints take at most, as far as can be known
 * @parsed: @tep was tried; @ready: and what prints it was made
 * @handled: and a plugin prints it, not its print format or -R
 * @relaid: @program prints what a plugin would, in its layout; @native, where it cannot
 * @risky: see tfs_printfmt_risky()
 * @padded: its text ends in lines of zeros, which are left out
 * @looks_up: printing it may look up symbols
 * @id: common_type
 * @bytes: what tfs_program_bytes() last gave for @all; the feeder's
 * @span: bytes of a record that its fixed fields reach
 * @least: bytes a record must have: a field without a size takes what is left behind its offset
 * @system, @name: borrowed from the file, and @name_len
 * @format: its format text; NULL for the made-up blktrace event
 * @fields: how to read its fields without libtraceevent; NULL while @tep is
 * @patches: what must be changed in a copy of the record before libtraceevent prints it
 *
 * What is looked at for every record comes first, that it be near.
 */
struct tfs_event_type {
	struct tep_event *tep;
	struct tfs_program *program;
	struct tfs_native *native;
	struct tfs_program *all;
	char *column;
	size_t column_len, room;
	bool parsed, ready, handled, plain;
	bool relaid;
	bool risky, looks_up, padded;
	int id;
	uint64_t bytes;
	unsigned int span, least;
	const char *system;
	const char *name;
	size_t name_len;
	const struct tfs_dat_format *format;
	struct tfs_fields *fields;
	const char *refused;
	struct tfs_patch *patches;
};

/**
 * struct tfs_trace - see decode/trace.h
 * @types: @n_types events in file order
 * @n_parsed: of them, those that a record asked for
 * @by_id: index into @types plus one, 0 for none; TFS_EVENT_IDS entries, none above @max_id
 * @common: offsets and sizes of the common fields, the same for all events of a file
 * @env: what all formats have in common; looks up @symbols and @printks
 * @inert: see tfs_trace_set_inert()
 * @repeat_time: how func_repeats events show their last time stamp, "%precision.divisord" as
 *	tep_print_event() takes it; NULL: as the plugin does
 * @repeat_time_of_plugin: where libtraceevent's function plugin has it for all recordings: set
 *	under the lock before each event; NULL: that plugin is not loaded
 * @values: what the numbers of probes mean; NULL: nothing is known
 * @starved: see tfs_trace_end_library()
 * @lock: see tfs_trace_lock(); @turns: the lock that is taken, this one or another recording's
 * @flagged: @n_flagged rules: which events are not printed as usual
 * @guests: what it ran, see decode/guests.h; NULL: nothing that is shown
 * @kernel: texts as the kernel's (struct tfs_trace_opts)
 * @compat: see struct tfs_trace_opts
 * @kallsyms: text of one more file of symbols, borrowed; NULL for none
 * @scratch: copy of the record being printed; @scratch_used bytes of it are not zero
 */
struct tfs_trace {
	struct tfs_dat *dat;
	struct tep_handle *tep;
	struct tep_plugin_list *plugins;
	struct tfs_event_type *types;
	size_t n_types, n_parsed;
	uint32_t *by_id;
	int max_id;
	bool symbols_loaded, kernel;
	const char *kallsyms;
	struct tfs_event_flag *flagged;
	size_t n_flagged;
	struct {
		unsigned int type_off, type_size;
		unsigned int pid_off, pid_size;
		unsigned int flags_off, flags_size;
		unsigned int pc_off, pc_size;
		bool standard; /* as every kernel has them, in this machine's byte order */
		/* A count behind the flags, shown @counts times. */
		unsigned int depth_off, depth_size, counts;
	} common;
	struct tfs_format_env env;
	bool show_fields, inert, compat;
	const char *repeat_time, **repeat_time_of_plugin;
	atomic_bool starved;
	struct tfs_fgraph *fgraph;
	struct tfs_compat *machine;
	struct tfs_guests *guests;
	struct tfs_symbols *symbols;
	struct tfs_printks *printks;
	struct tfs_dat_constants *constants;
	struct tfs_dat_values *values;
	bool own_symbols_loaded;
	pthread_mutex_t lock, *turns;
	char *scratch;
	size_t scratch_used;
};

/** tfs_trace_load_symbols() - give libtraceevent the kallsyms, once; slow, so only when needed */
void tfs_trace_load_symbols(struct tfs_trace *trace);

/**
 * tfs_trace_lock() - for everything that calls into libtraceevent while a report runs
 *
 * It keeps state: parsers' globals, tables that are sorted when first asked, what plugins note.
 * Looking at an event that is parsed needs no lock.
 */
void tfs_trace_lock(struct tfs_trace *trace);
void tfs_trace_unlock(struct tfs_trace *trace);

/**
 * tfs_trace_begin_library(), tfs_trace_end_library() - around calls of libtraceevent
 *
 * It goes on when memory runs out, and shows other text: only errno tells. Return: false when that
 * happened, which is kept in @trace->starved.
 */
static inline void tfs_trace_begin_library(void)
{
	errno = 0;
}

static inline bool tfs_trace_end_library(struct tfs_trace *trace)
{
	if (errno != ENOMEM)
		return true;
	trace->starved = true;
	return false;
}

/** TFS_USUAL_HEAD - bytes of the common fields that all kernels have: type, flags, count, pid */
#define TFS_USUAL_HEAD 8

/**
 * tfs_trace_head() - the common fields of a record that is long enough for them
 * @flags: as tfs_trace_record_flags()
 *
 * For the hot path. Return: false where they have to be read one by one (decode/types.h).
 */
static inline bool tfs_trace_head(const struct tfs_trace *trace, const struct tfs_record *rec,
				  int *id, unsigned int *flags, int *pid)
{
	uint64_t head;

	_Static_assert(sizeof(head) == TFS_USUAL_HEAD, "type, flags, count, pid");
	if (!trace->common.standard || rec->size < sizeof(head))
		return false;
	memcpy(&head, rec->data, sizeof(head));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		*id = head & 0xffff;
		*flags = head >> 16 & 0xffff;
		*pid = (int32_t)(head >> 32);
	} else {
		*id = (int)(head >> 48);
		*flags = (head >> 40 & 0xff) | (head >> 32 & 0xff) << 8;
		*pid = (int32_t)head;
	}
	return true;
}

/**
 * tfs_trace_ready() - the event that tfs_trace_head() gave the id of, when it was met before
 *
 * For the hot path. Return: NULL when tfs_trace_event() has to be asked.
 */
static inline struct tfs_event_type *tfs_trace_ready(const struct tfs_trace *trace, int id)
{
	uint32_t index = trace->by_id[id];
	struct tfs_event_type *type = &trace->types[index - 1];

	return index && type->ready ? type : NULL;
}

#endif
