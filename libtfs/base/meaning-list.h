/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_MEANING_LIST_H
#define TFS_BASE_MEANING_LIST_H

struct tfs_cursor;
struct tfs_meaning;
struct tfs_strbuf;

/*
 * Entries that say what fields mean, as they are in a recording (tracedat/dat-values.h) and beside
 * the journal (probe/means.h): strz "system:event", strz field, u32 enum tfs_meaning_kind, u32 n,
 * and n times u64 value and strz name. The sign of a number is an entry of its own, whose one value
 * is struct tfs_meaning @bits.
 */

/** tfs_meaning_list_add() - append an entry, or two; 0 or -ENOMEM */
int tfs_meaning_list_add(struct tfs_strbuf *payload, const char *event, const char *field,
			 const struct tfs_meaning *means);
/**
 * tfs_meaning_list_next() - read an entry
 * @event, @field: borrowed from what @c reads
 * @means: set; release with tfs_meaning_release(). Not sorted. With @bits alone it adds the sign to
 *	what another entry says of the field
 *
 * Return: 1; 0 at the end, or where it is damaged; -ENOMEM.
 */
int tfs_meaning_list_next(struct tfs_cursor *c, const char **event, const char **field,
			  struct tfs_meaning *means);

#endif
