/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plugin_syscalls on records built here: what puts a value into the record puts what it must print
 * as into the expected line. Values of flags are those of this machine's headers, their names come
 * from the same place by the preprocessor.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "plugin.h"
#include "syscalls/abi.h"
#include "syscalls/tables.h"
#include "tests/unit/plugins/record.h"

#define TEXT_MAX 4096
#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

/* Of Linux 6.1 to 6.18, the same on every 64-bit architecture. */
#define ENTER_64                                                                        \
	"name: sys_enter\nID: 21\nformat:\n" COMMON                                     \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"                             \
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"           \
	"print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], " \
	"REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]\n"
#define EXIT_64                                                 \
	"name: sys_exit\nID: 20\nformat:\n" COMMON              \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"     \
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n" \
	"print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n"
/* The same, where a long has four bytes. */
#define ENTER_32                                                                        \
	"name: sys_enter\nID: 21\nformat:\n" COMMON                                     \
	"\tfield:long id;\toffset:8;\tsize:4;\tsigned:1;\n"                             \
	"\tfield:unsigned long args[6];\toffset:12;\tsize:24;\tsigned:0;\n\n"           \
	"print fmt: \"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], " \
	"REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]\n"
#define EXIT_32                                                 \
	"name: sys_exit\nID: 20\nformat:\n" COMMON              \
	"\tfield:long id;\toffset:8;\tsize:4;\tsigned:1;\n"     \
	"\tfield:long ret;\toffset:12;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n"

/* Linux 6.18, x86_64 */
#define ENTER_OPENAT                                                       \
	"name: sys_enter_openat\nID: 782\nformat:\n" COMMON                \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"       \
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"               \
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n" \
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"             \
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
#define PRINT_OPENAT "\nprint fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n"
#define EXIT_OPENAT                                                  \
	"name: sys_exit_openat\nID: 781\nformat:\n" COMMON           \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n" \
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"      \
	"print fmt: \"0x%lx\", REC->ret\n"

/* struct call - a sys_enter record and the line it must print as */
struct call {
	struct test_record record;
	char want[TEXT_MAX];
	size_t n_args;
	const char *comma;
};

static void set_options(const char *arch, const char *abi, const char *compat)
{
	TEP_PLUGIN_OPTIONS[0].value = arch;
	TEP_PLUGIN_OPTIONS[1].value = abi;
	TEP_PLUGIN_OPTIONS[2].value = compat;
}

/* A machine whose architecture only the option gives. */
static void machine_up(struct test_machine *m, const char *arch)
{
	const bool is_32bit = sys_abi_is_32bit(sys_abi_parse(arch));

	test_machine_init(m, strcmp(arch, "s390x") == 0, is_32bit ? 4 : 8);
	assert_int_equal(TEP_PLUGIN_LOADER(m->tep), 0);
	test_add_format(m, "raw_syscalls", is_32bit ? ENTER_32 : ENTER_64);
	test_add_format(m, "raw_syscalls", is_32bit ? EXIT_32 : EXIT_64);
}

static void machine_down(struct test_machine *m)
{
	assert_int_equal(TEP_PLUGIN_UNLOADER(m->tep), 0);
	test_machine_release(m);
	set_options("", "", "");
}

static void call_begin(struct call *c, const struct test_machine *m, int64_t nr, const char *name)
{
	test_begin(&c->record, m, "raw_syscalls", "sys_enter");
	test_put(&c->record, "id", 0, (uint64_t)nr);
	c->n_args = 0;
	c->comma = "";
	snprintf(c->want, sizeof(c->want), "%s(", name);
}

static void want_add(struct call *c, const char *name, const char *text)
{
	const size_t used = strlen(c->want);

	snprintf(c->want + used, sizeof(c->want) - used, "%s%s: %s", c->comma, name, text);
	c->comma = ", ";
}

/* A register that does not print. */
static void call_reg(struct call *c, uint64_t value)
{
	test_put(&c->record, "args", c->n_args++, value);
}

static void call_arg(struct call *c, const char *name, uint64_t value, const char *text)
{
	call_reg(c, value);
	want_add(c, name, text);
}

/* The macros as they are written, without the blanks around '|'. */
static void call_macros(struct call *c, const char *name, uint64_t value, const char *macros)
{
	char text[TEXT_MAX];
	size_t used = 0;

	for (; *macros && used < sizeof(text) - 1; macros++)
		if (*macros != ' ')
			text[used++] = *macros;
	text[used] = '\0';
	call_arg(c, name, value, text);
}

