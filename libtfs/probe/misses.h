/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_MISSES_H
#define TFS_PROBE_MISSES_H

#include <stdint.h>

struct tfs_root;

/**
 * tfs_probe_misses() - how often probes of the kernel of this name did not record a hit
 * @name: "group:event"; "group:*" for all of the group
 * @misses: set to the sum over all places of the event, 0 for events that are not kprobes
 *
 * From kprobe_profile (kernel: trace/kprobetrace.rst), which leaves out the group: its lines are
 * those of kprobe_events, in the same order. Probes of programs are never missed. A file that
 * cannot be read has no misses.
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_misses(const struct tfs_root *root, const char *name, uint64_t *misses);

#endif
