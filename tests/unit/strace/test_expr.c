/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/macros.h"
#include "base/strbuf-core.h"
#include "lib/alloc_fail.h"
#include "strace/call-class.h"
#include "strace/call.h"
#include "strace/expr.h"
#include "syscalls/tables.h"

/* Numbers of x86_64, from asm/unistd_64.h */
enum {
	NR_READ = 0,
	NR_WRITE = 1,
	NR_OPEN = 2,
	NR_CLOSE = 3,
	NR_EXIT = 60,
	NR_OPENAT = 257,
	NR_UNKNOWN = 2000,
};

#define ABI SYS_ABI_X86_64

static struct tfs_expr parse(const char *text)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_expr e;

	assert_int_equal(tfs_expr_init(&e, ABI), 0);
	if (tfs_expr_add(&e, text, &err))
		fail_msg("%s: %s", text, err.msg);
	return e;
}

static void refuses(const char *text, int rc, const char *message)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_expr e;

	assert_int_equal(tfs_expr_init(&e, ABI), 0);
	assert_int_equal(tfs_expr_add(&e, text, &err), rc);
	assert_non_null(strstr(err.msg, message));
	tfs_expr_release(&e);
}

/* The names in the set, in the order of their numbers */
static void has_calls(const char *text, enum sys_abi abi, const char *names)
{
	const struct sys_table *t = &sys_tables[abi];
	struct tfs_strbuf found = TFS_STRBUF_INIT;
	struct tfs_expr e = parse(text);

	for (size_t i = 0; i < t->n; i++)
		if (tfs_call_set_has(&e.calls, abi, t->entries[i].nr))
			assert_int_equal(tfs_strbuf_addf(&found, "%s ", t->entries[i].name), 0);
	assert_string_equal(found.s, names);
	tfs_strbuf_release(&found);
	tfs_expr_release(&e);
}

static void a_list_names_system_calls(void **state)
{
	(void)state;
	has_calls("trace=close,read", ABI, "read close ");
	has_calls("close,read", ABI, "read close ");
	has_calls("t=60", ABI, "exit ");
	has_calls("/^(pread|pwrite)64$", ABI, "pread64 pwrite64 ");
	has_calls("trace=none", ABI, "");
	has_calls("trace=?no_such_call,read", ABI, "read ");
	has_calls("%%statfs,dup", ABI, "dup ustat statfs fstatfs ");
	has_calls("%stat_like", ABI, "stat fstat lstat newfstatat statx ");
	has_calls("ipc", SYS_ABI_I386,
		  "ipc semget semctl shmget shmctl shmat shmdt msgget msgsnd "
		  "msgrcv msgctl semtimedop_time64 ");
}

static void a_list_may_be_of_one_kind_of_task(void **state)
{
	(void)state;
	has_calls("read@64", ABI, "read ");
	has_calls("read@64", SYS_ABI_I386, "");
	has_calls("read@32", SYS_ABI_I386, "read ");
	has_calls("read@32", ABI, "");
	has_calls("read@x32", SYS_ABI_X32, "read ");
	has_calls("%clock@32", SYS_ABI_I386,
		  "time stime gettimeofday settimeofday adjtimex clock_settime clock_gettime "
		  "clock_getres clock_adjtime clock_gettime64 clock_settime64 clock_adjtime64 "
		  "clock_getres_time64 ");
}

static void an_exclamation_mark_inverts_the_list(void **state)
{
	struct tfs_expr e = parse("trace=!read,%memory");

	(void)state;
	assert_false(tfs_call_set_has(&e.calls, ABI, NR_READ));
	assert_false(tfs_call_set_has(&e.calls, ABI, 9 /* mmap */));
	assert_true(tfs_call_set_has(&e.calls, ABI, NR_CLOSE));
	assert_true(tfs_call_set_has(&e.calls, ABI, NR_UNKNOWN));
	assert_int_equal(tfs_expr_add(&e, "read", NULL), 0);
	assert_int_equal(tfs_call_set_count(&e.calls, ABI), 1);
	assert_false(tfs_call_set_has(&e.calls, ABI, NR_UNKNOWN));
	tfs_expr_release(&e);
}

