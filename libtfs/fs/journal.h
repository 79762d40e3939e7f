/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FS_JOURNAL_H
#define TFS_FS_JOURNAL_H

#include <stddef.h>

#include "fs/file.h"

struct tfs_err;
struct tfs_journal;
struct tfs_root;

/** TFS_JOURNAL_DIR - where journals of running programs live; one file each, mode 0600 */
#define TFS_JOURNAL_DIR "/run/tracecraft"

/**
 * struct tfs_journal - what to take back if this program is killed
 *
 * One file NAME.PID per plan: a line per undo action, appended (and flushed to the file, not to
 * the disk: tracefs does not survive a reboot either) before the change is made. The file also
 * names the process's start time, so that a reused PID is not mistaken for a living owner.
 */

/** tfs_journal_open() - create the journal; -EEXIST cannot happen for a live process */
int tfs_journal_open(const char *dir, const char *program, const struct tfs_root *root,
		     struct tfs_journal **out, struct tfs_err *err);
/** tfs_journal_add_rmdir() / tfs_journal_add_write() - one undo action; undone last-first */
int tfs_journal_add_rmdir(struct tfs_journal *j, const char *path);
int tfs_journal_add_write(struct tfs_journal *j, const char *path, enum tfs_write_mode mode,
			  const char *text);
/** tfs_journal_done() - everything was taken back: remove the file and free @j (NULL is fine) */
void tfs_journal_done(struct tfs_journal *j);

/**
 * tfs_journal_recover() - take back what programs that no longer run left behind
 * @count: set to the number of journals dealt with; may be NULL
 *
 * Return: 0 (also when there was nothing to do), or the first failure, with the rest still tried.
 */
int tfs_journal_recover(const char *dir, const struct tfs_root *root, size_t *count,
			struct tfs_err *err);

#endif
