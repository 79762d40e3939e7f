/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_BUSY_H
#define TFS_TRACEFS_BUSY_H

#include <stdbool.h>

struct tfs_err;
struct tfs_root;
struct tfs_strbuf;

/**
 * TFS_BUSY_WAIT_MS - how long an undo waits, in all its steps together, for others to let go
 *
 * Whoever reads a file of an instance once holds it for a moment; whoever follows it, for hours.
 */
#define TFS_BUSY_WAIT_MS 2000

/**
 * struct tfs_busy - what is left of the time that an undo waits
 * @left_ms: begins as TFS_BUSY_WAIT_MS; 0 does not wait at all
 */
struct tfs_busy {
	unsigned int left_ms;
};

/**
 * tfs_busy_again() - is a step to be tried again?
 * @rc: what the last try returned
 *
 * Return: true, after a short wait, if @rc is -EBUSY and time is left.
 */
bool tfs_busy_again(struct tfs_busy *busy, int rc);

/**
 * tfs_busy_holders() - add "PID (NAME), PID (NAME)": who has files open that keep @path busy
 * @path: of an instance or a file in it ("instances/NAME/..."), or of the top level, which readers
 *        of its ring buffer keep busy
 *
 * From /proc/PID/fd: processes that this one may not look into are missing, and so are those of
 * other PID namespaces and those that have a ring buffer mapped but its file closed. Three at most;
 * then how many more. Names are as their owners set them: for messages that are shown inertly.
 * Return: 0, also if nobody is found, or -ENOMEM.
 */
int tfs_busy_holders(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb);
/** tfs_busy_hint() - a hint of @err: who has @path open, if that can be seen, and @what to do */
void tfs_busy_hint(const struct tfs_root *root, const char *path, const char *what,
		   struct tfs_err *err);

/** tfs_busy_rmdir() - remove an instance, waiting as an undo does; @err names the holders */
int tfs_busy_rmdir(const struct tfs_root *root, const char *path, struct tfs_err *err);

#endif
