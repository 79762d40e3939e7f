/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_PLAN_INTERNAL_H
#define TFS_TRACEFS_PLAN_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefs/plan.h"

struct tfs_err;

enum tfs_plan_op {
	TFS_PLAN_NONE,
	TFS_PLAN_MKDIR,
	TFS_PLAN_RMDIR,
	TFS_PLAN_WRITE,
	TFS_PLAN_APPEND,
	TFS_PLAN_LINK,
	TFS_PLAN_UNLINK,
	TFS_PLAN_CLAIM,
};

/** enum tfs_plan_refusal - what a refusal of a step does to the plan */
enum tfs_plan_refusal { TFS_PLAN_FATAL, TFS_PLAN_OPTIONAL, TFS_PLAN_GROUPED };

enum tfs_plan_state { TFS_PLAN_PENDING, TFS_PLAN_APPLIED, TFS_PLAN_REFUSED, TFS_PLAN_UNDONE };

#define TFS_PLAN_NO_JOURNAL SIZE_MAX

/**
 * struct tfs_plan_action - one change
 * @path: as in tracefs/file.h; owned
 * @text: the bytes, newline included; of a link its target; owned, "" for directories
 */
struct tfs_plan_action {
	enum tfs_plan_op op;
	char *path;
	char *text;
};

/**
 * struct tfs_plan_step - a change and what belongs to it
 * @undo: with @restore it is made when the step is applied
 * @what: for the notice when it is refused; @partial: when it is refused but took some effect
 * @claim: of the instance that was made or claimed, -1; see tracefs/claim.h
 * @journal: index of the undo in the journal, TFS_PLAN_NO_JOURNAL
 */
struct tfs_plan_step {
	struct tfs_plan_action make, undo;
	bool restore;
	enum tfs_plan_refusal refusal;
	enum tfs_plan_state state;
	unsigned int group;
	int claim;
	size_t journal;
	char *what, *partial, *says, *input;
};

struct tfs_plan {
	const struct tfs_root *root;
	struct tfs_journal *journal;
	struct tfs_plan_step *steps;
	size_t n_steps, cap_steps;
	unsigned int n_groups;
	struct tfs_err *notices;
	size_t n_notices;
};

#endif
