/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_CPU_STATS_H
#define TFS_TRACEFS_CPU_STATS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_err;
struct tfs_instance;
struct tfs_root;
struct tfs_strbuf;

/**
 * struct tfs_cpu_stats - counters of per_cpu/cpuN/stats (tracing_stats_read() of the kernel)
 * @entries: events in the ring buffer that nobody has read
 * @overrun: events overwritten before they were read (overwrite mode: the oldest are lost)
 * @commit_overrun: events that found no room while others of the same CPU were being written
 * @dropped: events not taken because the buffer was full (the newest are lost)
 * @read: events that were read
 */
struct tfs_cpu_stats {
	uint64_t entries;
	uint64_t overrun;
	uint64_t commit_overrun;
	uint64_t dropped;
	uint64_t read;
};

/** tfs_cpu_stats_parse() - from the file's text; what it does not say is 0. Pure */
void tfs_cpu_stats_parse(const char *text, struct tfs_cpu_stats *out);
/**
 * tfs_cpu_stats_read() - the counters of one CPU of an instance
 * @text: the file's text is appended; NULL: not wanted
 *
 * Return: 0 or -errno; @out is all zeros then.
 */
int tfs_cpu_stats_read(const struct tfs_root *root, const struct tfs_instance *inst,
		       unsigned int cpu, struct tfs_strbuf *text, struct tfs_cpu_stats *out);

/**
 * tfs_instance_cpus() - the CPUs of an instance: its per_cpu/cpuN directories
 *
 * Not every CPU of them need be online, and numbers may be left out.
 * @cpus: set on success; ascending; free()
 * Return: 0; -ENODEV if there is none; -errno.
 */
int tfs_instance_cpus(const struct tfs_root *root, const struct tfs_instance *inst,
		      unsigned int **cpus, size_t *n, struct tfs_err *err);

#endif
