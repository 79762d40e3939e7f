/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_RESOLVE_H
#define TFS_PROBE_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>

#include "dwarf/func.h"
#include "probe/type.h"

struct tfs_err;
struct tfs_debuginfo;
struct tfs_probe_defs;
struct tfs_probe_features;
struct tfs_probe_spec;
struct tfs_strvec;

/**
 * struct tfs_probe_resolve_opts - how probes are looked up
 * @features: what the kernel that gets the definitions can do; borrowed
 * @no_inlines: leave inlined copies of functions out
 * @force: take what may be wrong: an address that no line begins at
 * @native: the definitions are for the kernel that runs here: one that it would not take, or not
 *	understand, is refused
 * @all: of several functions of one name, take all
 * @source: directory that sources are below, for patterns; NULL to look for them
 * @kernel_type: type of the probes in the kernel: TFS_PROBE_KPROBE or TFS_PROBE_FPROBE
 * @maxactive: return probes of the kernel follow so many calls at a time; 0: its default
 * @max: at most so many places for one request
 * @request: number of the request, for struct tfs_probe_def
 * @no_real: nobody will ask for the definitions' @real; it may be NULL then
 * @no_means: nobody will ask for the definitions' @means; there are none then
 * @notices: what is left out, and why, is appended
 */
struct tfs_probe_resolve_opts {
	const struct tfs_probe_features *features;
	bool no_inlines;
	bool force;
	bool all;
	bool native;
	enum tfs_probe_type kernel_type;
	const char *source;
	unsigned int maxactive;
	size_t max;
	size_t request;
	bool no_real;
	bool no_means;
	struct tfs_strvec *notices;
};

/** enum tfs_probe_choose_flags - @TFS_PROBE_CHOOSE_ALL: all functions of one name */
enum tfs_probe_choose_flags { TFS_PROBE_CHOOSE_ALL = 1 << 0 };

/**
 * tfs_probe_choose() - of the functions that a name stands for, the one that is meant
 * @flags: enum tfs_probe_choose_flags
 * @points: of the functions; those of another than #N asks for are dropped
 *
 * Takes all places of one function: inlined copies, clones, a header's function in each unit; and
 * all functions that a glob matches. If a function has versions, takes the default one.
 *
 * Return: 0; -ENOTUNIQ if the name is that of several functions, the hint has them; -ENOENT if
 * there is no N-th; -ENOMEM.
 */
int tfs_probe_choose(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		     unsigned int flags, struct tfs_points *points, struct tfs_err *err);

/** enum tfs_probe_points_flags - flags of tfs_probe_points() */
enum tfs_probe_points_flags { TFS_PROBE_NO_VARIABLES = 1 << 0 };

/**
 * tfs_probe_points() - the places that a spec stands for, before arguments move them
 * @flags: TFS_PROBE_NO_VARIABLES: no variables of the functions will be looked up
 * @points: appended to
 *
 * Return: 0; -ENOENT, -ENODATA, -E2BIG as dwarf/func.h and dwarf/line.h say; -ENOTUNIQ; -EINVAL for
 * a point that cannot be (an offset outside of its function) or is in another module; -ENOMEM.
 */
int tfs_probe_points(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		     const struct tfs_probe_resolve_opts *opts, unsigned int flags,
		     struct tfs_points *points, struct tfs_err *err);

/**
 * tfs_probe_resolve() - the definitions that a spec comes to
 * @defs: appended to, one for each place; all that are appended were validated
 *
 * An argument that cannot be read at one of several places is left out there, with a notice, and
 * that place gets an event of its own; one that can be read at none is an error. Names are not yet
 * unique beyond this request.
 *
 * Return: 0 or negative errno, with nothing appended.
 */
int tfs_probe_resolve(struct tfs_debuginfo *dbg, const struct tfs_probe_spec *spec,
		      const struct tfs_probe_resolve_opts *opts, struct tfs_probe_defs *defs,
		      struct tfs_err *err);

#endif
