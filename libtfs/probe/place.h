/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_PLACE_H
#define TFS_PROBE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_image;

/**
 * tfs_probe_check_syscall() - refuse a uprobe on an instruction that enters the kernel
 * @addr: of the instruction
 * @name: of the function that it is in, NULL if that is not known; @entry: where that begins
 *
 * Whatever is forced: see tfs_insn_is_syscall(). The hint names the instruction before it.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int tfs_probe_check_syscall(struct tfs_image *img, uint64_t addr, const char *name, uint64_t entry,
			    struct tfs_err *err);

/** tfs_probe_kernel_steps() - does the kernel put a uprobe on the instruction at @addr? */
bool tfs_probe_kernel_steps(struct tfs_image *img, uint64_t addr);

#endif
