/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_SESSION_PROBES_H
#define TC_SESSION_PROBES_H

struct tfs_err;
struct tfs_root;
struct tfs_strvec;

/** session_check_kind() - 0, or -EINVAL if there are no dynamic events of this kind */
int session_check_kind(const char *kind, struct tfs_err *err);
/**
 * session_delete_probes() - delete dynamic events, whoever defined them
 * @names: of which kinds ("all" for every one), @keep: but not those
 *
 * All are tried. Return: 0, or the first failure (-EBUSY: it is enabled somewhere).
 */
int session_delete_probes(const struct tfs_root *root, const struct tfs_strvec *names,
			  const struct tfs_strvec *keep, struct tfs_err *err);

#endif