#define call_flags(c, name, flags) call_macros(c, name, (uint64_t)(flags), #flags)

static void call_check(struct call *c)
{
	const size_t used = strlen(c->want);
	char got[TEXT_MAX];

	snprintf(c->want + used, sizeof(c->want) - used, ")");
	assert_string_equal(test_print(&c->record, got, sizeof(got)), c->want);
}

static void flags_have_the_names_of_the_headers(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");

	call_begin(&c, &m, 257, "openat");
	call_arg(&c, "dfd", (uint64_t)AT_FDCWD, "AT_FDCWD");
	call_arg(&c, "filename", 0x7ffe1234, "0x7ffe1234");
	call_flags(&c, "flags", O_RDWR | O_CREAT | O_EXCL | O_TRUNC | O_NONBLOCK | O_CLOEXEC);
	call_arg(&c, "mode", 0644, "0644");
	call_check(&c);

	call_begin(&c, &m, 9, "mmap");
	call_arg(&c, "addr", 0, "0");
	call_arg(&c, "len", 8192, "8192");
	call_flags(&c, "prot", PROT_READ | PROT_WRITE | PROT_EXEC);
	call_flags(&c, "flags", MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_STACK);
	call_arg(&c, "fd", UINT64_MAX, "-1");
	call_arg(&c, "off", 0x3000, "0x3000");
	call_check(&c);

	call_begin(&c, &m, 10, "mprotect");
	call_arg(&c, "start", 0x7000, "0x7000");
	call_arg(&c, "len", 4096, "4096");
	call_flags(&c, "prot", PROT_NONE);
	call_check(&c);

	call_begin(&c, &m, 56, "clone");
	call_flags(&c, "clone_flags", CLONE_VM | CLONE_VFORK | CLONE_CHILD_SETTID | SIGCHLD);
	call_arg(&c, "newsp", 0, "0");
	call_arg(&c, "parent_tidptr", 0, "NULL");
	call_arg(&c, "child_tidptr", 0x7f00, "0x7f00");
	call_arg(&c, "tls", 0, "0");
	call_check(&c);

	call_begin(&c, &m, 202, "futex");
	call_arg(&c, "uaddr", 0x7f10, "0x7f10");
	call_flags(&c, "op", FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME);
	call_arg(&c, "val", 2, "2");
	call_arg(&c, "utime", 0, "NULL");
	call_arg(&c, "uaddr2", 0, "NULL");
	call_arg(&c, "val3", UINT32_MAX, "4294967295");
	call_check(&c);

	call_begin(&c, &m, 41, "socket");
	call_flags(&c, "family", AF_INET6);
	call_flags(&c, "type", SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK);
	call_arg(&c, "protocol", 6, "6");
	call_check(&c);

	call_begin(&c, &m, 233, "epoll_ctl");
	call_arg(&c, "epfd", 4, "4");
	call_flags(&c, "op", EPOLL_CTL_MOD);
	call_arg(&c, "fd", 5, "5");
	call_arg(&c, "event", 0x10, "0x10");
	call_check(&c);

	call_begin(&c, &m, 61, "wait4");
	call_arg(&c, "upid", (uint64_t)-1, "-1");
	call_arg(&c, "stat_addr", 0, "NULL");
	call_flags(&c, "options", WNOHANG | WSTOPPED | WCONTINUED);
	call_arg(&c, "ru", 0, "NULL");
	call_check(&c);

	machine_down(&m);
}

