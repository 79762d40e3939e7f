/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "strace/args.h"
#include "strace/call.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"

/* A call of x86_64, and the text of strace 6.1, where a seccomp filter made it fail with EPERM */
struct row {
	const char *name;
	uint64_t args[6];
	const char *text;
};

#define HIGH UINT64_C(0xdefaced00000000)

static const struct sys_entry *entry_of(const char *name)
{
	const struct sys_table *table = &sys_tables[SYS_ABI_X86_64];

	for (size_t i = 0; i < table->n; i++)
		if (!strcmp(table->entries[i].name, name))
			return &table->entries[i];
	fail();
	return NULL;
}

static void are(const struct row *rows, size_t n)
{
	static const struct tfs_args_opts opts = { .max_string = TFS_ARGS_STRING };
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		struct tfs_call call = {
			.abi = SYS_ABI_X86_64,
			.entry = entry_of(rows[i].name),
			.ret = -EPERM,
		};

		memcpy(call.args, rows[i].args, sizeof(call.args));
		tfs_strbuf_reset(&text);
		assert_int_equal(tfs_args_name(&call, &text), 0);
		assert_int_equal(tfs_strbuf_addc(&text, '('), 0);
		assert_int_equal(tfs_args_enter(&opts, &call, &text), 0);
		assert_int_equal(tfs_args_exit(&opts, &call, &text), 0);
		assert_int_equal(tfs_strbuf_addc(&text, ')'), 0);
		assert_string_equal(text.s, rows[i].text);
	}
	tfs_strbuf_release(&text);
}

#define ROWS(rows) are(rows, sizeof(rows) / sizeof((rows)[0]))

/* A program need not clear the upper half of a register that the kernel takes an int from. */
static void an_int_is_as_wide_as_the_kernel_takes_it(void **state)
{
	static const struct row rows[] = {
		{ "setns", { HIGH | 5, HIGH }, "setns(5, 0)" },
		{ "setns", { 5, HIGH | 0x40000000 }, "setns(5, CLONE_NEWNET)" },
		{ "unshare", { HIGH | 0x200 }, "unshare(CLONE_FS|0xdefaced00000000)" },
		{ "mmap",
		  { 0, 4096, 3, HIGH | 0x22, HIGH | 0xffffffff, 0 },
		  "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)" },
		{ "mmap",
		  { 0, 4096, HIGH | 1, 2, 3, HIGH },
		  "mmap(NULL, 4096, PROT_READ|0xdefaced00000000, "
		  "MAP_PRIVATE, 3, 0xdefaced00000000)" },
		{ "prctl", { 1, 9 }, "prctl(PR_SET_PDEATHSIG, SIGKILL)" },
		{ "prctl", { 1, HIGH | 9 }, "prctl(PR_SET_PDEATHSIG, 1004211375834136585)" },
		{ "kill", { HIGH | 0xffffffff, HIGH | 9 }, "kill(-1, SIGKILL)" },
		{ "lseek", { 3, -5, 2 }, "lseek(3, -5, SEEK_END)" },
		{ "fadvise64",
		  { 3, -1, -1, HIGH | 4 },
		  "fadvise64(3, -1, 18446744073709551615, POSIX_FADV_DONTNEED)" },
		{ "process_vm_readv",
		  { 1, 16, 1, 16, 1, HIGH | 1 },
		  "process_vm_readv(1, 0x10, 1, 0x10, 1, 1004211375834136577)" },
		{ "sched_setattr", { HIGH | 1, 16, HIGH | 16 }, "sched_setattr(1, 0x10, 16)" },
		{ "process_madvise",
		  { 3, 16, 1, HIGH | 4, 16 },
		  "process_madvise(3, 0x10, 1, MADV_DONTNEED, 0x10)" },
		{ "mount_setattr",
		  { 3, 16, HIGH | 0x8100, 16, 32 },
		  "mount_setattr(3, 0x10, AT_SYMLINK_NOFOLLOW|AT_RECURSIVE, 0x10, 32)" },
		{ "clone",
		  { HIGH },
		  "clone(child_stack=NULL, flags=0xdefaced00000000 /* CLONE_??? */)" },
		{ "poll", { 16, HIGH | 1, HIGH | 0xffffffff }, "poll(0x10, 1, -1)" },
	};

	(void)state;
	ROWS(rows);
}

/* -100 is the current directory only where the kernel takes one. */
static void a_descriptor_is_not_a_directory_of_its_own(void **state)
{
	static const struct row rows[] = {
		{ "close", { -100 }, "close(-100)" },
		{ "read", { 0xffffff9c, 16, 1 }, "read(-100, 0x10, 1)" },
		{ "ioctl", { -100, 0x541b, 16 }, "ioctl(-100, FIONREAD, 0x10)" },
		{ "mmap",
		  { 0, 4096, 1, 2, -100, 0 },
		  "mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, -100, 0)" },
		{ "epoll_ctl",
		  { -100, 1, HIGH | 0xffffff9c, 16 },
		  "epoll_ctl(-100, EPOLL_CTL_ADD, -100, 0x10)" },
		{ "openat", { -100, 16, 0 }, "openat(AT_FDCWD, 0x10, O_RDONLY)" },
		{ "openat", { HIGH | 0xffffff9c, 16, 0 }, "openat(AT_FDCWD, 0x10, O_RDONLY)" },
		{ "fanotify_mark",
		  { -100, 0, 0, -100, 16 },
		  "fanotify_mark(-100, 0, 0, AT_FDCWD, 0x10)" },
		{ "dup3", { -100, 1, 0 }, "dup3(-100, 1, 0)" },
	};

	(void)state;
	ROWS(rows);
}

