/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_V6_H
#define TFS_TRACEDAT_DAT_V6_H

struct tfs_dat;
struct tfs_err;

/**
 * tfs_dat_v6_read() - everything after the initial bytes of a version 6 file
 *
 * A fixed sequence without offsets, so that a fault ends it; data read before stays.
 * Return: 0, -EBADMSG with the place of the fault, -EOPNOTSUPP, -ENOMEM.
 */
int tfs_dat_v6_read(struct tfs_dat *dat, struct tfs_err *err);

#endif
