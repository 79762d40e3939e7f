/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls-32 FILE: a program of 32 bits without a library (-m32 -nostdlib -static): calls with paths,
 * descriptors, flags and errors by the numbers of i386, in two processes, and then execve() of
 * /bin/true, which has 64. The numbers are those of arch/x86/entry/syscalls/syscall_32.tbl.
 */
enum {
	NR_EXIT = 1,
	NR_FORK = 2,
	NR_READ = 3,
	NR_OPEN = 5,
	NR_CLOSE = 6,
	NR_UNLINK = 10,
	NR_EXECVE = 11,
	NR_CHDIR = 12,
	NR_LSEEK = 19,
	NR_GETPID = 20,
	NR_ACCESS = 33,
	NR_MKDIR = 39,
	NR_RMDIR = 40,
	NR_DUP = 41,
	NR_BRK = 45,
	NR_DUP2 = 63,
	NR_GETPPID = 64,
	NR_WAIT4 = 114,
	NR_GETUID32 = 199,
	NR_GETTID = 224,
	NR_OPENAT = 295,
};

static long call(long nr, long a, long b, long c, long d)
{
	long ret;

	__asm__ volatile("int $0x80"
			 : "=a"(ret)
			 : "a"(nr), "b"(a), "c"(b), "d"(c), "S"(d)
			 : "memory");
	return ret;
}

static void use_files(const char *file)
{
	enum { AT_CWD = -100, DIRECTORY = 0200000 };
	char byte;
	long fd = call(NR_OPEN, (long)file, 0, 0, 0);

	for (int i = 0; i < 10; i++)
		call(NR_READ, fd, (long)&byte, 1, 0);
	call(NR_LSEEK, fd, -1, 2, 0);
	call(NR_DUP2, fd, 30, 0, 0);
	call(NR_CLOSE, fd, 0, 0, 0);
	call(NR_CLOSE, fd, 0, 0, 0);
	call(NR_OPENAT, AT_CWD, (long)".", DIRECTORY, 0);
	call(NR_OPEN, (long)"/nonexistent", 0, 0, 0);
	call(NR_ACCESS, (long)"/", 7, 0, 0);
	call(NR_MKDIR, (long)"made-by-32", 0750, 0, 0);
	call(NR_RMDIR, (long)"made-by-32", 0, 0, 0);
	call(NR_UNLINK, (long)"made-by-32", 0, 0, 0);
	call(NR_DUP, -1, 0, 0, 0);
	call(NR_CHDIR, 0, 0, 0, 0);
}

/* The stack as the kernel makes it: argc, argv */
void begin(const long *stack)
{
	char *argv[] = { "true", 0 };
	long child;

	use_files((const char *)stack[2]);
	for (int i = 0; i < 20; i++)
		call(NR_GETPID, 0, 0, 0, 0);
	child = call(NR_FORK, 0, 0, 0, 0);
	for (int i = 0; !child && i < 7; i++)
		call(NR_GETPPID, 0, 0, 0, 0);
	if (!child)
		call(NR_EXIT, 5, 0, 0, 0);
	call(NR_WAIT4, -1, 0, 0, 0);
	call(NR_BRK, 0, 0, 0, 0);
	call(NR_GETUID32, 0, 0, 0, 0);
	call(NR_GETTID, 0, 0, 0, 0);
	call(NR_EXECVE, (long)"/bin/true", (long)argv, 0, 0);
	call(NR_EXIT, 1, 0, 0, 0);
}

__asm__(".globl _start\n_start: pushl %esp\n call begin\n");
