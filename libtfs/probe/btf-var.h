/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_BTF_VAR_H
#define TFS_PROBE_BTF_VAR_H

#include <stdbool.h>

#include "probe/var.h"

struct tfs_btf;
struct tfs_err;
struct tfs_machine;

/**
 * struct tfs_btf_scope - the entry of a kernel function, or its return, of which only the
 * prototype is known: what is passed is where the machine's calling convention puts it
 * @func: its name, which has to be the symbol's own: a compiler's copy (.isra.0) is called
 *	otherwise
 * @cast_to: structure or union that the base of the path points to, whatever its type; the base can
 *	be a register (%di) or $argN, too. NULL for none
 * @is_return: $retval is to be had, nothing else
 * @is_local: the function is static. If several share its name, BTF may hold the prototype of one
 *	that was inlined everywhere, and nothing in BTF says which
 */
struct tfs_btf_scope {
	const struct tfs_btf *btf;
	const struct tfs_machine *machine;
	const char *func;
	const char *cast_to;
	bool is_return;
	bool is_local;
};

/**
 * tfs_btf_fetch() - as tfs_var_fetch(), by the prototype
 *
 * Finds integers, enumerations, pointers and what they point at. Refuses structures passed by
 * value and all arguments after them: BTF is not enough to locate those.
 */
int tfs_btf_fetch(const struct tfs_btf_scope *scope, const struct tfs_path *path,
		  const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		  enum tfs_refusal *why, struct tfs_err *err);

/** tfs_btf_vars() - as tfs_vars_list(): the parameters */
int tfs_btf_vars(const struct tfs_btf_scope *scope, struct tfs_var_list *list, struct tfs_err *err);

#endif
