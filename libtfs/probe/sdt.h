/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_SDT_H
#define TFS_PROBE_SDT_H

#include <stdint.h>

#include "probe/var.h"

struct tfs_err;
struct tfs_fetch;
struct tfs_debuginfo;
struct tfs_dso;
struct tfs_points;
struct tfs_strvec;

/**
 * struct tfs_marker - a place that a program's author named (<sys/sdt.h>)
 * @provider: usually the program; @name: what happens there
 * @counter: file offset of the counter that must not be 0 for the program to pass the marker; 0 if
 *	it has none
 * @args: what the author hands over: arg1, arg2 ...
 *
 * Notes of type 3 and owner "stapsdt" describe them; https://sourceware.org/systemtap/wiki has
 * their format.
 */
struct tfs_marker {
	char *provider;
	char *name;
	uint64_t counter;
	struct tfs_fetch_list args;
};

/**
 * tfs_sdt_find() - places of a marker
 * @name: "PROVIDER:NAME", or "NAME" of any provider; either may be a glob
 * @out: points are appended, each with its marker
 *
 * Return: 0, -ENOENT with the markers there are as the hint, -ENOMEM.
 */
int tfs_sdt_find(struct tfs_debuginfo *dbg, const char *name, struct tfs_points *out,
		 struct tfs_err *err);

/**
 * tfs_sdt_list() - the markers, as tfs_probe_parse() takes them (%sdt_PROVIDER:NAME), sorted, each
 *	once
 * @filter: as that of tfs_func_list()
 * @out: appended to
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_sdt_list(struct tfs_debuginfo *dbg, const char *filter, struct tfs_strvec *out,
		 struct tfs_err *err);

/**
 * tfs_marker_fetch() - what an argument of a marker is fetched as
 * @arg: "arg1" and so on
 * @cast: the type that was typed, NULL for the author's. A string and an array are what the
 *	argument points at
 * @out: set on success only; its name is @arg, or with a cast ARG_CAST
 *
 * Return: 0; -ENOENT, the marker has no such argument; -EOPNOTSUPP, the kernel cannot fetch it, or
 * not so; -ENOMEM.
 */
int tfs_marker_fetch(const struct tfs_dso *dso, const struct tfs_marker *marker, const char *arg,
		     const char *cast, struct tfs_fetch *out, struct tfs_err *err);

#endif
