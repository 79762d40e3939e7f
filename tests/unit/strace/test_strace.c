/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf-core.h"
#include "lib/call_view.h"
#include "strace/call.h"

/* Numbers of x86_64 */
enum {
	READ = 0,
	WRITE = 1,
	CLOSE = 3,
	POLL = 7,
	MMAP = 9,
	BRK = 12,
	RT_SIGPROCMASK = 14,
	RT_SIGRETURN = 15,
	IOCTL = 16,
	SOCKET = 41,
	CLONE = 56,
	EXECVE = 59,
	EXIT = 60,
	FCNTL = 72,
	UMASK = 95,
	GETPPID = 110,
	PERSONALITY = 135,
	SCHED_GETSCHEDULER = 145,
	FUTEX = 202,
	RESTART_SYSCALL = 219,
	EXIT_GROUP = 231,
	IOPRIO_GET = 252,
	OPENAT = 257,
	MKNODAT = 259,
	NEWFSTATAT = 262,
	RENAMEAT = 264,
	PREADV2 = 327,
	STATX = 332,
};

/* Those of i386, and the mark of x32's */
enum { I386_FORK = 2, I386_EXECVE = 11, I386_GETPID = 20, I386_CLONE = 120, X32 = 0x40000000 };

enum { THREAD = 0x10000, KILL = 9, SEGV = 11, CHLD = 17 };

/* With a text, and with @size_ bytes of one */
#define CALL_WITH(kind_, pid_, ts_, nr_, text_, ...) \
	CALL_BYTES(kind_, pid_, ts_, nr_, text_, 0, __VA_ARGS__)
#define CALL_BYTES(kind_, pid_, ts_, nr_, text_, size_, ...)                                      \
	{                                                                                         \
		.kind = CALL_##kind_, .pid = pid_, .ts = ts_, .nr = nr_, .args = { __VA_ARGS__ }, \
		.text = text_, .text_size = size_                                                 \
	}

#define CALL_TWO(kind_, pid_, ts_, nr_, text_, other_)                                  \
	{                                                                               \
		.kind = CALL_##kind_, .pid = pid_, .ts = ts_, .nr = nr_, .text = text_, \
		.other = other_                                                         \
	}

#define ERROR(n) ((uint64_t) - (n))
#define show(events, opts) call_show(events, N_CALLS(events), opts, SIZE_MAX, NULL, NULL)

static void a_call_is_a_line_with_its_result_in_column_40(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		CALL(LEAVE, 100, 2000, CLOSE, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "close(3)                                = 0\n");
}

/* As x86_64 records it: the execve of a program of 32 bits returns with the number of i386's. */
static void programs_of_32_bits_have_their_own_numbers(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, EXECVE, 0x1000),
		CALL(LEAVE, 100, 2000, I386_EXECVE, 0),
		CALL(ENTER, 100, 3000, I386_GETPID),
		CALL(LEAVE, 100, 4000, I386_GETPID, 100),
		CALL(ENTER, 100, 5000, I386_CLONE, 17),
		CALL(LEAVE, 200, 5500, I386_CLONE, 0),
		CALL(ENTER, 200, 5600, I386_GETPID),
		CALL(LEAVE, 200, 5700, I386_GETPID, 200),
		CALL(LEAVE, 100, 6000, I386_CLONE, 200),
		CALL(ENTER, 100, 7000, I386_FORK),
		CALL(LEAVE, 100, 8000, I386_FORK, 300),
		CALL(LEAVE, 300, 8500, I386_FORK, 0),
		CALL(ENTER, 300, 8600, I386_GETPID),
		CALL(LEAVE, 300, 8700, I386_GETPID, 300),
		CALL(ENTER, 100, 9000, I386_EXECVE, 0x1000),
		CALL(LEAVE, 100, 9500, EXECVE, 0),
		CALL(ENTER, 100, 9600, UMASK, 022),
		CALL(LEAVE, 100, 9700, UMASK, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	assert_string_equal(show(events, opts),
			    "100   execve(0x1000, NULL, NULL)        = 0\n"
			    "100   getpid()                          = 100\n"
			    "100   clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
			    "200   getpid()                          = 200\n"
			    "100   <... clone resumed>)              = 200\n"
			    "100   fork()                            = 300\n"
			    "300   getpid()                          = 300\n"
			    "100   execve(0x1000, NULL, NULL)        = 0\n"
			    "100   umask(022)                        = 000\n");
}

static void calls_of_x32_begin_and_end(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, X32 | CLOSE, 3),
		CALL(LEAVE, 100, 2000, X32 | CLOSE, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "close(3)                                = 0\n");
}

/* As where a filter has rejected its entry: the kernel's number is -1 by then. */
static void the_end_of_a_signal_handler_has_its_name(void **state)
{
	static const struct call_event events[] = {
		CALL(LEAVE, 100, 1000, -1, ERROR(4)),
		CALL(ENTER, 100, 2000, RT_SIGRETURN),
		CALL(LEAVE, 100, 3000, -1, 0),
	};

	(void)state;
	assert_string_equal(
		show(events, call_opts()),
		"<... rt_sigreturn resumed>)             = -1 EINTR (Interrupted system "
		"call)\n"
		"rt_sigreturn()                          = 0\n");
}

