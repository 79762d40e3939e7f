/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_OFF_CPU_H
#define TFS_STACK_OFF_CPU_H

#include "stack/collect.h"

struct tfs_err;
struct tfs_event;
struct tfs_fold;
struct tfs_fold_stacks;
struct tfs_strbuf;

/**
 * struct tfs_off_cpu_fold - folds the stacks at which tasks left their CPU, by the time off it
 *
 * States of tasks are those of span/span.h. Time that a loss cut, or whose beginning or end was not
 * recorded, is not counted, but how often that was. Idle tasks are left out. Memory: that of the
 * span model and 32 bytes for each task. One thread at a time.
 */
struct tfs_off_cpu_fold;

/**
 * tfs_off_cpu_fold_new() - for the recordings of @opts, whose @off_cpu says which time counts
 * @fs: finds nodes in @fold; both outlive it
 *
 * Return: 0, or -ENOMEM with @err set.
 */
int tfs_off_cpu_fold_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
			 struct tfs_fold_stacks *fs, struct tfs_off_cpu_fold **out,
			 struct tfs_err *err);
void tfs_off_cpu_fold_free(struct tfs_off_cpu_fold *o);
/** tfs_off_cpu_fold_event() - each event in order of time, whether selected or not; 0 or -ENOMEM */
int tfs_off_cpu_fold_event(struct tfs_off_cpu_fold *o, const struct tfs_event *event);
/** tfs_off_cpu_fold_lost() - the loss before an event; 0 or -ENOMEM */
int tfs_off_cpu_fold_lost(struct tfs_off_cpu_fold *o, const struct tfs_event *event);
/** tfs_off_cpu_fold_end() - after the last event; 0 or -ENOMEM */
int tfs_off_cpu_fold_end(struct tfs_off_cpu_fold *o);
/** tfs_off_cpu_fold_notes() - as tfs_collect_notes() */
int tfs_off_cpu_fold_notes(const struct tfs_off_cpu_fold *o, struct tfs_strbuf *out);

#endif
