/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_PASSED_BY_H
#define TFS_RECORD_PASSED_BY_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_root;

/**
 * struct tfs_passed_by - what goes into the top level's ring buffer while others are recorded
 * @idle: nobody traced there when it began
 * @copied: the recording has copies of what programs write to trace_marker
 * @before: number of records that the buffer had got by then
 *
 * These are trace_printk(), and writes to trace_marker where the kernel does not copy them. A
 * zeroed one watches nothing.
 */
struct tfs_passed_by {
	bool idle;
	bool copied;
	uint64_t before;
};

/** tfs_passed_by_begin() - begin to count; a recording of the top level itself does not want to */
void tfs_passed_by_begin(struct tfs_passed_by *p, const struct tfs_root *root, bool copied);
/**
 * tfs_passed_by_count() - number of records since then that are not in the recording
 *
 * 0 also if somebody traces there now; fewer than there were if the buffer has overwritten some of
 * what is copied.
 */
uint64_t tfs_passed_by_count(const struct tfs_passed_by *p, const struct tfs_root *root);

#endif
