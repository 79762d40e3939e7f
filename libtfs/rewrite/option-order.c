/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rewrite/option-order.h"

#include <string.h>

#include "base/cursor.h"
#include "tracedat/dat-format.h"

/* The bytes that are left, and their byte order so far */
struct span {
	unsigned char *p;
	size_t left;
	bool big;
};

static void turn(unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size / 2; i++) {
		const unsigned char c = p[i];

		p[i] = p[size - 1 - i];
		p[size - 1 - i] = c;
	}
}

/* Turns @n numbers of @size bytes, as far as there are any. */
static void swap_many(struct span *s, uint64_t n, size_t size)
{
	for (; n && s->left >= size; n--) {
		turn(s->p, size);
		s->p += size;
		s->left -= size;
	}
}

/* Turns a count; 0 at the end. */
static uint32_t swap_count(struct span *s)
{
	uint32_t n = s->left >= sizeof(n) ? tfs_load_u32(s->p, s->big) : 0;

	swap_many(s, 1, sizeof(n));
	return n;
}

/* u64 id, u32 flags, u32 CPUs; by CPU u32 n and 3 n u64; then n u64 by CPU */
static void swap_shift(struct span *s)
{
	uint32_t cpus;

	swap_many(s, 1, 8);
	swap_many(s, 1, 4);
	cpus = swap_count(s);
	for (; cpus && s->left; cpus--)
		swap_many(s, 3 * (uint64_t)swap_count(s), 8);
	swap_many(s, UINT64_MAX, 8);
}

/* strz name, u64 id, u32 CPUs, by CPU two u32 */
static void swap_guest(struct span *s)
{
	const unsigned char *end = memchr(s->p, '\0', s->left);

	if (!end)
		return;
	s->left -= (size_t)(end + 1 - s->p);
	s->p += end + 1 - s->p;
	swap_many(s, 1, 8);
	swap_many(s, UINT64_MAX, 4);
}

void tfs_option_swap(uint16_t id, void *data, size_t size, bool big)
{
	struct span s = { .p = data, .left = size, .big = big };

	switch (id) {
	case TFS_DAT_TRACEID:
		swap_many(&s, 1, 8);
		break;
	case TFS_DAT_TSC2NSEC:
		swap_many(&s, 2, 4);
		swap_many(&s, 1, 8);
		break;
	case TFS_DAT_TIME_SHIFT:
		swap_shift(&s);
		break;
	case TFS_DAT_GUEST:
		swap_guest(&s);
		break;
	default:
		break;
	}
}
