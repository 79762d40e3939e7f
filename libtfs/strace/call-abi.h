/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_ABI_H
#define TFS_STRACE_CALL_ABI_H

struct tfs_trace;

/** TFS_CALLS_ABI_NONE - the recording's architecture is not known: numbers have no names */
#define TFS_CALLS_ABI_NONE (-1)

/**
 * tfs_calls_abi() - enum sys_abi that a recording's raw_syscalls have, or TFS_CALLS_ABI_NONE
 *
 * From its uname, else by sys_abi_guess(). Walks symbols: once for each recording.
 */
int tfs_calls_abi(struct tfs_trace *trace);

#endif
