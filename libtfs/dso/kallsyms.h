/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DSO_KALLSYMS_H
#define TFS_DSO_KALLSYMS_H

struct tfs_symbol;

/** TFS_KALLSYMS - the symbols of the running kernel; without addresses for who may not see them */
#define TFS_KALLSYMS "/proc/kallsyms"

/**
 * tfs_kallsyms_line() - "ffffffff81000000 T _text" and, of a module, "\t[ext4]"
 * @line: is cut into its words, which @s borrows
 *
 * Pure. Return: 0 or -EBADMSG.
 */
int tfs_kallsyms_line(char *line, struct tfs_symbol *s);

/**
 * tfs_kallsyms_has() - has the running kernel, or one of its modules, a symbol of this name?
 * Return: 1, 0, or a negative errno where that cannot be known.
 */
int tfs_kallsyms_has(const char *name);

#endif
