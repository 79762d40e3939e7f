/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_PLAN_PRINT_H
#define TFS_TRACEFS_PLAN_PRINT_H

struct tfs_plan;
struct tfs_plan_action;
struct tfs_strbuf;

/**
 * tfs_plan_print_action() - one change as shell commands, each with its newline
 *
 * Nothing for TFS_PLAN_NONE. tfs_plan_print() is declared in tracefs/plan.h. Return: 0 or -ENOMEM.
 */
int tfs_plan_print_action(const struct tfs_plan *plan, const struct tfs_plan_action *a,
			  struct tfs_strbuf *sb);

#endif
