/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_PORTABLE_H
#define TFS_PROBE_PORTABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "probe/define.h"

struct tfs_err;
struct tfs_dso;
struct tfs_probe_features;
struct tfs_strbuf;

/*
 * A file of definitions that were looked up where debug information is, for a machine that has
 * none:
 *
 *   tc-probe-plan 1
 *   program /usr/bin/prog
 *   build-id 2f0c...
 *   event p:probe_prog/use /usr/bin/prog:0x1139 v=%di:s32
 *   real use@prog.c:12
 *   sign v 5
 *   end 1
 *
 * A line is a key, a blank and a value. "program", "kernel" and "module" begin a target, the lines
 * after them are about it. "sign" is of an argument of the event before it: the highest of so many
 * bits is its sign. A blank, backslash or control character in a path is written as a
 * backslash and three octal digits. "end" is the last line and has the number of events: a file
 * that was cut off is refused. Lines that are empty or begin with '#' are passed over; files can be
 * joined.
 */

enum tfs_portable_kind { TFS_PORTABLE_PROGRAM, TFS_PORTABLE_KERNEL, TFS_PORTABLE_MODULE };

/**
 * struct tfs_portable_target - what some of the definitions are for
 * @name: path of the program, name of the module; of the kernel a name for people
 * @build_id: lower-case hexadecimal; NULL if the program has none
 * @code: tfs_dso_code_hash() as text, where there is no build-id; else NULL
 */
struct tfs_portable_target {
	enum tfs_portable_kind kind;
	char *name;
	char *build_id;
	char *code;
};

/**
 * struct tfs_portable - what such a file says; owned, a zeroed one is empty
 * @defs: @request of each is the index of its target
 * @lines: line of the file that each of @defs was on, from 1
 */
struct tfs_portable {
	struct tfs_portable_target *target;
	size_t n;
	struct tfs_probe_defs defs;
	size_t *lines;
};

void tfs_portable_release(struct tfs_portable *portable);

/**
 * tfs_portable_write() - the text of such a file
 * @defs: of @dso, with names that are unique
 * @sb: appended to
 *
 * Return: 0; -ENODATA for a kernel or module without a build-id; -ENOMEM.
 */
int tfs_portable_write(struct tfs_dso *dso, const struct tfs_probe_defs *defs,
		       struct tfs_strbuf *sb, struct tfs_err *err);

/**
 * tfs_portable_parse() - what a file says
 * @text: hostile; @len bytes of it, a NUL is one of the characters that are refused
 * @out: set on success only
 *
 * Pure. Definitions are taken apart, and are not yet judged (tfs_portable_resolve()). Return: 0;
 * -EINVAL naming the line; -E2BIG; -ENOMEM.
 */
int tfs_portable_parse(const char *text, size_t len, struct tfs_portable *out, struct tfs_err *err);

/**
 * struct tfs_portable_opts - where things are on this machine
 * @exec: path of a program's file, for the target with its build-id; NULL for none
 * @root: directory that stands for / when programs are looked for; NULL for / itself
 * @pid: process whose root stands for /; 0 for none
 * @force: take places of which -f of tc-probe -a would do it
 * @features: what this kernel takes
 */
struct tfs_portable_opts {
	const char *exec;
	const char *root;
	int pid;
	bool force;
	const struct tfs_probe_features *features;
};

/**
 * tfs_portable_resolve() - find each target on this machine, verify that it is the same file, and
 * set the definitions' paths
 *
 * The plan is not trusted: locations in programs are checked against the file that is here
 * (tfs_probe_check_location()), and @real of a definition becomes what is found there, followed by
 * what the plan says in quotes.
 *
 * Return: 0; -ENOENT if a program or module is not here; -ESTALE, naming both build-ids, if it is
 * another; -EINVAL naming the line whose definition the kernel would not take; -ENOMEM.
 */
int tfs_portable_resolve(struct tfs_portable *portable, const struct tfs_portable_opts *opts,
			 struct tfs_err *err);

#endif
