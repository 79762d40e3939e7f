/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_FOLD_STACK_H
#define TFS_STACK_FOLD_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "stack/collect.h"

struct tfs_event;
struct tfs_fold;
struct tfs_frames;
struct tfs_stack;
struct tfs_strbuf;

/**
 * enum tfs_fold_trim - frames of the kernel that are left out, from the innermost one on
 * @TFS_TRIM_TRACING: those of the tracepoint itself
 * @TFS_TRIM_SCHEDULE: and those of the scheduler (a task left its CPU)
 * @TFS_TRIM_IRQ: and those of interrupts: where the interrupted code was is what counts
 */
enum tfs_fold_trim {
	TFS_TRIM_TRACING = 1 << 0,
	TFS_TRIM_SCHEDULE = 1 << 1,
	TFS_TRIM_IRQ = 1 << 2,
};

/**
 * struct tfs_fold_stacks - finds the nodes of stacks, which it adds to a tree as needed
 *
 * A stack that was met before is found by its addresses, without their names. Memory is bounded:
 * when the table of stacks is full, it begins anew. One thread at a time.
 */
struct tfs_fold_stacks;

/** tfs_fold_stacks_new() - for @fold and the arrays of @opts, which outlive it; 0 or -ENOMEM */
int tfs_fold_stacks_new(const struct tfs_collect_opts *opts, struct tfs_fold *fold,
			struct tfs_fold_stacks **out);
void tfs_fold_stacks_free(struct tfs_fold_stacks *fs);

/**
 * tfs_fold_stacks_root() - the node of an event's task
 * @tgid: its process; -1: the one that the recording names, if any
 */
int tfs_fold_stacks_root(struct tfs_fold_stacks *fs, const struct tfs_event *event, int tgid,
			 uint32_t *node);

/** tfs_fold_stacks_task() - the node of a task that is called @comm, of recording @input */
int tfs_fold_stacks_task(struct tfs_fold_stacks *fs, uint32_t input, int pid, const char *comm,
			 uint32_t *node);

/**
 * tfs_fold_stacks_node() - the node of an event's innermost frame
 * @trim: enum tfs_fold_trim
 *
 * User frames, then those of the kernel. Return: 0 or -ENOMEM.
 */
int tfs_fold_stacks_node(struct tfs_fold_stacks *fs, const struct tfs_event *event,
			 const struct tfs_stack *stack, unsigned int trim, uint32_t *node);

/** tfs_fold_stacks_notes() - why user frames have no names: as tfs_unnamed_notes() */
int tfs_fold_stacks_notes(const struct tfs_fold_stacks *fs, struct tfs_strbuf *out);

/** tfs_fold_stacks_frames() - of recording @input; borrowed */
struct tfs_frames *tfs_fold_stacks_frames(const struct tfs_fold_stacks *fs, size_t input);

#endif
