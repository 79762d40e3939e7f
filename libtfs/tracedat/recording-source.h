/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEDAT_RECORDING_SOURCE_H
#define TFS_TRACEDAT_RECORDING_SOURCE_H

#include "tracedat/follow.h"

struct tfs_dat;
struct tfs_err;
struct tfs_event_source;

/**
 * tfs_recording_source_new() - the sub-buffers of a complete recording
 * @dat: borrowed; outlives the source
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_recording_source_new(struct tfs_dat *dat, struct tfs_event_source **out,
			     struct tfs_err *err);

/**
 * tfs_growing_source_open() - those of a recording that is still being made, or was not completed
 *
 * As tfs_follow_open(), which it calls.
 */
int tfs_growing_source_open(struct tfs_dat *dat, enum tfs_follow_flags flags,
			    struct tfs_event_source **out, struct tfs_err *err);

#endif