static void another_thread_interrupts_a_line(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		CALL(ENTER, 200, 1500, CLOSE, 4),
		CALL(LEAVE, 200, 1600, CLOSE, 0),
		CALL(LEAVE, 100, 2000, CLOSE, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	assert_string_equal(show(events, opts), "100   close(3 <unfinished ...>\n"
						"200   close(4)                          = 0\n"
						"100   <... close resumed>)              = 0\n");
}

/* The text is what strace 6.1 printed of a program that made these calls. */
static const struct {
	int64_t nr;
	uint64_t args[6], ret;
	const char *text;
} calls[] = {
	{ OPENAT,
	  { -100, 16, 2 | 0x410000, 01777 },
	  ERROR(14),
	  "openat(AT_FDCWD, 0x10, O_RDWR|O_TMPFILE, 01777) = -1 EFAULT (Bad address)\n" },
	{ OPENAT,
	  { -100, 16, 4, 0644 },
	  ERROR(14),
	  "openat(AT_FDCWD, 0x10, O_RDONLY|0x4)    = -1 EFAULT (Bad address)\n" },
	{ MMAP,
	  { 0, 4096, 0x40, 0, 9 },
	  ERROR(9),
	  "mmap(NULL, 4096, 0x40 /* PROT_??? */, MAP_FILE, 9, 0) = -1 EBADF (Bad file "
	  "descriptor)\n" },
	{ MMAP,
	  { 16, 4096, 3, 1 | 2 << 26, -1, 0x1000 },
	  ERROR(9),
	  "mmap(0x10, 4096, PROT_READ|PROT_WRITE, MAP_SHARED|2<<MAP_HUGE_SHIFT, -1, 0x1000) "
	  "= -1 EBADF (Bad file descriptor)\n" },
	{ MMAP,
	  { 0, 8192, 3, 0x22, -1 },
	  0x7f6707d1f000,
	  "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = "
	  "0x7f6707d1f000\n" },
	{ BRK,
	  { 0 },
	  0x561dcbe05000,
	  "brk(NULL)                               = "
	  "0x561dcbe05000\n" },
	{ UMASK, { 0 }, 022, "umask(000)                              = 022\n" },
	{ POLL, { 0, 0, 1 }, 0, "poll(NULL, 0, 1)                        = 0 (Timeout)\n" },
	{ FCNTL,
	  { 1, 3 },
	  0x8001,
	  "fcntl(1, F_GETFL)                       = 0x8001 (flags "
	  "O_WRONLY|O_LARGEFILE)\n" },
	{ FCNTL,
	  { 50, 1 },
	  1,
	  "fcntl(50, F_GETFD)                      = 0x1 (flags "
	  "FD_CLOEXEC)\n" },
	{ FCNTL,
	  { -1, 0x12, 1 },
	  ERROR(9),
	  "fcntl(-1, 0x12 /* F_??? */, 0x1)        = -1 EBADF (Bad file descriptor)\n" },
	{ FUTEX,
	  { 16, 137 | 256, 1, 0, 0, -1 },
	  ERROR(14),
	  "futex(0x10, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 1, NULL, "
	  "FUTEX_BITSET_MATCH_ANY) = -1 EFAULT (Bad address)\n" },
	{ FUTEX, { 16, 129, 1 }, 0, "futex(0x10, FUTEX_WAKE_PRIVATE, 1)      = 0\n" },
	{ SOCKET, { 2, 3, 1 }, 6, "socket(AF_INET, SOCK_RAW, IPPROTO_ICMP) = 6\n" },
	{ SOCKET, { 16, 3, 15 }, 7, "socket(AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT) = 7\n" },
	{ IOCTL,
	  { -1, 0x5426, 16 },
	  ERROR(9),
	  "ioctl(-1, _IOC(_IOC_NONE, 0x54, 0x26, 0), 0x10) = -1 EBADF (Bad file "
	  "descriptor)\n" },
	{ IOCTL,
	  { -1, 0x540c },
	  ERROR(9),
	  "ioctl(-1, TIOCEXCL)                     = -1 EBADF (Bad file descriptor)\n" },
	{ MKNODAT,
	  { -100, 16, 010600 },
	  ERROR(14),
	  "mknodat(AT_FDCWD, 0x10, S_IFIFO|0600)   = -1 EFAULT (Bad address)\n" },
	{ STATX,
	  { -100, 16, 0x1900, 0xfff, 16 },
	  ERROR(14),
	  "statx(AT_FDCWD, 0x10, "
	  "AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW|AT_NO_AUTOMOUNT|AT_EMPTY_PATH, "
	  "STATX_ALL, 0x10) = -1 EFAULT (Bad address)\n" },
	{ PREADV2,
	  { -1, 16, 2, -1, -1, 9 },
	  ERROR(9),
	  "preadv2(-1, 0x10, 2, -1, RWF_HIPRI|RWF_NOWAIT) = -1 EBADF (Bad file "
	  "descriptor)\n" },
	{ SCHED_GETSCHEDULER,
	  { 0 },
	  0,
	  "sched_getscheduler(0)                   = 0 (SCHED_OTHER)\n" },
	{ PERSONALITY,
	  { UINT32_MAX },
	  0,
	  "personality(0xffffffff)                 = 0 (PER_LINUX)\n" },
	{ PERSONALITY,
	  { UINT32_MAX },
	  0x40000,
	  "personality(0xffffffff)                 = 0x40000 (PER_LINUX|ADDR_NO_RANDOMIZE)\n" },
	{ IOPRIO_GET,
	  { 1 },
	  4,
	  "ioprio_get(IOPRIO_WHO_PROCESS, 0)       = 0x4 "
	  "(IOPRIO_PRIO_VALUE(IOPRIO_CLASS_NONE, 4))\n" },
	{ GETPPID, { 0 }, 2544, "getppid()                               = 2544\n" },
	{ 999,
	  { 1, 2, 3, 4, 5, 6 },
	  ERROR(38),
	  "syscall_0x3e7(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = -1 ENOSYS (Function not "
	  "implemented)\n" },
};

static void arguments_and_results_are_those_of_strace(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct call_event events[] = {
			CALL(ENTER, 100, 1000, calls[i].nr),
			CALL(LEAVE, 100, 2000, calls[i].nr, calls[i].ret),
		};

		for (size_t k = 0; k < 6; k++)
			events[0].args[k] = calls[i].args[k];
		assert_string_equal(show(events, call_opts()), calls[i].text);
	}
}

