/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_PRINTFMT_H
#define TFS_DECODE_PRINTFMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tep_event;

/**
 * tfs_printfmt_needs_symbols() - does printing the event look up a symbol?
 *
 * The symbol at an address (%pS), or the address of a symbol: a name in arithmetic (jiffies).
 */
bool tfs_printfmt_needs_symbols(const struct tep_event *event);

/**
 * tfs_printfmt_risky() - has the event's format something that a record's values can turn into a
 * division by zero, or a read or a column of any size? Then ask tfs_printfmt_safe() each time.
 */
bool tfs_printfmt_risky(const struct tep_event *event);
/**
 * tfs_printfmt_safe() - may libtraceevent print this record?
 * @data: @limit bytes, which must all be readable
 */
bool tfs_printfmt_safe(struct tep_event *event, const void *data, size_t limit);

#endif
