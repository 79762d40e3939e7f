/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls three functions deep, for t-trace-stack.sh: made without a library, so that each
 * caller has its frame. Built with frame pointers. With an argument it does not end.
 */
#include <unistd.h>

#define BAD_FD 12345
#define TIMES 3

__attribute__((noinline)) static long innermost(long n)
{
	long ret;

	/* A function that calls none has no frame otherwise. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
#ifdef __x86_64__
	register long whence __asm__("rdx") = 1;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(8L), "D"((long)BAD_FD), "S"(n), "r"(whence)
			 : "rcx", "r11", "memory");
#else
#error "for x86_64"
#endif
	return ret;
}

__attribute__((noinline)) static long middle(long n)
{
	long ret = innermost(2 * n);

	__asm__ volatile("" : "+r"(ret));
	return ret + 1;
}

__attribute__((noinline)) static long outermost(long n)
{
	long ret = middle(n + 1);

	__asm__ volatile("" : "+r"(ret));
	return ret + 1;
}

int main(int argc, char **argv)
{
	long sum = 0;

	(void)argv;
	for (int i = 0; i < TIMES; i++)
		sum += outermost(i);
	while (argc > 1 && !usleep(1000))
		sum += outermost(0);
	return sum == 0;
}