static void output_arguments_are_shown_when_the_call_ends(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, READ, 3, 0x1000, 832),
		CALL(ENTER, 200, 1100, RT_SIGPROCMASK, 0, 0x2000, 0, 8),
		CALL(LEAVE, 100, 1200, READ, 832),
		CALL(LEAVE, 200, 1300, RT_SIGPROCMASK, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "read(3,  <unfinished ...>\n"
			    "rt_sigprocmask(SIG_BLOCK, 0x2000,  <unfinished ...>\n"
			    "<... read resumed>0x1000, 832)          = 832\n"
			    "<... rt_sigprocmask resumed>NULL, 8)    = 0\n");
}

static void restarts_are_shown_by_their_codes(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, READ, 3, 0x1000, 1),
		CALL(LEAVE, 100, 2000, READ, ERROR(512)),
		CALL(ENTER, 100, 3000, POLL, 0, 0, 5),
		CALL(LEAVE, 100, 4000, POLL, ERROR(516)),
		CALL(ENTER, 100, 5000, RESTART_SYSCALL),
		CALL(LEAVE, 100, 6000, RESTART_SYSCALL, 0),
		CALL(ENTER, 100, 7000, READ, 3, 0x1000, 1),
		CALL(LEAVE, 100, 8000, READ, ERROR(4000)),
	};

	(void)state;
	assert_string_equal(
		show(events, call_opts()),
		"read(3, 0x1000, 1)                      = ? ERESTARTSYS (To be restarted if "
		"SA_RESTART is set)\n"
		"poll(NULL, 0, 5)                        = ? ERESTART_RESTARTBLOCK (Interrupted by "
		"signal)\n"
		"restart_syscall(<... resuming interrupted poll ...>) = 0\n"
		"read(3, 0x1000, 1)                      = -1 (errno 4000)\n");
}

/* As strace -f does it, as long as it traces several */
static void lines_have_pids_while_there_are_several_threads(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),  CALL(LEAVE, 100, 2000, CLOSE, 0),
		CALL(FORK, 100, 3000, 200),        CALL(ENTER, 100, 4000, CLOSE, 4),
		CALL(ENTER, 200, 5000, CLOSE, 5),  CALL(LEAVE, 200, 6000, CLOSE, 0),
		CALL(LEAVE, 100, 7000, CLOSE, 0),  CALL(ENTER, 200, 8000, EXIT_GROUP, 0),
		CALL(TASK_END, 200, 9000, 0),      CALL(ENTER, 100, 10000, CLOSE, 6),
		CALL(LEAVE, 100, 11000, CLOSE, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_BRACKETS;
	assert_string_equal(show(events, opts), "close(3)                                = 0\n"
						"[pid   100] close(4 <unfinished ...>\n"
						"[pid   200] close(5)                    = 0\n"
						"[pid   100] <... close resumed>)        = 0\n"
						"[pid   200] exit_group(0)               = ?\n"
						"[pid   200] +++ exited with 0 +++\n"
						"close(6)                                = 0\n");
}