static void wrong_words_are_named(void **state)
{
	struct tfs_err err = TFS_ERR_INIT;
	struct tfs_expr e;

	(void)state;
	refuses("trace=opne", -ENOENT, "'opne' is not a system call");
	refuses("%filse", -ENOENT, "'%filse' is not a class of system calls");
	refuses("trace=", -EINVAL, "names of system calls are missing");
	refuses("/a(", -EINVAL, "'a(' is not a regular expression");
	refuses("read@16", -EINVAL, "'@16'");
	refuses("trace=4000", -ENOENT, "'4000' is not a system call");
	refuses("status=good", -EINVAL, "'good' is not a value of status=");
	refuses("signal=SIGFOO", -ENOENT, "'SIGFOO' is not a signal");
	refuses("fd=x", -EINVAL, "'x' is not a descriptor");
	refuses("inject=read:error=EIO", -EOPNOTSUPP, "inject= is not possible");
	refuses("read=3", -EOPNOTSUPP, "read= is not possible");
	refuses("colour=red", -EINVAL, "'colour=' is not known");

	/* recv is a call of i386, and so of 32-bit tasks, but not of s390x */
	assert_int_equal(tfs_expr_init(&e, SYS_ABI_S390X), 0);
	assert_int_equal(tfs_expr_add(&e, "recv", &err), -ENOENT);
	assert_non_null(strstr(err.hint, "recvfrom"));
	e.abi = SYS_ABI_NONE;
	assert_int_equal(tfs_expr_add(&e, "recv", &err), 0);
	tfs_expr_release(&e);
}

/*
 * Calls that strace 6.1 shows of a program that makes every call of x86_64 up to 449 once, with
 * -e trace=%CLASS. Its table does not have the calls after these, nor close_range in %desc.
 */
struct class_calls {
	const char *name;
	const char *calls;
};

