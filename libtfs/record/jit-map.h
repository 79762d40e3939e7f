/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_RECORD_JIT_MAP_H
#define TFS_RECORD_JIT_MAP_H

#include <stddef.h>
#include <stdint.h>

struct tfs_strbuf;

/**
 * struct tfs_jit_hit - an address, and the function that it is in
 * @start, @end, @name: 0 and 0: none; @name is an offset into the names
 */
struct tfs_jit_hit {
	uint64_t addr, start, end;
	size_t name;
};

/**
 * tfs_jit_map_open() - open what a program says of the code that it makes: /tmp/perf-PID.map
 * @pid: as we number it: the file is below its root, with its number in its own namespace
 * @uid: whose process it is; -1: not known
 * @since: when it began its program, ns since 1970: an older file is of another one; 0: not known
 *
 * Only a regular file of one name, not a link, that belongs to @uid or root: /tmp is everybody's.
 * Return: a descriptor, yours; negative errno.
 */
int tfs_jit_map_open(int pid, long uid, uint64_t since);
/** tfs_jit_map_open_at() - the same: perf-@nspid.map below the directory /tmp of @root */
int tfs_jit_map_open_at(const char *root, int nspid, long uid, uint64_t since);

/**
 * tfs_jit_map_find() - look addresses up in such a file: lines "START SIZE NAME"
 * @hits: @n of them, by address
 * @names: names are appended, each with its NUL
 *
 * The last of several lines counts. Lines of another form, and what follows the first 256 MiB,
 * are ignored. Return: 0 or negative errno.
 */
int tfs_jit_map_find(int fd, struct tfs_jit_hit *hits, size_t n, struct tfs_strbuf *names);

#endif
