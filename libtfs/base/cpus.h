/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_CPUS_H
#define TFS_BASE_CPUS_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;

/** TFS_CPUS_MAX - no Linux configuration has more CPUs than this (CONFIG_NR_CPUS <= 8192) */
#define TFS_CPUS_MAX 8192

/**
 * struct tfs_cpus - set of CPU numbers below TFS_CPUS_MAX; a plain value, {0} is the empty set
 */
struct tfs_cpus {
	unsigned char bits[TFS_CPUS_MAX / 8];
};

/**
 * tfs_cpus_parse() - "0-3,8" as the kernel's cpulists are written, or "0-3:8" as trace-cmd also
 * reads it; one newline may follow
 * Return: 0, -EINVAL with the fault's position in @err, -ERANGE.
 */
int tfs_cpus_parse(const char *s, struct tfs_cpus *out, struct tfs_err *err);
void tfs_cpus_add(struct tfs_cpus *cpus, unsigned int cpu);
bool tfs_cpus_has(const struct tfs_cpus *cpus, unsigned int cpu);
unsigned int tfs_cpus_count(const struct tfs_cpus *cpus);

#endif