static const struct class_calls class_calls[] = {
	{ "%file", "access acct chdir chmod chown chroot creat execve execveat faccessat "
		   "faccessat2 fanotify_mark fchmodat fchownat fsconfig fspick futimesat "
		   "getcwd getxattr inotify_add_watch lchown lgetxattr link linkat listxattr "
		   "llistxattr lremovexattr lsetxattr lstat mkdir mkdirat mknod mknodat mount "
		   "mount_setattr move_mount name_to_handle_at newfstatat open open_tree openat "
		   "openat2 pivot_root quotactl readlink readlinkat removexattr rename renameat "
		   "renameat2 rmdir setxattr stat statfs statx swapoff swapon symlink symlinkat "
		   "truncate umount2 unlink unlinkat uselib utime utimensat utimes " },
	{ "%desc", "bpf close copy_file_range creat dup dup2 dup3 epoll_create epoll_create1 "
		   "epoll_ctl epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 execveat "
		   "faccessat faccessat2 fadvise64 fallocate fanotify_init fanotify_mark fchdir "
		   "fchmod fchmodat fchown fchownat fcntl fdatasync fgetxattr finit_module "
		   "flistxattr flock fremovexattr fsconfig fsetxattr fsmount fsopen fspick fstat "
		   "fstatfs fsync ftruncate futimesat getdents getdents64 inotify_add_watch "
		   "inotify_init inotify_init1 inotify_rm_watch io_uring_enter io_uring_register "
		   "io_uring_setup ioctl kexec_file_load landlock_add_rule landlock_create_ruleset "
		   "landlock_restrict_self linkat lseek memfd_create memfd_secret mkdirat mknodat "
		   "mmap mount_setattr move_mount mq_getsetattr mq_notify mq_open mq_timedreceive "
		   "mq_timedsend name_to_handle_at newfstatat open open_by_handle_at open_tree "
		   "openat openat2 perf_event_open pidfd_getfd pidfd_open pidfd_send_signal pipe "
		   "pipe2 poll ppoll pread64 preadv preadv2 process_madvise process_mrelease "
		   "pselect6 pwrite64 pwritev pwritev2 quotactl_fd read readahead readlinkat "
		   "readv renameat renameat2 select sendfile setns signalfd signalfd4 splice "
		   "statx symlinkat sync_file_range syncfs tee timerfd_create timerfd_gettime "
		   "timerfd_settime unlinkat userfaultfd utimensat vmsplice write writev " },
	{ "%process", "clone clone3 execve execveat exit_group fork kill pidfd_send_signal "
		      "rt_sigqueueinfo rt_tgsigqueueinfo tgkill tkill vfork wait4 waitid " },
	{ "%net", "accept accept4 bind connect getpeername getpmsg getsockname getsockopt listen "
		  "putpmsg recvfrom recvmmsg recvmsg sendfile sendmmsg sendmsg sendto setsockopt "
		  "shutdown socket socketpair " },
	{ "%memory", "brk get_mempolicy io_destroy io_setup io_uring_register madvise mbind "
		     "migrate_pages mincore mlock mlock2 mlockall mmap move_pages mprotect mremap "
		     "msync munlock munlockall munmap pkey_mprotect remap_file_pages set_mempolicy "
		     "set_mempolicy_home_node shmat shmdt " },
	{ "%signal",
	  "io_uring_enter kill pause pidfd_send_signal rt_sigaction rt_sigpending "
	  "rt_sigprocmask rt_sigqueueinfo rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo "
	  "sigaltstack signalfd signalfd4 tgkill tkill " },
	{ "%ipc", "msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl "
		  "shmdt shmget " },
	{ "%clock", "adjtimex clock_adjtime clock_getres clock_gettime clock_settime gettimeofday "
		    "settimeofday time " },
	{ "%creds",
	  "capget capset getegid geteuid getgid getgroups getresgid getresuid getuid prctl "
	  "setfsgid setfsuid setgid setgroups setregid setresgid setresuid setreuid setuid " },
	{ "%stat", "stat " },
	{ "%lstat", "lstat " },
	{ "%fstat", "fstat newfstatat statx " },
	{ "%statfs", "statfs " },
	{ "%fstatfs", "fstatfs " },
	{ "%%stat", "fstat lstat newfstatat stat statx " },
	{ "%%statfs", "fstatfs statfs ustat " },
	{ "%pure", "getegid geteuid getgid getpgrp getpid getppid gettid getuid " },
};

static bool has_word(const char *words, const char *word)
{
	const size_t len = strlen(word);

	for (const char *at = words; (at = strstr(at, word)); at += len)
		if ((at == words || at[-1] == ' ') && at[len] == ' ')
			return true;
	return false;
}

static void classes_hold_what_strace_has_in_them(void **state)
{
	const struct sys_table *t = &sys_tables[ABI];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(class_calls); i++) {
		struct tfs_expr e = parse(class_calls[i].name);

		for (size_t k = 0; k < t->n && t->entries[k].nr <= 449; k++) {
			const char *name = t->entries[k].name;

			/* The program did not make these two; close_range is above. */
			if (!strcmp(name, "rt_sigreturn") || !strcmp(name, "exit") ||
			    !strcmp(name, "close_range"))
				continue;
			if (tfs_call_set_has(&e.calls, ABI, t->entries[k].nr) !=
			    has_word(class_calls[i].calls, name))
				fail_msg("%s: %s", class_calls[i].name, name);
		}
		tfs_expr_release(&e);
	}
}

static struct tfs_call call_of(int64_t nr, int64_t ret)
{
	return (struct tfs_call){
		.tid = 100, .abi = ABI, .nr = nr, .ret = ret, .entry = sys_abi_lookup(ABI, nr)
	};
}