static void threads_end_as_their_process_does(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLONE, THREAD, 0x5000),
		CALL(NEWTASK, 100, 1100, 101, THREAD),
		CALL(FORK, 100, 1150, 101),
		CALL(LEAVE, 101, 1200, CLONE, 0),
		CALL(LEAVE, 100, 1300, CLONE, 101),
		CALL(ENTER, 101, 2000, FUTEX, 16, 128, 1),
		CALL(ENTER, 100, 3000, EXIT_GROUP, 0x103),
		CALL(SIGNAL, 101, 3100, KILL),
		CALL(TASK_END, 101, 3200, 0),
		CALL(TASK_END, 100, 3300, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	assert_string_equal(show(events, opts),
			    "100   clone(child_stack=0x5000, flags=CLONE_THREAD) = 101\n"
			    "101   futex(0x10, FUTEX_WAIT_PRIVATE, 1, NULL <unfinished ...>\n"
			    "100   exit_group(259 <unfinished ...>\n"
			    "101   <... futex resumed>)              = ?\n"
			    "101   +++ exited with 3 +++\n"
			    "100   <... exit_group resumed>)         = ?\n"
			    "100   +++ exited with 3 +++\n");
}

/* The first thread may be the first to end; a thread that has its signal by then ends as it did. */
static void threads_end_as_their_process_does_after_its_first(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLONE, THREAD, 0x5000),
		CALL(NEWTASK, 100, 1100, 101, THREAD),
		CALL(LEAVE, 101, 1200, CLONE, 0),
		CALL(LEAVE, 100, 1300, CLONE, 101),
		CALL(ENTER, 100, 1400, CLONE, THREAD, 0x6000),
		CALL(NEWTASK, 100, 1500, 102, THREAD),
		CALL(LEAVE, 102, 1600, CLONE, 0),
		CALL(LEAVE, 100, 1700, CLONE, 102),
		CALL(SIGNAL, 101, 3000, KILL),
		CALL(SIGNAL, 100, 3100, KILL),
		CALL(TASK_END, 100, 3200, 0),
		CALL(TASK_END, 101, 3300, 0),
		CALL(SIGNAL, 102, 3400, KILL),
		CALL(TASK_END, 102, 3500, 0),
		/* Another process gets the number. */
		CALL(ENTER, 200, 4000, CLONE, 0),
		CALL(NEWTASK, 200, 4100, 100, 0),
		CALL(LEAVE, 200, 4200, CLONE, 100),
		CALL(TASK_END, 100, 4300, 0),
	};
	struct tfs_strace_opts opts = call_opts();
	const char *text, *end;

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	text = show(events, opts);
	end = strstr(text, "100   +++ killed by SIGKILL +++\n"
			   "101   +++ killed by SIGKILL +++\n"
			   "102   +++ killed by SIGKILL +++\n");
	assert_non_null(end);
	assert_non_null(strstr(end, "100   +++ exited +++\n"));
}

static void a_signal_is_shown_with_its_code(void **state)
{
	static const struct call_event events[] = {
		/* CLD_KILLED; handled */
		CALL(SIGNAL, 100, 1000, CHLD, 0, 2, 0x5000),
		/* SEGV_MAPERR; not handled */
		CALL(SIGNAL, 100, 2000, SEGV, 0, 1, 0),
		CALL(TASK_END, 100, 3000, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_KILLED, ...} ---\n"
			    "--- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, ...} ---\n"
			    "+++ killed by SIGSEGV +++\n");
}

static void a_command_begins_with_its_execve(void **state)
{
	static const struct call_event events[] = {
		CALL(LEAVE, 100, 1000, READ, 1),
		CALL(ENTER, 100, 1100, CLOSE, 3),
		CALL(LEAVE, 100, 1200, CLOSE, 0),
		CALL(ENTER, 100, 2000, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(EXEC, 100, 2100, 100),
		CALL(LEAVE, 100, 2200, EXECVE, 0),
		CALL(ENTER, 100, 3000, BRK, 0),
		CALL(LEAVE, 100, 3100, BRK, 0x1000),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.command = 100;
	assert_string_equal(show(events, opts),
			    "execve(\"/bin/prog\", 0x2000, 0x3000)     = 0\n"
			    "brk(NULL)                               = 0x1000\n");
}

static void names_are_those_of_the_time(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3), CALL(LEAVE, 100, 1100, CLOSE, 0),
		CALL(RENAME, 100, 1200, 100, 7),  CALL(ENTER, 100, 1300, CLOSE, 4),
		CALL(LEAVE, 100, 1400, CLOSE, 0), CALL(FORK, 100, 1500, 101),
		CALL(RENAME, 100, 1600, 100, 8),  CALL(ENTER, 101, 1700, CLOSE, 5),
		CALL(LEAVE, 101, 1800, CLOSE, 0), CALL(ENTER, 100, 1900, CLOSE, 6),
		CALL(LEAVE, 100, 2000, CLOSE, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	opts.line.comm = true;
	opts.line.column = 0;
	assert_string_equal(show(events, opts), "100  <task> close(3) = 0\n"
						"100  <new-7> close(4) = 0\n"
						"101  <new-7> close(5) = 0\n"
						"100  <new-8> close(6) = 0\n");
}

static void a_call_that_never_returns_is_complete(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, EXIT_GROUP, 7),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "exit_group(7)                           = ?\n");
}

