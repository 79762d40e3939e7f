/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_JOIN_H
#define TFS_REWRITE_JOIN_H

#include <stddef.h>
#include <stdint.h>

struct tfs_dat;
struct tfs_dat_form;
struct tfs_err;

/**
 * struct tfs_join_notes - what one recording cannot hold of several
 * @symbols: recordings after the first whose maps and symbols of programs were left out
 */
struct tfs_join_notes {
	size_t symbols;
};

/**
 * tfs_join() - make one recording of several of one machine and boot
 * @dats: @n of them, in any order; borrowed
 * @fd: empty, seekable, writable; borrowed
 *
 * Buffers of one name become one. The data of a CPU follow each other; where they overlap in time,
 * as those of recordings that were cut by events do, its records are merged. Options that all
 * recordings have in common are kept once, counts of losses are added up.
 *
 * Return: 0; -EINVAL for recordings of different machines, boots, clocks or formats: the message
 * says what differs; -EOPNOTSUPP for a latency tracer's text; -ENOMEM; the errno of a write. Damage
 * is noted in the files, and what comes after it is left out.
 */
int tfs_join(struct tfs_dat *const *dats, size_t n, int fd, const struct tfs_dat_form *form,
	     struct tfs_join_notes *notes, struct tfs_err *err);

#endif
