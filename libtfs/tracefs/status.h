/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_STATUS_H
#define TFS_TRACEFS_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "tracefs/cpu-stats.h"

struct tfs_err;
struct tfs_instance;
struct tfs_root;

/**
 * struct tfs_status_cpu - one CPU's ring buffer
 * @kb: its size
 * @stats: see tracefs/cpu-stats.h
 */
struct tfs_status_cpu {
	unsigned int cpu;
	uint64_t kb;
	struct tfs_cpu_stats stats;
};

/**
 * struct tfs_status_note - something that is set, and to what
 * @what: the event "system:event", or the control file's name; owned
 * @text: what it is set to, without comments, a line feed between lines but none at the end; owned
 */
struct tfs_status_note {
	char *what;
	char *text;
};

struct tfs_status_notes {
	struct tfs_status_note *v;
	size_t n, cap;
};

/**
 * struct tfs_status - what tracing is on in one buffer: what its control files say
 * @on: tracing_on
 * @tracer: current_tracer
 * @clock: name of the clock, the word in brackets in trace_clock
 * @events: events that are enabled: "system:event", "system:*" for a whole system
 * @n_events: how many these are
 * @filters: of events, one each
 * @triggers: of events, as the kernel shows them; an event with two has two notes
 * @settings: control files that are not as they are in a new instance (see status.c for which)
 * @options: trace options that are not as they are in a new instance: "stacktrace", "nooverwrite"
 * @all_options: all of trace_options
 * @cpus: in ascending order
 * @total_kb: buffer_total_size_kb; 0 before the first use
 * @errors: error_log
 *
 * All is owned; a zeroed one is not valid: tfs_status_init().
 */
struct tfs_status {
	bool on;
	struct tfs_strbuf tracer, clock, errors;
	struct tfs_strvec events;
	size_t n_events;
	struct tfs_status_notes filters, triggers, settings;
	struct tfs_strvec options, all_options;
	struct tfs_status_cpu *cpus;
	size_t n_cpus;
	uint64_t total_kb;
};

void tfs_status_init(struct tfs_status *st);
void tfs_status_release(struct tfs_status *st);

/**
 * tfs_status_read() - find out what tracing is on in @inst
 * @st: initialised
 *
 * Only reads. Files that a kernel does not have, or lets nobody read, are taken for unset.
 * Return: 0; -ENOENT if there is no such instance; -EACCES and the like if tracing_on cannot be
 * read; -ENOMEM.
 */
int tfs_status_read(const struct tfs_root *root, const struct tfs_instance *inst,
		    struct tfs_status *st, struct tfs_err *err);

/**
 * tfs_status_read_brief() - read only what takes a few reads: @on, @tracer, @n_events, @events
 *
 * It skips the two files of each event, thousands in all: where system calls are traced, reading
 * them would fill the buffer.
 */
int tfs_status_read_brief(const struct tfs_root *root, const struct tfs_instance *inst,
			  struct tfs_status *st, struct tfs_err *err);

/** tfs_status_is_idle() - nothing is set or enabled that would be traced; pure */
bool tfs_status_is_idle(const struct tfs_status *st);

/** tfs_status_instances() - append the names of all instances, sorted; 0 or -errno */
int tfs_status_instances(const struct tfs_root *root, struct tfs_strvec *names,
			 struct tfs_err *err);

#endif
