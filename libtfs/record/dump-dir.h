/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_DUMP_DIR_H
#define TFS_RECORD_DUMP_DIR_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct tfs_err;

/*
 * The files of tc-session dump: NAME-YYYYMMDDTHHMMSS.mmmZ.dat in a directory, in UTC. While one is
 * written, it and its temporary files have ".dat.part" in their names. Nothing else in the
 * directory is touched.
 */

/** TFS_DUMP_NAME_MAX - bytes of the name of a file, with the NUL */
#define TFS_DUMP_NAME_MAX 320

/**
 * struct tfs_dump_limits - which old files stay
 * @bytes: all files of the name together have at most so many; 0: no limit
 * @age_ns: none is older; 0: no limit
 */
struct tfs_dump_limits {
	uint64_t bytes, age_ns;
};

/**
 * struct tfs_dump_dir - a directory that is locked for one dump at a time
 * @path: borrowed
 * @fd: closed by tfs_dump_dir_close()
 */
struct tfs_dump_dir {
	const char *path;
	int fd;
};

/**
 * tfs_dump_dir_open() - open @path and wait until no other process dumps there
 *
 * The lock (flock) ends with the process. Return: 0 or -errno with @err set.
 */
int tfs_dump_dir_open(struct tfs_dump_dir *dir, const char *path, struct tfs_err *err);
void tfs_dump_dir_close(struct tfs_dump_dir *dir);

/** tfs_dump_dir_room() - bytes that the file system has for this user; 0 or -errno */
int tfs_dump_dir_room(const struct tfs_dump_dir *dir, uint64_t *bytes, struct tfs_err *err);

/**
 * tfs_dump_file_name() - the name of the dump of @name made at @now; pure
 *
 * Return: 0; -ERANGE if it does not fit or the year has not four digits.
 */
int tfs_dump_file_name(const char *name, const struct timespec *now, char buf[TFS_DUMP_NAME_MAX]);

/**
 * tfs_dump_dir_clean() - remove what killed dumps of @name left, then the oldest dumps
 * @now: by the clock of the file system's times
 * @keep: a file that stays, whatever the limits; NULL: none
 *
 * The age of a file is that of its last change, the order that of the names. Only regular files
 * with names of dumps of @name are counted and removed. Call it with the directory locked.
 *
 * Return: how many were removed, or the first -errno with @err set; the others are still tried.
 */
int tfs_dump_dir_clean(const struct tfs_dump_dir *dir, const char *name,
		       const struct tfs_dump_limits *limits, const struct timespec *now,
		       const char *keep, struct tfs_err *err);

/** tfs_dump_dir_remove_oldest() - remove the oldest dump of @name; 1, 0: there is none, -errno */
int tfs_dump_dir_remove_oldest(const struct tfs_dump_dir *dir, const char *name,
			       struct tfs_err *err);

#endif
