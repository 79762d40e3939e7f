/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_VAR_INTERNAL_H
#define TFS_PROBE_VAR_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdint.h>

#include "dwarf/loc.h"
#include "dwarf/scope.h"
#include "dwarf/type.h"
#include "dwarf/var-find.h"
#include "dwarf/var-frame.h"
#include "probe/var.h"

/**
 * struct tfs_var_cursor - where a path has led to
 * @loc: what holds the object the path is in
 * @size: of that object, for its place in a register
 * @type: of what is selected
 * @bit: where it begins in the object, as struct tfs_member counts
 * @bits: size of a selected bitfield, 0 otherwise
 * @beside: suffix for the name of the second field, "_len" or "_type", that
 *	tfs_var_cursor_emit_length() emits; NULL if there is none
 * @doubt: whether what it began at holds the variable, see tfs_var_doubt()
 * @declared: line, for TFS_VAR_UNDECLARED
 * @loads: where it is, is in memory itself
 */
struct tfs_var_cursor {
	const struct tfs_scope *scope;
	struct tfs_loc loc;
	uint64_t size;
	struct tfs_type type;
	uint64_t bit;
	unsigned int bits;
	const char *beside;
	enum tfs_var_doubt doubt;
	int declared;
	bool loads;
};

/** tfs_fetch_list_take() - append @fetch, which is the list's, also on failure; 0 or -ENOMEM */
int tfs_fetch_list_take(struct tfs_fetch_list *list, struct tfs_fetch *fetch);
/** tfs_fetch_list_refuse() - note a variable that is left out, and why; 0 or -ENOMEM */
int tfs_fetch_list_refuse(struct tfs_fetch_list *list, const char *name, enum tfs_refusal why,
			  const struct tfs_err *err);
/**
 * tfs_fetch_name() - what an argument is called: the name typed, else the last member's, else the
 * variable's, with the type if one was typed; @suffix after it. 0 or -ENOMEM
 */
int tfs_fetch_name(const struct tfs_path *path, const struct tfs_var_opts *opts, const char *suffix,
		   struct tfs_fetch *fetch);

/**
 * struct tfs_var_target - the variable that a path begins with
 * @path: from it on: borrowed from the path that was looked up, and from @step
 * @step: the steps where there are more than were typed; NULL otherwise
 */
struct tfs_var_target {
	Dwarf_Die die;
	enum tfs_found where;
	struct tfs_path path;
	struct tfs_step *step;
};

/**
 * tfs_var_target() - as tfs_var_find(), with the path: a member of a C++ function's class stands
 *	for this->m, and the first words of a path are the package of a variable of Go's
 * @t: release with tfs_var_target_release(), also after a failure
 *
 * Return: as tfs_var_find().
 */
int tfs_var_target(const struct tfs_scope *scope, const struct tfs_path *path,
		   struct tfs_var_target *t, struct tfs_refusing *r);
void tfs_var_target_release(struct tfs_var_target *t);

/** tfs_var_alive_hint() - where in the function the variable is alive, as the hint of @err */
void tfs_var_alive_hint(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_err *err);

/** tfs_var_cursor_begin() - at the variable itself; to be released also after a failure */
int tfs_var_cursor_begin(const struct tfs_scope *scope, Dwarf_Die *die, struct tfs_var_cursor *cur);
/** tfs_var_cursor_begin_result() - at a result of a function of Go's (dwarf/go-abi.h) */
int tfs_var_cursor_begin_result(const struct tfs_scope *scope, Dwarf_Die *die,
				struct tfs_var_cursor *cur);
/** tfs_var_cursor_begin_return() - at what the function returns */
int tfs_var_cursor_begin_return(const struct tfs_scope *scope, struct tfs_var_cursor *cur,
				struct tfs_refusing *r);
void tfs_var_cursor_release(struct tfs_var_cursor *cur);

/** tfs_var_cursor_walk() - the steps and stars of @path, not its '&' */
int tfs_var_cursor_walk(struct tfs_var_cursor *cur, const struct tfs_path *path,
			struct tfs_refusing *r);

/**
 * tfs_var_cursor_check_written() - refuse @bits bits of what was selected if in the frame and
 *	not yet there, although the debug information has them there
 */
int tfs_var_cursor_check_written(const struct tfs_var_cursor *cur, uint64_t bits,
				 struct tfs_refusing *r);

/** tfs_var_cursor_deref() - to what the selected pointer points at */
int tfs_var_cursor_deref(struct tfs_var_cursor *cur, struct tfs_refusing *r);
/** tfs_var_cursor_follow() - the same for a pointer whose own type does not say to what */
int tfs_var_cursor_follow(struct tfs_var_cursor *cur, const struct tfs_type *to,
			  struct tfs_refusing *r);
/** tfs_var_cursor_through() - references to what they refer to */
int tfs_var_cursor_through(struct tfs_var_cursor *cur, struct tfs_refusing *r);

/**
 * tfs_var_cursor_value() - the selected thing as a value
 * @bits: of it
 */
int tfs_var_cursor_value(struct tfs_var_cursor *cur, unsigned int bits, struct tfs_sval *out,
			 struct tfs_refusing *r);

/** tfs_var_cursor_address() - where in memory it is; refuses what is not in memory */
int tfs_var_cursor_address(struct tfs_var_cursor *cur, struct tfs_sval *out,
			   struct tfs_refusing *r);

/** enum tfs_var_wanted - what is wanted of the selected thing */
enum tfs_var_wanted { TFS_VAR_VALUE, TFS_VAR_ADDRESS };

/** tfs_var_cursor_emit() - what the kernel is to fetch for the selected thing */
int tfs_var_cursor_emit(struct tfs_var_cursor *cur, enum tfs_var_wanted wanted,
			const struct tfs_var_opts *opts, struct tfs_fetch *out,
			struct tfs_refusing *r);
/** tfs_var_cursor_emit_length() - how many elements what is @sized has, from a cursor of its own */
int tfs_var_cursor_emit_length(struct tfs_var_cursor *cur, const struct tfs_var_opts *opts,
			       struct tfs_fetch *out, struct tfs_refusing *r);

/** tfs_var_suggest() - hint at a similar name for an unknown variable, or list the variables */
void tfs_var_suggest(const struct tfs_scope *scope, const char *name, struct tfs_err *err);

#endif
