/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_DAT_KIND_H
#define TFS_TRACEDAT_DAT_KIND_H

#include <stddef.h>

struct tfs_err;

/** TFS_DAT_KIND_HEAD - bytes of a file that are enough to recognise its kind */
#define TFS_DAT_KIND_HEAD 4096

/**
 * tfs_dat_say_kind() - a file is not a trace.dat: what is it, and which program reads it?
 * @head: its first bytes, @n of them, up to TFS_DAT_KIND_HEAD
 *
 * By the magic numbers of common compressions, perf.data, packet captures and ELF; text by having
 * nothing but text in @head. Pure. Return: -EBADMSG, with message and, if the kind is known, hint.
 */
int tfs_dat_say_kind(const void *head, size_t n, struct tfs_err *err);

#endif
