/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_DSO_BTF_H
#define TFS_PROBE_DSO_BTF_H

#include <stdbool.h>

struct tfs_btf;
struct tfs_btf_scope;
struct tfs_err;
struct tfs_dso;
struct tfs_point;

/**
 * tfs_dso_has_btf() - a kernel whose functions' prototypes are known: by the section .BTF of its
 * image, or of the running kernel by /sys/kernel/btf
 */
bool tfs_dso_has_btf(struct tfs_dso *dso);

/**
 * tfs_dso_btf_scope() - what probe/btf-var.h wants, for a point that dwarf/func.h found
 * @flags: enum tfs_scope_flags
 * @out: borrows from @dso and @point
 *
 * Return: 0; -ENODATA, with why, for what is not the entry of a function, a function of which there
 * are several, a compiler's copy; -EBADMSG for damaged type information; -ENOMEM.
 */
int tfs_dso_btf_scope(struct tfs_dso *dso, const struct tfs_point *point, unsigned int flags,
		      struct tfs_btf_scope *out, struct tfs_err *err);

#endif
