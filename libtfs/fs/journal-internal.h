/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_FS_JOURNAL_INTERNAL_H
#define TFS_FS_JOURNAL_INTERNAL_H

#include <stdint.h>

#include "fs/journal.h"

/*
 * A journal file is lines of fields with a tab between them; in a field \\, \t and \n stand for
 * backslash, tab and newline.
 *
 *   tracecraft-journal	1
 *   owner	PID	START         start: field 22 of /proc/PID/stat, clock ticks after boot
 *   boot	ID                /proc/sys/kernel/random/boot_id
 *   root	DEV	INO	PATH  the tracefs directory, told from another by DEV and INO
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

/** TFS_JOURNAL_BOOT_ID - tells one boot from another */
#define TFS_JOURNAL_BOOT_ID "/proc/sys/kernel/random/boot_id"

struct tfs_strbuf;

/** tfs_journal_start_time() - when process @pid started; -ESRCH if there is none */
int tfs_journal_start_time(long pid, uint64_t *start);
/** tfs_journal_boot_id() - append this boot's name, without newline */
int tfs_journal_boot_id(struct tfs_strbuf *sb);
/**
 * tfs_journal_open_dir() - open the directory if it is ours alone
 * Return: a descriptor; -errno; -EPERM if another user could put files there.
 */
int tfs_journal_open_dir(const char *dir, struct tfs_err *err);

#endif
