/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_TRACEFS_FILE_H
#define TFS_TRACEFS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct tfs_err;
struct tfs_root;
struct tfs_strbuf;
struct tfs_strvec;

/**
 * enum tfs_write_mode - what a write does to what the control file held
 * @TFS_WRITE_TRUNC: O_TRUNC; for set_event, set_*_pid, *_events this empties the list first
 * @TFS_WRITE_APPEND: O_APPEND; adds to the list
 */
enum tfs_write_mode { TFS_WRITE_TRUNC, TFS_WRITE_APPEND };

/*
 * One control file. @path is relative to the tracefs root, or absolute (/proc/sys/...). Errors name
 * the full path and the errno, and hint at the cause where it can be known (not root, group,
 * read-only mount, lockdown).
 */

/**
 * tfs_file_read() - append the whole content of a control file to @sb
 *
 * A list of probes is read until two readings agree (see tracefs/probe-list.h), at most
 * TFS_PROBE_LIST_READINGS times; else it is what all readings have together.
 */
int tfs_file_read(const struct tfs_root *root, const char *path, struct tfs_strbuf *sb,
		  struct tfs_err *err);
/**
 * tfs_file_write() - one write(2) of @len bytes; a short write is an error (-EIO)
 *
 * Nothing is added to the bytes; with @len 0 the file is opened only, which empties a list under
 * TFS_WRITE_TRUNC.
 */
int tfs_file_write(const struct tfs_root *root, const char *path, enum tfs_write_mode mode,
		   const void *data, size_t len, struct tfs_err *err);
/** tfs_file_open() - open with @flags (O_CLOEXEC is added); *@fd is the caller's */
int tfs_file_open(const struct tfs_root *root, const char *path, int flags, int *fd,
		  struct tfs_err *err);
/**
 * tfs_file_write_lines() - one write(2) for each line of @text, through one open
 *
 * The contents of a list file (set_event, set_ftrace_filter, trace_options) are restored this way:
 * the kernel takes one word at each write there.
 */
int tfs_file_write_lines(const struct tfs_root *root, const char *path, enum tfs_write_mode mode,
			 const char *text, struct tfs_err *err);
/** tfs_file_mkdir() - make a directory (an instance); -EEXIST is an error */
int tfs_file_mkdir(const struct tfs_root *root, const char *path, struct tfs_err *err);
/** tfs_file_rmdir() - remove a directory (an instance); -EBUSY while its files are open */
int tfs_file_rmdir(const struct tfs_root *root, const char *path, struct tfs_err *err);
/** tfs_fd_write_lines() - the writes of tfs_file_write_lines(), to an open file; 0 or -errno */
int tfs_fd_write_lines(int fd, const char *text);
/**
 * enum tfs_list_kind - what to look for in a directory
 * @TFS_LIST_DIRS: directories: instances, systems, events
 * @TFS_LIST_FILES: entries that are not directories: options
 */
enum tfs_list_kind { TFS_LIST_DIRS, TFS_LIST_FILES };

/**
 * tfs_file_list() - names in a directory, sorted, without those that begin with a dot
 * @out: appended to
 */
int tfs_file_list(const struct tfs_root *root, const char *path, enum tfs_list_kind kind,
		  struct tfs_strvec *out, struct tfs_err *err);
/** tfs_file_exists() - there is such a name; says nothing about whether it works */
bool tfs_file_exists(const struct tfs_root *root, const char *path);

#endif
