/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_TYPES_H
#define TFS_DECODE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_event_type;
struct tfs_record;
struct tfs_trace;

/*
 * The events of a recording. Formats are indexed by id when a trace is opened, but parsed only
 * when an event of theirs is first met: a file may hold 2300 formats and use five.
 * For who reads the records, one thread at a time: it parses. Others may look at types that they
 * were handed.
 */

/**
 * tfs_types_index() - find id and name of every format in the file; nothing is parsed
 *
 * A format without either is left out; of two with one id the first counts. Return: 0, -ENOMEM.
 */
int tfs_types_index(struct tfs_trace *trace);
/** tfs_types_add_made_up() - an event that libtraceevent was taught without a format in the file */
int tfs_types_add_made_up(struct tfs_trace *trace, int id, const char *system, const char *name);
/** tfs_types_parse_system() - parse a system's formats now (ftrace's name one another), or all */
void tfs_types_parse_system(struct tfs_trace *trace, const char *system);
void tfs_types_free(struct tfs_trace *trace);

/** tfs_trace_type() - type @id as the file describes it, or NULL; not parsed yet perhaps */
struct tfs_event_type *tfs_trace_type(const struct tfs_trace *trace, int id);
/** tfs_trace_event() - the same, parsed: ->tep is set; NULL: unknown, or its format unusable */
struct tfs_event_type *tfs_trace_event(struct tfs_trace *trace, int id);

/** tfs_type_is_ftrace() - is @t the entry @name of the system "ftrace"? It need not be parsed */
bool tfs_type_is_ftrace(const struct tfs_event_type *t, const char *name);

/** tfs_type_is_stack() - is it a stack trace, which is part of the event before it? As above */
bool tfs_type_is_stack(const struct tfs_event_type *t);

/** tfs_trace_record_id() - common_type; -1 when the record is too short to have one */
int tfs_trace_record_id(const struct tfs_trace *trace, const struct tfs_record *rec);
/** tfs_trace_record_pid() - common_pid; 0 when the record is too short to have one */
int tfs_trace_record_pid(const struct tfs_trace *trace, const struct tfs_record *rec);
/**
 * tfs_trace_record_flags() - common_flags and, shifted by 8, common_preempt_count
 *
 * More for a kernel with lazy preemption: TFS_FLAGS_LAZY in printfmt/flags.h.
 */
unsigned int tfs_trace_record_flags(const struct tfs_trace *trace, const struct tfs_record *rec);

/** enum tfs_common_field - fields that every record begins with */
enum tfs_common_field { TFS_COMMON_TYPE, TFS_COMMON_FLAGS, TFS_COMMON_PID };

/** tfs_trace_record_has() - is the record long enough for the field? */
bool tfs_trace_record_has(const struct tfs_trace *trace, const struct tfs_record *rec,
			  enum tfs_common_field field);

/** TFS_CONTEXTS - contexts of a CPU, each of which can interrupt those before it */
#define TFS_CONTEXTS 4
/**
 * tfs_flags_context() - where common_flags say that an event was recorded
 *
 * Return: 0, in a task; 1, in a software interrupt; 2, in a hardware interrupt; 3, in an NMI. An
 * event of a higher context may come between one of a lower context and its stack trace. Pure.
 */
static inline unsigned int tfs_flags_context(unsigned int flags)
{
	return flags & 0x40 ? 3 : flags & 0x08 ? 2 : flags & 0x10 ? 1 : 0;
}

/** tfs_trace_is_stack() - a stack trace: part of the record before it on its CPU, in its context */
bool tfs_trace_is_stack(const struct tfs_trace *trace, const struct tfs_record *rec);

/** tfs_trace_has_lazy() - do flags have TFS_FLAGS_LAZY? */
bool tfs_trace_has_lazy(const struct tfs_trace *trace);
/** tfs_trace_has_counts() - does the kernel show counts after the flags (besides those in them)? */
bool tfs_trace_has_counts(const struct tfs_trace *trace);
/** tfs_trace_put_counts() - print the counts after the flags, where a kernel has them */
char *tfs_trace_put_counts(const struct tfs_trace *trace, const struct tfs_record *rec, char *p);

#endif
