/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pingpong COUNT [THERE BACK] - two processes that send each other numbered messages
 *
 * Prints both pids, waits for a line on standard input, and then sends COUNT messages each way, one
 * every five milliseconds. Each message is announced by a call of sent(), before it is sent, and of
 * received(), after it has come, with its number: for probes. Messages take THERE us from the first
 * process to the second, and BACK us in return.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void sent(uint64_t number);
void received(uint64_t number);

__attribute__((noipa)) void sent(uint64_t number)
{
	__asm__ volatile("" : : "r"(number) : "memory");
}

__attribute__((noipa)) void received(uint64_t number)
{
	__asm__ volatile("" : : "r"(number) : "memory");
}

static void put(int fd, uint64_t number, long us)
{
	const struct timespec way = { .tv_nsec = us * 1000 };

	sent(number);
	if (us)
		nanosleep(&way, NULL);
	if (write(fd, &number, sizeof(number)) != (ssize_t)sizeof(number))
		_exit(1);
}

static uint64_t get(int fd)
{
	uint64_t number;

	if (read(fd, &number, sizeof(number)) != (ssize_t)sizeof(number))
		_exit(0);
	received(number);
	return number;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const long there = argc > 3 ? strtol(argv[2], NULL, 10) : 0;
	const long back = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	int fds[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
		return 1;
	child = fork();
	if (child < 0)
		return 1;
	if (!child) {
		close(fds[0]);
		for (;;)
			put(fds[1], get(fds[1]) + 1, back);
	}
	close(fds[1]);
	printf("%d %d\n", (int)getpid(), (int)child);
	fflush(stdout);
	if (getchar() == EOF)
		return 1;
	for (uint64_t i = 0; i < count; i++) {
		put(fds[0], 2 * i, there);
		get(fds[0]);
		nanosleep(&pause, NULL);
	}
	close(fds[0]);
	waitpid(child, NULL, 0);
	return 0;
}
