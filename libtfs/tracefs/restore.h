/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_RESTORE_H
#define TFS_TRACEFS_RESTORE_H

struct tfs_strbuf;

/**
 * tfs_restore_text() - what to write to a control file so that it holds again what was read
 * @path: its path; the last component decides how it is read
 * @held: what reading it gave
 * @out: the text is appended
 *
 * Some files do not read as they are written: trace_clock shows all clocks and puts the present one
 * in brackets, a filter reads "none", an unused ring buffer shows two sizes, lists have comments.
 * Pure. Return: 0; -ENOTSUP if the text does not show the state (the enable file of a system
 * where only some events are on, a ring buffer of different sizes per CPU); -ENOMEM.
 */
int tfs_restore_text(const char *path, const char *held, struct tfs_strbuf *out);

#endif
