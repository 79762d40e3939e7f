/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_STACK_H
#define TFS_STACK_STACK_H

#include <stddef.h>
#include <stdint.h>

struct tfs_event;
struct tfs_trace;

/** TFS_STACK_USER_MAX - callers that the kernel stores of a user stack at most */
#define TFS_STACK_USER_MAX 8
/** TFS_STACK_KERNEL_MAX - callers that are kept of a kernel stack at most: the innermost */
#define TFS_STACK_KERNEL_MAX 1024

/**
 * enum tfs_stack_flags - what is known of an event's stacks
 * @TFS_STACK_KERNEL: its kernel stack was recorded
 * @TFS_STACK_USER: its user stack was recorded
 * @TFS_STACK_CUT: the user stack has as many callers as the kernel stores: there may be more
 * @TFS_STACK_LOSS: events were lost just after the event, or after its kernel stack: stacks that
 *	it does not have may be among them
 */
enum tfs_stack_flags {
	TFS_STACK_KERNEL = 1 << 0,
	TFS_STACK_USER = 1 << 1,
	TFS_STACK_CUT = 1 << 2,
	TFS_STACK_LOSS = 1 << 3,
};

/**
 * struct tfs_stack - where an event was, each part innermost first
 * @flags: enum tfs_stack_flags
 * @kernel: @n_kernel addresses
 * @user: @n_user addresses
 * @tgid: the process of the user stack; -1: none was recorded
 */
struct tfs_stack {
	unsigned int flags;
	const uint64_t *kernel, *user;
	size_t n_kernel, n_user;
	int tgid;
};

/**
 * tfs_stacks_func - an event whose stacks are complete
 * @event: a copy whose record is valid during the call; without text and leaf
 *
 * Return: 0, or -errno, which ends tfs_stacks_event().
 */
typedef int tfs_stacks_func(void *ctx, const struct tfs_event *event,
			    const struct tfs_stack *stack);

/**
 * struct tfs_stacks - joins events with their stacks
 *
 * The kernel writes a kernel_stack, then a user_stack, after the event that they belong to on the
 * same CPU. Only interrupts come between, whose events have stacks of their own. An event is
 * complete at the next one of its CPU in the same context, or in one that it can interrupt (see
 * tfs_flags_context()), that is not a stack: an interrupt's event is given before the one that was
 * interrupted. Stacks of events that were not selected are dropped with these, and so is a stack
 * before which events were lost: its event may be one of them.
 *
 * One thread at a time. Memory: four events and their stacks for each CPU.
 */
struct tfs_stacks;

/**
 * tfs_stacks_new() - for events of @n recordings, which outlive it
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_stacks_new(struct tfs_trace *const *traces, size_t n, tfs_stacks_func *call, void *ctx,
		   struct tfs_stacks **out);
void tfs_stacks_free(struct tfs_stacks *stacks);

/**
 * tfs_stacks_event() - every event of the recordings in order of time, losses with them
 *
 * Only selected events reach the callback. Return: 0, -ENOMEM, or what the callback failed with.
 */
int tfs_stacks_event(struct tfs_stacks *stacks, const struct tfs_event *event);

/** tfs_stacks_flush() - the last events of the CPU are complete */
int tfs_stacks_flush(struct tfs_stacks *stacks, uint32_t input, uint32_t buffer, uint32_t cpu);

/** tfs_stacks_end() - all are complete */
int tfs_stacks_end(struct tfs_stacks *stacks);

/** tfs_stacks_orphans() - stacks that were dropped because their events were lost */
uint64_t tfs_stacks_orphans(const struct tfs_stacks *stacks);

#endif
