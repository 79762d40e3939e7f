/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_FLAGS_H
#define TFS_PRINTFMT_FLAGS_H

/** TFS_FLAGS_MAX - maximum size of the column with the two counts that follow */
#define TFS_FLAGS_MAX (7 + 2 * 11)

/**
 * TFS_FLAGS_LAZY - of a kernel with lazy preemption, which has common_preempt_lazy_count
 *
 * The byte below is that count, and the next four bits are common_migrate_disable, where that is
 * a field of its own. The flag TFS_FLAGS_RESCHED_LAZY is a lazy request to reschedule; with
 * TFS_FLAGS_OLD_LAZY, before 5.17, it is not known which one is.
 */
#define TFS_FLAGS_LAZY (1U << 24)
#define TFS_FLAGS_OLD_LAZY (1U << 29)
#define TFS_FLAGS_RESCHED_LAZY (1U << 5)
#define TFS_FLAGS_LAZY_COUNT 16
#define TFS_FLAGS_MIGRATE 25

/**
 * tfs_flags_put() - the latency column: "d..2."; with TFS_FLAGS_LAZY "d...2.."
 * @p: where to write seven bytes; nothing is terminated
 * @flags: as tfs_trace_record_flags()
 *
 * Interrupts, rescheduling, (lazy rescheduling) and context; then the count of disabled
 * preemption, (of lazily disabled preemption) and, in the upper half of the first, of disabled
 * migration. Pure. Returns the byte after it.
 */
char *tfs_flags_put(char *p, unsigned int flags);

/** tfs_flags_lazy() - the letter of a lazy request: 'L', '.', or '?', which is not known */
char tfs_flags_lazy(unsigned int flags);

/** tfs_flags_migrate() - the depth of migrate_disable, 0 to 15, wherever the kernel has it */
unsigned int tfs_flags_migrate(unsigned int flags);

/** tfs_flags_put_count() - one more count, of kernels that have a field for it; -1: '.' */
char *tfs_flags_put_count(char *p, int count);

#endif
