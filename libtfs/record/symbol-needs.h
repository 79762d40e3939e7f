/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_SYMBOL_NEEDS_H
#define TFS_RECORD_SYMBOL_NEEDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_subbuf;

#define TFS_WATCH_NAME 128
/** TFS_WATCH_LOOK_MAX - bytes: to look through more takes as long as to read the symbols */
#define TFS_WATCH_LOOK_MAX (256 * 1024 * 1024)

/**
 * struct tfs_watch - types of events that a recording may turn out to have
 *
 * Those for which it needs the kernel's symbols, see tfs_format_names_code(). Most never occur.
 * @ids: a bit for each common_type
 * @n: number of types
 * @of: types that were looked at
 * @first: "system:event" of one of them, for people; "" if there is none
 * @seen: there was one, or there may have been; once set it stays
 *
 * A zeroed one looks out for nothing. Types are added before any thread looks.
 */
struct tfs_watch {
	unsigned char ids[65536 / 8];
	size_t n, of;
	char first[TFS_WATCH_NAME];
	atomic_bool seen;
};

/** tfs_watch_add() - look out for the type of this format; one that has no number may be any */
void tfs_watch_add(struct tfs_watch *w, const char *system, const char *event, const char *format);

/**
 * tfs_watch_is_for_few() - is it likely that none of them occurs?
 *
 * Where many types may need symbols it is better to have them from the beginning: they outlive a
 * crash of the machine then.
 */
bool tfs_watch_is_for_few(const struct tfs_watch *w);

/** tfs_watch_is_on() - is there anything left to look out for? */
static inline bool tfs_watch_is_on(const struct tfs_watch *w)
{
	return w && w->n && !atomic_load_explicit(&w->seen, memory_order_relaxed);
}

/** tfs_watch_page() - look through a sub-buffer as the kernel wrote it; any thread */
void tfs_watch_page(struct tfs_watch *w, const struct tfs_subbuf *sub, const void *page);

/**
 * tfs_watch_file() - look through sub-buffers in a file
 * @bytes: from its beginning on
 *
 * Return: was there one, or can that not be told?
 */
bool tfs_watch_file(const struct tfs_watch *w, const struct tfs_subbuf *sub, int fd,
		    uint64_t bytes);

#endif