static void numbers_have_the_names_of_the_headers(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");

	call_begin(&c, &m, 8, "lseek");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "offset", (uint64_t)-10, "-10");
	call_flags(&c, "whence", SEEK_END);
	call_check(&c);

	call_begin(&c, &m, 62, "kill");
	call_arg(&c, "pid", (uint64_t)-5, "-5");
	call_flags(&c, "sig", SIGTERM);
	call_check(&c);

	call_begin(&c, &m, 62, "kill");
	call_arg(&c, "pid", 7, "7");
	call_arg(&c, "sig", 0, "0");
	call_check(&c);

	call_begin(&c, &m, 228, "clock_gettime");
	call_flags(&c, "which_clock", CLOCK_MONOTONIC);
	call_arg(&c, "tp", 0x7000, "0x7000");
	call_check(&c);

	call_begin(&c, &m, 259, "mknodat");
	call_arg(&c, "dfd", 3, "3");
	call_arg(&c, "filename", 0x10, "0x10");
	call_arg(&c, "mode", S_IFBLK | 0660, "S_IFBLK|0660");
	call_arg(&c, "dev", 8 << 8 | 1, "8:1");
	call_check(&c);

	call_begin(&c, &m, 72, "fcntl");
	call_arg(&c, "fd", 3, "3");
	call_flags(&c, "cmd", F_SETFL);
	call_flags(&c, "arg", O_WRONLY | O_APPEND | O_NONBLOCK);
	call_check(&c);

	call_begin(&c, &m, 72, "fcntl");
	call_arg(&c, "fd", 3, "3");
	call_flags(&c, "cmd", F_SETFD);
	call_flags(&c, "arg", FD_CLOEXEC);
	call_check(&c);

	call_begin(&c, &m, 54, "setsockopt");
	call_arg(&c, "fd", 3, "3");
	call_flags(&c, "level", SOL_SOCKET);
	call_flags(&c, "optname", SO_REUSEADDR);
	call_arg(&c, "optval", 0x10, "0x10");
	call_arg(&c, "optlen", 4, "4");
	call_check(&c);

	call_begin(&c, &m, 92, "chown");
	call_arg(&c, "filename", 0x10, "0x10");
	call_arg(&c, "user", UINT32_MAX, "-1");
	call_arg(&c, "group", 1000, "1000");
	call_check(&c);

	call_begin(&c, &m, 39, "getpid");
	call_check(&c);

	machine_down(&m);
}

static void unknown_values_are_shown(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");

	call_begin(&c, &m, 2, "open");
	call_arg(&c, "filename", 0x10, "0x10");
	/* bit 31 has no name; the upper half of an int's register is not looked at */
	call_arg(&c, "flags", 0xffffffff80080001, "O_WRONLY|O_CLOEXEC|0x80000000");
	call_check(&c);

	call_begin(&c, &m, 8, "lseek");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "offset", 0, "0");
	call_arg(&c, "whence", 99, "0x63");
	call_check(&c);

	call_begin(&c, &m, 41, "socket");
	call_arg(&c, "family", 77, "77");
	call_arg(&c, "type", 15 | SOCK_CLOEXEC, "SOCK_CLOEXEC|0xf");
	call_arg(&c, "protocol", 0, "0");
	call_check(&c);

	machine_down(&m);
}

static void mode_prints_only_where_a_file_is_created(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	call_begin(&c, &m, 2, "open");
	call_arg(&c, "filename", 0x10, "0x10");
	call_flags(&c, "flags", O_RDONLY);
	call_reg(&c, 0xdead); /* whatever the register held */
	call_check(&c);

	call_begin(&c, &m, 2, "open");
	call_arg(&c, "filename", 0x10, "0x10");
	call_arg(&c, "flags", 0x410000 | O_RDWR, "O_RDWR|O_TMPFILE");
	call_arg(&c, "mode", 0600, "0600");
	call_check(&c);
	machine_down(&m);
}

static void unknown_calls_print_as_the_kernel_prints_them(void **state)
{
	struct test_machine m;
	struct call c;
	char got[TEXT_MAX];
	size_t i;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	call_begin(&c, &m, 9999, "");
	for (i = 0; i < 6; i++)
		call_reg(&c, 0x10 + i);
	assert_string_equal(test_print(&c.record, got, sizeof(got)),
			    "NR 9999 (10, 11, 12, 13, 14, 15)");
	test_put(&c.record, "id", 0, UINT64_MAX);
	assert_string_equal(test_print(&c.record, got, sizeof(got)),
			    "NR -1 (10, 11, 12, 13, 14, 15)");
	machine_down(&m);
}

static const char *exit_text(const struct test_machine *m, int64_t nr, int64_t ret, char *buf)
{
	struct test_record r;

	test_begin(&r, m, "raw_syscalls", "sys_exit");
	test_put(&r, "id", 0, (uint64_t)nr);
	test_put(&r, "ret", 0, (uint64_t)ret);
	return test_print(&r, buf, TEXT_MAX);
}

