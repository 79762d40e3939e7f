/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paths - makes system calls that take a path, in the current directory: with two paths, with an
 * empty one, with none, with one that is long, that is not ASCII, that goes over the end of a page
 * and that cannot be read; from a thread, and from children that share their parent's memory.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_NAME 200

static void plain(const char *name, const char *other)
{
	char text[64];
	struct stat st;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_RDWR, 0600);

	close(fd);
	fd = (int)syscall(SYS_open, name, O_RDONLY);
	syscall(SYS_newfstatat, AT_FDCWD, name, &st, 0);
	syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH);
	syscall(SYS_stat, name, &st);
	syscall(SYS_lstat, name, &st);
	syscall(SYS_access, name, R_OK);
	syscall(SYS_faccessat, AT_FDCWD, name, R_OK);
	syscall(SYS_chmod, name, 0644);
	syscall(SYS_truncate, name, 10);
	syscall(SYS_link, name, other);
	syscall(SYS_unlink, other);
	syscall(SYS_rename, name, other);
	syscall(SYS_renameat2, AT_FDCWD, other, AT_FDCWD, name, 0);
	syscall(SYS_symlinkat, name, AT_FDCWD, other);
	syscall(SYS_readlink, other, text, sizeof(text));
	syscall(SYS_unlinkat, AT_FDCWD, other, 0);
	syscall(SYS_rename, name, name);
	syscall(SYS_unlink, name);
	close(fd);
}

static void odd(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	static const char over[] = "over/the/end";
	struct stat st;
	char *fresh =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	syscall(SYS_openat, AT_FDCWD, "", O_RDONLY);
	syscall(SYS_rename, "", "");
	syscall(SYS_open, NULL, O_RDONLY);
	syscall(SYS_open, (char *)16, O_RDONLY);
	syscall(SYS_rename, (char *)16, "other");
	syscall(SYS_utimensat, AT_FDCWD, NULL, NULL, 0);
	syscall(SYS_openat, AT_FDCWD, "a\tb\"c\\d\001e", O_RDONLY);
	if (fresh == MAP_FAILED)
		return;
	/* over the end of a page, and a page that was written and is gone: read as an empty path */
	memcpy(fresh + page - 3, over, sizeof(over));
	syscall(SYS_stat, fresh + page - 3, &st);
	madvise(fresh, 2 * page, MADV_DONTNEED);
	syscall(SYS_stat, fresh, &st);
}

/* Programs' constants are read from the file when they are first used. */
static void *in_thread(void *context)
{
	(void)context;
	for (int i = 0; i < 20; i++) {
		char name[64];

		snprintf(name, sizeof(name), "/nonexistent/in/a/thread/%d", i);
		access(name, F_OK);
	}
	return NULL;
}

int main(void)
{
	static char *const args[] = { "true", NULL }, *const none[] = { NULL };
	char name[LONG_NAME + 1];
	pthread_t thread;
	pid_t pid;

	pthread_create(&thread, NULL, in_thread, NULL);
	plain("name", "other");
	plain("n\303\244me", "./\342\202\254");
	memset(name, 'x', LONG_NAME);
	name[LONG_NAME] = '\0';
	plain(name, "other");
	odd();
	pthread_join(thread, NULL);
	for (int i = 0; i < 5; i++) {
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, args, none))
			waitpid(pid, NULL, 0);
		pid = vfork();
		if (!pid) {
			execve("/bin/true", args, none);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	pid = vfork();
	if (!pid) {
		execve("/nonexistent/program", args, none);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
	return 0;
}
