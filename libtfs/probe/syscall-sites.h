/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_SYSCALL_SITES_H
#define TFS_PROBE_SYSCALL_SITES_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dso;
struct tfs_err;

/**
 * struct tfs_syscall_site - where a system call of a program can be probed
 * @addr: of the instruction before the one that enters the kernel (which must not be probed:
 *	insn/insn.h)
 * @number: of the system call
 */
struct tfs_syscall_site {
	uint64_t addr;
	uint32_t number;
};

/**
 * tfs_syscall_sites() - locations before system calls whose number the code says
 * @registers: DWARF numbers, as bits, of the registers that a probe there wants to read for the
 *	call @number; 0: no site is wanted for it
 * @sites: yours, free(); in order of addresses
 *
 * All of .text is decoded, from its beginning. A site counts if the instruction before it changes
 * none of the registers, if no jump or branch enters between them or after the number was loaded,
 * and if code before and after it begins where symbols say. Other sites are left out: where code is
 * not understood, nothing is probed. x86-64 only.
 *
 * Return: 0; -EOPNOTSUPP for other machines; -ENOMEM; -errno, with @err set.
 */
int tfs_syscall_sites(struct tfs_dso *dso, uint32_t (*registers)(void *ctx, uint32_t number),
		      void *ctx, struct tfs_syscall_site **sites, size_t *n, struct tfs_err *err);

#endif
