/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_PROBE_LIST_H
#define TFS_TRACEFS_PROBE_LIST_H

#include <stdbool.h>

struct tfs_strbuf;

/*
 * dynamic_events, kprobe_events, uprobe_events and synthetic_events can be longer than what the
 * kernel gives out at once (a page). Each further read(2) finds its place by counting lines: if
 * another program deletes a probe in between, a line is skipped, though its probe was there all the
 * time. In a reading that is followed by an equal one no line was skipped: the deleted probe would
 * be in the first and not in the second.
 */

/** TFS_PROBE_LIST_READINGS - at most so many, if no two in a row are equal */
#define TFS_PROBE_LIST_READINGS 8

/** tfs_is_probe_list() - is @path one of these files? */
bool tfs_is_probe_list(const char *path);

/**
 * tfs_probe_list_merge() - add to @list the lines of @earlier, a reading before, that it lacks
 *
 * Those may be of probes that were deleted meanwhile: whoever goes by a list has to be prepared for
 * that anyway. Return: 0 or -ENOMEM.
 */
int tfs_probe_list_merge(struct tfs_strbuf *list, const char *earlier);

#endif
