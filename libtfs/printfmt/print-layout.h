/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_PRINTFMT_PRINT_LAYOUT_H
#define TFS_PRINTFMT_PRINT_LAYOUT_H

struct tep_event;
struct tfs_tree;

/**
 * tfs_print_layout() - give @event's print format the layout of libtraceevent's plugin
 * @tree: its format's text changes, its arguments stay: what is printed are the kernel's values
 *
 * Return: 0; -ENOENT when there is no such layout, or the format is not as this kernel has it;
 * -ENOMEM.
 */
int tfs_print_layout(const struct tep_event *event, struct tfs_tree *tree);

#endif
