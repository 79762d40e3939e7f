/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_LINK_H
#define TFS_TRACEFS_LINK_H

#include <stdbool.h>

struct tfs_err;
struct tfs_root;

/**
 * TFS_LINK_DIR - directory of links to files whose paths the kernel cannot parse
 *
 * A line of uprobe_events ends a path at a blank, and itself at '#'; there are no quotes. The file
 * is named by a link instead. The directory is gone after a restart, as probes are.
 */
#define TFS_LINK_DIR "/run/tracecraft/paths"

/** tfs_link_needed() - does the path hold what the kernel does not take? */
bool tfs_link_needed(const char *path);

/**
 * tfs_link_name() - the name of a file for the kernel: its path, or a link's if it needs one
 * @dir: of links, TFS_LINK_DIR
 * @out: yours, free(). The same path has the same link
 *
 * Touches nothing. Return: 0 or -ENOMEM.
 */
int tfs_link_name(const char *dir, const char *path, char **out);

/**
 * tfs_link_make() - make a link, and its directory (mode 0700) if it is missing
 *
 * Return: 0; 1 if it was there already; -EEXIST if one with another target is; -EPERM if the
 * directory is not ours alone; another negative errno.
 */
int tfs_link_make(const char *link, const char *target, struct tfs_err *err);

/** tfs_link_remove() - 0, also if it is gone, or negative errno */
int tfs_link_remove(const char *link, struct tfs_err *err);

/**
 * tfs_link_used() - does a line of uprobe_events name the link? Also true if that cannot be read
 * @root: borrowed
 */
bool tfs_link_used(const struct tfs_root *root, const char *link);
/** tfs_link_release() - tfs_link_remove() unless tfs_link_used(): others may have come to use it */
int tfs_link_release(const struct tfs_root *root, const char *link, struct tfs_err *err);

/**
 * tfs_link_target() - what a link of @dir stands for
 * @path: as the kernel shows it
 * @out: yours, free()
 *
 * Return: 0; -ENOENT if @path is none, or is gone; -ENOMEM.
 */
int tfs_link_target(const char *dir, const char *path, char **out);

#endif
