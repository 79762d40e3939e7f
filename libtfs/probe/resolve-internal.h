/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_RESOLVE_INTERNAL_H
#define TFS_PROBE_RESOLVE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf-core.h"
#include "base/strvec.h"
#include "probe/means.h"
#include "probe/resolve.h"

struct tfs_debuginfo;
struct tfs_dso;
struct tfs_machine;
struct tfs_probe_defs;
struct tfs_probe_features;

/**
 * struct tfs_probe_args - the arguments of one place
 * @text: as the kernel wants them
 * @shape: names and types
 * @names: of the arguments so far
 * @means: what the numbers of some of them stand for
 * @left_out: "NAME: why" for each that cannot be read here
 * @first: why the first one cannot
 * @expr_max: characters of an expression that the kernel takes
 * @narrow: the kernel cannot follow the program's pointers; @followed: some argument does
 * @by_number: machine whose argument registers are written as $argN, for an fprobe or, with
 *	@at_return, for arguments at a function's return; NULL: write register names
 */
struct tfs_probe_args {
	struct tfs_strbuf text;
	struct tfs_strbuf shape;
	struct tfs_strvec names;
	struct tfs_probe_means means;
	struct tfs_strvec left_out;
	struct tfs_err *first;
	size_t expr_max;
	bool narrow;
	bool followed;
	bool at_return;
	const struct tfs_machine *by_number;
};

void tfs_probe_args_release(struct tfs_probe_args *args);

/** tfs_probe_type_for() - the type of the probes that @opts asks for in @dso */
enum tfs_probe_type tfs_probe_type_for(const struct tfs_dso *dso,
				       const struct tfs_probe_resolve_opts *opts);

/** tfs_probe_is_glob() - a glob was typed, and not the very name of a function that looks so */
bool tfs_probe_is_glob(const struct tfs_probe_spec *spec, const struct tfs_points *points);

/**
 * tfs_probe_note_resolver() - if @point is the resolver of an indirect function, and it is the
 * function's name that was typed: a notice that names what it chooses from, as far as known
 *
 * Return: 0; -EOPNOTSUPP if variables are asked for, which would be the resolver's; -ENOMEM.
 */
int tfs_probe_note_resolver(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			    const struct tfs_probe_resolve_opts *opts,
			    const struct tfs_point *point, struct tfs_err *err);

/**
 * tfs_probe_hit_address() - where the probe of @point goes so that each call hits it, and once
 * @hit: after what only some calls execute (ppc64) or may be executed again (Go's stack check), if
 *	@point is before that and no address or offset was typed. Variables are where they are at
 *	@point: no instruction between the two changes them
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_hit_address(struct tfs_dso *dso, const struct tfs_probe_spec *spec,
			  const struct tfs_probe_resolve_opts *opts, const struct tfs_point *point,
			  uint64_t *hit);

/** tfs_probe_wants_dwarf() - does an argument name a variable? */
bool tfs_probe_wants_dwarf(const struct tfs_probe_spec *spec);

/**
 * tfs_probe_args_move() - put @point where all its variables are in their places
 * @point: at the entry of a function or inlined copy
 */
int tfs_probe_args_move(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
			struct tfs_point *point, struct tfs_err *err);

/**
 * tfs_probe_args_fetch() - what to fetch at @point
 * @args: empty
 *
 * Return: 0, also when arguments were left out; -EINVAL and the like for what can be read nowhere
 * (what was typed is wrong); -ENOMEM.
 */
int tfs_probe_args_fetch(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
			 const struct tfs_probe_resolve_opts *opts, const struct tfs_point *point,
			 struct tfs_probe_args *args, struct tfs_err *err);

/**
 * tfs_probe_name_events() - number the names of events that cannot be one
 * @defs: of one request, with the names they would have
 * @features: with TFS_PROBE_HAS_APPEND the kernel takes several places for one event, if they have
 *	the same arguments
 *
 * Return: 0, -ENOMEM.
 */
int tfs_probe_name_events(struct tfs_probe_defs *defs, const struct tfs_probe_features *features);

#endif