static int note_return(void *ctx, const struct tfs_call *call)
{
	*(int64_t *)ctx += call->ret;
	return 0;
}

static int put_sum(void *ctx, const struct tfs_call *call, int fd, struct tfs_strbuf *out)
{
	(void)call;
	(void)fd;
	return tfs_strbuf_addf(out, "<%d>", (int)*(int64_t *)ctx);
}

static void a_return_is_known_before_the_descriptor_is_shown(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, OPENAT, 5, 16, 0),
		CALL(LEAVE, 100, 2000, OPENAT, 6),
	};
	struct tfs_strace_opts opts = call_opts();
	int64_t sum = 0;

	(void)state;
	opts.hooks.returned = note_return;
	opts.hooks.ctx = opts.args.ctx = &sum;
	opts.args.fd = put_sum;
	assert_string_equal(show(events, opts), "openat(5<0>, 0x10, O_RDONLY)            = 6<6>\n");
}

static void a_loss_is_a_line_in_its_place(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		{ .kind = CALL_LEAVE, .pid = 100, .ts = 2000, .nr = CLOSE, .lost = 3 },
		CALL(ENTER, 100, 3000, CLOSE, 4),
		CALL(LEAVE, 100, 4000, CLOSE, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "close(3 <unfinished ...>\n"
			    "[... 3 events lost ...]\n"
			    "<... close resumed>)                    = 0\n"
			    "close(4)                                = 0\n");
}

static void times_and_numbers_are_before_a_line(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		CALL(LEAVE, 100, 13000, CLOSE, 0),
		CALL(ENTER, 100, 2000000, CLOSE, 4),
		CALL(LEAVE, 100, 2001999, CLOSE, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.time = TFS_LINE_TIME_DAY;
	opts.line.time_digits = 6;
	opts.line.relative = true;
	opts.line.relative_digits = 6;
	opts.line.numbers = true;
	opts.line.duration_digits = 6;
	/* 1795429515 is 10:25:15 UTC, as strace printed it. */
	opts.line.wall_offset = 1795429515000000000;
	assert_string_equal(show(events, opts),
			    "10:25:15.000001 (+     0.000000) [   3] close(3) = 0 <0.000012>\n"
			    "10:25:15.002000 (+     0.001999) [   3] close(4) = 0 <0.000001>\n");
}

static bool is_raw(void *ctx, const struct tfs_call *call)
{
	(void)ctx;
	return call->nr == READ;
}

static bool is_failed(void *ctx, const struct tfs_call *call)
{
	(void)ctx;
	return tfs_call_failed(call);
}

static int add_more(void *ctx, const struct tfs_call *call, struct tfs_strbuf *out)
{
	const unsigned int fd = (unsigned int)call->args[0];

	return ctx ? tfs_strbuf_addf(out, ",\"more\":%u", fd) : tfs_strbuf_addf(out, " > %u\n", fd);
}

static void more_can_follow_a_call(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		CALL(LEAVE, 100, 2000, CLOSE, 0),
		CALL(ENTER, 100, 3000, CLOSE, 4),
		CALL(LEAVE, 100, 4000, CLOSE, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.column = 0;
	opts.hooks.more = add_more;
	assert_string_equal(show(events, opts), "close(3) = 0\n > 3\nclose(4) = 0\n > 4\n");
	opts.flags = TFS_STRACE_JSON;
	opts.hooks.ctx = &opts;
	assert_non_null(strstr(show(events, opts), ",\"cut\":false,\"more\":4}\n"));
}

static void calls_can_be_plain_numbers_and_chosen_by_result(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, READ, 3, 0x1000, 0x340),
		CALL(LEAVE, 100, 2000, READ, 0x340),
		CALL(ENTER, 100, 3000, READ, 3, 0x1000, 0x340),
		CALL(LEAVE, 100, 4000, READ, ERROR(9)),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.hooks.raw = is_raw;
	assert_string_equal(show(events, opts),
			    "read(0x3, 0x1000, 0x340)                = 0x340\n"
			    "read(0x3, 0x1000, 0x340)                = -1 (errno 9)\n");
	opts = call_opts();
	opts.flags = TFS_STRACE_WHOLE;
	opts.hooks.end = is_failed;
	assert_string_equal(show(events, opts),
			    "read(3, 0x1000, 832)                    = -1 EBADF "
			    "(Bad file descriptor)\n");
}

static void names_can_be_numbers_or_both(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, NEWFSTATAT, -100, 16, 16, 0x100),
		CALL(LEAVE, 100, 2000, NEWFSTATAT, 0),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.args.names = TFS_ARGS_RAW;
	assert_string_equal(show(events, opts), "newfstatat(-100, 0x10, 0x10, 0x100)     = 0\n");
	opts.args.names = TFS_ARGS_VERBOSE;
	assert_string_equal(
		show(events, opts),
		"newfstatat(-100 /* AT_FDCWD */, 0x10, 0x10, 0x100 /* AT_SYMLINK_NOFOLLOW */) "
		"= 0\n");
	opts = call_opts();
	opts.args.parameters = true;
	assert_string_equal(show(events, opts),
			    "newfstatat(dfd=AT_FDCWD, filename=0x10, statbuf=0x10, "
			    "flag=AT_SYMLINK_NOFOLLOW) = 0\n");
}

