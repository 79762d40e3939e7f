/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_OPTION_ORDER_H
#define TFS_REWRITE_OPTION_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * tfs_option_swap() - turn the numbers of an option round, in place
 * @big: their byte order so far
 *
 * trace-cmd writes TRACEID, TIME_SHIFT, GUEST and TSC2NSEC in its own byte order, also into files
 * of the other one (trace.dat(5)). Other options are left alone. Nothing is done beyond @size,
 * however short or damaged the option is.
 */
void tfs_option_swap(uint16_t id, void *data, size_t size, bool big);

#endif
