/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_JOURNAL_INTERNAL_H
#define TFS_TRACEFS_JOURNAL_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefs/journal.h"

/*
 * A journal file is lines of fields with a tab between them; in a field \\, \t and \n stand for
 * backslash, tab and newline.
 *
 *   tracecraft-journal	1
 *   owner	PID	START         start: field 22 of /proc/PID/stat, clock ticks after boot
 *   boot	ID                /proc/sys/kernel/random/boot_id
 *   root	DEV	INO	PATH  the tracefs directory, identified by DEV and INO
 *   +rmdir	PATH
 *   +unlink	PATH
 *   +write	PATH	TEXT
 *   +append	PATH	TEXT
 *
 * The plus becomes a minus, in place, when the action is struck out. A last line without newline
 * was never finished, so its change was never made.
 */
#define TFS_JOURNAL_MAGIC "tracecraft-journal\t1"
#define TFS_JOURNAL_PENDING '+'
#define TFS_JOURNAL_STRUCK '-'

/** TFS_JOURNAL_BOOT_ID - file with an ID for each boot */
#define TFS_JOURNAL_BOOT_ID "/proc/sys/kernel/random/boot_id"

struct tfs_busy;
struct tfs_instance;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * struct tfs_journal_place - the directory whose journals are taken back
 * @dir: its path, for messages
 * @fd: from tfs_journal_open_dir()
 * @kept: the journal was kept for this instance (see tfs_journal_keep()): that its owner has
 *        exited means nothing, and no other instance may be removed; else NULL
 * @busy: how long to wait for what others keep busy
 */
struct tfs_journal_place {
	const char *dir;
	int fd;
	const struct tfs_root *root;
	const struct tfs_instance *kept;
	struct tfs_busy *busy;
};

/**
 * tfs_journal_undo_file() - take back what the journal @name of a directory says, if it is time to
 *
 * The file is removed if nothing of it is left, and if it is of an earlier boot.
 * @done: set to true if there was something to take back, or to remove
 * Return: 0 (also when it was left alone) or the first failure, with the rest still tried.
 */
int tfs_journal_undo_file(const struct tfs_journal_place *place, const char *name, bool *done,
			  struct tfs_err *err);
/** tfs_journal_hand_over() - move the file to @name in another directory, free @j; 0 or -errno */
int tfs_journal_hand_over(struct tfs_journal *j, int dir_fd, const char *name);
/** tfs_journal_names() - add the names of the journals in the directory @fd, sorted */
int tfs_journal_names(int fd, struct tfs_strvec *names);

/** tfs_journal_start_time() - when process @pid started; -ESRCH if there is none */
int tfs_journal_start_time(long pid, uint64_t *start);
/** tfs_journal_boot_id() - append this boot's name, without newline */
int tfs_journal_boot_id(struct tfs_strbuf *sb);

#endif
