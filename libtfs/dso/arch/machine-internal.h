/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_ARCH_MACHINE_INTERNAL_H
#define TFS_DSO_ARCH_MACHINE_INTERNAL_H

#include "dso/arch/machine.h"

/* One file a machine; tfs_machine_find() walks them. */
extern const struct tfs_machine tfs_machine_x86_64;
extern const struct tfs_machine tfs_machine_i386;
extern const struct tfs_machine tfs_machine_aarch64;
extern const struct tfs_machine tfs_machine_arm;
extern const struct tfs_machine tfs_machine_riscv64;
extern const struct tfs_machine tfs_machine_s390x;
extern const struct tfs_machine tfs_machine_ppc64le;

#endif