/* clang-format off */
#define ERRORS(X) X(EPERM) X(ENOENT) X(ESRCH) X(EINTR) X(EIO) X(ENXIO) X(E2BIG) X(ENOEXEC) \
	X(EBADF) X(ECHILD) X(EAGAIN) X(ENOMEM) X(EACCES) X(EFAULT) X(ENOTBLK) X(EBUSY) X(EEXIST) \
	X(EXDEV) X(ENODEV) X(ENOTDIR) X(EISDIR) X(EINVAL) X(ENFILE) X(EMFILE) X(ENOTTY) \
	X(ETXTBSY) X(EFBIG) X(ENOSPC) X(ESPIPE) X(EROFS) X(EMLINK) X(EPIPE) X(EDOM) X(ERANGE) \
	X(EDEADLK) X(ENAMETOOLONG) X(ENOLCK) X(ENOSYS) X(ENOTEMPTY) X(ELOOP) X(ENOMSG) X(EIDRM) \
	X(ENOSTR) X(ENODATA) X(ETIME) X(ENOSR) X(ENOLINK) X(EPROTO) X(EBADMSG) X(EOVERFLOW) \
	X(EILSEQ) X(EUSERS) X(ENOTSOCK) X(EDESTADDRREQ) X(EMSGSIZE) X(EPROTOTYPE) \
	X(ENOPROTOOPT) X(EPROTONOSUPPORT) X(ESOCKTNOSUPPORT) X(EOPNOTSUPP) X(EPFNOSUPPORT) \
	X(EAFNOSUPPORT) X(EADDRINUSE) X(EADDRNOTAVAIL) X(ENETDOWN) X(ENETUNREACH) X(ENETRESET) \
	X(ECONNABORTED) X(ECONNRESET) X(ENOBUFS) X(EISCONN) X(ENOTCONN) X(ESHUTDOWN) \
	X(ETOOMANYREFS) X(ETIMEDOUT) X(ECONNREFUSED) X(EHOSTDOWN) X(EHOSTUNREACH) X(EALREADY) \
	X(EINPROGRESS) X(ESTALE) X(EDQUOT) X(ENOMEDIUM) X(EMEDIUMTYPE) X(ECANCELED) X(ENOKEY) \
	X(EKEYEXPIRED) X(EKEYREVOKED) X(EKEYREJECTED) X(EOWNERDEAD) X(ENOTRECOVERABLE) \
	X(ERFKILL) X(EHWPOISON)
/* clang-format on */

struct error_name {
	int number;
	const char *name;
};

static void errors_have_the_compilers_names(void **state)
{
#define ROW(e) { e, #e },
	static const struct error_name errors[] = { ERRORS(ROW) };
#undef ROW
	char got[TEXT_MAX], want[64];
	struct test_machine m;
	size_t i;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		snprintf(want, sizeof(want), "read = -%s", errors[i].name);
		assert_string_equal(exit_text(&m, 0, -errors[i].number, got), want);
	}
	machine_down(&m);
}

static void returned_values_print_as_the_call_means_them(void **state)
{
	char got[TEXT_MAX];
	struct test_machine m;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	assert_string_equal(exit_text(&m, 0, 832, got), "read = 832");
	assert_string_equal(exit_text(&m, 9, 0x7f0000001000, got), "mmap = 0x7f0000001000");
	assert_string_equal(exit_text(&m, 12, 0x5555000, got), "brk = 0x5555000");
	assert_string_equal(exit_text(&m, 95, 022, got), "umask = 0022");
	/* include/linux/errno.h: what user space never sees */
	assert_string_equal(exit_text(&m, 0, -512, got), "read = -ERESTARTSYS");
	assert_string_equal(exit_text(&m, 35, -516, got), "nanosleep = -ERESTART_RESTARTBLOCK");
	/* an error number without a name; and below -4095 there are no errors */
	assert_string_equal(exit_text(&m, 0, -4000, got), "read = -4000");
	assert_string_equal(exit_text(&m, 0, -4096, got), "read = -4096");
	assert_string_equal(exit_text(&m, 9999, 0, got), "NR 9999 = 0");
	assert_string_equal(exit_text(&m, 9999, -38, got), "NR 9999 = -ENOSYS");
	machine_down(&m);
}

