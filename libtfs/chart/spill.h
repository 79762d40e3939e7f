/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_CHART_SPILL_H
#define TFS_CHART_SPILL_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct tfs_spill - bytes that are appended, then read: in memory up to a limit, then in a
 * temporary file without a name ($TMPDIR or /var/tmp)
 * @mem: what is not in the file yet
 * @used, @room: bytes of it, in use and allocated
 * @limit: bytes to keep in memory
 * @file: bytes that are in the file
 * @fd: -1: there is none yet
 *
 * Members are private. Initialise with TFS_SPILL_INIT(limit). One thread.
 */
struct tfs_spill {
	unsigned char *mem;
	size_t used, room, limit;
	uint64_t file;
	int fd;
};

#define TFS_SPILL_INIT(bytes) ((struct tfs_spill){ .limit = (bytes), .fd = -1 })

void tfs_spill_release(struct tfs_spill *s);
/** tfs_spill_add() - 0 or -errno */
int tfs_spill_add(struct tfs_spill *s, const void *data, size_t len);
/** tfs_spill_size() - bytes that were added */
uint64_t tfs_spill_size(const struct tfs_spill *s);
/** tfs_spill_read() - exactly @len bytes from @at on, which were added; 0 or -errno */
int tfs_spill_read(const struct tfs_spill *s, uint64_t at, void *data, size_t len);

/** tfs_temp_file() - a file without a name, for reading and writing; -errno */
int tfs_temp_file(void);

#endif
