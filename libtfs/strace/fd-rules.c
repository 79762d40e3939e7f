/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/fd-rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

/* O_CLOEXEC, also called SOCK_, EFD_, TFD_, SFD_, IN_ and EPOLL_CLOEXEC; of all ABIs with tables */
#define CLOEXEC 02000000

#define NEVER TFS_FD_NEVER_CLOEXEC, -1, 0
#define ALWAYS TFS_FD_ALWAYS_CLOEXEC, -1, 0
#define MAYBE TFS_FD_MAYBE_CLOEXEC, -1, 0
#define BIT(flags, bit) TFS_FD_BIT_CLOEXEC, flags, bit

/* In order of names. The texts are what readlink() gives of /proc/PID/fd/N (Linux 6.18). */
static const struct tfs_fd_rule rules[] = {
	{ "accept", TFS_FD_ACCEPT, 0, -1, NEVER, NULL },
	{ "accept4", TFS_FD_ACCEPT, 0, -1, BIT(3, CLOEXEC), NULL },
	{ "bpf", TFS_FD_BPF, -1, -1, ALWAYS, NULL },
	{ "chdir", TFS_FD_CHDIR, -1, 0, NEVER, NULL },
	{ "chroot", TFS_FD_NEW_ROOT, -1, -1, NEVER, NULL },
	{ "close", TFS_FD_CLOSE, 0, -1, NEVER, NULL },
	{ "close_range", TFS_FD_CLOSE_RANGE, -1, -1, NEVER, NULL },
	{ "creat", TFS_FD_OPENS_PATH, -1, 0, NEVER, NULL },
	{ "dup", TFS_FD_DUP, 0, -1, NEVER, NULL },
	{ "dup2", TFS_FD_DUP_TO, 0, -1, NEVER, NULL },
	{ "dup3", TFS_FD_DUP_TO, 0, -1, BIT(2, CLOEXEC), NULL },
	{ "epoll_create", TFS_FD_OPENS_KIND, -1, -1, NEVER, "anon_inode:[eventpoll]" },
	{ "epoll_create1", TFS_FD_OPENS_KIND, -1, -1, BIT(0, CLOEXEC), "anon_inode:[eventpoll]" },
	{ "eventfd", TFS_FD_OPENS_KIND, -1, -1, NEVER, "anon_inode:[eventfd]" },
	{ "eventfd2", TFS_FD_OPENS_KIND, -1, -1, BIT(1, CLOEXEC), "anon_inode:[eventfd]" },
	{ "fanotify_init", TFS_FD_OPENS_KIND, -1, -1, BIT(0, 1), "anon_inode:[fanotify]" },
	{ "fchdir", TFS_FD_FCHDIR, 0, -1, NEVER, NULL },
	{ "fcntl", TFS_FD_FCNTL, 0, -1, NEVER, NULL },
	{ "fcntl64", TFS_FD_FCNTL, 0, -1, NEVER, NULL },
	{ "fsmount", TFS_FD_OPENS_OTHER, -1, -1, BIT(1, 1), NULL },
	{ "fsopen", TFS_FD_OPENS_KIND, -1, -1, BIT(1, 1), "anon_inode:[fscontext]" },
	{ "fspick", TFS_FD_OPENS_KIND, -1, -1, BIT(2, 1), "anon_inode:[fscontext]" },
	{ "inotify_init", TFS_FD_OPENS_KIND, -1, -1, NEVER, "anon_inode:inotify" },
	{ "inotify_init1", TFS_FD_OPENS_KIND, -1, -1, BIT(0, CLOEXEC), "anon_inode:inotify" },
	{ "io_uring_setup", TFS_FD_RING, -1, -1, ALWAYS, "anon_inode:[io_uring]" },
	{ "ioctl", TFS_FD_IOCTL, 0, -1, NEVER, NULL },
	{ "landlock_create_ruleset", TFS_FD_OPENS_OTHER, -1, -1, ALWAYS, NULL },
	{ "memfd_create", TFS_FD_MEMFD, -1, 0, BIT(1, 1), NULL },
	{ "memfd_secret", TFS_FD_MEMFD, -1, -1, BIT(0, CLOEXEC), "/secretmem (deleted)" },
	{ "mq_open", TFS_FD_OPENS_OTHER, -1, -1, ALWAYS, NULL },
	{ "open", TFS_FD_OPENS_PATH, -1, 0, BIT(1, CLOEXEC), NULL },
	{ "open_by_handle_at", TFS_FD_OPENS_OTHER, -1, -1, BIT(2, CLOEXEC), NULL },
	{ "open_tree", TFS_FD_OPENS_OTHER, 0, 1, BIT(2, CLOEXEC), NULL },
	{ "open_tree_attr", TFS_FD_OPENS_OTHER, 0, 1, BIT(2, CLOEXEC), NULL },
	{ "openat", TFS_FD_OPENS_PATH, 0, 1, BIT(2, CLOEXEC), NULL },
	{ "openat2", TFS_FD_OPENS_OTHER, 0, 1, MAYBE, NULL },
	{ "perf_event_open", TFS_FD_OPENS_KIND, -1, -1, BIT(4, 8), "anon_inode:[perf_event]" },
	{ "pidfd_getfd", TFS_FD_OPENS_OTHER, -1, -1, ALWAYS, NULL },
	{ "pidfd_open", TFS_FD_OPENS_KIND, -1, -1, ALWAYS, "anon_inode:[pidfd]" },
	{ "pivot_root", TFS_FD_NEW_ROOT, -1, -1, NEVER, NULL },
	{ "rename", TFS_FD_RENAME, -1, 0, NEVER, NULL },
	{ "renameat", TFS_FD_RENAME, 0, 1, NEVER, NULL },
	{ "renameat2", TFS_FD_RENAME, 0, 1, NEVER, NULL },
	{ "rmdir", TFS_FD_UNLINK, -1, 0, NEVER, NULL },
	{ "setns", TFS_FD_NEW_ROOT, -1, -1, NEVER, NULL },
	{ "signalfd", TFS_FD_SIGNALFD, 0, -1, NEVER, "anon_inode:[signalfd]" },
	{ "signalfd4", TFS_FD_SIGNALFD, 0, -1, BIT(3, CLOEXEC), "anon_inode:[signalfd]" },
	{ "socket", TFS_FD_MAKES_SOCKET, -1, -1, BIT(1, CLOEXEC), NULL },
	{ "timerfd_create", TFS_FD_OPENS_KIND, -1, -1, BIT(1, CLOEXEC), "anon_inode:[timerfd]" },
	{ "unlink", TFS_FD_UNLINK, -1, 0, NEVER, NULL },
	{ "unlinkat", TFS_FD_UNLINK, 0, 1, NEVER, NULL },
	{ "unshare", TFS_FD_UNSHARE, -1, -1, NEVER, NULL },
	{ "userfaultfd", TFS_FD_OPENS_KIND, -1, -1, BIT(0, CLOEXEC), "anon_inode:[userfaultfd]" },
};

static int compare(const void *key, const void *rule)
{
	return strcmp(key, ((const struct tfs_fd_rule *)rule)->name);
}

const struct tfs_fd_rule *tfs_fd_rule_find(const char *name)
{
	return bsearch(name, rules, ARRAY_SIZE(rules), sizeof(*rules), compare);
}

const char *tfs_fd_socket_name(uint64_t family, uint64_t type)
{
	/* AF_ and SOCK_ numbers, the same on all architectures with tables */
	static const struct {
		unsigned int family, type;
		const char *name;
	} names[] = {
		{ 1, 1, "UNIX-STREAM" }, { 1, 2, "UNIX-DGRAM" }, { 1, 5, "UNIX-SEQPACKET" },
		{ 2, 1, "TCP" },         { 2, 2, "UDP" },        { 10, 1, "TCPv6" },
		{ 10, 2, "UDPv6" },      { 16, 2, "NETLINK" },   { 16, 3, "NETLINK" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].family == (uint32_t)family && names[i].type == (type & 0xf))
			return names[i].name;
	return NULL;
}