static void values_differ_between_architectures(void **state)
{
	/* asm/fcntl.h of each: O_DIRECTORY is 0200000 on x86, 040000 on arm, arm64 and powerpc */
	static const char *const archs[] = { "x86_64", "arm64", "ppc64le", "s390x", "riscv64" };
	static const int64_t openat_nr[] = { 257, 56, 286, 288, 56 };
	static const uint64_t directory[] = { 0200000, 040000, 040000, 0200000, 0200000 };
	struct test_machine m;
	struct call c;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		set_options(archs[i], "", "");
		machine_up(&m, archs[i]);
		call_begin(&c, &m, openat_nr[i], "openat");
		call_arg(&c, "dfd", UINT32_MAX - 99, "AT_FDCWD");
		call_arg(&c, "filename", 0x10, "0x10");
		call_arg(&c, "flags", directory[i], "O_RDONLY|O_DIRECTORY");
		call_check(&c);
		machine_down(&m);
	}
}

static void registers_differ_between_architectures(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	/* clone(2), "C library/kernel differences": CLONE_BACKWARDS and CLONE_BACKWARDS2 */
	set_options("aarch64", "", "");
	machine_up(&m, "arm64");
	call_begin(&c, &m, 220, "clone");
	call_arg(&c, "clone_flags", SIGCHLD, "SIGCHLD");
	call_arg(&c, "newsp", 0, "0");
	call_arg(&c, "parent_tidptr", 0, "NULL");
	call_arg(&c, "tls", 0x10, "0x10");
	call_arg(&c, "child_tidptr", 0x20, "0x20");
	call_check(&c);
	machine_down(&m);

	set_options("s390x", "", "");
	machine_up(&m, "s390x");
	call_begin(&c, &m, 120, "clone");
	call_arg(&c, "newsp", 0x30, "0x30");
	call_arg(&c, "clone_flags", CLONE_VM, "CLONE_VM");
	call_arg(&c, "parent_tidptr", 0, "NULL");
	call_arg(&c, "child_tidptr", 0x20, "0x20");
	call_arg(&c, "tls", 0x10, "0x10");
	call_check(&c);
	machine_down(&m);
}

static void pairs_of_registers_are_one_value_on_32_bits(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("i686", "", "");
	machine_up(&m, "i386");
	call_begin(&c, &m, 180, "pread64");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "buf", 0xbf000000, "0xbf000000");
	call_arg(&c, "count", 512, "512");
	call_arg(&c, "pos", 0x10, "4294967312"); /* 1 << 32 | 0x10 */
	call_reg(&c, 1);
	call_check(&c);

	call_begin(&c, &m, 19, "lseek");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "offset", 0xfffffff6, "-10");
	call_arg(&c, "whence", SEEK_CUR, "SEEK_CUR");
	call_check(&c);
	machine_down(&m);

	/* syscall(2), "Architecture-specific requirements": a pair begins at an even register */
	set_options("armv7l", "", "");
	machine_up(&m, "arm");
	call_begin(&c, &m, 180, "pread64");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "buf", 0xbe000000, "0xbe000000");
	call_arg(&c, "count", 512, "512");
	call_reg(&c, 0xdead);
	call_arg(&c, "pos", 0x10, "4294967312");
	call_reg(&c, 1);
	call_check(&c);
	machine_down(&m);
}

static void x32_and_private_arm_calls_are_recognised_by_their_id(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	/* asm/unistd_x32.h: 512 and up are x32's own */
	call_begin(&c, &m, 0x40000000 + 1, "write");
	call_arg(&c, "fd", 1, "1");
	call_arg(&c, "buf", 0x10, "0x10");
	call_arg(&c, "count", 3, "3");
	call_check(&c);
	call_begin(&c, &m, 0x40000000 + 513, "rt_sigreturn");
	call_check(&c);
	machine_down(&m);

	set_options("arm64", "", "");
	machine_up(&m, "arm64");
	call_begin(&c, &m, 0xf0002, "cacheflush");
	call_arg(&c, "start", 0x1000, "0x1000");
	call_arg(&c, "end", 0x2000, "0x2000");
	call_arg(&c, "flags", 0, "0");
	call_check(&c);
	machine_down(&m);
}

