/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_PROCESS_MAPS_H
#define TFS_RECORD_PROCESS_MAPS_H

#include <stddef.h>
#include <stdint.h>

/** TFS_MAP_ID_MAX - bytes of a build-id that the kernel gives */
#define TFS_MAP_ID_MAX 20

/**
 * struct tfs_process_map - memory of a process that can be executed
 * @offset: in the file
 * @dev, @inode: of the file; 0: none, or not known
 * @name: path as the process sees it, "[vdso]" and so on, "" for memory without a file. That of a
 *	deleted file ends in " (deleted)"
 * @id, @id_size: its build-id; 0: none, or not known
 */
struct tfs_process_map {
	uint64_t start, end, offset;
	uint64_t dev, inode;
	const char *name;
	unsigned char id[TFS_MAP_ID_MAX];
	size_t id_size;
};

/** tfs_process_map_func - 0 to go on, a negative errno to stop */
typedef int tfs_process_map_func(void *context, const struct tfs_process_map *map);

/**
 * tfs_process_maps_read() - what a living process can execute, by address
 *
 * With the ioctl PROCMAP_QUERY (Linux 6.11), else from the text of /proc/PID/maps.
 * Return: 0; -ENOENT or -ESRCH: it is gone; -EACCES; what @f gave.
 */
int tfs_process_maps_read(int pid, tfs_process_map_func *f, void *context);
/** tfs_process_maps_text() - the same of an open maps file, from its text */
int tfs_process_maps_text(int fd, tfs_process_map_func *f, void *context);

/**
 * tfs_process_map_open() - open the file of a map of a living process
 *
 * By its link in map_files, which leads to the very file; without the permission for that
 * (CAP_CHECKPOINT_RESTORE) by its name below the root of the process, if it is the same file.
 * Return: a descriptor, yours, of a regular file; negative errno.
 */
int tfs_process_map_open(int pid, const struct tfs_process_map *map);

#endif
