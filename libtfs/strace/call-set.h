/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_SET_H
#define TFS_STRACE_CALL_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syscalls/abi.h"

struct tfs_err;

/**
 * struct tfs_call_set - a set of system calls, of all ABIs
 * @has: for each call of a table, in its order
 * @others: calls whose number no table has are in it, too
 *
 * Zeroed it is not valid: tfs_call_set_init().
 */
struct tfs_call_set {
	bool *has[SYS_N_ABIS];
	bool others;
};

/** tfs_call_set_init() - all calls, or none; 0 or -ENOMEM. Release it after a failure, too */
int tfs_call_set_init(struct tfs_call_set *set, bool all);
void tfs_call_set_release(struct tfs_call_set *set);

/**
 * tfs_call_set_parse() - what strace takes after -e trace=; replaces what the set was
 * @abi: of the recording: a name that neither it nor its 32-bit tasks have is an error.
 *	SYS_ABI_NONE: not known yet, any ABI's names are right
 * @text: "LIST" or "!LIST" (all but these). Between commas: NAME, number, %CLASS, /REGEX
 *	(extended), all, none; each may be preceded by "?" (no error if there is no such call) and
 *	followed by "@64", "@32" or "@x32" (of these tasks only)
 *
 * Return: 0; -ENOENT for a name that does not exist, with suggestions; -EINVAL; -ENOMEM.
 */
int tfs_call_set_parse(struct tfs_call_set *set, enum sys_abi abi, const char *text,
		       struct tfs_err *err);

/** tfs_call_set_has() - is the call with that number in it? */
bool tfs_call_set_has(const struct tfs_call_set *set, enum sys_abi abi, int64_t nr);

/** tfs_call_set_count() - how many calls of an ABI are in it; @others do not count */
size_t tfs_call_set_count(const struct tfs_call_set *set, enum sys_abi abi);

/** tfs_call_set_add() - the call of that name, in all ABIs; 0, or -ENOENT if none has it */
int tfs_call_set_add(struct tfs_call_set *set, const char *name);

#endif
