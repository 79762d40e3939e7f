/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_SYSCALLS_H
#define TC_REPORT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#include "span/syscall-name.h"

/** report_syscall_here() - the numbering of the running kernel, as tfs_calls_abi() has it */
int report_syscall_here(void);

/**
 * report_syscall_name() - a tfs_syscall_name_func for views that take one
 * @recorded: an int that tfs_calls_abi() returned
 *
 * The name lives as long as the program.
 */
const char *report_syscall_name(const void *recorded, int64_t nr, enum tfs_syscall_abi abi);

/** report_syscall_own_name() - the same, of the recorded kernel's own numbers */
const char *report_syscall_own_name(const void *recorded, int64_t nr);

/** report_errno_name() - "ENOENT" of 2, those of the kernel's own (ERESTARTSYS) too; NULL: none */
const char *report_errno_name(int64_t error);

#endif
