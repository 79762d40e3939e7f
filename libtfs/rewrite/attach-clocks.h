/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_REWRITE_ATTACH_CLOCKS_H
#define TFS_REWRITE_ATTACH_CLOCKS_H

#include <stdint.h>

struct tfs_dat;
struct tfs_dat_shift;
struct tfs_err;
struct tfs_strbuf;

/**
 * tfs_attach_clocks() - the bytes of option TIME_SHIFT by what both clocks were compared with
 * @payload: appended in the byte order of this machine
 * @bound: how wrong it is at the most, in ns; UINT64_MAX: not known
 *
 * Return: 0; -EINVAL where the two were not compared with the same clock; -ENOMEM.
 */
int tfs_attach_clocks(struct tfs_dat *host, struct tfs_dat *guest,
		      const struct tfs_dat_shift *shift, struct tfs_strbuf *payload,
		      uint64_t *bound, struct tfs_err *err);

#endif