static void options_say_which_calls_are_compat(void **state)
{
	struct test_machine m;
	struct call c;

	(void)state;
	/* number 3: close on x86_64, read on i386 */
	set_options("x86_64", "i386", "");
	machine_up(&m, "x86_64");
	call_begin(&c, &m, 3, "read");
	call_arg(&c, "fd", 9, "9");
	call_arg(&c, "buf", 0xffffffff08040000, "0x8040000");
	call_arg(&c, "count", 1, "1");
	call_check(&c);
	machine_down(&m);

	set_options("x86_64", "", "17,1000");
	machine_up(&m, "x86_64");
	call_begin(&c, &m, 3, "read");
	call_arg(&c, "fd", 9, "9");
	call_arg(&c, "buf", 0, "NULL");
	call_arg(&c, "count", 1, "1");
	call_check(&c);
	call_begin(&c, &m, 3, "close");
	test_put(&c.record, "common_pid", 0, 18);
	call_arg(&c, "fd", 9, "9");
	call_check(&c);
	machine_down(&m);
}

static void architecture_is_guessed_from_events(void **state)
{
	static const char rtas[] = "name: sys_enter_rtas\nID: 99\nformat:\n" COMMON
				   "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
				   "\tfield:struct rtas_args * uargs;\toffset:16;\tsize:8;"
				   "\tsigned:0;\n\nprint fmt: \"\"\n";
	struct test_machine m;
	struct call c;

	(void)state;
	machine_up(&m, "ppc64le");
	test_add_format(&m, "syscalls", rtas);
	/* 20 is writev on x86_64 (asm/unistd_64.h of both) */
	call_begin(&c, &m, 20, "getpid");
	call_check(&c);
	machine_down(&m);
}

static void architecture_is_guessed_from_symbols(void **state)
{
	/* As recorded on real machines, but for most of the lines. */
	static const struct {
		const char *arch;
		const char *symbols;
	} kernels[] = {
		{ "x86_64", "ffffffff8b000000 T _stext\nffffffff8b00a0f0 T __x64_sys_read\n"
			    "ffffffff8c200000 T _etext\n" },
		{ "arm64", "ffffbf968bc10000 T _stext\nffffbf968bc1ddb4 T "
			   "__arm64_sys_rt_sigreturn\nffffbf968e000000 T _etext\n" },
		{ "ppc64le", "c000000000000000 T _stext\nc000000000000000 T _text\n"
			     "c000000000019830 T ppc_breakpoint_available\n"
			     "c000000001230000 T _etext\n" },
		{ "riscv64", "ffffffff80002000 T _stext\nffffffff80005000 t "
			     "riscv_clock_next_event\nffffffff81000000 T _etext\n" },
		{ "i386", "de000000 T _stext\nde004050 T __ia32_sys_ni_syscall\n"
			  "df000000 T _etext\n" },
		{ "arm", "c0100000 T _stext\nc0100200 t vector_swi\nc1000000 T _etext\n" },
	};
	struct tep_handle *tep;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		tep = tep_alloc();
		assert_non_null(tep);
		tep_set_long_size(tep, sys_abi_is_32bit(sys_abi_parse(kernels[i].arch)) ? 4 : 8);
		assert_int_equal(tep_parse_kallsyms(tep, kernels[i].symbols), 0);
		assert_int_not_equal(sys_abi_guess(tep), SYS_ABI_NONE);
		assert_int_equal(sys_abi_guess(tep), sys_abi_parse(kernels[i].arch));
		tep_free(tep);
	}
	tep = tep_alloc();
	assert_non_null(tep);
	tep_set_long_size(tep, 8);
	tep_set_file_bigendian(tep, TEP_BIG_ENDIAN);
	assert_int_equal(sys_abi_guess(tep), SYS_ABI_S390X);
	tep_free(tep);
}

static void named_events_print_the_same_way(void **state)
{
	struct test_record r;
	struct test_machine m;
	char got[TEXT_MAX];

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	test_add_format(&m, "syscalls", ENTER_OPENAT PRINT_OPENAT);
	test_add_format(&m, "syscalls", EXIT_OPENAT);
	test_begin(&r, &m, "syscalls", "sys_enter_openat");
	test_put(&r, "dfd", 0, (uint64_t)AT_FDCWD);
	test_put(&r, "filename", 0, 0x7ffe0000);
	test_put(&r, "flags", 0, O_WRONLY | O_CREAT);
	test_put(&r, "mode", 0, 0600);
	assert_string_equal(test_print(&r, got, sizeof(got)),
			    "dfd: AT_FDCWD, filename: 0x7ffe0000, flags: O_WRONLY|O_CREAT, "
			    "mode: 0600");
	/* cut in the middle of flags, and before the first parameter */
	assert_string_equal(test_print_cut(&r, 36, got, sizeof(got)),
			    "dfd: AT_FDCWD, filename: 0x7ffe0000, ...");
	assert_string_equal(test_print_cut(&r, 16, got, sizeof(got)), "...");

	test_begin(&r, &m, "syscalls", "sys_exit_openat");
	test_put(&r, "ret", 0, (uint64_t)-ENOENT);
	assert_string_equal(test_print(&r, got, sizeof(got)), "-ENOENT");
	assert_string_equal(test_print_cut(&r, 16, got, sizeof(got)), "?");
	machine_down(&m);
}

