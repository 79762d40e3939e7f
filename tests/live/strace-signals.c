/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that signals interrupt, restart and end, for a comparison of tracers: the argument chooses.
 * Nothing depends on the speed of the machine: a signal is sent once the call that it is to
 * interrupt waits.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void on_signal(int sig)
{
	caught = sig;
}

static void handle(int sig, int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	action.sa_flags = flags;
	sigaction(sig, &action, NULL);
}

/* The letter that /proc has for the state of a task */
static char state_of(pid_t pid)
{
	char name[64], text[256], *end;
	FILE *f;
	size_t n;

	snprintf(name, sizeof(name), "/proc/%d/stat", (int)pid);
	f = fopen(name, "r");
	if (!f)
		return '?';
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && end[1] == ' ' ? end[2] : '?';
}

static void wait_until_asleep(pid_t pid)
{
	while (state_of(pid) != 'S')
		sched_yield();
}

/* A child that waits in @calls, and gets @sig once it does; it may read from a pipe */
static int child(void (*calls)(int), int sig)
{
	int ends[2], status;
	pid_t pid;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		calls(ends[0]);
		_exit(7);
	}
	close(ends[0]);
	wait_until_asleep(pid);
	kill(pid, sig);
	if (sig != SIGKILL && sig != SIGTERM) {
		while (state_of(pid) != 'S' && state_of(pid) != 'Z')
			sched_yield();
		if (write(ends[1], "x", 1) != 1)
			return 1;
	}
	close(ends[1]);
	return waitpid(pid, &status, 0) == pid ? 0 : 1;
}

static void reads(int fd)
{
	char c;

	if (read(fd, &c, 1) < 0)
		(void)!read(fd, &c, 1);
}

static void sleeps(int fd)
{
	const struct timespec second = { .tv_sec = 1 };

	(void)fd;
	nanosleep(&second, NULL);
}

static void *waits(void *fd)
{
	reads(*(int *)fd);
	return NULL;
}

static void has_threads(int fd)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, waits, &fd);
	reads(fd);
}

static int interrupt(void)
{
	handle(SIGUSR1, SA_RESTART);
	handle(SIGUSR2, 0);
	return child(reads, SIGUSR1) | child(reads, SIGUSR2) | child(sleeps, SIGUSR2);
}

static int block(void)
{
	union sigval value = { .sival_int = 42 };
	sigset_t set, old;

	handle(SIGUSR1, SA_SIGINFO | SA_NODEFER);
	handle(SIGRTMIN + 3, SA_RESETHAND);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGRTMIN + 3);
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	sigqueue(getpid(), SIGRTMIN + 3, value);
	sigpending(&set);
	sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	alarm(0);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { .tv_usec = 1 } }, NULL);
	return 0;
}

static int ignore(void)
{
	pid_t pid;

	signal(SIGPIPE, SIG_IGN);
	raise(SIGPIPE);
	pid = fork();
	if (!pid)
		abort();
	waitpid(pid, NULL, 0);
	return 0;
}

static int kills(void)
{
	return child(reads, SIGKILL) | child(sleeps, SIGTERM) | child(has_threads, SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} kinds[] = {
		{ "interrupt", interrupt },
		{ "block", block },
		{ "ignore", ignore },
		{ "kill", kills },
	};

	for (size_t i = 0; argc == 2 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name))
			return kinds[i].run();
	fputs("usage: strace-signals interrupt|block|ignore|kill\n", stderr);
	return 2;
}