static void raw_selects_calls_apart_from_those_shown(void **state)
{
	struct tfs_call in = call_of(NR_READ, 10), out = call_of(NR_EXIT, 0);
	struct tfs_expr e = parse("raw=read");

	(void)state;
	assert_true(tfs_expr_wants_raw(&e, &in));
	assert_false(tfs_expr_wants_raw(&e, &out));
	assert_true(tfs_expr_wants_call(&e, &out));
	tfs_expr_release(&e);
	e = parse("trace=read");
	assert_false(tfs_expr_wants_raw(&e, &in));
	tfs_expr_release(&e);
}

static void status_selects_by_the_result(void **state)
{
	struct tfs_call good = call_of(NR_READ, 10), bad = call_of(NR_READ, -9);
	struct tfs_call dead = call_of(NR_EXIT, 0), open = call_of(NR_READ, 0);
	struct tfs_expr e = parse("status=!failed");

	(void)state;
	dead.flags = TFS_CALL_NO_EXIT | TFS_CALL_DEAD;
	open.flags = TFS_CALL_NO_EXIT;
	assert_int_equal(tfs_expr_status(&good), TFS_EXPR_SUCCESSFUL);
	assert_int_equal(tfs_expr_status(&bad), TFS_EXPR_FAILED);
	assert_int_equal(tfs_expr_status(&dead), TFS_EXPR_UNFINISHED);
	assert_int_equal(tfs_expr_status(&open), TFS_EXPR_DETACHED);
	assert_int_equal(e.statuses, TFS_EXPR_ANY_STATUS & ~TFS_EXPR_FAILED);
	assert_int_equal(tfs_expr_add(&e, "status=failed,unfinished", NULL), 0);
	assert_int_equal(e.statuses, TFS_EXPR_FAILED | TFS_EXPR_UNFINISHED);
	/* A result of mmap that looks negative is an address. */
	bad.ret = -4096;
	assert_int_equal(tfs_expr_status(&bad), TFS_EXPR_SUCCESSFUL);
	tfs_expr_release(&e);
}

static void signals_are_chosen_by_name_or_number(void **state)
{
	struct tfs_expr e = parse("signal=SIGCHLD,term,10");

	(void)state;
	assert_true(tfs_expr_wants_signal(&e, 17));
	assert_true(tfs_expr_wants_signal(&e, 15));
	assert_true(tfs_expr_wants_signal(&e, 10));
	assert_false(tfs_expr_wants_signal(&e, 9));
	assert_int_equal(tfs_expr_add(&e, "s=!SIGALRM", NULL), 0);
	assert_false(tfs_expr_wants_signal(&e, 14));
	assert_true(tfs_expr_wants_signal(&e, 9));
	assert_int_equal(tfs_expr_add(&e, "signal=none", NULL), 0);
	assert_false(tfs_expr_wants_signal(&e, 64));
	tfs_expr_release(&e);
}

static const char *path_of(void *ctx, const struct tfs_call *call, int fd)
{
	(void)ctx;
	(void)call;
	return fd == 7 ? "/tmp/seven" : NULL;
}

static void descriptors_and_paths_select_calls(void **state)
{
	struct tfs_call read = call_of(NR_READ, 0), open = call_of(NR_OPENAT, 3);
	struct tfs_expr e = parse("fd=3");

	(void)state;
	read.args[0] = 3;
	/* openat's register 0 is a directory's descriptor, 3 its flags. */
	open.args[0] = (uint64_t)-100;
	open.args[2] = 3;
	open.text[1] = (struct tfs_call_text){ .s = "/tmp/seven", .len = 10 };
	assert_true(tfs_expr_wants_target(&e, &read, NULL, NULL));
	assert_false(tfs_expr_wants_target(&e, &open, NULL, NULL));
	read.args[0] = 7;
	assert_false(tfs_expr_wants_target(&e, &read, path_of, NULL));
	assert_int_equal(tfs_expr_add_path(&e, "/tmp/seven"), 0);
	assert_true(tfs_expr_wants_target(&e, &read, path_of, NULL));
	assert_true(tfs_expr_wants_target(&e, &open, path_of, NULL));
	open.text[1].len = 9;
	assert_false(tfs_expr_wants_target(&e, &open, path_of, NULL));
	assert_int_equal(tfs_expr_add(&e, "fd=!3", NULL), 0);
	read.args[0] = 3;
	assert_false(tfs_expr_wants_target(&e, &read, NULL, NULL));
	read.args[0] = 4;
	assert_true(tfs_expr_wants_target(&e, &read, NULL, NULL));
	tfs_expr_release(&e);
}

