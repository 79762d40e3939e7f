/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/symbol-needs.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/percpu.h"
#include "tracedat/page.h"

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

/* A record begins with its type, common_type in every format: two bytes in host order. */
static bool holds(const struct tfs_symbol_needs *needs, const struct tfs_record *rec)
{
	uint16_t id;

	if (rec->size < sizeof(id))
		return false;
	memcpy(&id, rec->data, sizeof(id));
	return needs->ids[id / 8] & 1 << id % 8;
}

/* A page that cannot be parsed may hold anything. */
static bool page_holds(const struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
		       const void *page)
{
	struct tfs_record rec;
	struct tfs_page pg;
	int rc;

	if (tfs_page_init(&pg, page, sub->size, sub->commit_size, sub->data_offset,
			  __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return true;
	while ((rc = tfs_page_next(&pg, &rec)) == 1)
		if (holds(needs, &rec))
			return true;
	return rc < 0;
}

void tfs_symbol_needs_page(struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
			   const void *page)
{
	if (tfs_symbol_needs_open(needs) && page_holds(needs, sub, page))
		atomic_store_explicit(&needs->seen, true, memory_order_relaxed);
}

bool tfs_symbol_needs_file(const struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
			   int fd, uint64_t bytes)
{
	const unsigned char *base;
	bool found = false;

	if (!bytes)
		return false;
	base = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return true;
	for (uint64_t at = 0; at + sub->size <= bytes && !found; at += sub->size)
		found = page_holds(needs, sub, base + at);
	munmap((void *)base, (size_t)bytes);
	return found;
}
