/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_VAR_H
#define TFS_PROBE_VAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/refusal.h"
#include "dwarf/var.h"
#include "probe/fetch.h"
#include "probe/path.h"

struct tfs_err;

/* A place in a function, made by dwarf/scope.h. */
struct tfs_scope;
struct tfs_strbuf;

/**
 * struct tfs_var_opts - how a variable is to be fetched
 * @cast: the type typed after ':', NULL or "" to guess one; x, s and u take their size from the
 *	variable's type
 * @name: the name typed before '=', NULL to derive it from the path
 * @no_x_types: the kernel has no x8..x64 (before 4.8): uN instead
 * @no_char: the kernel has no 'char' type (before 6.2): u8 arrays instead of sized strings
 * @no_guessed_strings: a char pointer without a cast is a pointer, a char array xN[..]
 * @only_const_text: a char pointer without a cast is text only if that is const: else it may be a
 *	buffer that is still to be written
 * @no_means: what numbers stand for is not looked for
 * @user: each dereference reads user memory (kprobes, @user)
 */
struct tfs_var_opts {
	const char *cast;
	const char *name;
	bool no_x_types;
	bool no_char;
	bool no_guessed_strings;
	bool only_const_text;
	bool no_means;
	bool user;
};

/**
 * struct tfs_refused - a variable left out of $params or $vars
 * @name: the variable; @text: why, in words
 */
struct tfs_refused {
	char *name;
	enum tfs_refusal why;
	char *text;
};

/**
 * struct tfs_fetch_list - what a path or $params became; starts as TFS_FETCH_LIST_INIT
 * @fetch: @n fetches (one for most variables; a sized string gives two)
 * @refused: @n_refused variables that cannot be fetched
 */
struct tfs_fetch_list {
	struct tfs_fetch *fetch;
	size_t n;
	struct tfs_refused *refused;
	size_t n_refused;
};

#define TFS_FETCH_LIST_INIT ((struct tfs_fetch_list){ 0 })

void tfs_fetch_list_release(struct tfs_fetch_list *list);

/**
 * tfs_var_when() - where a probe that wants @path has to be put
 * @scope: at the entry of the function or of the inlined copy; nothing else needs the answer
 * @path: $params and $vars stand for what they contain
 */
enum tfs_var_when tfs_var_when(const struct tfs_scope *scope, const struct tfs_path *path);

/**
 * tfs_var_locate() - the first address at which most of some variables can be read
 * @scope: where a probe is to be put; only the straight-line code from there on is looked at: who
 *	comes to the scope's address comes to @addr, too, once. In the body of code that is not
 *	optimised only parameters count, which may be stored there: locals are written still later
 * @path: @n variables
 * @addr: set; the scope's own address if no other is better
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_var_locate(const struct tfs_scope *scope, const struct tfs_path *const *path, size_t n,
		   uint64_t *addr);

/**
 * tfs_var_probeable() - the first instruction that a uprobe can be put on, from the scope's address
 *	on in straight-line code
 * Return: 0, -ENOENT.
 */
int tfs_var_probeable(const struct tfs_scope *scope, uint64_t *addr);

/**
 * tfs_var_fetch() - turn a path into what the kernel can fetch at the scope's address
 * @path: a variable, $params, $vars, or $retval in a return probe's scope
 * @opts: may be NULL
 * @list: appended to. $params and $vars refuse one by one, into @list->refused; for one variable
 *	nothing is appended on failure
 * @why: set to the reason of a failure; may be NULL
 *
 * Return: 0, -ENOENT (NO_VARIABLE, NO_MEMBER), -ENODATA (it has no value here), -EINVAL (TYPE,
 * AMBIGUOUS, a cast that is none), -EOPNOTSUPP (the kernel could not fetch it), -EBADMSG (DAMAGED),
 * -ENOMEM.
 */
int tfs_var_fetch(const struct tfs_scope *scope, const struct tfs_path *path,
		  const struct tfs_var_opts *opts, struct tfs_fetch_list *list,
		  enum tfs_refusal *why, struct tfs_err *err);

/** enum tfs_vars_flags - what tfs_vars_list() adds */
enum tfs_vars_flags {
	TFS_VARS_EXTERNS = 1 << 0,
	TFS_VARS_RANGE = 1 << 1,
};

/**
 * struct tfs_var_info - one line of -V
 * @type: as in the source ("struct file *"); owned, as all strings here
 * @name: of the variable
 * @range: where it is alive, "" unless asked for: "[VAL]" or "vfs_read+[0-23,41-60]"
 * @here: it can be fetched at this place
 * @external: a global or static of the unit
 */
struct tfs_var_info {
	char *type;
	char *name;
	char *range;
	bool param;
	bool here;
	bool external;
};

struct tfs_var_list {
	struct tfs_var_info *var;
	size_t n;
};

void tfs_var_list_release(struct tfs_var_list *list);

/**
 * tfs_vars_list() - the variables visible at the scope's address: parameters, then locals
 * @flags: enum tfs_vars_flags
 * @list: appended to
 *
 * Return: 0 or negative errno.
 */
int tfs_vars_list(const struct tfs_scope *scope, unsigned int flags, struct tfs_var_list *list,
		  struct tfs_err *err);

/**
 * tfs_var_explain() - append for a person: declaration, each range and what holds the variable
 *	there, what would be fetched at the scope's address or why nothing can be
 *
 * Return: 0 or negative errno, as tfs_var_fetch() but without the refusals that can be explained.
 */
int tfs_var_explain(const struct tfs_scope *scope, const struct tfs_path *path,
		    struct tfs_strbuf *out, struct tfs_err *err);

#endif
