/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINTKS_H
#define TFS_PRINTFMT_PRINTKS_H

#include <stddef.h>
#include <stdint.h>

/** struct tfs_printks - strings of the kernel that records name by address (printk_formats) */
struct tfs_printks;

/** tfs_printks_new() - without any; 0 or -ENOMEM */
int tfs_printks_new(struct tfs_printks **out);
void tfs_printks_free(struct tfs_printks *printks);
/**
 * tfs_printks_add() - one more, while nothing looks any up
 * @text: @len bytes as the file has them: in quotes, with a "\n" at the end, both of which are
 *        taken off
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_printks_add(struct tfs_printks *printks, uint64_t addr, const char *text, size_t len);
/** tfs_printks_sort() - once all were added, before any is looked up */
void tfs_printks_sort(struct tfs_printks *printks);
/** tfs_printks_find() - the string at @addr, borrowed, or NULL; for any number of threads */
const char *tfs_printks_find(const struct tfs_printks *printks, uint64_t addr);

#endif
