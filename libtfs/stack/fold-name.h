/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STACK_FOLD_NAME_H
#define TFS_STACK_FOLD_NAME_H

#include <stddef.h>

#include "stack/fold.h"

struct tfs_frame;
struct tfs_strbuf;

/* Names of nodes as the scripts that fold stacks for flame graphs write them */

/** TFS_FOLD_CUT - stands for callers that the kernel did not store */
#define TFS_FOLD_CUT_NAME "[…]"
/** TFS_FOLD_RUNQUEUE - stands for the time that a task waited for a CPU */
#define TFS_FOLD_RUNQUEUE_NAME "[runqueue]"

/** enum tfs_fold_name_flags - how a frame is called */
enum tfs_fold_name_flags {
	TFS_FOLD_NAME_ADDRESSES = 1 << 0, /* unknown ones with their address: "[name <addr>]" */
};

/**
 * tfs_fold_frame_name() - what the node of a frame is called
 * @flags: enum tfs_fold_name_flags
 * @sb: for the name's text, which is valid until @sb changes
 *
 * Parameters of functions are cut off, but "(anonymous namespace)" and receivers of Go's methods
 * stay. Quotes are left out. Return: 0 or -ENOMEM.
 */
int tfs_fold_frame_name(const struct tfs_frame *frame, unsigned int flags, struct tfs_strbuf *sb,
			struct tfs_fold_name *out);

/** tfs_fold_plain_name() - of a node that is not code; @text is borrowed */
struct tfs_fold_name tfs_fold_plain_name(const char *text);

/** tfs_fold_kind() - by the rule for suffixes: what code in this file is; @dso: NULL: unknown */
enum tfs_frame_kind tfs_fold_kind(const char *dso);

#endif
