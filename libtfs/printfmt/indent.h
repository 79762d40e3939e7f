/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_INDENT_H
#define TFS_PRINTFMT_INDENT_H

/*
 * How far a function's line is indented: by what was called before on its CPU, as libtraceevent's
 * plugin guesses it from the names of function and caller. In order of the records, one thread.
 */
struct tfs_indent;

/** tfs_indent_new() - Return: 0 or -ENOMEM */
int tfs_indent_new(struct tfs_indent **out);
void tfs_indent_free(struct tfs_indent *indent);

/**
 * tfs_indent_next() - the next record of a function
 * @parent, @function: names, that stay where they are as long as @indent lives; NULL: not known
 *
 * Return: columns, or -ENOMEM.
 */
int tfs_indent_next(struct tfs_indent *indent, unsigned int cpu, const char *parent,
		    const char *function);

#endif
