/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PROBE_MEANS_H
#define TFS_PROBE_MEANS_H

#include <stddef.h>

#include "base/meaning.h"

struct tfs_err;
struct tfs_probe_defs;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;

/*
 * The meaning of the numbers in a probe's event: enumerators, floating-point numbers, signs of
 * bits. A definition has no room for it, so it is kept separately: in memory with the definitions;
 * in a file for each event, for programs that record it later; and in the recording
 * (tracedat/dat-values.h).
 */

/**
 * TFS_PROBE_MEANS_DIR - files of what was defined, "GROUP:EVENT" each
 *
 * Gone after a restart, as probes are. A file counts only if it is the user's own, as its directory
 * is, and if every definition that the kernel has of the event is one that it was made for.
 */
#define TFS_PROBE_MEANS_DIR "/run/tracecraft/values"

/** struct tfs_probe_means - of the arguments of one definition that are not plain numbers */
struct tfs_probe_means {
	struct tfs_probe_mean {
		char *arg;
		struct tfs_meaning means;
	} * v;
	size_t n;
};

void tfs_probe_means_release(struct tfs_probe_means *m);
/** tfs_probe_means_add() - @means is copied; 0 or -ENOMEM */
int tfs_probe_means_add(struct tfs_probe_means *m, const char *arg,
			const struct tfs_meaning *means);

/**
 * tfs_probe_means_payload() - append what a recording of these definitions' events needs
 * @payload: entries of base/meaning-list.h
 *
 * Where the places of one event differ in what an argument stands for, it is left a number.
 * Return: 0 or -ENOMEM.
 */
int tfs_probe_means_payload(const struct tfs_probe_defs *defs, struct tfs_strbuf *payload);

/**
 * tfs_probe_means_keep() - write the files of events that were just defined; of those that have
 *	nothing to say, and of events of that name before, there is none afterwards
 * @dir: TFS_PROBE_MEANS_DIR; made if it is missing
 *
 * Return: 0, also if there is nothing to write; negative errno with @err set.
 */
int tfs_probe_means_keep(const char *dir, const struct tfs_probe_defs *defs, struct tfs_err *err);
/** tfs_probe_means_forget() - remove the files of @events ("GROUP:EVENT"), those that are there */
void tfs_probe_means_forget(const char *dir, const struct tfs_strvec *events);

/**
 * tfs_probe_means_load() - append what the files say of events that are recorded
 * @events: "system:event" or "system:*"
 * @payload: as tfs_probe_means_payload()
 *
 * The kernel's lists of probes, which take a lock, are read only if there is a file for one of
 * them. Whatever is wrong with a file, its event has numbers. Return: 0 or -ENOMEM.
 */
int tfs_probe_means_load(const char *dir, const struct tfs_root *root,
			 const struct tfs_strvec *events, struct tfs_strbuf *payload);

#endif
