/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/process-maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/io.h"
#include "base/open-in.h"
#include "record/outer-pid.h"

/* include/uapi/linux/fs.h of Linux 6.11, which older headers do not have */
struct map_query {
	uint64_t size, flags, addr;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor, name_size, id_size;
	uint64_t name, id;
};

#define MAP_QUERY _IOWR('f', 17, struct map_query)
#define QUERY_EXECUTABLE 0x04
#define QUERY_NEXT 0x10

_Static_assert(sizeof(struct map_query) == 104, "as the kernel has it");

/* Return: -ENOTTY where the kernel does not have it */
static int query(int fd, tfs_process_map_func *f, void *context)
{
	char name[PATH_MAX];
	struct tfs_process_map map;
	struct map_query q;
	uint64_t addr = 0;
	int rc;

	for (;;) {
		memset(&q, 0, sizeof(q));
		memset(&map, 0, sizeof(map));
		q.size = sizeof(q);
		q.flags = QUERY_EXECUTABLE | QUERY_NEXT;
		q.addr = addr;
		q.name = (uintptr_t)name;
		q.name_size = sizeof(name);
		q.id = (uintptr_t)map.id;
		q.id_size = sizeof(map.id);
		if (ioctl(fd, MAP_QUERY, &q))
			return errno == ENOENT ? 0 : -errno;
		map.start = q.start;
		map.end = q.end;
		map.offset = q.offset;
		map.inode = q.inode;
		map.dev = q.inode ? makedev(q.dev_major, q.dev_minor) : 0;
		map.name = q.name_size ? name : "";
		map.id_size = q.id_size;
		rc = f(context, &map);
		if (rc || q.end <= addr)
			return rc;
		addr = q.end;
	}
}

/* "start-end rwxp offset major:minor inode   path", of which only the path may be missing */
static bool parse_line(char *line, struct tfs_process_map *map)
{
	unsigned int major, minor;
	char bits[5];
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	memset(map, 0, sizeof(*map));
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &map->start, &map->end, bits, &map->offset, &major, &minor, &map->inode,
		   &name) != 7 ||
	    !name || bits[2] != 'x')
		return false;
	map->dev = map->inode ? makedev(major, minor) : 0;
	map->name = line + name;
	return map->start < map->end;
}

int tfs_process_maps_text(int fd, tfs_process_map_func *f, void *context)
{
	struct tfs_process_map map;
	int copy = dup(fd), rc = 0;
	char *line = NULL;
	size_t cap = 0;
	FILE *file;

	file = copy < 0 ? NULL : fdopen(copy, "r");
	if (!file) {
		rc = -errno;
		tfs_close(&copy);
		return rc;
	}
	while (!rc && getline(&line, &cap, file) > 0)
		if (parse_line(line, &map) && strcmp(map.name, "[vsyscall]") != 0)
			rc = f(context, &map);
	free(line);
	fclose(file);
	return rc;
}

int tfs_process_maps_read(int pid, tfs_process_map_func *f, void *context)
{
	char path[32];
	int fd, rc;

	if (!tfs_proc_shows_events())
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = query(fd, f, context);
	if (rc == -ENOTTY || rc == -EINVAL || rc == -ENOSYS)
		rc = tfs_process_maps_text(fd, f, context);
	close(fd);
	return rc;
}

static int open_link(int pid, const struct tfs_process_map *map)
{
	char path[96];
	int found, fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, map->start,
		 map->end);
	found = tfs_open_path_in(TFS_NO_ROOT, path);
	if (found < 0)
		return found;
	fd = tfs_open_found(found, TFS_NO_LIMIT);
	tfs_close(&found);
	return fd;
}

/* Some file systems give stat() other numbers than the kernel has: then a name that is not one of
 * a deleted file has to do. A file of another build-id is found out later. */
static bool is_same(int fd, const struct tfs_process_map *map)
{
	struct stat st;

	return !map->inode || (!fstat(fd, &st) && st.st_ino == map->inode);
}

int tfs_process_map_open(int pid, const struct tfs_process_map *map)
{
	int fd, root = TFS_NO_ROOT;
	char path[32];

	if (*map->name != '/')
		return -ENOENT;
	fd = open_link(pid, map);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	fd = tfs_open_root(path, &root);
	if (fd)
		return fd;
	fd = tfs_open_in(root, map->name, TFS_NO_LIMIT);
	tfs_close(&root);
	if (fd >= 0 && !is_same(fd, map)) {
		tfs_close(&fd);
		return -ESTALE;
	}
	return fd;
}