static const struct row options[] = {
	{ "syslog", { 0, 16, 5 }, "syslog(0 /* SYSLOG_ACTION_CLOSE */)" },
	{ "syslog", { 1, 16, 5 }, "syslog(1 /* SYSLOG_ACTION_OPEN */)" },
	{ "syslog", { 2, 16, 5 }, "syslog(2 /* SYSLOG_ACTION_READ */, 0x10, 5)" },
	{ "syslog", { 3, 16, 5 }, "syslog(3 /* SYSLOG_ACTION_READ_ALL */, 0x10, 5)" },
	{ "syslog", { 4, 16, 5 }, "syslog(4 /* SYSLOG_ACTION_READ_CLEAR */, 0x10, 5)" },
	{ "syslog", { 5, 16, 5 }, "syslog(5 /* SYSLOG_ACTION_CLEAR */)" },
	{ "ptrace", { 17, 16, 16, 9 }, "ptrace(PTRACE_DETACH, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 0, 16, 16, 9 }, "ptrace(PTRACE_TRACEME)" },
	{ "ptrace", { 7, 16, 16, 9 }, "ptrace(PTRACE_CONT, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 8, 16, 16, 9 }, "ptrace(PTRACE_KILL, 16)" },
	{ "ptrace", { 1, 16, 16, 9 }, "ptrace(PTRACE_PEEKTEXT, 16, 0x10, 0x9)" },
	{ "ptrace", { 2, 16, 16, 9 }, "ptrace(PTRACE_PEEKDATA, 16, 0x10, 0x9)" },
	{ "ptrace", { 4, 16, 16, 9 }, "ptrace(PTRACE_POKETEXT, 16, 0x10, 0x9)" },
	{ "ptrace", { 5, 16, 16, 9 }, "ptrace(PTRACE_POKEDATA, 16, 0x10, 0x9)" },
	{ "ptrace", { 7, 16, 16, 9 }, "ptrace(PTRACE_CONT, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 9, 16, 16, 9 }, "ptrace(PTRACE_SINGLESTEP, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 16, 16, 16, 9 }, "ptrace(PTRACE_ATTACH, 16)" },
	{ "ptrace", { 17, 16, 16, 9 }, "ptrace(PTRACE_DETACH, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 24, 16, 16, 9 }, "ptrace(PTRACE_SYSCALL, 16, 0x10, SIGKILL)" },
	{ "ptrace", { 12, 16, 16, 9 }, "ptrace(PTRACE_GETREGS, 16, 0x9)" },
	{ "ptrace", { 13, 16, 16, 9 }, "ptrace(PTRACE_SETREGS, 16, 0x9)" },
	{ "ptrace",
	  { 16896, 16, 1, 9 },
	  "ptrace(PTRACE_SETOPTIONS, 16, 0x1, PTRACE_O_TRACESYSGOOD|"
	  "PTRACE_O_TRACECLONE)" },
	{ "ptrace", { 16897, 16, 1, 9 }, "ptrace(PTRACE_GETEVENTMSG, 16, 0x1, 0x9)" },
	{ "ptrace", { 16898, 16, 1, 9 }, "ptrace(PTRACE_GETSIGINFO, 16, 0x1, 0x9)" },
	{ "ptrace", { 16899, 16, 1, 9 }, "ptrace(PTRACE_SETSIGINFO, 16, 0x1, 0x9)" },
	{ "ptrace", { 16900, 16, 1, 9 }, "ptrace(PTRACE_GETREGSET, 16, NT_PRSTATUS, 0x9)" },
	{ "kcmp", { 1, 2, 0, 3, 4 }, "kcmp(1, 2, KCMP_FILE, 3, 4)" },
	{ "kcmp", { 1, 2, 1, 3, 4 }, "kcmp(1, 2, KCMP_VM)" },
	{ "kcmp", { 1, 2, 2, 3, 4 }, "kcmp(1, 2, KCMP_FILES)" },
	{ "kcmp", { 1, 2, 3, 3, 4 }, "kcmp(1, 2, KCMP_FS)" },
	{ "kcmp", { 1, 2, 4, 3, 4 }, "kcmp(1, 2, KCMP_SIGHAND)" },
	{ "kcmp", { 1, 2, 5, 3, 4 }, "kcmp(1, 2, KCMP_IO)" },
	{ "reboot",
	  { 0xfee1dead, 672274793, 1126301404, 16 },
	  "reboot(LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, "
	  "LINUX_REBOOT_CMD_POWER_OFF)" },
	{ "reboot",
	  { 0xfee1dead, 672274793, 0xa1b2c3d4, 16 },
	  "reboot(LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, "
	  "LINUX_REBOOT_CMD_RESTART2, 0x10)" },
	{ "reboot",
	  { 0, 0, 0, 16 },
	  "reboot(0 /* LINUX_REBOOT_MAGIC_??? */, 0 /* LINUX_REBOOT_MAGIC_??? */, "
	  "LINUX_REBOOT_CMD_CAD_OFF)" },
	{ "keyctl",
	  { 0, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 4)" },
	{ "keyctl",
	  { 1, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_JOIN_SESSION_KEYRING, 0xfffffffffffffffd)" },
	{ "keyctl",
	  { 2, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_UPDATE, KEY_SPEC_SESSION_KEYRING, 0x4, 16)" },
	{ "keyctl", { 3, -3, 4, 16, 16 }, "keyctl(KEYCTL_REVOKE, KEY_SPEC_SESSION_KEYRING)" },
	{ "keyctl", { 4, -3, 4, 16, 16 }, "keyctl(KEYCTL_CHOWN, KEY_SPEC_SESSION_KEYRING, 4, 16)" },
	{ "keyctl",
	  { 6, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_DESCRIBE, KEY_SPEC_SESSION_KEYRING, 0x4, 16)" },
	{ "keyctl", { 7, -3, 4, 16, 16 }, "keyctl(KEYCTL_CLEAR, KEY_SPEC_SESSION_KEYRING)" },
	{ "keyctl", { 8, -3, 4, 16, 16 }, "keyctl(KEYCTL_LINK, KEY_SPEC_SESSION_KEYRING, 4)" },
	{ "keyctl", { 9, -3, 4, 16, 16 }, "keyctl(KEYCTL_UNLINK, KEY_SPEC_SESSION_KEYRING, 4)" },
	{ "keyctl",
	  { 10, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, 0x4, 0x10, 16)" },
	{ "keyctl",
	  { 11, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, 0x4, 16)" },
	{ "keyctl",
	  { 12, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_INSTANTIATE, KEY_SPEC_SESSION_KEYRING, 0x4, 16, 16)" },
	{ "keyctl",
	  { 13, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_NEGATE, KEY_SPEC_SESSION_KEYRING, 4, 16)" },
	{ "keyctl",
	  { 15, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_SET_TIMEOUT, KEY_SPEC_SESSION_KEYRING, 4)" },
	{ "keyctl",
	  { 16, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_ASSUME_AUTHORITY, KEY_SPEC_SESSION_KEYRING)" },
	{ "keyctl",
	  { 17, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_GET_SECURITY, KEY_SPEC_SESSION_KEYRING, 0x4, 16)" },
	{ "keyctl", { 18, -3, 4, 16, 16 }, "keyctl(KEYCTL_SESSION_TO_PARENT)" },
	{ "keyctl",
	  { 19, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_REJECT, KEY_SPEC_SESSION_KEYRING, 4, EBUSY, 16)" },
	{ "keyctl",
	  { 20, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_INSTANTIATE_IOV, KEY_SPEC_SESSION_KEYRING, 0x4, 16, 16)" },
	{ "keyctl", { 21, -3, 4, 16, 16 }, "keyctl(KEYCTL_INVALIDATE, KEY_SPEC_SESSION_KEYRING)" },
	{ "keyctl", { 22, -3, 4, 16, 16 }, "keyctl(KEYCTL_GET_PERSISTENT, 4294967293, 4)" },
	{ "keyctl",
	  { 23, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_DH_COMPUTE, 0xfffffffffffffffd, 0x4, 16, 0x10)" },
	{ "keyctl",
	  { 24, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_PKEY_QUERY, KEY_SPEC_SESSION_KEYRING, 0x4, 0x10, 0x10)" },
	{ "keyctl",
	  { 25, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_PKEY_ENCRYPT, 0xfffffffffffffffd, 0x4, 0x10, 0x10)" },
	{ "keyctl",
	  { 26, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_PKEY_DECRYPT, 0xfffffffffffffffd, 0x4, 0x10, 0x10)" },
	{ "keyctl",
	  { 27, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_PKEY_SIGN, 0xfffffffffffffffd, 0x4, 0x10, 0x10)" },
	{ "keyctl",
	  { 28, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_PKEY_VERIFY, 0xfffffffffffffffd, 0x4, 0x10, 0x10)" },
	{ "keyctl",
	  { 29, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_RESTRICT_KEYRING, KEY_SPEC_SESSION_KEYRING, 0x4, 0x10)" },
	{ "keyctl", { 31, -3, 4, 16, 16 }, "keyctl(KEYCTL_CAPABILITIES, 0xfffffffffffffffd, 4)" },
	{ "keyctl",
	  { 32, -3, 4, 16, 16 },
	  "keyctl(KEYCTL_WATCH_KEY, 0xfffffffffffffffd, 0x4, 0x10, 0x10)" },
	{ "add_key",
	  { 16, 16, 16, 3, -1 },
	  "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_THREAD_KEYRING)" },
	{ "add_key",
	  { 16, 16, 16, 3, -2 },
	  "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_PROCESS_KEYRING)" },
	{ "add_key",
	  { 16, 16, 16, 3, -3 },
	  "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_SESSION_KEYRING)" },
	{ "add_key", { 16, 16, 16, 3, -4 }, "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_USER_KEYRING)" },
	{ "add_key",
	  { 16, 16, 16, 3, -5 },
	  "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_USER_SESSION_KEYRING)" },
	{ "add_key",
	  { 16, 16, 16, 3, -6 },
	  "add_key(0x10, 0x10, 0x10, 3, KEY_SPEC_GROUP_KEYRING)" },
	{ "request_key",
	  { 16, 16, 16, -4 },
	  "request_key(0x10, 0x10, 0x10, KEY_SPEC_USER_KEYRING)" },
	{ "ioprio_set",
	  { 1, 0, 16388 },
	  "ioprio_set(IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4))" },
	{ "ioprio_set",
	  { 2, 3, 8192 },
	  "ioprio_set(IOPRIO_WHO_PGRP, 3, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_RT, 0))" },
	{ "ioprio_set",
	  { 3, 3, 24583 },
	  "ioprio_set(IOPRIO_WHO_USER, 3, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 7))" },
	{ "ioprio_set",
	  { 1, 3, 40967 },
	  "ioprio_set(IOPRIO_WHO_PROCESS, 3, "
	  "IOPRIO_PRIO_VALUE(0x5 /* IOPRIO_CLASS_??? */, 7))" },
	{ "ioprio_set",
	  { 1, 3, -1 },
	  "ioprio_set(IOPRIO_WHO_PROCESS, 3, "
	  "IOPRIO_PRIO_VALUE(0x7ffff /* IOPRIO_CLASS_??? */, 8191))" },
	{ "quotactl", { 2147483904, 16, 5, 16 }, "quotactl(QCMD(Q_SYNC, USRQUOTA), 0x10)" },
	{ "quotactl", { 2147483905, 16, 5, 16 }, "quotactl(QCMD(Q_SYNC, GRPQUOTA), 0x10)" },
	{ "quotactl", { 2147483906, 16, 5, 16 }, "quotactl(QCMD(Q_SYNC, PRJQUOTA), 0x10)" },
	{ "quotactl",
	  { 2147484160, 16, 5, 16 },
	  "quotactl(QCMD(Q_QUOTAON, USRQUOTA), 0x10, 0x5 /* QFMT_VFS_??? */, 0x10)" },
	{ "quotactl",
	  { 2147484161, 16, 5, 16 },
	  "quotactl(QCMD(Q_QUOTAON, GRPQUOTA), 0x10, 0x5 /* QFMT_VFS_??? */, 0x10)" },
	{ "quotactl",
	  { 2147484162, 16, 5, 16 },
	  "quotactl(QCMD(Q_QUOTAON, PRJQUOTA), 0x10, 0x5 /* QFMT_VFS_??? */, 0x10)" },
	{ "quotactl", { 2147484416, 16, 5, 16 }, "quotactl(QCMD(Q_QUOTAOFF, USRQUOTA), 0x10)" },
	{ "quotactl", { 2147484417, 16, 5, 16 }, "quotactl(QCMD(Q_QUOTAOFF, GRPQUOTA), 0x10)" },
	{ "quotactl", { 2147484418, 16, 5, 16 }, "quotactl(QCMD(Q_QUOTAOFF, PRJQUOTA), 0x10)" },
	{ "quotactl", { 2147484672, 16, 5, 16 }, "quotactl(QCMD(Q_GETFMT, USRQUOTA), 0x10, 0x10)" },
	{ "quotactl", { 2147484673, 16, 5, 16 }, "quotactl(QCMD(Q_GETFMT, GRPQUOTA), 0x10, 0x10)" },
	{ "quotactl", { 2147484674, 16, 5, 16 }, "quotactl(QCMD(Q_GETFMT, PRJQUOTA), 0x10, 0x10)" },
	{ "quotactl_fd",
	  { 3, 2147485441, 5, 16 },
	  "quotactl_fd(3, QCMD(Q_GETQUOTA, GRPQUOTA), 5, 0x10)" },
	{ "fanotify_mark",
	  { 3, 17, 40, -100, 16 },
	  "fanotify_mark(3, FAN_MARK_ADD|FAN_MARK_MOUNT, FAN_CLOSE_WRITE|FAN_OPEN, "
	  "AT_FDCWD, 0x10)" },
	{ "fanotify_mark",
	  { 3, 1, 0xf00000000, -100, 16 },
	  "fanotify_mark(3, FAN_MARK_ADD, 0xf00000000 /* FAN_??? */, AT_FDCWD, 0x10)" },
	{ "prctl", { 1, 1, 2, 3, 4 }, "prctl(PR_SET_PDEATHSIG, SIGHUP)" },
	{ "prctl", { 3, 1, 2, 3, 4 }, "prctl(PR_GET_DUMPABLE)" },
	{ "prctl", { 4, 1, 2, 3, 4 }, "prctl(PR_SET_DUMPABLE, SUID_DUMP_USER)" },
	{ "prctl", { 7, 1, 2, 3, 4 }, "prctl(PR_GET_KEEPCAPS)" },
	{ "prctl", { 8, 1, 2, 3, 4 }, "prctl(PR_SET_KEEPCAPS, 1)" },
	{ "prctl", { 10, 1, 2, 3, 4 }, "prctl(PR_SET_FPEMU, 1)" },
	{ "prctl", { 12, 1, 2, 3, 4 }, "prctl(PR_SET_FPEXC, 1)" },
	{ "prctl", { 13, 1, 2, 3, 4 }, "prctl(PR_GET_TIMING)" },
	{ "prctl", { 14, 1, 2, 3, 4 }, "prctl(PR_SET_TIMING, 1)" },
	{ "prctl", { 20, 1, 2, 3, 4 }, "prctl(PR_SET_ENDIAN, 1)" },
	{ "prctl", { 21, 1, 2, 3, 4 }, "prctl(PR_GET_SECCOMP)" },
	{ "prctl", { 22, 1, 2, 3, 4 }, "prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)" },
	{ "prctl", { 23, 1, 2, 3, 4 }, "prctl(PR_CAPBSET_READ, CAP_DAC_OVERRIDE)" },
	{ "prctl", { 24, 1, 2, 3, 4 }, "prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)" },
	{ "prctl", { 26, 1, 2, 3, 4 }, "prctl(PR_SET_TSC, PR_TSC_ENABLE)" },
	{ "prctl", { 27, 1, 2, 3, 4 }, "prctl(PR_GET_SECUREBITS)" },
	{ "prctl", { 28, 1, 2, 3, 4 }, "prctl(PR_SET_SECUREBITS, SECBIT_NOROOT)" },
	{ "prctl", { 29, 1, 2, 3, 4 }, "prctl(PR_SET_TIMERSLACK, 1)" },
	{ "prctl", { 30, 1, 2, 3, 4 }, "prctl(PR_GET_TIMERSLACK)" },
	{ "prctl", { 31, 1, 2, 3, 4 }, "prctl(PR_TASK_PERF_EVENTS_DISABLE)" },
	{ "prctl", { 32, 1, 2, 3, 4 }, "prctl(PR_TASK_PERF_EVENTS_ENABLE)" },
	{ "prctl",
	  { 33, 1, 2, 3, 4 },
	  "prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_DEFAULT, 0x3, 0x4)" },
	{ "prctl", { 35, 1, 2, 3, 4 }, "prctl(PR_SET_MM, PR_SET_MM_START_CODE, 0x2, 0x3, 0x4)" },
	{ "prctl", { 36, 1, 2, 3, 4 }, "prctl(PR_SET_CHILD_SUBREAPER, 1)" },
	{ "prctl", { 38, 1, 2, 3, 4 }, "prctl(PR_SET_NO_NEW_PRIVS, 1, 0x2, 0x3, 0x4)" },
	{ "prctl", { 41, 1, 2, 3, 4 }, "prctl(PR_SET_THP_DISABLE, 1, 0x2, 0x3, 0x4)" },
	{ "prctl", { 46, 1, 2, 3, 4 }, "prctl(PR_GET_FP_MODE)" },
	{ "prctl",
	  { 47, 1, 2, 3, 4 },
	  "prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, CAP_DAC_READ_SEARCH, 0x3, 0x4)" },
	{ "prctl", { 51, 1, 2, 3, 4 }, "prctl(PR_SVE_GET_VL)" },
	{ "prctl", { 52, 1, 2, 3, 4 }, "prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH)" },
	{ "prctl",
	  { 53, 1, 2, 3, 4 },
	  "prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_ENABLE)" },
	{ "prctl", { 57, 1, 2, 3, 4 }, "prctl(PR_SET_IO_FLUSHER, 1, 0x2, 0x3, 0x4)" },
	{ "prctl",
	  { 59, 1, 2, 3, 4 },
	  "prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0x2, 0x3, 0x4)" },
	{ "prctl", { 64, 1, 2, 3, 4 }, "prctl(PR_SME_GET_VL)" },
	{ "prctl", { 4, 0 }, "prctl(PR_SET_DUMPABLE, SUID_DUMP_DISABLE)" },
	{ "prctl", { 4, 2 }, "prctl(PR_SET_DUMPABLE, SUID_DUMP_ROOT)" },
	{ "prctl", { 10, 2 }, "prctl(PR_SET_FPEMU, 2)" },
	{ "prctl", { 14, 1 }, "prctl(PR_SET_TIMING, 1)" },
	{ "prctl", { 26, 2 }, "prctl(PR_SET_TSC, PR_TSC_SIGSEGV)" },
	{ "prctl",
	  { 28, 15 },
	  "prctl(PR_SET_SECUREBITS, SECBIT_NOROOT|SECBIT_NOROOT_LOCKED|"
	  "SECBIT_NO_SETUID_FIXUP|SECBIT_NO_SETUID_FIXUP_LOCKED)" },
	{ "prctl",
	  { 28, 47 },
	  "prctl(PR_SET_SECUREBITS, SECBIT_NOROOT|SECBIT_NOROOT_LOCKED|"
	  "SECBIT_NO_SETUID_FIXUP|SECBIT_NO_SETUID_FIXUP_LOCKED|"
	  "SECBIT_KEEP_CAPS_LOCKED)" },
	{ "prctl",
	  { 33, 1, 1, 0 },
	  "prctl(PR_MCE_KILL, PR_MCE_KILL_SET, PR_MCE_KILL_EARLY, 0, 0)" },
	{ "prctl", { 33, 2, 16, 0 }, "prctl(PR_MCE_KILL, 0x2 /* PR_MCE_KILL_??? */, 0x10, 0, 0)" },
	{ "prctl", { 22, 2, 16 }, "prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, 0x10)" },
	{ "prctl", { 22, 1 }, "prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT)" },
	{ "prctl", { 22, 0 }, "prctl(PR_SET_SECCOMP, SECCOMP_MODE_DISABLED, 0, 0, 0)" },
	{ "prctl",
	  { 53, 1, 4 },
	  "prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_DISABLE)" },
	{ "prctl", { 52, 0 }, "prctl(PR_GET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS)" },
	{ "prctl",
	  { 0x53564d41, 0, 16, 4096, 16 },
	  "prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, 0x10, 4096, 0x10)" },
	{ "prctl", { 0x59616d61, -1 }, "prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)" },
	{ "prctl", { 0x59616d61, 5 }, "prctl(PR_SET_PTRACER, 5)" },
	{ "prctl", { 35, 1, 16, 0, 0 }, "prctl(PR_SET_MM, PR_SET_MM_START_CODE, 0x10, 0, 0)" },
	{ "prctl", { 35, 8, 16, 0, 0 }, "prctl(PR_SET_MM, PR_SET_MM_ARG_START, 0x10, 0, 0)" },
	{ "prctl",
	  { 47, 2, 21, 0, 0 },
	  "prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0)" },
	{ "prctl", { 47, 4, 0, 0, 0 }, "prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)" },
	{ "prctl",
	  { 59, 1 },
	  "prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, 0, 0, NULL)" },
	{ "memfd_create",
	  { 16, 4 | (21 << 26) },
	  "memfd_create(0x10, MFD_HUGETLB|21<<MFD_HUGE_SHIFT)" },
	{ "memfd_create", { 16, 1 }, "memfd_create(0x10, MFD_CLOEXEC)" },
	{ "memfd_create", { 16, (21 << 26) }, "memfd_create(0x10, 21<<MFD_HUGE_SHIFT)" },
	{ "finit_module", { 3, 16, 4 }, "finit_module(3, 0x10, MODULE_INIT_COMPRESSED_FILE)" },
	{ "finit_module",
	  { 3, 16, 7 },
	  "finit_module(3, 0x10, MODULE_INIT_IGNORE_MODVERSIONS|"
	  "MODULE_INIT_IGNORE_VERMAGIC|MODULE_INIT_COMPRESSED_FILE)" },
	{ "membarrier",
	  { 0, 1, 2 },
	  "membarrier(MEMBARRIER_CMD_QUERY, MEMBARRIER_CMD_FLAG_CPU, 2)" },
	{ "membarrier",
	  { 1, 1, 2 },
	  "membarrier(MEMBARRIER_CMD_GLOBAL, MEMBARRIER_CMD_FLAG_CPU, 2)" },
	{ "membarrier",
	  { 2, 1, 2 },
	  "membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED, MEMBARRIER_CMD_FLAG_CPU, 2)" },
	{ "personality", { 0xffffffff }, "personality(0xffffffff)" },
	{ "personality", { 0 }, "personality(PER_LINUX)" },
	{ "personality", { 8 }, "personality(PER_LINUX32)" },
	{ "personality", { 262144 }, "personality(PER_LINUX|ADDR_NO_RANDOMIZE)" },
	{ "personality", { 262152 }, "personality(PER_LINUX32|ADDR_NO_RANDOMIZE)" },
	{ "personality", { 3 }, "personality(0x3 /* PER_??? */)" },
	{ "kexec_load",
	  { 16, 1, 16, 0x3e0001 },
	  "kexec_load(0x10, 1, 0x10, KEXEC_ARCH_X86_64|KEXEC_ON_CRASH)" },
	{ "kexec_load",
	  { 16, 1, 16, 1 },
	  "kexec_load(0x10, 1, 0x10, KEXEC_ARCH_DEFAULT|KEXEC_ON_CRASH)" },
	{ "semctl", { 1, 0, 0, 0 }, "semctl(1, 0, IPC_RMID, NULL)" },
	{ "semctl", { 1, 0, 16, 3 }, "semctl(1, 0, SETVAL, 0x3)" },
	{ "semctl", { 1, 0, 1, 16 }, "semctl(1, 0, IPC_SET, 0x10)" },
	{ "semctl", { 1, 2, 12, 0 }, "semctl(1, 2, GETVAL, NULL)" },
	{ "landlock_add_rule",
	  { 3, 2, 16, 0 },
	  "landlock_add_rule(3, 0x2 /* LANDLOCK_RULE_??? */, 0x10, 0)" },
	{ "waitid",
	  { 1, 5, 16, 1 | 2 | 4 | 0x1000000, 0 },
	  "waitid(P_PID, 5, 0x10, WNOHANG|WEXITED|WSTOPPED|WNOWAIT, NULL)" },
};

static void options_decide_what_follows_them(void **state)
{
	(void)state;
	ROWS(options);
}

/* Generated from the kernel's user headers that this was built with */
/* Lines of strace 6.1 for the programs of its own test suite */
static void values_are_shown_as_strace_shows_them(void **state)
{
	static const struct row rows[] = {
		{ "faccessat2",
		  { -1, 0, 0, 0x1300 },
		  "faccessat2(-1, NULL, F_OK, AT_SYMLINK_NOFOLLOW|AT_EACCESS|AT_EMPTY_PATH)" },
		{ "fanotify_mark",
		  { 305419896, 0, 0, HIGH | 0xffffffff, 0 },
		  "fanotify_mark(305419896, 0, 0, FAN_NOFD, NULL)" },
		{ "openat", { -1, 16, 0 }, "openat(-1, 0x10, O_RDONLY)" },
		{ "getsockopt",
		  { 3, 270, 1, 16, 32 },
		  "getsockopt(3, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, 0x10, 0x20)" },
		{ "getsockopt",
		  { 3, 1, 22, 16, 32 },
		  "getsockopt(3, SOL_SOCKET, SO_SECURITY_AUTHENTICATION, 0x10, 0x20)" },
		{ "setsockopt",
		  { 0, 0, 42, 16, -1 },
		  "setsockopt(0, SOL_IP, MCAST_JOIN_GROUP, 0x10, -1)" },
		{ "setsockopt",
		  { 0, 41, 20, 16, 19 },
		  "setsockopt(0, SOL_IPV6, IPV6_ADD_MEMBERSHIP, 0x10, 19)" },
		{ "prctl",
		  { 62, UINT64_C(0xffffffff00000000), UINT64_C(0xffffffff00000412),
		    UINT64_C(0xffffffff00000000), 0 },
		  "prctl(PR_SCHED_CORE, PR_SCHED_CORE_GET, 1042, 0 /* PIDTYPE_PID */, NULL)" },
		{ "prctl",
		  { 62, 4, -1, 4, 16 },
		  "prctl(PR_SCHED_CORE, 0x4 /* PR_SCHED_CORE_??? */, -1, "
		  "0x4 /* PIDTYPE_??? */, 0x10)" },
		{ "prctl", { 37, 0 }, "prctl(PR_GET_CHILD_SUBREAPER, NULL)" },
		{ "prctl",
		  { 6, 3 },
		  "prctl(PR_SET_UNALIGN, PR_UNALIGN_NOPRINT|PR_UNALIGN_SIGBUS)" },
		{ "prctl",
		  { 54, 0x20, 0, 0, 0 },
		  "prctl(PR_PAC_RESET_KEYS, 0x20 /* PR_PAC_??? */, 0, 0, 0)" },
		{ "keyctl",
		  { 4, -7, UINT32_MAX, UINT32_MAX },
		  "keyctl(KEYCTL_CHOWN, KEY_SPEC_REQKEY_AUTH_KEY, -1, -1)" },
		{ "keyctl",
		  { 5, -557785390, 0xc0c0c0c0 },
		  "keyctl(KEYCTL_SETPERM, -557785390, 0xc0c0c0c0 /* KEY_??? */)" },
		{ "keyctl",
		  { 15, -557785390, UINT64_C(18369603814213553645) },
		  "keyctl(KEYCTL_SET_TIMEOUT, -557785390, 3134983661)" },
		{ "quotactl",
		  { 0x80000701, 0, UINT32_MAX, 16 },
		  "quotactl(QCMD(Q_GETQUOTA, GRPQUOTA), NULL, -1, 0x10)" },
		{ "futex",
		  { 16, 5, 4207869677, 0, 32, UINT32_C(0xa0caf000) | 0xfee },
		  "futex(0x10, FUTEX_WAKE_OP, 4207869677, 0, 0x20, "
		  "FUTEX_OP_OPARG_SHIFT<<28|FUTEX_OP_OR<<28|0xcaf<<12|FUTEX_OP_CMP_EQ<<24|0xfee)" },
		{ "futex",
		  { 16, 5, 1, 0, 32, 0x50000000 },
		  "futex(0x10, FUTEX_WAKE_OP, 1, 0, 0x20, "
		  "0x5<<28 /* FUTEX_OP_??? */|0<<12|FUTEX_OP_CMP_EQ<<24|0)" },
		{ "futex",
		  { 16, 0x82, 4207869677 },
		  "futex(0x10, FUTEX_FD|FUTEX_PRIVATE_FLAG, 4207869677)" },
		{ "mknodat",
		  { -1, 16, 067777, 0x3c9a8 },
		  "mknodat(-1, 0x10, S_IFBLK|S_ISUID|S_ISGID|S_ISVTX|0777, makedev(0x3c9, 0xa8))" },
		{ "mknod", { 16, 0177777, 0 }, "mknod(0x10, 0177777)" },
		{ "arch_prctl", { 0, 0 }, "arch_prctl(0 /* ARCH_??? */, 0)" },
		{ "arch_prctl", { 0x1004, 0 }, "arch_prctl(ARCH_GET_GS, NULL)" },
		{ "kcmp", { 0, 0, 8, 0, 0 }, "kcmp(0, 0, 0x8 /* KCMP_??? */, 0, 0)" },
		{ "reboot",
		  { 0xfee1dead, 672274793, 0x1234568, 16 },
		  "reboot(LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, "
		  "0x1234568 /* LINUX_REBOOT_CMD_??? */)" },
		{ "ptrace",
		  { 33, 2017, 0, 10 },
		  "ptrace(PTRACE_SINGLEBLOCK, 2017, NULL, SIGUSR1)" },
		{ "ioctl",
		  { -1, 0x80041272, 0 },
		  "ioctl(-1, _IOC(_IOC_READ, 0x12, 0x72, 0x4), 0)" },
		{ "ioctl", { -1, 0x8901, 0 }, "ioctl(-1, FIOSETOWN, NULL)" },
		{ "ioctl", { -1, 0x80084502, 0 }, "ioctl(-1, EVIOCGID, NULL)" },
		{ "ioctl", { -1, 0x4600, 16 }, "ioctl(-1, FBIOGET_VSCREENINFO, 0x10)" },
		{ "ioctl", { -1, 0x305, 0 }, "ioctl(-1, HDIO_GET_QDMA, 0)" },
		{ "ioctl", { -1, 0x402c542b, 0 }, "ioctl(-1, TCSETS2, NULL)" },
	};

	(void)state;
	ROWS(rows);
}

static void results_have_the_names_that_strace_gives_them(void **state)
{
	static const struct tfs_args_opts opts = { .max_string = TFS_ARGS_STRING };
	static const struct {
		const char *name;
		uint64_t args[2];
		int64_t ret;
		const char *text;
	} rows[] = {
		{ "prctl", { 3 }, 0, "0 (SUID_DUMP_DISABLE)" },
		{ "prctl", { 3 }, 1, "1 (SUID_DUMP_USER)" },
		{ "prctl", { 27 }, 1, "0x1 (SECBIT_NOROOT)" },
		{ "prctl", { 34 }, 2, "2 (PR_MCE_KILL_DEFAULT)" },
		{ "fcntl", { 1, 11 }, 1, "1 (SIGHUP)" },
		{ "rt_sigtimedwait", { 0 }, 14, "14 (SIGALRM)" },
	};
	struct tfs_strbuf text = TFS_STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tfs_call call = {
			.abi = SYS_ABI_X86_64,
			.entry = entry_of(rows[i].name),
			.ret = rows[i].ret,
		};

		memcpy(call.args, rows[i].args, sizeof(rows[i].args));
		tfs_strbuf_reset(&text);
		assert_int_equal(tfs_args_result(&opts, &call, &text), 0);
		assert_string_equal(text.s, rows[i].text);
	}
	tfs_strbuf_release(&text);
}

static void commands_of_devices_have_names(void **state)
{
	static const struct row rows[] = {
		{ "ioctl", { -1, 0xae01, 16 }, "ioctl(-1, KVM_CREATE_VM, 0x10)" },
		{ "ioctl", { -1, 0xae80, 16 }, "ioctl(-1, KVM_RUN, 0x10)" },
		{ "ioctl", { -1, 0x80084502, 16 }, "ioctl(-1, EVIOCGID, 0x10)" },
		{ "ioctl", { -1, 0x81004506, 16 }, "ioctl(-1, EVIOCGNAME(256), 0x10)" },
		{ "ioctl", { -1, 0x4c00, 16 }, "ioctl(-1, LOOP_SET_FD, 16)" },
		{ "ioctl", { -1, 0x4c82, 16 }, "ioctl(-1, LOOP_CTL_GET_FREE)" },
		{ "ioctl", { -1, 0x400454ca, 16 }, "ioctl(-1, TUNSETIFF, 0x10)" },
		{ "ioctl", { -1, 0xc138fd00, 16 }, "ioctl(-1, DM_VERSION, 0x10)" },
		{ "ioctl", { -1, 0x80685600, 16 }, "ioctl(-1, VIDIOC_QUERYCAP, 0x10)" },
		{ "ioctl", { -1, 0x3b64, 16 }, "ioctl(-1, VFIO_GET_API_VERSION, 0x10)" },
		{ "ioctl", { -1, 0x5514, 16 }, "ioctl(-1, USBDEVFS_RESET, 0x10)" },
		{ "ioctl", { -1, 0x8004e500, 16 }, "ioctl(-1, FUSE_DEV_IOC_CLONE, 0x10)" },
		{ "ioctl", { -1, 0xb701, 16 }, "ioctl(-1, NS_GET_USERNS)" },
		{ "ioctl", { -1, 0x80247009, 16 }, "ioctl(-1, RTC_RD_TIME, 0x10)" },
		{ "ioctl", { -1, 0x5606, 16 }, "ioctl(-1, VT_ACTIVATE, 0x10)" },
		{ "ioctl", { -1, 0x40016b01, 16 }, "ioctl(-1, SPI_IOC_WR_MODE, 0x10)" },
		{ "ioctl", { -1, 0x8044b401, 16 }, "ioctl(-1, GPIO_GET_CHIPINFO_IOCTL, 0x10)" },
		{ "ioctl",
		  { -1, 0x80044801, 16 },
		  "ioctl(-1, HIDIOCGRDESCSIZE or HIDIOCGVERSION, 0x10)" },
		{ "ioctl", { -1, 0xc0484e41, 16 }, "ioctl(-1, NVME_IOCTL_ADMIN_CMD, 0x10)" },
		{ "ioctl", { -1, 0x2285, 16 }, "ioctl(-1, SG_IO, 0x10)" },
		{ "ioctl", { -1, 0xaf01, 16 }, "ioctl(-1, VHOST_SET_OWNER, 0x10)" },
		{ "ioctl", { -1, 0x40086200, 16 }, "ioctl(-1, DMA_BUF_IOCTL_SYNC, 0x10)" },
		{ "ioctl", { -1, 0xc1205531, 16 }, "ioctl(-1, SNDRV_CTL_IOCTL_PCM_INFO, 0x10)" },
		{ "ioctl", { -1, 0x5452, 16 }, "ioctl(-1, FIOASYNC, 0x10)" },
		{ "ioctl", { -1, 0x40086602, 16 }, "ioctl(-1, FS_IOC_SETFLAGS, 0x10)" },
		{ "ioctl",
		  { -1, 0x5501, 16 },
		  "ioctl(-1, UI_DEV_CREATE or USB_RAW_IOCTL_RUN, 0x10)" },
		{ "ioctl", { -1, 0xab03, 16 }, "ioctl(-1, NBD_DO_IT)" },
		{ "ioctl", { -1, 0xab04, 16 }, "ioctl(-1, NBD_CLEAR_SOCK)" },
		{ "ioctl", { -1, 0x5331, 16 }, "ioctl(-1, CDROM_GET_CAPABILITY, 0x10)" },
		{ "ioctl",
		  { -1, 0x12345678, 16 },
		  "ioctl(-1, _IOC(_IOC_NONE, 0x56, 0x78, 0x1234), 0x10)" },
	};

	(void)state;
	assert_true(sys_n_ioctls > 500);
	for (size_t i = 1; i < sys_n_ioctls; i++)
		assert_true(sys_ioctls[i - 1].value < sys_ioctls[i].value);
	ROWS(rows);
}

static void json_has_numbers_of_the_same_width(void **state)
{
	struct tfs_strbuf text = TFS_STRBUF_INIT;
	struct tfs_call call = {
		.abi = SYS_ABI_X86_64,
		.entry = entry_of("setns"),
		.args = { HIGH | 5, HIGH | 0x40000000 },
	};

	(void)state;
	assert_int_equal(tfs_args_json(&call, &text), 0);
	assert_string_equal(text.s, "\"fd\":5,\"flags\":1073741824");
	tfs_strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_int_is_as_wide_as_the_kernel_takes_it),
		cmocka_unit_test(a_descriptor_is_not_a_directory_of_its_own),
		cmocka_unit_test(options_decide_what_follows_them),
		cmocka_unit_test(values_are_shown_as_strace_shows_them),
		cmocka_unit_test(results_have_the_names_that_strace_gives_them),
		cmocka_unit_test(commands_of_devices_have_names),
		cmocka_unit_test(json_has_numbers_of_the_same_width),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