static void strings_that_newer_kernels_keep_are_printed(void **state)
{
	struct test_record r;
	struct test_machine m;
	char got[TEXT_MAX];

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	test_add_format(&m, "syscalls",
			ENTER_OPENAT "\tfield:__data_loc char[] __filename_val;\toffset:48;"
				     "\tsize:4;\tsigned:0;\n" PRINT_OPENAT);
	test_begin(&r, &m, "syscalls", "sys_enter_openat");
	test_put(&r, "dfd", 0, 3);
	test_put(&r, "filename", 0, 0x10);
	test_put_string(&r, "__filename_val", "/a\"b\n");
	assert_string_equal(test_print(&r, got, sizeof(got)),
			    "dfd: 3, filename: 0x10 \"/a\\\"b\\x0a\", flags: O_RDONLY");
	/* pointing outside the record */
	test_put(&r, "__filename_val", 0, 0xffffffff);
	assert_string_equal(test_print(&r, got, sizeof(got)),
			    "dfd: 3, filename: 0x10, flags: O_RDONLY");
	machine_down(&m);
}

static void a_short_record_prints_the_fields_it_has(void **state)
{
	char got[TEXT_MAX];
	struct test_machine m;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	call_begin(&c, &m, 0, "read");
	call_arg(&c, "fd", 3, "3");
	call_arg(&c, "buf", 0x10, "0x10");
	assert_string_equal(test_print_cut(&c.record, 32, got, sizeof(got)),
			    "read(fd: 3, buf: 0x10, ...)");
	assert_string_equal(test_print_cut(&c.record, 23, got, sizeof(got)), "read(...)");
	assert_string_equal(test_print_cut(&c.record, 15, got, sizeof(got)), "NR ?");
	assert_string_equal(test_print_cut(&c.record, 0, got, sizeof(got)), "NR ?");
	machine_down(&m);
}

static void two_recordings_keep_their_own_options(void **state)
{
	struct test_machine x86, arm;
	struct call c;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&x86, "x86_64");
	set_options("arm64", "", "");
	machine_up(&arm, "arm64");
	call_begin(&c, &x86, 39, "getpid");
	call_check(&c);
	call_begin(&c, &arm, 172, "getpid");
	call_check(&c);
	/* the first one goes first, then the last */
	machine_down(&x86);
	call_begin(&c, &arm, 172, "getpid");
	call_check(&c);
	machine_down(&arm);
	assert_null(TEP_PLUGIN_OPTIONS[0].priv);
}

static void unloading_takes_every_handler_away(void **state)
{
	struct test_machine m;

	(void)state;
	machine_up(&m, "x86_64");
	test_add_format(&m, "syscalls", ENTER_OPENAT PRINT_OPENAT);
	assert_non_null(tep_find_event_by_name(m.tep, "syscalls", "sys_enter_openat")->handler);
	assert_int_equal(TEP_PLUGIN_UNLOADER(m.tep), 0);
	assert_null(tep_find_event_by_name(m.tep, "syscalls", "sys_enter_openat")->handler);
	assert_null(tep_find_event_by_name(m.tep, "raw_syscalls", "sys_enter")->handler);
	assert_null(tep_find_event_by_name(m.tep, "raw_syscalls", "sys_exit")->handler);
	/* once more does nothing */
	assert_int_equal(TEP_PLUGIN_UNLOADER(m.tep), 0);
	test_machine_release(&m);
}

/* xorshift64: the same bytes in every run */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void print_random(struct test_record *r, uint64_t *seed, char *got)
{
	size_t i;

	for (i = 0; i < r->used; i++)
		r->data[i] = (unsigned char)next_random(seed);
	/* mostly ids that exist, in the low byte or two of either byte order */
	if (next_random(seed) % 4)
		test_put(r, r->event->format.fields->name, 0, next_random(seed) % 512);
	test_print_cut(r, next_random(seed) % 3 ? r->used : next_random(seed) % (r->used + 1), got,
		       TEXT_MAX);
	assert_true(strlen(got) < TEXT_MAX - 1);
}

