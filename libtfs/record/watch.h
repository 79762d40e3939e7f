/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_WATCH_H
#define TFS_RECORD_WATCH_H

#include <stdbool.h>

#include "base/strbuf-core.h"

struct tfs_instance;
struct tfs_root;

/**
 * struct tfs_watch - looks whether others change the settings of an instance
 * @root: borrowed, as is @inst
 * @notify: inotify of its files; -1: what is changed and put back between two looks is not seen
 * @clock: its trace_clock when it was begun
 * @events: its set_event, likewise
 * @signs: that were found
 *
 * A zeroed one watches nothing.
 */
struct tfs_watch {
	const struct tfs_root *root;
	const struct tfs_instance *inst;
	int notify;
	struct tfs_strbuf clock;
	struct tfs_strbuf events;
	unsigned int signs;
};

/**
 * TFS_WATCH_ADDED - another program had records put into the ring buffer that nobody asked for
 *
 * Beside enum tfs_dat_lost_signs: it matters only to who counts without reading.
 */
#define TFS_WATCH_ADDED (1u << 16)

/** tfs_watch_begin() - from now on until the last look, this process changes nothing there */
void tfs_watch_begin(struct tfs_watch *w, const struct tfs_root *root,
		     const struct tfs_instance *inst);
/**
 * tfs_watch_look() - what others did since it was begun
 * @is_on: tracing is on, as far as this program knows
 *
 * Return: enum tfs_dat_lost_signs, and TFS_WATCH_ADDED.
 */
unsigned int tfs_watch_look(struct tfs_watch *w, bool is_on);
/**
 * tfs_watch_listed() - this process has just added tasks to the lists of pids
 *
 * Who else did so since the last look is not known: look before it.
 */
void tfs_watch_listed(struct tfs_watch *w);
void tfs_watch_release(struct tfs_watch *w);

#endif
