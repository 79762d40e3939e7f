/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrappers N - functions of the C library that make system calls with paths, and N programs that
 * are started by vfork(2), posix_spawn(3) and fork(2) in turn; each is this one with N 0. Linked
 * with shared libraries.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void call(void)
{
	char text[64];
	struct stat st;
	int fd = open("a file", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	FILE *f = fopen("a file", "re");
	DIR *dir = opendir(".");
	int calls = 0;

	if (f)
		fclose(f);
	if (dir)
		closedir(dir);
	close(fd);
	calls += stat("a file", &st) + lstat("a file", &st) + access("a file", R_OK);
	calls += fstatat(AT_FDCWD, "nothing", &st, 0) + chmod("a file", 0644);
	calls += link("a file", "another") + rename("another", "third") + unlink("third");
	calls += symlink("a file", "another") + (int)readlink("another", text, sizeof(text));
	calls += mkdir("a directory", 0700) + chdir("a directory") + chdir("..");
	calls += rmdir("a directory") + renameat(AT_FDCWD, "another", AT_FDCWD, "fourth");
	calls += unlinkat(AT_FDCWD, "fourth", 0) + truncate("a file", 3) + unlink("a file");
	exit(calls == 12345);
}

static void child(void)
{
	static char *const args[] = { "wrappers", "0", NULL }, *const none[] = { NULL };

	execve("/nonexistent/wrappers", args, none);
	execve("/bin/wrappers", args, none);
	_exit(127);
}

static pid_t spawn(int how)
{
	static char *const args[] = { "wrappers", "0", NULL }, *const none[] = { NULL };
	pid_t pid = -1;

	if (how == 1)
		return posix_spawn(&pid, "/bin/wrappers", NULL, NULL, args, none) ? -1 : pid;
	pid = how ? vfork() : fork();
	if (!pid)
		child();
	return pid;
}

int main(int argc, char **argv)
{
	const int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
	int ended = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = spawn(i % 3);
		int status;

		if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
			ended++;
	}
	if (!n)
		call();
	printf("%d\n", ended);
	return ended != n;
}
