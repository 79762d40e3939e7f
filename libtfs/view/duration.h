/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_DURATION_H
#define TFS_VIEW_DURATION_H

#include <stdint.h>

struct tfs_strbuf;

/**
 * tfs_duration_mark() - the mark of a duration of @ns, as the kernel's trace_find_mark() has it
 *
 * Return: '$' above 1 s, '@' above 100 ms, '*' above 10 ms, '#' above 1 ms, '!' above 100 us, '+'
 * above 10 us, else ' '.
 */
char tfs_duration_mark(uint64_t ns);

/**
 * tfs_duration_put() - append the mark and the duration in microseconds, as in "+ 46.128 us   "
 *
 * Long durations have fewer digits after the point (trace_print_graph_duration() of the kernel).
 * Return: 0 or -ENOMEM.
 */
int tfs_duration_put(struct tfs_strbuf *out, uint64_t ns);

#endif
