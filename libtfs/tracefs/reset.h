/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_RESET_H
#define TFS_TRACEFS_RESET_H

struct tfs_instance;
struct tfs_plan;
struct tfs_status;

/**
 * tfs_reset_plan() - add the steps after which no tracing is on in @inst, and nothing is set
 * @st: what is on now: only what differs from a new instance is written
 *
 * Without a record of the earlier settings an instance can only be reset to the kernel's defaults:
 * events, triggers, filters, tracer, pids, CPUs, clock, options; the ring buffer is emptied,
 * tracing_on is 1. Size of the ring buffer and dynamic events stay. The steps have no undo.
 * Triggers go first: the kernel frees no trigger of an event that it has to keep. The last one goes
 * first of them, for it may use variables of one before; of another event's it may be the other way
 * round. A refusal is a notice: the other steps are made all the same.
 *
 * Pure but for @plan. Return: 0 or -ENOMEM.
 */
int tfs_reset_plan(const struct tfs_status *st, const struct tfs_instance *inst,
		   struct tfs_plan *plan);

#endif
