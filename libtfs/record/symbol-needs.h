/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SYMBOL_NEEDS_H
#define TFS_RECORD_SYMBOL_NEEDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_subbuf;

#define TFS_SYMBOL_NEEDS_NAME 128
/** TFS_SYMBOL_NEEDS_SCAN_MAX - bytes: scanning more takes as long as reading the symbols */
#define TFS_SYMBOL_NEEDS_SCAN_MAX (256 * 1024 * 1024)

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

/** tfs_symbol_needs_page() - scan a sub-buffer as the kernel wrote it; any thread */
void tfs_symbol_needs_page(struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
			   const void *page);

/**
 * tfs_symbol_needs_file() - scan the sub-buffers in a file
 * @bytes: how many, from its start
 *
 * Return: true if one of the types occurs, or if the file cannot be scanned.
 */
bool tfs_symbol_needs_file(const struct tfs_symbol_needs *needs, const struct tfs_subbuf *sub,
			   int fd, uint64_t bytes);

#endif
