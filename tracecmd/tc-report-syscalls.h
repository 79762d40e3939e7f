/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TC_REPORT_SYSCALLS_H
#define TC_REPORT_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

struct tfs_trace;

/** REPORT_ABI_NONE - a numbering of system calls that is not known */
#define REPORT_ABI_NONE (-1)

/**
 * report_syscall_abi() - the numbering of system calls in a recording
 *
 * From the recorder's uname, else from other facts. Return: an enum sys_abi or REPORT_ABI_NONE.
 */
int report_syscall_abi(struct tfs_trace *trace);

/** report_syscall_here() - the numbering of the running kernel, likewise */
int report_syscall_here(void);

/**
 * report_syscall_name() - name of a system call by its number, NULL if it has none
 * @abi: an int that one of these returned
 *
 * For views that take such a function. The name lives as long as the program.
 */
const char *report_syscall_name(const void *abi, int64_t nr);

/** report_errno_name() - "ENOENT" of 2, those of the kernel's own (ERESTARTSYS) too; NULL: none */
const char *report_errno_name(int64_t error);

#endif
