/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_VIEW_COMBINED_H
#define TFS_VIEW_COMBINED_H

#include <stddef.h>

struct tfs_printer;

/**
 * tfs_combined_new() - one printer for several recordings: each one's events go to its own
 * @printers: by the events' @input; borrowed, and outlive the result
 * @out: release with tfs_combined_free()
 *
 * Heads come one behind the other, as do tails. Return: 0 or -ENOMEM.
 */
int tfs_combined_new(const struct tfs_printer *const *printers, size_t n, struct tfs_printer **out);
void tfs_combined_free(struct tfs_printer *printer);

#endif
