/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_ORPHANS_H
#define TFS_TRACEFS_ORPHANS_H

#include <stddef.h>

struct tfs_root;

/**
 * enum tfs_orphans_flags - which instances tfs_orphans_remove() removes
 * @TFS_ORPHANS_ALL: all that programs made for themselves; without it those made in another pid
 *                 namespace than the first one: the journals of others are in /run
 */
enum tfs_orphans_flags { TFS_ORPHANS_ALL = 1 << 0 };

/**
 * tfs_orphans_remove() - remove instances whose programs have ended without removing them
 * @dir: of journals; what one is kept for stays
 * @flags: TFS_ORPHANS_*
 *
 * The journal of a program that was killed together with its container is lost, too. Its instance
 * is known by the name (tfs_instance_private()), and by the claim, which nobody has. Probes in the
 * group of the same name go with it; instances whose files somebody has open stay, and so do those
 * with the part TFS_INSTANCE_KEPT.
 * Return: the number of instances that were removed.
 */
size_t tfs_orphans_remove(const struct tfs_root *root, const char *dir, unsigned int flags);

#endif
