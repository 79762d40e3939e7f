/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strace/call-class.h"

#include <string.h>

#include "base/macros.h"
#include "syscalls/tables.h"

/* Parameters of prototypes.tbl that are paths whatever the call */
static const char *const path_names[] = {
	"dir_name", "filename", "from_pathname", "library",     "new_root",    "newname", "oldname",
	"path",     "pathname", "put_old",       "specialfile", "to_pathname", NULL,
};

/* Calls with a path whose parameter is called something else */
static const char *const path_calls[] = { "acct",     "getcwd", "name_to_handle_at",
					  "quotactl", "umount", "umount2",
					  NULL };

/* Calls that take or return descriptors, which their parameters do not show */
static const char *const desc_calls[] = { "bpf",
					  "creat",
					  "epoll_create",
					  "epoll_create1",
					  "eventfd",
					  "eventfd2",
					  "fanotify_init",
					  "fsopen",
					  "inotify_init",
					  "inotify_init1",
					  "io_uring_setup",
					  "landlock_create_ruleset",
					  "memfd_create",
					  "memfd_secret",
					  "mq_open",
					  "open",
					  "pidfd_open",
					  "pipe",
					  "pipe2",
					  "poll",
					  "ppoll",
					  "pselect6",
					  "select",
					  "_newselect",
					  "timerfd_create",
					  "userfaultfd",
					  NULL };

static const char *const process_calls[] = {
	"clone",
	"clone3",
	"execve",
	"execveat",
	"exit",
	"exit_group",
	"fork",
	"kill",
	"pidfd_send_signal",
	"rt_sigqueueinfo",
	"rt_tgsigqueueinfo",
	"tgkill",
	"tkill",
	"vfork",
	"wait4",
	"waitid",
	"waitpid",
	NULL,
};

static const char *const net_calls[] = {
	"accept",   "accept4",     "bind",       "connect",    "getpeername",
	"getpmsg",  "getsockname", "getsockopt", "listen",     "putpmsg",
	"recv",     "recvfrom",    "recvmmsg",   "recvmsg",    "send",
	"sendfile", "sendmmsg",    "sendmsg",    "sendto",     "setsockopt",
	"shutdown", "socket",      "socketcall", "socketpair", NULL,
};

static const char *const memory_calls[] = {
	"brk",
	"get_mempolicy",
	"io_destroy",
	"io_setup",
	"io_uring_register",
	"madvise",
	"map_shadow_stack",
	"mbind",
	"migrate_pages",
	"mincore",
	"mlock",
	"mlock2",
	"mlockall",
	"mmap",
	"mmap2",
	"move_pages",
	"mprotect",
	"mremap",
	"mseal",
	"msync",
	"munlock",
	"munlockall",
	"munmap",
	"old_mmap",
	"pkey_mprotect",
	"remap_file_pages",
	"set_mempolicy",
	"set_mempolicy_home_node",
	"shmat",
	"shmdt",
	NULL,
};

static const char *const signal_calls[] = {
	"io_uring_enter",  "kill",
	"pause",           "pidfd_send_signal",
	"rt_sigaction",    "rt_sigpending",
	"rt_sigprocmask",  "rt_sigqueueinfo",
	"rt_sigreturn",    "rt_sigsuspend",
	"rt_sigtimedwait", "rt_tgsigqueueinfo",
	"sgetmask",        "sigaction",
	"sigaltstack",     "signal",
	"signalfd",        "signalfd4",
	"sigpending",      "sigprocmask",
	"sigreturn",       "sigsuspend",
	"ssetmask",        "tgkill",
	"tkill",           NULL,
};

static const char *const ipc_calls[] = {
	"ipc",   "msgctl",     "msgget", "msgrcv", "msgsnd", "s390_ipc", "semctl", "semget",
	"semop", "semtimedop", "shmat",  "shmctl", "shmdt",  "shmget",   NULL,
};

static const char *const clock_calls[] = {
	"adjtimex",     "clock_adjtime", "clock_getres", "clock_gettime", "clock_settime",
	"gettimeofday", "settimeofday",  "stime",        "time",          NULL,
};

static const char *const creds_calls[] = {
	"capget",    "capset",    "getegid",   "geteuid",  "getgid",   "getgroups", "getresgid",
	"getresuid", "getuid",    "prctl",     "setfsgid", "setfsuid", "setgid",    "setgroups",
	"setregid",  "setresgid", "setresuid", "setreuid", "setuid",   NULL,
};

static const char *const pure_calls[] = { "getegid", "geteuid", "getgid", "getpgrp", "getpid",
					  "getppid", "gettid",  "getuid", NULL };

static const char *const stat_calls[] = { "stat", NULL };
static const char *const lstat_calls[] = { "lstat", NULL };
static const char *const fstat_calls[] = { "fstat", "fstatat", "newfstatat", "statx", NULL };
static const char *const statfs_calls[] = { "statfs", NULL };
static const char *const fstatfs_calls[] = { "fstatfs", NULL };
static const char *const ustat_calls[] = { "ustat", NULL };

