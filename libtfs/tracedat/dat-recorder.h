/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_RECORDER_H
#define TFS_TRACEDAT_DAT_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_strbuf;

/**
 * struct tfs_dat_recorder - the option TFS_DAT_PRIVATE_RECORDER: threads whose events are left out
 * @tids: ascending, @n of them
 *
 * The kernel leaves out a sched_switch only if both of its tasks are such threads. The next one on
 * the CPU proves it: the task that it takes off is not the one that was last put on.
 *
 * The payload: u32 0x01020304 (in the file's byte order, as is all that follows), u32 for each.
 */
struct tfs_dat_recorder {
	size_t n;
	uint32_t tids[];
};

/** tfs_dat_recorder_put() - append the payload in host byte order; 0 or -ENOMEM */
int tfs_dat_recorder_put(struct tfs_strbuf *payload, const uint32_t *tids, size_t n);
/**
 * tfs_dat_recorder_get() - these threads of a file
 * @out: release with free(); NULL if the file does not say
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_dat_recorder_get(const struct tfs_dat *dat, struct tfs_dat_recorder **out);
/** tfs_dat_recorder_has() - are both of them? @r may be NULL */
bool tfs_dat_recorder_has(const struct tfs_dat_recorder *r, uint32_t one, uint32_t other);

#endif
