/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_BASE_IO_H
#define TFS_BASE_IO_H

#include <stddef.h>
#include <sys/types.h>

struct tfs_strbuf;

/* All restart on EINTR and return 0 or a negative errno; only tfs_close() closes a descriptor. */

/** tfs_close() - close *@fd unless it is -1, and set it to -1 */
void tfs_close(int *fd);
/** tfs_write_all() - every byte, or the errno that stopped it */
int tfs_write_all(int fd, const void *data, size_t len);
int tfs_pwrite_all(int fd, const void *data, size_t len, off_t off);
/** tfs_pread_all() - exactly @len bytes; -ENODATA if the file ends before */
int tfs_pread_all(int fd, void *data, size_t len, off_t off);
/** tfs_read_fd() - append everything up to end of file to @sb */
int tfs_read_fd(int fd, struct tfs_strbuf *sb);
/** tfs_read_path() - append a whole file (also of /proc, whose size is 0) to @sb */
int tfs_read_path(const char *path, struct tfs_strbuf *sb);
/**
 * tfs_copy_fd() - append @len bytes of @in from @in_off at @out's position
 *
 * By copy_file_range(2), or by reading and writing where that cannot be. @in's position stays.
 */
int tfs_copy_fd(int in, off_t in_off, int out, size_t len);

#endif
