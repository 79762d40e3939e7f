/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_HEAP_H
#define TFS_BASE_HEAP_H

/**
 * tfs_heap_trim() - give memory back that was freed in many pieces, perhaps
 *
 * Large blocks, which are mapped on their own, do not fit between what is left. For one place in a
 * program's run after which it needs other memory than before, as much again.
 */
void tfs_heap_trim(void);

#endif
