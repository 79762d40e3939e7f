/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-abi.h"

#include <string.h>

#include "decode/trace.h"
#include "syscalls/abi.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

int tfs_calls_abi(struct tfs_trace *trace)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(tfs_trace_dat(trace), TFS_DAT_UNAME);
	const char *machine = o && o->data.size ? strrchr(o->data.data, ' ') : NULL;
	enum sys_abi abi = machine ? sys_abi_parse(machine + 1) : SYS_ABI_NONE;

	if (abi == SYS_ABI_NONE)
		abi = sys_abi_guess(tfs_trace_tep(trace));
	return abi == SYS_ABI_NONE ? TFS_CALLS_ABI_NONE : (int)abi;
}
