/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_FLAGS_H
#define TFS_PRINTFMT_FLAGS_H

/** TFS_FLAGS_MAX - maximum size of the column with the two counts that follow */
#define TFS_FLAGS_MAX (5 + 2 * 11)

/**
 * tfs_flags_put() - the latency column: "d..2."
 * @p: where to write five bytes; nothing is terminated
 * @flags: common_flags and, shifted by 8, common_preempt_count
 *
 * Interrupts, rescheduling and context; then the count of disabled preemption and, in its upper
 * half, of disabled migration. Pure. Returns the byte after it.
 */
char *tfs_flags_put(char *p, unsigned int flags);

/** tfs_flags_put_count() - one more count, of kernels that have a field for it; -1: '.' */
char *tfs_flags_put_count(char *p, int count);

#endif
