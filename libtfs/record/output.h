/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_OUTPUT_H
#define TFS_RECORD_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

struct tfs_err;
struct tfs_record_remote;

/** TFS_OUTPUT_MODE - of a recording: it holds addresses, names and arguments */
#define TFS_OUTPUT_MODE 0600u

/**
 * struct tfs_output - the trace file being made, and the temporary files beside it
 * @path: of the file; owned
 * @name: the last part of @path
 * @dir: the directory of both; -1 when not open
 * @fd: open for reading and writing, locked (flock) against other recorders; -1 when not open
 * @mode: the file is to have
 * @created: it did not exist before
 * @empty: it held nothing when it was opened
 * @replace: tfs_output_begin() puts a new file in its place
 * @linked: @name is a symbolic link, which is followed
 * @remote: not NULL: the file is in memory, and data go there in place of temporary files
 */
struct tfs_output {
	char *path;
	const char *name;
	int dir;
	int fd;
	unsigned int mode;
	bool created, empty, replace, linked;
	const struct tfs_record_remote *remote;
};

#define TFS_OUTPUT_INIT ((struct tfs_output){ .dir = -1, .fd = -1 })

/**
 * tfs_output_open() - open or create @path and lock it; what it holds stays for now
 * @mode: permissions of the file, whatever the umask is; 0: TFS_OUTPUT_MODE
 *
 * Where other users may put files into the directory, no symbolic link is followed. A file of
 * another user, or one that others may read or write who are not to, is replaced by a new one.
 * Return: 0; -EBUSY when somebody records into it; -EINVAL when it is not a regular file; -ELOOP;
 * -errno.
 */
int tfs_output_open(struct tfs_output *o, const char *path, unsigned int mode, struct tfs_err *err);
/**
 * tfs_output_open_remote() - begin a file in memory, for somebody else
 * @name: of the other side, for messages
 * @remote: borrowed
 */
int tfs_output_open_remote(struct tfs_output *o, const char *name,
			   const struct tfs_record_remote *remote, struct tfs_err *err);
/** tfs_output_begin() - what the file held goes; 0 or -errno */
int tfs_output_begin(struct tfs_output *o, struct tfs_err *err);
/**
 * tfs_output_check() - is the file still what its name stands for?
 * Return: 0; -ESTALE when somebody removed or replaced it: what was written cannot be found.
 */
int tfs_output_check(const struct tfs_output *o, struct tfs_err *err);
/** tfs_output_release() - close it; @o is as after TFS_OUTPUT_INIT */
void tfs_output_release(struct tfs_output *o);
/** tfs_output_discard() - remove it if tfs_output_open() created it */
void tfs_output_discard(const struct tfs_output *o);

/**
 * tfs_output_temp() - make the temporary file of a CPU with mode 0600
 *
 * It is called PATH.cpuN, or PATH.BUFFER.cpuN for a @buffer with a name (else ""), as trace-cmd's.
 * A regular file of that name is a killed recorder's, because @o is locked: it is replaced.
 * @fd: the caller's
 */
int tfs_output_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu, int *fd,
		    struct tfs_err *err);
/** tfs_output_unlink_temp() - remove it */
void tfs_output_unlink_temp(const struct tfs_output *o, const char *buffer, unsigned int cpu);
/** tfs_output_unlink_temp_of() - remove that of @path, in the same directory */
void tfs_output_unlink_temp_of(const struct tfs_output *o, const char *path, const char *buffer,
			       unsigned int cpu);

/** tfs_output_is_taken() - is there a file @path, in the same directory? */
bool tfs_output_is_taken(const struct tfs_output *o, const char *path);
/**
 * tfs_output_link_temp() - a temporary file gets a second name, as one of @path
 * @path: in the same directory, and not taken: what has the name is a killed recorder's
 * Return: 0; -EOPNOTSUPP where files have but one name; -errno.
 */
int tfs_output_link_temp(const struct tfs_output *o, const char *path, const char *buffer,
			 unsigned int cpu, struct tfs_err *err);
/**
 * tfs_output_move() - give it another name, which nobody has; its temporary files are to have it
 * @path: in the same directory
 * Return: 0; -EEXIST; -ESTALE as tfs_output_check(); -errno.
 */
int tfs_output_move(struct tfs_output *o, const char *path, struct tfs_err *err);
/** tfs_output_move_temp() - a temporary file of @from, in the same directory, becomes one of @o */
int tfs_output_move_temp(const struct tfs_output *o, const char *from, const char *buffer,
			 unsigned int cpu, struct tfs_err *err);

/**
 * tfs_output_reserve() - make room on the disk for @bytes after the end of the file
 *
 * The size of the file stays. Where the file system cannot reserve, nothing is done.
 * Return: 0 or -errno (-ENOSPC).
 */
int tfs_output_reserve(struct tfs_output *o, uint64_t bytes, struct tfs_err *err);
/** tfs_output_trim() - give back what was reserved and not used; @size: of the file, as it stays */
int tfs_output_trim(struct tfs_output *o, uint64_t *size, struct tfs_err *err);

#endif