static void events_of_the_kernel_are_kept_apart(void **state)
{
	struct tfs_expr e = parse("net:*");

	(void)state;
	assert_int_equal(tfs_expr_add(&e, "sched:sched_switch", NULL), 0);
	assert_int_equal(e.events.n, 2);
	assert_string_equal(e.events.v[0], "net:*");
	assert_true(tfs_call_set_has(&e.calls, ABI, NR_READ));
	tfs_expr_release(&e);
}

static void filter_is(const char *text, size_t max, const char *expected)
{
	struct tfs_strbuf filter = TFS_STRBUF_INIT;
	struct tfs_call_set also;
	struct tfs_expr e = parse(text);

	assert_int_equal(tfs_call_set_init(&also, false), 0);
	assert_int_equal(tfs_call_set_add(&also, "exit"), 0);
	assert_int_equal(tfs_expr_kernel_filter(&e, &also, ABI, max, &filter), 0);
	assert_string_equal(filter.s, expected);
	tfs_strbuf_release(&filter);
	tfs_call_set_release(&also);
	tfs_expr_release(&e);
}

static void the_kernel_filters_by_number(void **state)
{
	(void)state;
	/* exit is 60 on x86_64 and 1 on i386. */
	filter_is("read@64", 10, "id==0||id==1||id==60");
	/* read is 0 on x86_64 and 3 on i386. */
	filter_is("read", 10, "id==0||id==1||id==3||id==60");
	filter_is("read", 3, "");
	/* Nothing passes that neither wants: both have to be without a wanted call. */
	filter_is("trace=!read@64,restart_syscall@32", 10, "id!=0");
	filter_is("trace=!close@64", 10, "");
	filter_is("trace=all", 10, "");
}

/* arch/x86/kernel/signal.c and its like set the number to -1, so that nothing is restarted. */
static void the_return_from_a_signal_handler_passes(void **state)
{
	(void)state;
	filter_is("rt_sigreturn@64", 10, "id==1||id==15||id==60||id==-1");
	filter_is("trace=!rt_sigreturn@64,chmod@32", 10, "id!=15");
}

static void without_memory_it_fails(void **state)
{
	bool failed = true;

	(void)state;
	for (size_t i = 0; failed; i++) {
		struct tfs_expr e;
		int rc;

		alloc_fail_at(i);
		rc = tfs_expr_init(&e, ABI);
		if (!rc)
			rc = tfs_expr_add(&e, "trace=read,close", NULL);
		if (!rc)
			rc = tfs_expr_add(&e, "fd=3,4", NULL);
		failed = alloc_fail_off();
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		tfs_expr_release(&e);
		assert_true(i < 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_names_system_calls),
		cmocka_unit_test(a_list_may_be_of_one_kind_of_task),
		cmocka_unit_test(an_exclamation_mark_inverts_the_list),
		cmocka_unit_test(wrong_words_are_named),
		cmocka_unit_test(classes_hold_what_strace_has_in_them),
		cmocka_unit_test(raw_selects_calls_apart_from_those_shown),
		cmocka_unit_test(status_selects_by_the_result),
		cmocka_unit_test(signals_are_chosen_by_name_or_number),
		cmocka_unit_test(descriptors_and_paths_select_calls),
		cmocka_unit_test(events_of_the_kernel_are_kept_apart),
		cmocka_unit_test(the_kernel_filters_by_number),
		cmocka_unit_test(the_return_from_a_signal_handler_passes),
		cmocka_unit_test(without_memory_it_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
