/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_TRACE_INTERNAL_H
#define TFS_DECODE_TRACE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <event-parse.h>

#include "decode/event-type.h"
#include "decode/library.h"
#include "printfmt/env.h"
#include "tracedat/dat-read.h"
#include "tracedat/page.h"

struct tfs_dat_constants;
struct tfs_dat_values;
struct tfs_fgraph;
struct tfs_compat;
struct tfs_guests;
struct tfs_event_flag;
struct tfs_printks;
struct tfs_symbols;

/** TFS_EVENT_SPAN_MAX - fields further from a record's start than this belong to a broken format */
#define TFS_EVENT_SPAN_MAX 65536

/**
 * TFS_SCRATCH_SIZE - what libtraceevent may touch from a record's first byte: a dynamic field's
 * offset and its length have 16 bits each and are not always compared with the record's size
 */
#define TFS_SCRATCH_SIZE (2 * 65536 + 64)

/** TFS_LACKS_MAX - libtraceevent's plugins that print what we do not */
#define TFS_LACKS_MAX 8

/**
 * struct tfs_trace - see decode/trace.h
 * @n_parsed: of the events, those that a record asked for
 * @common: offsets and sizes of the common fields, the same for all events of a file
 * @env: what all formats have in common; looks up @symbols and @printks
 * @inert: see tfs_trace_set_inert()
 * @repeat_time: how func_repeats events show their last time stamp, "%precision.divisord" as
 *	tep_print_event() takes it; NULL: as the plugin does
 * @repeat_time_of_plugin: where libtraceevent's function plugin has it for all recordings: set
 *	under the lock before each event; NULL: that plugin is not loaded
 * @values: what the numbers of probes mean; NULL: nothing is known
 * @starved: see tfs_trace_end_library()
 * @lacks: see tfs_trace_lacks(); the first NULL ends them
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
	struct tfs_event_index index;
	size_t n_parsed;
	bool symbols_loaded, kernel;
	const char *kallsyms;
	struct tfs_event_flag *flagged;
	size_t n_flagged;
	struct {
		unsigned int type_off, type_size;
		unsigned int pid_off, pid_size;
		unsigned int flags_off, flags_size;
		unsigned int pc_off, pc_size;
		/* @lazy_size 0: no lazy preemption; @old_lazy: TFS_FLAGS_OLD_LAZY */
		unsigned int lazy_off, lazy_size;
		bool old_lazy;
		/* A count after the flags, shown @counts times. */
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
	const char *lacks[TFS_LACKS_MAX];
	pthread_mutex_t lock, *turns;
	char *scratch;
	size_t scratch_used;
};

#endif
