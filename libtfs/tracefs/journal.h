/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_JOURNAL_H
#define TFS_TRACEFS_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "tracefs/file.h"

struct tfs_err;
struct tfs_instance;
struct tfs_journal;
struct tfs_root;
struct tfs_strvec;

/** TFS_JOURNAL_DIR - where journals of running programs live; one file each, mode 0600 */
#define TFS_JOURNAL_DIR "/run/tracecraft"

/**
 * struct tfs_journal - what to take back if this program is killed
 *
 * One file NAME.PID per program run: a line per undo action, appended (and flushed to the file, not
 * to the disk: tracefs does not survive a reboot either) before the change is made, and struck out
 * once it was taken back. The file names its owner by PID and start time and is locked (flock)
 * while the owner lives, so that a reused PID is not mistaken for a living owner; it also names the
 * boot and the tracefs it is about. Where @dir cannot be made or written (not root, no /run),
 * tfs_journal_open() fails and a program goes on without a journal, with a notice. One thread at a
 * time.
 */

/**
 * tfs_journal_open() - create the journal of this process
 * @dir: made with mode 0700 if it is missing; must be ours and writable for nobody else
 * @program: "tc-record"; part of the file's name
 *
 * It gets its name when it is locked and names its owner, in one step: nobody sees half of one.
 * Nothing that exists is overwritten: a stale file of the same name gets a neighbour NAME.PID.N.
 */
int tfs_journal_open(const char *dir, const char *program, const struct tfs_root *root,
		     struct tfs_journal **out, struct tfs_err *err);
/*
 * One undo action; undone last-first. @path as in tracefs/file.h. Return: 0 or -errno; 0 for a NULL
 * @j. tfs_journal_recover() takes only actions back that it can trust: rmdir of instances, unlink
 *	of
 * links in TFS_LINK_DIR that no probe is on, writes below tracefs or /proc/sys/kernel.
 */
int tfs_journal_add_rmdir(struct tfs_journal *j, const char *path);
int tfs_journal_add_unlink(struct tfs_journal *j, const char *link);
int tfs_journal_add_write(struct tfs_journal *j, const char *path, enum tfs_write_mode mode,
			  const char *text);
/** tfs_journal_count() - actions added so far, and so the index of the next; 0 for NULL */
size_t tfs_journal_count(const struct tfs_journal *j);
/** tfs_journal_strike() - action @index was taken back, or its change was never made */
void tfs_journal_strike(struct tfs_journal *j, size_t index);
/**
 * tfs_journal_done() - end and free @j (NULL is fine)
 *
 * The file is removed if every action was struck out; else it stays for tfs_journal_recover().
 */
void tfs_journal_done(struct tfs_journal *j);

/** tfs_journal_forget() - all changes are to stay: end and free @j (NULL is fine), and its file */
void tfs_journal_forget(struct tfs_journal *j);

/**
 * tfs_journal_keep() - the changes are to outlive this program: end and free @j, keeping its file
 * @inst: what they are about: an instance, or the top level; one journal can be kept for each
 *
 * The file goes to the directory "kept" below @dir, where tfs_journal_recover() does not look.
 * Return: 0; -EEXIST if one is kept for @inst already; -errno. On failure @j is as it was.
 */
int tfs_journal_keep(struct tfs_journal *j, const char *dir, const struct tfs_instance *inst,
		     struct tfs_err *err);
/**
 * tfs_journal_kept() - add the names of the instances that a journal is kept for, sorted
 *
 * The top level is "". That of an earlier boot is among them until tfs_journal_undo() looks at it.
 * Return: 0, also when nothing is kept or the caller may not look; -ENOMEM.
 */
int tfs_journal_kept(const char *dir, struct tfs_strvec *names);
/**
 * tfs_journal_keeps() - does the journal kept for @inst take a write to this file back?
 * @path: as in tracefs/file.h; false for one with a backslash, tab or newline
 */
bool tfs_journal_keeps(const char *dir, const struct tfs_instance *inst, const char *path);
/**
 * tfs_journal_undo() - take back what was kept for @inst; see tfs_journal_recover()
 *
 * Waits for what others keep busy, TFS_BUSY_WAIT_MS in all (see tracefs/busy.h).
 * @done: set to whether there was such a journal about this tracefs
 */
int tfs_journal_undo(const char *dir, const struct tfs_root *root, const struct tfs_instance *inst,
		     bool *done, struct tfs_err *err);

/**
 * enum tfs_journal_flags - how to take back
 * @TFS_JOURNAL_WAIT: wait for what others keep busy, TFS_BUSY_WAIT_MS in all; a program that has
 *                    something else to do does not
 */
enum tfs_journal_flags { TFS_JOURNAL_WAIT = 1 << 0 };
/**
 * tfs_journal_recover() - take back what programs that no longer run left behind
 * @flags: TFS_JOURNAL_*
 * @count: set to the number of programs whose changes are all taken back now; may be NULL
 *
 * Journals are not trusted: only regular files with one name, of this user and not writable for
 * others, are read, and no symbolic link is followed on the way to a control file. Steps that
 * cannot be undone now (an instance whose files another process holds open) stay in the journal
 * for next time. Journals of another tracefs are left alone, those of an earlier boot are removed.
 *
 * Return: 0 (also when there was nothing to do), or the first failure, with the rest still tried.
 */
int tfs_journal_recover(const char *dir, const struct tfs_root *root, unsigned int flags,
			size_t *count, struct tfs_err *err);
/**
 * tfs_journal_open_dir() - open the directory if it is ours alone
 * Return: a descriptor; -errno; -EPERM if another user could put files there.
 */
int tfs_journal_open_dir(const char *dir, struct tfs_err *err);

#endif
