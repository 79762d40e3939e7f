/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_DECODE_COMMS_H
#define TFS_DECODE_COMMS_H

#include <stdbool.h>
#include <stddef.h>

struct tep_handle;

/** TFS_COMMS_MAX - a kernel has numbers for so many tasks (PID_MAX_LIMIT) */
#define TFS_COMMS_MAX 4194304

/**
 * tfs_comms_load() - the names of tasks in the lines of saved_cmdlines: "PID COMM"
 *
 * The same names as by tep_parse_saved_cmdlines(), up to the first line of another form; without
 * its sscanf(), for a recording may hold ten thousands. Lines beyond TFS_COMMS_MAX are not read:
 * libtraceevent takes a hundred bytes for each, and they compress to less than one.
 *
 * Return: 0 or -ENOMEM.
 */
int tfs_comms_load(struct tep_handle *tep, const char *text);

/**
 * tfs_comms_next() - the next line of such a text
 * @text: moved on
 * @name: in it, @len bytes
 *
 * Return: false at the end, or at a line of another form.
 */
bool tfs_comms_next(const char **text, int *pid, const char **name, size_t *len);

#endif
