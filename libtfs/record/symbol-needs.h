/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SYMBOL_NEEDS_H
#define TFS_RECORD_SYMBOL_NEEDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_subbuf;

#define TFS_SYMBOL_NEEDS_NAME 128

/**
 * struct tfs_symbol_needs - the event types that make a recording need the kernel's symbols
 *
 * See tfs_format_names_code(). Most of them never occur.
 * @ids: a bit for each common_type
 * @n: number of types
 * @of: number of types that were examined
 * @n_markers: types besides these that any recording may have: a killed one does without
 * @first: "system:event" of one of them, for messages; "" if there is none
 * @seen: one occurred, or may have; never cleared
 *
 * A zeroed one needs nothing. Types are added before any thread scans.
 */
struct tfs_symbol_needs {
	unsigned char ids[65536 / 8];
	size_t n, of, n_markers;
	char first[TFS_SYMBOL_NEEDS_NAME];
	atomic_bool seen;
};

/** tfs_symbol_needs_add() - add a type by its common_type; -1 is not known, and counts as seen */
void tfs_symbol_needs_add(struct tfs_symbol_needs *needs, const char *system, const char *event,
			  int id);

/** tfs_symbol_needs_marker() - the same of a type of @n_markers */
void tfs_symbol_needs_marker(struct tfs_symbol_needs *needs, int id);

/**
 * tfs_symbol_needs_are_rare() - will probably none of them occur?
 *
 * Where many types need symbols, they are better written at the start: then they survive a crash
 * of the machine.
 */
bool tfs_symbol_needs_are_rare(const struct tfs_symbol_needs *needs);

/** tfs_symbol_needs_open() - are there types to scan for, and none seen yet? */
static inline bool tfs_symbol_needs_open(const struct tfs_symbol_needs *needs)
{
	return needs && (needs->n || needs->n_markers) &&
	       !atomic_load_explicit(&needs->seen, memory_order_relaxed);
}

/** tfs_symbol_needs_unknown() - one of the types occurred, or may have */
static inline void tfs_symbol_needs_unknown(struct tfs_symbol_needs *needs)
{
	atomic_store_explicit(&needs->seen, true, memory_order_relaxed);
}

/**
 * tfs_symbol_needs_count() - count the events of sub-buffers, and look for those types, if any
 * @needs: NULL: nothing to look for; any thread
 *
 * Return: see tfs_count_events().
 */
uint64_t tfs_symbol_needs_count(struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
				const void *pages, size_t size);

#endif
