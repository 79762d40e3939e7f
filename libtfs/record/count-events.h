/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_COUNT_EVENTS_H
#define TFS_RECORD_COUNT_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_subbuf;

/**
 * tfs_count_events() - events in sub-buffers, as the kernel counts them
 * @pages: as the kernel wrote them, @size bytes: what is not a whole sub-buffer is left out
 * @ids: a bit for each common_type to look for; NULL: none
 * @found: set if one of these occurs, or may: in a sub-buffer that cannot be parsed; may be NULL
 *
 * Several sub-buffers take half as long as one after the other. Return: their number; of a broken
 * sub-buffer, those before the fault.
 */
uint64_t tfs_count_events(const struct tfs_subbuf *sub, const void *pages, size_t size,
			  const unsigned char *ids, bool *found);

#endif
