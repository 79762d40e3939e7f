/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_FD_NAMES_H
#define TFS_STRACE_FD_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashmap.h"

/**
 * enum tfs_fd_form - where the name of a file comes from
 * @TFS_FD_RESOLVED: the kernel gave it for the open file: /proc/PID/fd
 * @TFS_FD_TYPED: a program opened it by this name, which may go through links
 * @TFS_FD_KIND: a kind of object that needs no more: "anon_inode:[eventfd]"
 * @TFS_FD_SOCKET: protocol and number: "TCP:[123]", "TCP:[?]" if that is not known
 */
enum tfs_fd_form { TFS_FD_RESOLVED, TFS_FD_TYPED, TFS_FD_KIND, TFS_FD_SOCKET };

/**
 * struct tfs_fd_name - what an open file is called; the same for all descriptors that have it
 * @refs: descriptors and directories
 * @deleted: the name was removed while it was open
 * @renamed: it has another name by now, which is not known
 */
struct tfs_fd_name {
	size_t refs;
	uint64_t hash;
	enum tfs_fd_form form;
	bool deleted, renamed;
	char text[];
};

/** struct tfs_fd_names - names that can be found; zeroed it is empty. One thread at a time */
struct tfs_fd_names {
	struct tfs_hashmap map;
};

void tfs_fd_names_release(struct tfs_fd_names *names);
/** tfs_fd_name_get() - a reference to a name, which is added if it is new; NULL without memory */
struct tfs_fd_name *tfs_fd_name_get(struct tfs_fd_names *names, const char *text, size_t len,
				    enum tfs_fd_form form);
/** tfs_fd_name_ref() - another reference; NULL stays NULL */
struct tfs_fd_name *tfs_fd_name_ref(struct tfs_fd_name *name);
/** tfs_fd_name_put() - give a reference back; NULL is fine */
void tfs_fd_name_put(struct tfs_fd_names *names, struct tfs_fd_name *name);
/** tfs_fd_names_deleted() - the file at @path, @len bytes, was removed */
void tfs_fd_names_deleted(struct tfs_fd_names *names, const char *path, size_t len);
/** tfs_fd_names_renamed() - @path, a file or a directory, is called otherwise from now on */
void tfs_fd_names_renamed(struct tfs_fd_names *names, const char *path, size_t len);

#endif
