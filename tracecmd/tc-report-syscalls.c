/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-syscalls.h"

#include <string.h>
#include <sys/utsname.h>

#include "decode/trace.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"
#include "tracedat/dat-format.h"
#include "tracedat/dat-read.h"

int report_syscall_abi(struct tfs_trace *trace)
{
	const struct tfs_dat_option *o = tfs_dat_option_last(tfs_trace_dat(trace), TFS_DAT_UNAME);
	const char *machine = o && o->data.size ? strrchr(o->data.data, ' ') : NULL;
	enum sys_abi abi = machine ? sys_abi_parse(machine + 1) : SYS_ABI_NONE;

	if (abi == SYS_ABI_NONE)
		abi = sys_abi_guess(tfs_trace_tep(trace));
	return abi == SYS_ABI_NONE ? REPORT_ABI_NONE : (int)abi;
}

int report_syscall_here(void)
{
	struct utsname name;
	const enum sys_abi abi = uname(&name) ? SYS_ABI_NONE : sys_abi_parse(name.machine);

	return abi == SYS_ABI_NONE ? REPORT_ABI_NONE : (int)abi;
}

const char *report_syscall_name(const void *abi, int64_t nr)
{
	const int recorded = *(const int *)abi;
	const struct sys_entry *entry = NULL;

	if (recorded != REPORT_ABI_NONE)
		entry = sys_abi_lookup(sys_abi_of_id((enum sys_abi)recorded, &nr), nr);
	return entry ? entry->name : NULL;
}

const char *report_errno_name(int64_t error)
{
	const struct sys_set *set = &sys_set_errno;

	for (size_t i = 0; i < set->n_one; i++)
		if (set->one[i].value == (uint64_t)error)
			return set->one[i].name;
	return NULL;
}
