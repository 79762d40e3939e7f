/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_SPAN_SYSCALL_NAME_H
#define TFS_SPAN_SYSCALL_NAME_H

#include <stdint.h>

/**
 * enum tfs_syscall_abi - whose numbers
 * @TFS_SYSCALL_OWN: those of the recorded kernel
 * @TFS_SYSCALL_COMPAT: those of programs of 32 bits on a kernel of 64
 */
enum tfs_syscall_abi { TFS_SYSCALL_OWN, TFS_SYSCALL_COMPAT };

/**
 * tfs_syscall_name_func - name of a system call by its number; NULL: it has none
 * @syscalls: what belongs to the recording
 *
 * The result lives as long as whoever calls it.
 */
typedef const char *tfs_syscall_name_func(const void *syscalls, int64_t nr,
					  enum tfs_syscall_abi abi);

#endif
