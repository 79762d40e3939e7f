/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef TFS_STRACE_FD_RULES_H
#define TFS_STRACE_FD_RULES_H

#include <stdint.h>

/** enum tfs_fd_change - what a call does to descriptors and directories when it succeeds */
enum tfs_fd_change {
	TFS_FD_OPENS_PATH,  /* returns the file @path below @dirfd */
	TFS_FD_OPENS_KIND,  /* returns a new object, @text */
	TFS_FD_OPENS_OTHER, /* returns a file that the registers do not name */
	TFS_FD_MAKES_SOCKET,
	TFS_FD_ACCEPT,
	TFS_FD_BPF,
	TFS_FD_SIGNALFD,
	TFS_FD_MEMFD,
	TFS_FD_DUP,
	TFS_FD_DUP_TO,
	TFS_FD_FCNTL,
	TFS_FD_IOCTL,
	TFS_FD_CLOSE,
	TFS_FD_CLOSE_RANGE,
	TFS_FD_RING, /* returns a ring: from then on descriptors change without calls */
	TFS_FD_UNSHARE,
	TFS_FD_CHDIR,
	TFS_FD_FCHDIR,
	TFS_FD_NEW_ROOT, /* names of paths mean something else */
	TFS_FD_UNLINK,
	TFS_FD_RENAME,
};

/** enum tfs_fd_cloexec_rule - does exec close the descriptor that a call returns? */
enum tfs_fd_cloexec_rule {
	TFS_FD_NEVER_CLOEXEC,
	TFS_FD_ALWAYS_CLOEXEC,
	TFS_FD_MAYBE_CLOEXEC, /* said in memory */
	TFS_FD_BIT_CLOEXEC,   /* @bit of argument @flags */
};

/**
 * struct tfs_fd_rule - a system call that concerns descriptors
 * @name: of the call, in every ABI
 * @dirfd, @path: numbers of arguments, -1: none
 * @flags: number of the argument with @bit
 * @text: what /proc/PID/fd calls the object
 */
struct tfs_fd_rule {
	const char *name;
	enum tfs_fd_change change;
	signed char dirfd, path;
	enum tfs_fd_cloexec_rule cloexec;
	signed char flags;
	uint64_t bit;
	const char *text;
};

/** tfs_fd_rule_find() - the rule of a call, NULL if it changes nothing here */
const struct tfs_fd_rule *tfs_fd_rule_find(const char *name);

/** tfs_fd_socket_name() - what strace -yy calls a socket of this family and type; NULL: nothing */
const char *tfs_fd_socket_name(uint64_t family, uint64_t type);

#endif
