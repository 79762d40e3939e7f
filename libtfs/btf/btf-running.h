/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BTF_BTF_RUNNING_H
#define TFS_BTF_BTF_RUNNING_H

struct tfs_btf;
struct tfs_err;

/**
 * tfs_btf_running() - type information of the running kernel
 * @name: "vmlinux", or a module
 * @base: of a module, the kernel's; borrowed
 * @out: yours, tfs_btf_free()
 *
 * Return: 0, -ENODATA where it cannot be read, -EBADMSG, -ENOMEM.
 */
int tfs_btf_running(const char *name, const struct tfs_btf *base, struct tfs_btf **out,
		    struct tfs_err *err);

#endif