/* @text: as many bytes as a kernel with syscall_user_buf_size 63 records of one that is longer */
#define CUT "0123456789012345678901234567890123456789012345678901234567890ab..."

static void the_kernels_texts_are_shown(void **state)
{
	static const struct call_event events[] = {
		CALL_WITH(OPENAT, 100, 1000, OPENAT, "/etc/\303\244\"\n", -100, 0x1000, 0),
		CALL(LEAVE, 100, 1100, OPENAT, 3),
		CALL_WITH(OPENAT, 100, 1200, OPENAT, CUT, -100, 0x1000, 0),
		CALL(LEAVE, 100, 1300, OPENAT, 3),
		CALL_WITH(OPENAT, 100, 1400, OPENAT, "", -100, 0x1000, 0),
		CALL(LEAVE, 100, 1500, OPENAT, ERROR(2)),
		CALL_WITH(OPENAT, 100, 1600, OPENAT, NULL, -100, 0x10, 0),
		CALL(LEAVE, 100, 1700, OPENAT, ERROR(14)),
		CALL_WITH(OPENAT, 100, 1800, OPENAT, NULL, -100, 0, 0),
		CALL(LEAVE, 100, 1900, OPENAT, ERROR(14)),
	};

	(void)state;
	assert_string_equal(
		show(events, call_opts()),
		"openat(AT_FDCWD, \"/etc/\\303\\244\\\"\\n\", O_RDONLY) = 3\n"
		"openat(AT_FDCWD, \"0123456789012345678901234567890123456789012345678901234567"
		"890ab\"..., O_RDONLY) = 3\n"
		"openat(AT_FDCWD, \"\", O_RDONLY)          = -1 ENOENT (No such file or "
		"directory)\n"
		"openat(AT_FDCWD, 0x10, O_RDONLY)        = -1 EFAULT (Bad address)\n"
		"openat(AT_FDCWD, NULL, O_RDONLY)        = -1 EFAULT (Bad address)\n");
}

static void bytes_that_are_written_are_shown_as_many_as_there_are(void **state)
{
	static const struct call_event events[] = {
		CALL_BYTES(WRITE, 100, 1000, WRITE, "ab\0\377", 4, 1, 0x1000, 4),
		CALL(LEAVE, 100, 1100, WRITE, 4),
		CALL_BYTES(WRITE, 100, 1200, WRITE, "abcd", 4, 1, 0x1000, 9),
		CALL(LEAVE, 100, 1300, WRITE, 9),
		CALL_BYTES(WRITE, 100, 1400, WRITE, NULL, 0, 1, 0x1000, 0),
		CALL(LEAVE, 100, 1500, WRITE, 0),
		CALL_BYTES(WRITE, 100, 1600, WRITE, NULL, 0, 1, 0x1000, 1),
		CALL(LEAVE, 100, 1700, WRITE, ERROR(14)),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "write(1, \"ab\\0\\377\", 4)                 = 4\n"
			    "write(1, \"abcd\"..., 9)                  = 9\n"
			    "write(1, \"\", 0)                         = 0\n"
			    "write(1, 0x1000, 1)                     = -1 EFAULT (Bad address)\n");
}

static void a_line_waits_for_the_text_of_another_event(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, OPENAT, -100, 0x1000, 0),
		CALL(ENTER, 200, 1010, CLOSE, 4),
		CALL_WITH(OPENAT, 100, 1020, OPENAT, "/etc/passwd", -100, 0x1000, 0),
		CALL(LEAVE, 200, 1030, CLOSE, 0),
		CALL(LEAVE, 100, 1040, OPENAT, 3),
		/* Its text was not recorded. */
		CALL(ENTER, 100, 1100, OPENAT, -100, 0x1000, 0),
		CALL(LEAVE, 100, 1140, OPENAT, 3),
	};
	struct tfs_strace_opts opts = call_opts();

	(void)state;
	opts.line.pid = TFS_LINE_PID_COLUMN;
	assert_string_equal(show(events, opts),
			    "200   close(4 <unfinished ...>\n"
			    "100   openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY <unfinished ...>\n"
			    "200   <... close resumed>)              = 0\n"
			    "100   <... openat resumed>)             = 3\n"
			    "100   openat(AT_FDCWD, 0x1000, O_RDONLY) = 3\n");
}

