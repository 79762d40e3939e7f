/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/symbol-needs.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "record/percpu.h"
#include "tracedat/page.h"

/* One in so many types: of "sched" it is 3 of 26, of all events every fifth. */
#define FEW 8

void tfs_watch_add(struct tfs_watch *w, const char *system, const char *event, const char *format)
{
	const char *id = strstr(format, "\nID: ");
	unsigned int n;

	if (!w->n++)
		snprintf(w->first, sizeof(w->first), "%s:%s", system, event);
	if (id && sscanf(id, "\nID: %u", &n) == 1 && n / 8 < sizeof(w->ids))
		w->ids[n / 8] |= (unsigned char)(1 << n % 8);
	else
		atomic_store(&w->seen, true);
}

bool tfs_watch_is_for_few(const struct tfs_watch *w)
{
	return w->n * FEW <= w->of && !atomic_load(&w->seen);
}

/* A record begins with its type: common_type of every format, two bytes in host order. */
static bool holds(const struct tfs_watch *w, const struct tfs_record *rec)
{
	uint16_t id;

	if (rec->size < sizeof(id))
		return false;
	memcpy(&id, rec->data, sizeof(id));
	return w->ids[id / 8] & 1 << id % 8;
}

/* What cannot be understood may hold anything. */
static bool look(const struct tfs_watch *w, const struct tfs_subbuf *sub, const void *page)
{
	struct tfs_record rec;
	struct tfs_page pg;
	int rc;

	if (tfs_page_init(&pg, page, sub->size, sub->commit_size, sub->data_offset,
			  __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return true;
	while ((rc = tfs_page_next(&pg, &rec)) == 1)
		if (holds(w, &rec))
			return true;
	return rc < 0;
}

void tfs_watch_page(struct tfs_watch *w, const struct tfs_subbuf *sub, const void *page)
{
	if (tfs_watch_is_on(w) && look(w, sub, page))
		atomic_store_explicit(&w->seen, true, memory_order_relaxed);
}

bool tfs_watch_file(const struct tfs_watch *w, const struct tfs_subbuf *sub, int fd, uint64_t bytes)
{
	const unsigned char *base;
	bool found = false;

	if (!bytes)
		return false;
	base = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED)
		return true;
	for (uint64_t at = 0; at + sub->size <= bytes && !found; at += sub->size)
		found = look(w, sub, base + at);
	munmap((void *)base, (size_t)bytes);
	return found;
}
