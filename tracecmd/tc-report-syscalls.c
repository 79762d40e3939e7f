/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tc-report-syscalls.h"

#include <sys/utsname.h>

#include "strace/call-abi.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

int report_syscall_here(void)
{
	struct utsname name;
	const enum sys_abi abi = uname(&name) ? SYS_ABI_NONE : sys_abi_parse(name.machine);

	return abi == SYS_ABI_NONE ? TFS_CALLS_ABI_NONE : (int)abi;
}

const char *report_syscall_name(const void *recorded, int64_t nr, enum tfs_syscall_abi abi)
{
	const int own = *(const int *)recorded;
	const struct sys_entry *entry = NULL;

	if (own == TFS_CALLS_ABI_NONE)
		return NULL;
	if (abi == TFS_SYSCALL_COMPAT)
		entry = sys_abi_lookup(sys_abi_compat((enum sys_abi)own), nr);
	else
		entry = sys_abi_lookup(sys_abi_of_id((enum sys_abi)own, &nr), nr);
	return entry ? entry->name : NULL;
}

const char *report_syscall_own_name(const void *recorded, int64_t nr)
{
	return report_syscall_name(recorded, nr, TFS_SYSCALL_OWN);
}

const char *report_errno_name(int64_t error)
{
	const struct sys_set *set = &sys_set_errno;

	for (size_t i = 0; i < set->n_one; i++)
		if (set->one[i].value == (uint64_t)error)
			return set->one[i].name;
	return NULL;
}