static void random_records_print_something(void **state)
{
	static const char *const archs[] = { "x86_64", "i386",    "x32",   "arm64",
					     "arm",    "riscv64", "s390x", "ppc64le" };
	uint64_t seed = 0x5eed;
	struct test_machine m;
	struct test_record r;
	char got[TEXT_MAX];
	size_t i, n;

	(void)state;
	for (i = 0; i < sizeof(archs) / sizeof(archs[0]); i++) {
		set_options(archs[i], "", "");
		machine_up(&m, archs[i]);
		test_add_format(&m, "syscalls", ENTER_OPENAT PRINT_OPENAT);
		test_add_format(&m, "syscalls", EXIT_OPENAT);
		for (n = 0; n < 3000; n++) {
			test_begin(&r, &m, "raw_syscalls", n % 3 ? "sys_enter" : "sys_exit");
			print_random(&r, &seed, got);
			test_begin(&r, &m, "syscalls",
				   n % 3 ? "sys_enter_openat" : "sys_exit_openat");
			print_random(&r, &seed, got);
		}
		machine_down(&m);
	}
}

/* An event as the kernel would make it of the prototype. */
static void add_event_of(struct test_machine *m, const struct sys_proto *proto, int id)
{
	char text[TEXT_MAX];
	unsigned int i;
	size_t used;

	used = (size_t)snprintf(text, sizeof(text),
				"name: sys_enter_%s\nID: %d\nformat:\n" COMMON
				"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n",
				proto->event, id);
	for (i = 0; i < proto->n_args; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "\tfield:unsigned long %s;\toffset:%u;\tsize:8;"
					 "\tsigned:0;\n",
					 proto->args[i].name, 16 + 8 * i);
	snprintf(text + used, sizeof(text) - used, "\nprint fmt: \"\"\n");
	test_add_format(m, "syscalls", text);
}

static void random_records_of_every_named_event_print_something(void **state)
{
	uint64_t seed = 0x5eed;
	struct test_machine m;
	struct test_record r;
	char name[80], got[TEXT_MAX];
	size_t i, n;

	(void)state;
	set_options("x86_64", "", "");
	machine_up(&m, "x86_64");
	for (i = 0; i < sys_n_protos; i++) {
		snprintf(name, sizeof(name), "sys_enter_%s", sys_protos[i].event);
		if (!tep_find_event_by_name(m.tep, "syscalls", name))
			add_event_of(&m, &sys_protos[i], 1000 + (int)i);
		for (n = 0; n < 30; n++) {
			test_begin(&r, &m, "syscalls", name);
			assert_non_null(r.event->handler);
			print_random(&r, &seed, got);
		}
	}
	machine_down(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags_have_the_names_of_the_headers),
		cmocka_unit_test(numbers_have_the_names_of_the_headers),
		cmocka_unit_test(unknown_values_are_shown),
		cmocka_unit_test(mode_prints_only_where_a_file_is_created),
		cmocka_unit_test(unknown_calls_print_as_the_kernel_prints_them),
		cmocka_unit_test(errors_have_the_compilers_names),
		cmocka_unit_test(returned_values_print_as_the_call_means_them),
		cmocka_unit_test(values_differ_between_architectures),
		cmocka_unit_test(registers_differ_between_architectures),
		cmocka_unit_test(pairs_of_registers_are_one_value_on_32_bits),
		cmocka_unit_test(x32_and_private_arm_calls_are_recognised_by_their_id),
		cmocka_unit_test(options_say_which_calls_are_compat),
		cmocka_unit_test(architecture_is_guessed_from_events),
		cmocka_unit_test(architecture_is_guessed_from_symbols),
		cmocka_unit_test(named_events_print_the_same_way),
		cmocka_unit_test(strings_that_newer_kernels_keep_are_printed),
		cmocka_unit_test(a_short_record_prints_the_fields_it_has),
		cmocka_unit_test(two_recordings_keep_their_own_options),
		cmocka_unit_test(unloading_takes_every_handler_away),
		cmocka_unit_test(random_records_print_something),
		cmocka_unit_test(random_records_of_every_named_event_print_something),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
