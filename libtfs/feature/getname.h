/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FEATURE_GETNAME_H
#define TFS_FEATURE_GETNAME_H

#include <stdbool.h>

struct tfs_err;
struct tfs_root;
struct tfs_strbuf;

/*
 * System calls copy the paths that programs pass with one function of the kernel, whose result
 * (struct filename) begins with the address of the copy. A probe on its return records every path
 * that was copied, and never misses one because a page was not in memory.
 */

/**
 * tfs_getname_pick() - the function whose return is probed
 * @text: lines of available_filter_functions, or of /proc/kallsyms
 *
 * do_getname (7.0), else the half of getname_flags that the compiler made a function of its own
 * and that other functions call directly, else getname_flags. Pure. Return: 0, -ENOENT, -ENOMEM.
 */
int tfs_getname_pick(const char *text, struct tfs_strbuf *func);

/**
 * tfs_getname_define() - append the definition of the probe: "r512:GROUP/EVENT FUNC name=..."
 * @where: "GROUP/EVENT"
 *
 * Its fields are name (text), ret (what the function returned) and, where the kernel has it, ptr
 * (the address in the program). Return: 0; -ENOENT: there is no such function; -errno; with @err.
 */
int tfs_getname_define(const struct tfs_root *root, const char *where, struct tfs_strbuf *line,
		       struct tfs_err *err);

/** tfs_has_syscall_strings() - do the events of system calls have the texts of strings (6.19)? */
bool tfs_has_syscall_strings(const struct tfs_root *root);

#endif