/* Is @name @base, or one of the calls that took its place: BASE64, BASE32, BASE_time64, oldBASE? */
static bool is_call(const char *name, const char *base)
{
	static const char *const suffixes[] = {
		"", "32", "64", "_time32", "_time64", "_32", "_64"
	};
	const size_t len = strlen(base);

	if (!strncmp(name, "old", 3) && strncmp(base, "old", 3))
		name += 3;
	if (strncmp(name, base, len))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(name + len, suffixes[i]))
			return true;
	return false;
}

static bool is_one_of(const struct sys_entry *entry, const char *const *names)
{
	for (; *names; names++)
		if (is_call(entry->name, *names))
			return true;
	return false;
}

bool tfs_call_is_sigreturn(const struct sys_entry *entry)
{
	return entry && (!strcmp(entry->name, "rt_sigreturn") || !strcmp(entry->name, "sigreturn"));
}

bool tfs_call_path_arg(const struct sys_entry *entry, unsigned int i)
{
	const struct sys_proto *proto = entry->proto;

	if (!proto || i >= proto->n_args)
		return false;
	if (proto->args[i].kind == SYS_PATH)
		return true;
	if (proto->args[i].kind != SYS_PTR && proto->args[i].kind != SYS_STR &&
	    proto->args[i].kind != SYS_BUF && proto->args[i].kind != SYS_OUT)
		return false;
	if (is_one_of(entry, path_calls))
		return !strcmp(proto->args[i].name, "name") ||
		       !strcmp(proto->args[i].name, "special") ||
		       (i == 0 && !strcmp(entry->name, "getcwd"));
	for (size_t n = 0; path_names[n]; n++)
		if (!strcmp(proto->args[i].name, path_names[n]))
			return true;
	return false;
}

static bool is_file(const struct sys_entry *entry)
{
	for (unsigned int i = 0; entry->proto && i < entry->proto->n_args; i++)
		if (tfs_call_path_arg(entry, i))
			return true;
	/* Its value may be a path. */
	return !strcmp(entry->name, "fsconfig");
}

static bool is_net(const struct sys_entry *entry)
{
	return is_one_of(entry, net_calls);
}

/* Sockets have a class of their own; sendfile takes any descriptor. */
static bool is_desc(const struct sys_entry *entry)
{
	if (is_one_of(entry, desc_calls))
		return true;
	if (is_net(entry) && !is_call(entry->name, "sendfile"))
		return false;
	for (unsigned int i = 0; entry->proto && i < entry->proto->n_args; i++)
		if (entry->proto->args[i].kind == SYS_FD || entry->proto->args[i].kind == SYS_AT)
			return true;
	return is_call(entry->name, "old_mmap");
}

#define HAS(class)                                            \
	static bool is_##class(const struct sys_entry *entry) \
	{                                                     \
		return is_one_of(entry, class##_calls);       \
	}
HAS(process)
HAS(memory)
HAS(signal)
HAS(ipc)
HAS(clock)
HAS(creds)
HAS(pure)
HAS(stat)
HAS(lstat)
HAS(fstat)
HAS(statfs)
HAS(fstatfs)
#undef HAS

static bool is_stat_like(const struct sys_entry *entry)
{
	return is_stat(entry) || is_lstat(entry) || is_fstat(entry);
}

static bool is_statfs_like(const struct sys_entry *entry)
{
	return is_statfs(entry) || is_fstatfs(entry) || is_one_of(entry, ustat_calls);
}

static const struct tfs_call_class classes[] = {
	{ "clock", NULL, false, is_clock },
	{ "creds", NULL, false, is_creds },
	{ "desc", NULL, true, is_desc },
	{ "file", NULL, true, is_file },
	{ "fstat", NULL, false, is_fstat },
	{ "fstatfs", NULL, false, is_fstatfs },
	{ "ipc", NULL, true, is_ipc },
	{ "lstat", NULL, false, is_lstat },
	{ "memory", NULL, true, is_memory },
	{ "net", "network", true, is_net },
	{ "process", NULL, true, is_process },
	{ "pure", NULL, false, is_pure },
	{ "signal", NULL, true, is_signal },
	{ "stat", NULL, false, is_stat },
	{ "%stat", "stat_like", false, is_stat_like },
	{ "statfs", NULL, false, is_statfs },
	{ "%statfs", "statfs_like", false, is_statfs_like },
};

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !strncmp(name, text, len);
}

const struct tfs_call_class *tfs_call_class_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (is_name(classes[i].name, name, len) || is_name(classes[i].alias, name, len))
			return &classes[i];
	return NULL;
}

const struct tfs_call_class *tfs_call_class_get(size_t i)
{
	return i < ARRAY_SIZE(classes) ? &classes[i] : NULL;
}
