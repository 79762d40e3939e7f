/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spawns N - starts /bin/true N times from a vfork(2) child, which shares its parent's memory until
 * it has called execve(2), and prints how many of them ended well. at_exec() is the only place that
 * calls execve.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

long at_exec(const char *path, char *const argv[], char *const envp[]);

__asm__(".text\n"
	".globl at_exec\n"
	".type at_exec, @function\n"
	"at_exec:\n"
	"	endbr64\n"
	"	mov $59, %eax\n"
	"	syscall\n"
	"	ret\n"
	".size at_exec, . - at_exec\n");

int main(int argc, char **argv)
{
	static char *const args[] = { "true", NULL }, *const none[] = { NULL };
	int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0, ended = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = vfork();
		int status;

		if (!pid) {
			at_exec("/bin/true", args, none);
			_exit(127);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
			ended++;
	}
	printf("%d\n", ended);
	return ended != n;
}
