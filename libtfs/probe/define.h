/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_DEFINE_H
#define TFS_PROBE_DEFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/means.h"
#include "probe/type.h"

struct tfs_err;
struct tfs_plan;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * struct tfs_probe_def - a definition: one line for the control file of its type
 * @ret: a return probe
 * @maxactive: of a return probe of the kernel: calls that are followed at a time, 0: its default
 * @partial: an argument that other places have was left out here
 * @path: the program's file, NULL for the kernel
 * @location: SYMBOL+OFFSET or PATH:0xOFFSET, as written to the kernel: a path that it does not
 *	take is replaced by the link of tracefs/link.h
 * @args: NAME=FETCH:TYPE with blanks between, NULL for none
 * @shape: the names and types of @args: what all places of one event have in common; NULL for none
 * @means: what the numbers of its arguments stand for
 * @real: what is probed, for a person: "ns::f@f.cc:10"
 * @request: number of the request that it came from, from 0
 */
struct tfs_probe_def {
	enum tfs_probe_type type;
	bool ret;
	unsigned int maxactive;
	bool partial;
	char *group;
	char *event;
	char *path;
	char *location;
	char *args;
	char *shape;
	struct tfs_probe_means means;
	char *real;
	size_t request;
};

/** struct tfs_probe_defs - owned; a zeroed one is empty */
struct tfs_probe_defs {
	struct tfs_probe_def *v;
	size_t n;
};

void tfs_probe_def_release(struct tfs_probe_def *def);
void tfs_probe_defs_release(struct tfs_probe_defs *defs);
/** tfs_probe_defs_take() - append @def, which is empty afterwards, also on failure; 0 or -ENOMEM */
int tfs_probe_defs_take(struct tfs_probe_defs *defs, struct tfs_probe_def *def);
/** tfs_probe_defs_move() - append all of @from, which is empty afterwards; 0 or -ENOMEM */
int tfs_probe_defs_move(struct tfs_probe_defs *to, struct tfs_probe_defs *from);

/** tfs_probe_def_line() - as the kernel wants it, no newline; 0 or -ENOMEM */
int tfs_probe_def_line(const struct tfs_probe_def *def, struct tfs_strbuf *sb);

/** enum tfs_probe_unique - flags of tfs_probe_defs_unique() */
enum tfs_probe_unique { TFS_PROBE_RENAME = 1 << 0 };

/**
 * tfs_probe_defs_unique() - see to it that no name is taken and no two requests have the same
 * @taken: GROUP/EVENT of what is defined already
 * @flags: TFS_PROBE_RENAME: give EVENT_1, EVENT_2 ... to an event whose name is taken, rather than
 *	fail
 *
 * Return: 0; -EEXIST naming the event; -ENOMEM.
 */
int tfs_probe_defs_unique(struct tfs_probe_defs *defs, const struct tfs_strvec *taken,
			  unsigned int flags, struct tfs_err *err);

/**
 * tfs_probe_define_plan() - steps that define all of @defs; what takes them back is their undo
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_define_plan(const struct tfs_probe_defs *defs, struct tfs_plan *plan);

#endif
