/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/symbol-needs.h"

#include <stdio.h>
#include <string.h>

#include "record/count-events.h"

/* At most one type in so many: in "sched" it is 3 of 26, of all events every fifth. */
#define FEW 8

void tfs_symbol_needs_add(struct tfs_symbol_needs *needs, const char *system, const char *event,
			  int id)
{
	if (!needs->n++)
		snprintf(needs->first, sizeof(needs->first), "%s:%s", system, event);
	if (id >= 0 && (size_t)id / 8 < sizeof(needs->ids))
		needs->ids[id / 8] |= (unsigned char)(1 << id % 8);
	else
		atomic_store(&needs->seen, true);
}

void tfs_symbol_needs_marker(struct tfs_symbol_needs *needs, int id)
{
	if (id < 0 || (size_t)id / 8 >= sizeof(needs->ids))
		return;
	needs->n_markers++;
	needs->ids[id / 8] |= (unsigned char)(1 << id % 8);
}

bool tfs_symbol_needs_are_rare(const struct tfs_symbol_needs *needs)
{
	return needs->n * FEW <= needs->of && !atomic_load(&needs->seen);
}

uint64_t tfs_symbol_needs_count(struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
				const void *pages, size_t size)
{
	const bool open = tfs_symbol_needs_open(needs);
	bool found = false;
	const uint64_t n = tfs_count_events(sub, pages, size, open ? needs->ids : NULL, &found);

	if (open && found)
		tfs_symbol_needs_unknown(needs);
	return n;
}
