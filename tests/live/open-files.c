/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * open-files steps FILE: descriptors are made, copied, passed on to a program and closed; prints
 *	what each is. Before the first use and the close of some it calls lseek(FD, 9001, 0), once
 *	more for each 'a' that it reads, and goes on after another byte; without one, after a
 *	while. Then the same with 9002
 * open-files churn DIRECTORY: threads and a child open, copy and close files f0 to f7 without a
 *	pause. lseek(FD, 1000 + N, 0) is made only of descriptors of file N
 * open-files results FILE: makes descriptors by all calls that return one, says "ready", and keeps
 *	them until standard input ends
 * open-files wait FILE: opens FILE, says "ready", calls lseek(FD, 9001, 0) for each byte that it
 *	reads, and lseek(FD, 105, 0) when standard input ends
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILES 8
#define PAUSE_US 60000

static void say(const char *what, int fd)
{
	char path[64], text[PATH_MAX];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, text, sizeof(text) - 1);
	printf("%s %d<%.*s>\n", what, fd, n > 0 ? (int)n : 0, text);
	fflush(stdout);
}

/* Who has shown such a call, perhaps with its file, has learnt what was open before it. */
static void arrange(int fd, int n)
{
	char c;

	do {
		lseek(fd, 9000 + n, SEEK_SET);
		if (read(0, &c, 1) != 1) {
			usleep(PAUSE_US);
			return;
		}
	} while (c == 'a');
}

static int steps(const char *file)
{
	int fd = open(file, O_RDONLY), copy, ends[2], pair[2];
	char c;

	arrange(fd, 1);
	say("lseek", fd);
	lseek(fd, 101, SEEK_SET);
	copy = dup2(fd, 40);
	close(fd);
	say("lseek", copy);
	lseek(copy, 102, SEEK_SET);
	if (pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		return 1;
	arrange(copy, 2);
	say("write", ends[1]);
	if (write(ends[1], "x", 1) != 1)
		return 1;
	say("read", ends[0]);
	if (read(ends[0], &c, 1) != 1)
		return 1;
	say("shutdown", pair[0]);
	shutdown(pair[0], SHUT_RD);
	if (!fork()) {
		lseek(copy, 103, SEEK_SET);
		fcntl(ends[0], F_SETFD, FD_CLOEXEC);
		execl("/proc/self/exe", "open-files", "passed", NULL);
		_exit(127);
	}
	wait(NULL);
	return 0;
}

/* After exec: 40 is still open, the pipe's first end is not */
static int passed(void)
{
	say("lseek", 40);
	lseek(40, 104, SEEK_SET);
	return 0;
}

static void *churn(void *arg)
{
	unsigned int seed = (unsigned int)(size_t)arg;

	for (int k = 0; k < 400; k++) {
		int n = rand_r(&seed) % FILES, fd, copy;
		char name[8];

		snprintf(name, sizeof(name), "f%d", n);
		fd = open(name, O_RDONLY);
		if (rand_r(&seed) % 4 == 0)
			usleep((unsigned int)rand_r(&seed) % 9000);
		lseek(fd, 1000 + n, SEEK_SET);
		if (rand_r(&seed) % 3 == 0) {
			copy = dup(fd);
			lseek(copy, 1000 + n, SEEK_SET);
			close(copy);
		}
		lseek(fd, 1000 + n, SEEK_SET);
		close(fd);
	}
	return NULL;
}

/* Where there is a FIFO "go", once somebody has it open for writing */
static void *churn_when_let(void *arg)
{
	close(open("go", O_RDONLY));
	return churn(arg);
}

static int churn_all(const char *directory)
{
	pthread_t thread[4];
	char name[8];

	if (chdir(directory))
		return 1;
	for (int i = 0; i < FILES; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		close(open(name, O_CREAT | O_WRONLY, 0600));
	}
	for (size_t i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, churn_when_let, (void *)(i + 1));
	usleep(PAUSE_US);
	if (!fork()) {
		churn((void *)77);
		_exit(0);
	}
	for (size_t i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	wait(NULL);
	return 0;
}

static int results(const char *file)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX }, peer;
	uint64_t how[3] = { O_RDONLY };
	socklen_t len = sizeof(peer);
	int fd, listener;
	char c;

	lseek(-1, 9000, SEEK_SET);
	syscall(SYS_openat, AT_FDCWD, 1, O_RDONLY);
	fd = open(file, O_RDONLY);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	syscall(SYS_openat2, AT_FDCWD, file, how, sizeof(how));
	creat("created", 0600);
#ifdef SYS_open
	syscall(SYS_open, "created", O_RDWR);
#endif
	open(".", O_RDONLY | O_DIRECTORY);
	open("/dev/null", O_WRONLY);
	dup(fd);
	dup2(fd, 50);
	dup3(fd, 51, O_CLOEXEC);
	fcntl(fd, F_DUPFD, 60);
	fcntl(fd, F_DUPFD_CLOEXEC, 61);
	eventfd(0, 0);
	epoll_create1(0);
	memfd_create("memory", 0);
	/* a name that the kernel chooses */
	bind(listener, (struct sockaddr *)&name, sizeof(name.sun_family));
	listen(listener, 1);
	if (!fork()) {
		fd = socket(AF_UNIX, SOCK_STREAM, 0);
		getsockname(listener, (struct sockaddr *)&peer, &len);
		connect(fd, (struct sockaddr *)&peer, len);
		_exit(read(fd, &c, 1) > 0);
	}
	fd = accept4(listener, NULL, NULL, 0);
	lseek(fd, 9001, SEEK_SET);
	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	close(fd);
	wait(NULL);
	return 0;
}

static int wait_for_end(const char *file)
{
	int fd = open(file, O_RDONLY);
	char c;

	puts("ready");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		lseek(fd, 9001, SEEK_SET);
	return lseek(fd, 105, SEEK_SET) != 105;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "passed"))
		return passed();
	if (argc < 3)
		return 2;
	return !strcmp(argv[1], "steps")   ? steps(argv[2]) :
	       !strcmp(argv[1], "churn")   ? churn_all(argv[2]) :
	       !strcmp(argv[1], "results") ? results(argv[2]) :
					     wait_for_end(argv[2]);
}
