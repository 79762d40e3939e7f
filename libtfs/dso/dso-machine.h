/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_DSO_MACHINE_H
#define TFS_DSO_DSO_MACHINE_H

#include <stdbool.h>

struct tfs_err;
struct tfs_dso;

/**
 * tfs_dso_check_native() - whether this machine's kernel can have probes in a dso
 * Return: 0; -ENOEXEC, naming both machines; the kernel itself would take a probe in any file.
 */
int tfs_dso_check_native(struct tfs_dso *dso, struct tfs_err *err);

/**
 * tfs_dso_is_narrow() - a program of 32 bits for a kernel of 64 that this machine runs: a pointer
 * in memory is half of what that kernel follows
 */
bool tfs_dso_is_narrow(struct tfs_dso *dso);

#endif
