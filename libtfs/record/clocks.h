/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_CLOCKS_H
#define TFS_RECORD_CLOCKS_H

#include <stdint.h>

struct tfs_dat_clock;
struct tfs_instance;
struct tfs_root;

/**
 * tfs_clocks_trace() - what an instance's trace clock says now, in its units
 * @cpu: one that the instance has
 *
 * From "now ts" of per_cpu/cpuN/stats: to a microsecond where the clock counts nanoseconds.
 * Return: 0, -ENODATA if the file does not say, another negative errno.
 */
int tfs_clocks_trace(const struct tfs_root *root, const struct tfs_instance *inst, unsigned int cpu,
		     uint64_t *out);
/** tfs_clocks_parse() - the same from the text of that file; pure */
int tfs_clocks_parse(const char *text, uint64_t *out);

/** tfs_clocks_read() - the trace clock beside the others; @out's @when is left as it is */
int tfs_clocks_read(const struct tfs_root *root, const struct tfs_instance *inst, unsigned int cpu,
		    struct tfs_dat_clock *out);

#endif
