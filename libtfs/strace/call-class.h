/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_CALL_CLASS_H
#define TFS_STRACE_CALL_CLASS_H

#include <stdbool.h>
#include <stddef.h>

struct sys_entry;

/**
 * struct tfs_call_class - a class of system calls, as in strace -e trace=%file
 * @name: without "%"
 * @alias: another name, NULL: none
 * @bare: it may be written without "%", as in old versions of strace
 * @has: is this call one of them?
 *
 * A call's prototype decides where it can: a parameter that is a path, a descriptor, a
 * signal. Other classes are lists of names. A call that was given a wider type later (stat64,
 * setuid32, clock_gettime64) is in the classes of the call that it replaces.
 */
struct tfs_call_class {
	const char *name;
	const char *alias;
	bool bare;
	bool (*has)(const struct sys_entry *entry);
};

/** tfs_call_class_find() - by name or alias; NULL: there is none */
const struct tfs_call_class *tfs_call_class_find(const char *name, size_t len);

/** tfs_call_class_get() - the classes by number, NULL after the last */
const struct tfs_call_class *tfs_call_class_get(size_t i);

/** tfs_call_is_sigreturn() - does it return from a signal handler? NULL does not */
bool tfs_call_is_sigreturn(const struct sys_entry *entry);

/** tfs_call_path_arg() - is parameter @i of the call a path? */
bool tfs_call_path_arg(const struct sys_entry *entry, unsigned int i);

#endif
