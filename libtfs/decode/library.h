/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_LIBRARY_H
#define TFS_DECODE_LIBRARY_H

#include <errno.h>
#include <stdbool.h>

struct tfs_trace;

/* Needed around every call of libtraceevent */

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

/** tfs_trace_set_starved() - memory ran out in a call, see tfs_trace_check_memory() */
void tfs_trace_set_starved(struct tfs_trace *trace);

/**
 * tfs_trace_begin_library(), tfs_trace_end_library() - around calls of libtraceevent
 *
 * When memory runs out, libtraceevent carries on and prints other text; only errno shows it.
 * Return: false when that happened, which is kept in @trace->starved.
 */
static inline void tfs_trace_begin_library(void)
{
	errno = 0;
}

static inline bool tfs_trace_end_library(struct tfs_trace *trace)
{
	if (errno != ENOMEM)
		return true;
	tfs_trace_set_starved(trace);
	return false;
}

#endif
