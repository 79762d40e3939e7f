/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_NAMES_H
#define TFS_DECODE_NAMES_H

struct tfs_err;
struct tfs_trace;

/* Errors for names that the recording does not have */

/**
 * tfs_names_no_event() - @typed stands for no event or system of the recording
 *
 * Return: -ENOENT, with @err set and near names in its hint; -ENOMEM when there was no memory to
 * look.
 */
int tfs_names_no_event(struct tfs_trace *trace, const char *typed, struct tfs_err *err);

#endif
