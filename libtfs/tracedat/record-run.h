/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_RECORD_RUN_H
#define TFS_TRACEDAT_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tracedat/page.h"

/**
 * struct tfs_record_run - records of one CPU that come one after the other
 * @first: the first of them, with all its members, while @has_first
 *
 * Others follow on @page up to @end, as long as their time stamps, with @offset added, are not
 * after @until. @page NULL: none. tfs_merge_run() makes it.
 */
struct tfs_record_run {
	struct tfs_record first;
	bool has_first;
	struct tfs_page *page;
	const unsigned char *end;
	uint64_t offset, until;
};

/**
 * tfs_record_run_next() - take the next record of the run
 * @rec: gets all members of the first one; of those that follow only @ts, @data, @size and @lost
 *	change, so use the same one for the whole run
 *
 * Inline, for it runs for every record. Return: false after the last one.
 */
static inline bool tfs_record_run_next(struct tfs_record_run *run, struct tfs_record *rec)
{
	struct tfs_page *page = run->page;
	uint32_t word, size;

	if (run->has_first) {
		*rec = run->first;
		run->has_first = false;
		return true;
	}
	if (!page || page->p >= run->end)
		return false;
	memcpy(&word, page->p, sizeof(word));
	size = 4 * (word & 31);
	if (size - 4 >= TFS_PAGE_DATA_MAX || size + 4 > (size_t)(run->end - page->p) ||
	    page->ts + (word >> 5) + run->offset > run->until)
		return false;
	tfs_page_take_fast(page, rec);
	rec->ts += run->offset;
	rec->lost = 0;
	return true;
}

#endif