static void copies_of_paths_belong_to_the_argument_with_their_address(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL_WITH(GETNAME, 100, 1010, 0x7fff0000, "new", 0x2000),
		/* of another thread, and of no argument */
		CALL_WITH(GETNAME, 200, 1015, 0x7fff0000, "not this", 0x1000),
		CALL_WITH(GETNAME, 100, 1017, 0x7fff0000, "nor this", 0x3000),
		CALL_WITH(GETNAME, 100, 1020, 0x7fff0000, "old", 0x1000),
		CALL(LEAVE, 100, 1030, RENAMEAT, 0),
		/* Which is empty, if one is, is not known before the other was copied. */
		CALL(ENTER, 100, 1100, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL_WITH(GETNAME, 100, 1110, -2, "(fault)", 0),
		CALL_WITH(GETNAME, 100, 1120, 0x7fff0000, "old", 0x1000),
		CALL(LEAVE, 100, 1130, RENAMEAT, ERROR(2)),
		CALL(ENTER, 100, 1200, RENAMEAT, -100, 0x10, -100, 0x2000),
		CALL_WITH(GETNAME, 100, 1210, -2, "(fault)", 0),
		CALL_WITH(GETNAME, 100, 1220, -14, "(fault)", 0),
		CALL(LEAVE, 100, 1230, RENAMEAT, ERROR(14)),
		/* as rename("a", "a") of a compiler that keeps one of them */
		CALL(ENTER, 100, 1300, RENAMEAT, -100, 0x1000, -100, 0x1000),
		CALL_WITH(GETNAME, 100, 1310, 0x7fff0000, "a", 0x1000),
		CALL_WITH(GETNAME, 100, 1320, 0x7fff0000, "a", 0x1000),
		CALL(LEAVE, 100, 1330, RENAMEAT, 0),
	};

	(void)state;
	assert_string_equal(
		show(events, call_opts()),
		"renameat(AT_FDCWD, \"old\", AT_FDCWD, \"new\") = 0\n"
		"renameat(AT_FDCWD, \"old\", AT_FDCWD, \"\") = -1 ENOENT (No such file or "
		"directory)\n"
		"renameat(AT_FDCWD, 0x10, AT_FDCWD, 0x2000) = -1 EFAULT (Bad address)\n"
		"renameat(AT_FDCWD, \"a\", AT_FDCWD, \"a\")  = 0\n");
}

static void a_path_that_may_be_empty_and_was_not_copied_is_empty(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, NEWFSTATAT, 3, 0x1000, 0x2000, 0x1000),
		CALL(LEAVE, 100, 1010, NEWFSTATAT, 0),
		CALL(ENTER, 100, 1100, NEWFSTATAT, 3, 0x1000, 0x2000, 0x1000),
		CALL(LEAVE, 100, 1110, NEWFSTATAT, ERROR(9)),
		CALL(ENTER, 100, 1200, NEWFSTATAT, 3, 0x1000, 0x2000, 0x100),
		CALL(LEAVE, 100, 1210, NEWFSTATAT, 0),
		CALL(ENTER, 100, 1300, NEWFSTATAT, 3, 0x1000, 0x2000, 0x1000),
		CALL_WITH(GETNAME, 100, 1310, 0x7fff0000, "file", 0x1000),
		CALL(LEAVE, 100, 1320, NEWFSTATAT, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "newfstatat(3, \"\", 0x2000, AT_EMPTY_PATH) = 0\n"
			    "newfstatat(3, 0x1000, 0x2000, AT_EMPTY_PATH) = -1 EBADF (Bad file "
			    "descriptor)\n"
			    "newfstatat(3, 0x1000, 0x2000, AT_SYMLINK_NOFOLLOW) = 0\n"
			    "newfstatat(3, \"file\", 0x2000, AT_EMPTY_PATH) = 0\n");
}

static void texts_of_a_probe_on_the_calls_event_are_shown(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL_TWO(TEXTS, 100, 1010, RENAMEAT, "old", "(fault)"),
		CALL(LEAVE, 100, 1030, RENAMEAT, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "renameat(AT_FDCWD, \"old\", AT_FDCWD, 0x2000) = 0\n");
}

