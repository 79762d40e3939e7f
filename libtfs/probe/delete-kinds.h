/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_DELETE_KINDS_H
#define TFS_PROBE_DELETE_KINDS_H

struct tfs_err;
struct tfs_root;
struct tfs_strvec;

/** tfs_probe_check_kind() - 0, or -EINVAL if there are no dynamic events of this kind */
int tfs_probe_check_kind(const char *kind, struct tfs_err *err);
/**
 * tfs_probe_delete_kinds() - delete dynamic events, whoever defined them
 * @names: of which kinds ("all" for every one), @keep: but not those
 *
 * All are tried. Return: 0, or the first failure (-EBUSY: it is enabled somewhere).
 */
int tfs_probe_delete_kinds(const struct tfs_root *root, const struct tfs_strvec *names,
			   const struct tfs_strvec *keep, struct tfs_err *err);

#endif
