/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_GUEST_H
#define TFS_TRACEDAT_DAT_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;

/*
 * How the recordings of a host and of its guests find each other: each file has an id (option
 * TRACEID), and the host's file has an option GUEST for each guest (trace-cmd.dat(5)): strz name,
 * u64 id of the guest's file, u32 count, then for each virtual CPU u32 number and u32 pid of the
 * host's thread that runs it.
 */

/** tfs_dat_trace_id() - the id of this recording; false: it has none */
bool tfs_dat_trace_id(const struct tfs_dat *dat, uint64_t *id);

/**
 * tfs_dat_vcpu_pids() - the host's threads that ran the guest whose recording is @trace_id
 * @pids: @n of them, the caller's, free(); NULL where the file does not name the guest
 *
 * Options that are damaged name no guest. Return: 0 or -ENOMEM.
 */
int tfs_dat_vcpu_pids(const struct tfs_dat *dat, uint64_t trace_id, int **pids, size_t *n);

#endif
