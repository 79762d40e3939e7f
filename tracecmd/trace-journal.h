/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_TRACE_JOURNAL_H
#define TC_TRACE_JOURNAL_H

#include <stddef.h>

struct tfs_journal;
struct tfs_root;

enum trace_journal_flags {
	TRACE_JOURNAL_QUIET = 1 << 0, /* print errors only */
	TRACE_JOURNAL_ALL = 1 << 1,   /* of orphans: see TFS_ORPHANS_ALL */
};

/**
 * trace_journal_begin() - clean up after killed programs, and open the journal of this one
 * @program: for messages and the journal's name
 * @flags: TRACE_JOURNAL_*
 *
 * Failures are printed; tracing goes on without a journal.
 * Return: for tfs_plan_set_journal() and, at the end, tfs_journal_done(); NULL if there is none.
 */
struct tfs_journal *trace_journal_begin(const struct tfs_root *root, const char *program,
					unsigned int flags);

/**
 * trace_journal_orphans() - tfs_orphans_remove(), with a notice; trace_journal_begin() does it
 *
 * Return: how many instances were removed.
 */
size_t trace_journal_orphans(const struct tfs_root *root, const char *program, unsigned int flags);

#endif
