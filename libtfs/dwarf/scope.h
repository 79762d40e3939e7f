/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_SCOPE_H
#define TFS_DWARF_SCOPE_H

struct tfs_err;
struct tfs_debuginfo;
struct tfs_point;
struct tfs_scope;

/** enum tfs_scope_flags - @TFS_SCOPE_RETURN: for a return probe, which has only $retval */
enum tfs_scope_flags { TFS_SCOPE_RETURN = 1 << 0 };

/**
 * tfs_scope_new() - what probe/var.h wants, for a point that dwarf/func.h or dwarf/line.h found
 * @point: one with a scope; its address is where variables are read
 * @flags: enum tfs_scope_flags
 * @out: set on success only; borrows from @dbg, release with tfs_scope_free()
 *
 * Return: 0; -ENODATA if the point has no debug information; -ENOMEM.
 */
int tfs_scope_new(struct tfs_debuginfo *dbg, const struct tfs_point *point, unsigned int flags,
		  struct tfs_scope **out, struct tfs_err *err);
void tfs_scope_free(struct tfs_scope *scope);

#endif
