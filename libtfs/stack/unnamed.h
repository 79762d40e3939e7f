/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_UNNAMED_H
#define TFS_STACK_UNNAMED_H

#include <stdint.h>

struct tfs_collect_opts;
struct tfs_frame;
struct tfs_strbuf;

/** TFS_UNNAMED_REASONS - bits of what tfs_unnamed_why() returns */
#define TFS_UNNAMED_REASONS 8

/**
 * struct tfs_unnamed - user stacks in which frames have no name
 * @stacks: all with user frames; @some: those with such a frame
 * @reason: those of each reason; a stack may have several
 *
 * Zeroed it is empty.
 */
struct tfs_unnamed {
	uint64_t stacks, some;
	uint64_t reason[TFS_UNNAMED_REASONS];
};

/** tfs_unnamed_why() - the reason of a frame, 0: it has a name, or is not a user frame */
unsigned int tfs_unnamed_why(const struct tfs_frame *frame);
/** tfs_unnamed_add() - a stack; @reasons: those of its frames */
static inline void tfs_unnamed_add(struct tfs_unnamed *u, unsigned int reasons)
{
	u->stacks++;
	u->some += reasons != 0;
	for (; reasons; reasons &= reasons - 1)
		u->reason[__builtin_ctz(reasons)]++;
}
/**
 * tfs_unnamed_notes() - how many stacks, why, and what to do, for people
 * @opts: the recordings, and what they know of names
 *
 * Return: 0, with @out unchanged if there is nothing to say; -ENOMEM.
 */
int tfs_unnamed_notes(const struct tfs_unnamed *u, const struct tfs_collect_opts *opts,
		      struct tfs_strbuf *out);

#endif