static void texts_that_come_before_a_call_are_of_the_next_one(void **state)
{
	static const struct call_event events[] = {
		CALL_TWO(BEFORE, 100, 990, RENAMEAT, "old", "new"),
		CALL(ENTER, 200, 995, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL(LEAVE, 200, 996, RENAMEAT, 0),
		CALL(ENTER, 100, 1000, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL(LEAVE, 100, 1030, RENAMEAT, 0),
		CALL(ENTER, 100, 1100, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL(LEAVE, 100, 1130, RENAMEAT, 0),
		/* One that was not made, as a signal came first */
		CALL_TWO(BEFORE, 100, 1200, RENAMEAT, "(fault)", "late"),
		CALL(ENTER, 100, 1210, CLOSE, 3),
		CALL(LEAVE, 100, 1220, CLOSE, 0),
		CALL(ENTER, 100, 1300, RENAMEAT, -100, 0x1000, -100, 0x2000),
		CALL(LEAVE, 100, 1330, RENAMEAT, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "renameat(AT_FDCWD, 0x1000, AT_FDCWD, 0x2000) = 0\n"
			    "renameat(AT_FDCWD, \"old\", AT_FDCWD, \"new\") = 0\n"
			    "renameat(AT_FDCWD, 0x1000, AT_FDCWD, 0x2000) = 0\n"
			    "close(3)                                = 0\n"
			    "renameat(AT_FDCWD, 0x1000, AT_FDCWD, 0x2000) = 0\n");
}

static void a_program_that_is_executed_is_shown(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(ENTER, 200, 1010, CLOSE, 4),
		CALL(EXEC, 100, 1020, 100),
		CALL(LEAVE, 200, 1030, CLOSE, 0),
		CALL(LEAVE, 100, 1040, EXECVE, 0),
		CALL(ENTER, 100, 1100, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(LEAVE, 100, 1140, EXECVE, ERROR(2)),
		/* by thread 101, which becomes 100 */
		CALL(ENTER, 101, 1200, EXECVE, 0x1000, 0x2000, 0x3000),
		CALL(EXEC, 100, 1220, 101),
		CALL(LEAVE, 100, 1240, EXECVE, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "close(4 <unfinished ...>\n"
			    "execve(\"/bin/prog\", 0x2000, 0x3000 <unfinished ...>\n"
			    "<... close resumed>)                    = 0\n"
			    "<... execve resumed>)                   = 0\n"
			    "execve(0x1000, 0x2000, 0x3000)          = -1 ENOENT (No such file or "
			    "directory)\n"
			    "execve(\"/bin/prog\", 0x2000, 0x3000)     = 0\n");
}

static void a_signal_does_not_wait_for_a_text(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, OPENAT, -100, 0x1000, 0),
		CALL(SIGNAL, 100, 1010, CHLD, 0, 2, 0x5000),
		CALL_WITH(GETNAME, 100, 1020, 0x7fff0000, "late", 0x1000),
		CALL(LEAVE, 100, 1030, OPENAT, 3),
		CALL(ENTER, 100, 1100, OPENAT, -100, 0x1000, 0),
	};

	(void)state;
	assert_string_equal(show(events, call_opts()),
			    "openat(AT_FDCWD, 0x1000, O_RDONLY <unfinished ...>\n"
			    "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_KILLED, ...} ---\n"
			    "<... openat resumed>)                   = 3\n"
			    "openat(AT_FDCWD, 0x1000, O_RDONLY <unfinished ...>\n");
}

static void without_memory_it_fails(void **state)
{
	static const struct call_event events[] = {
		CALL(ENTER, 100, 1000, CLOSE, 3),
		CALL(LEAVE, 100, 2000, CLOSE, 0),
		CALL(ENTER, 100, 3000, OPENAT, -100, 0x1000, 0),
		CALL_WITH(GETNAME, 100, 3010, 0x7fff0000, "file", 0x1000),
	};
	bool failed = true;
	int rc;

	(void)state;
	for (size_t i = 0; failed; i++) {
		call_show(events, N_CALLS(events), call_opts(), i, &failed, &rc);
		assert_int_equal(rc, failed ? -ENOMEM : 0);
		assert_true(i < 10000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_is_a_line_with_its_result_in_column_40),
		cmocka_unit_test(programs_of_32_bits_have_their_own_numbers),
		cmocka_unit_test(calls_of_x32_begin_and_end),
		cmocka_unit_test(the_end_of_a_signal_handler_has_its_name),
		cmocka_unit_test(another_thread_interrupts_a_line),
		cmocka_unit_test(arguments_and_results_are_those_of_strace),
		cmocka_unit_test(output_arguments_are_shown_when_the_call_ends),
		cmocka_unit_test(restarts_are_shown_by_their_codes),
		cmocka_unit_test(lines_have_pids_while_there_are_several_threads),
		cmocka_unit_test(threads_end_as_their_process_does),
		cmocka_unit_test(threads_end_as_their_process_does_after_its_first),
		cmocka_unit_test(a_signal_is_shown_with_its_code),
		cmocka_unit_test(a_command_begins_with_its_execve),
		cmocka_unit_test(more_can_follow_a_call),
		cmocka_unit_test(names_are_those_of_the_time),
		cmocka_unit_test(a_call_that_never_returns_is_complete),
		cmocka_unit_test(a_return_is_known_before_the_descriptor_is_shown),
		cmocka_unit_test(a_loss_is_a_line_in_its_place),
		cmocka_unit_test(times_and_numbers_are_before_a_line),
		cmocka_unit_test(calls_can_be_plain_numbers_and_chosen_by_result),
		cmocka_unit_test(names_can_be_numbers_or_both),
		cmocka_unit_test(the_kernels_texts_are_shown),
		cmocka_unit_test(bytes_that_are_written_are_shown_as_many_as_there_are),
		cmocka_unit_test(a_line_waits_for_the_text_of_another_event),
		cmocka_unit_test(copies_of_paths_belong_to_the_argument_with_their_address),
		cmocka_unit_test(a_path_that_may_be_empty_and_was_not_copied_is_empty),
		cmocka_unit_test(texts_of_a_probe_on_the_calls_event_are_shown),
		cmocka_unit_test(texts_that_come_before_a_call_are_of_the_next_one),
		cmocka_unit_test(a_program_that_is_executed_is_shown),
		cmocka_unit_test(a_signal_does_not_wait_for_a_text),
		cmocka_unit_test(without_memory_it_fails),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
