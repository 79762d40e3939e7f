/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_VCPUS_H
#define TFS_REWRITE_VCPUS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_err;

/** struct tfs_vcpu - a virtual CPU of a guest, and the thread of the host that runs it */
struct tfs_vcpu {
	uint32_t cpu, pid;
};

/** struct tfs_vcpus - @n of them in ascending order of the virtual CPUs; free() @v */
struct tfs_vcpus {
	struct tfs_vcpu *v;
	size_t n;
};

/** TFS_VCPUS_MAX - KVM_MAX_VCPUS of x86 is 4096 at the most; more threads are refused */
#define TFS_VCPUS_MAX 16384

/**
 * tfs_vcpus_find() - which virtual CPUs threads of a host ran, by its events kvm_entry and kvm_exit
 * @pids: @n_pids threads, also such that ran none; none: any thread
 * @most: stop when so many were found; 0: read all of the recording
 * @out: none on failure
 *
 * Return: 0; -ENOENT where the recording has none of these events, or none of these threads;
 * -EINVAL where two threads ran the same virtual CPU, so that there is more than one guest; -E2BIG
 * for more threads than TFS_VCPUS_MAX; -ENOMEM.
 * Damage is noted in @dat, and what comes after it is left out.
 */
int tfs_vcpus_find(struct tfs_dat *dat, const uint32_t *pids, size_t n_pids, size_t most,
		   struct tfs_vcpus *out, struct tfs_err *err);

#endif
