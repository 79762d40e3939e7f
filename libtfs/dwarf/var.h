/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DWARF_VAR_H
#define TFS_DWARF_VAR_H

/* Facts about variables and return values, in terms that do not need libdw. */

/* A place in a function, made by dwarf/scope.h. */
struct tfs_scope;

/**
 * enum tfs_var_when - the earliest place in the function where a variable can be read
 * @TFS_VAR_AT_ONCE: at the scope's address itself
 * @TFS_VAR_AFTER_PROLOGUE: the frame has to be set up first
 * @TFS_VAR_IN_BODY: an inlined copy whose storage is filled after its entry: first line of the body
 * @TFS_VAR_NEVER: at none of these; tfs_var_fetch() says why
 */
enum tfs_var_when {
	TFS_VAR_AT_ONCE,
	TFS_VAR_AFTER_PROLOGUE,
	TFS_VAR_IN_BODY,
	TFS_VAR_NEVER,
};

/**
 * enum tfs_returned - whether a function returns what its source says
 * @TFS_RETURNED_SURE: it does, for all that is known
 * @TFS_RETURNED_PERHAPS: the compiler may have dropped it, as nobody uses it
 * @TFS_RETURNED_NOT: it has
 */
enum tfs_returned {
	TFS_RETURNED_SURE,
	TFS_RETURNED_PERHAPS,
	TFS_RETURNED_NOT,
};

/** tfs_var_returned() - @scope: of a return probe */
enum tfs_returned tfs_var_returned(const struct tfs_scope *scope);

#endif
