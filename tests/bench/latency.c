/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How soon a tool shows what happens; see live-latency.sh.
 *
 *   latency lines N GAP_US TOOL ARG...
 *	a process makes N calls, with GAP_US between; TOOL ARG... -p PID shows them on its standard
 *	error. Prints percentiles of the time from a call to its whole line, in ms, and TOOL's CPU
 *	time in percent, from the first call to the last line
 *   latency first TOOL ARG...
 *	ms from its start to the first byte of its standard error
 *   latency stop TOOL ARG...
 *	ms from SIGINT to its end, of TOOL ARG... -p PID
 *   latency calls SECONDS RATE
 *	make so many calls a second; prints how many there were
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SEC INT64_C(1000000000)
#define BAD_FD 23456
#define CALLS_MAX 1000000
#define LINE_MAX_BYTES 4096
#define ARGS_MAX 64

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Not by sleeping: a wakeup takes longer than the gap. */
static void wait_until(int64_t ns)
{
	const struct timespec ts = { ns / NS_PER_SEC, ns % NS_PER_SEC };

	if (ns - now() > 500000)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	while (now() < ns)
		;
}

static double ms(int64_t ns)
{
	return (double)ns / 1e6;
}

/* TOOL ARG... [-p PID], its standard error into a pipe: its pid, and the pipe's end in *@fd */
static pid_t start_tool(char **tool, pid_t target, int *fd)
{
	char pid[32], *argv[ARGS_MAX + 3];
	int ends[2], n = 0;
	pid_t child;

	for (; n < ARGS_MAX && tool[n]; n++)
		argv[n] = tool[n];
	snprintf(pid, sizeof(pid), "%d", (int)target);
	if (target) {
		argv[n++] = (char *)"-p";
		argv[n++] = pid;
	}
	argv[n] = NULL;
	if (pipe2(ends, O_CLOEXEC))
		exit(1);
	child = fork();
	if (!child) {
		dup2(ends[1], STDERR_FILENO);
		execv(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	*fd = ends[0];
	return child;
}

/* The times of calls that were made and of lines that were read, by the calls' numbers */
struct times {
	volatile int64_t made[CALLS_MAX], shown[CALLS_MAX];
	volatile int go;
	pid_t tool;
	int64_t begun, cpu_begun, ended, cpu_ended;
};

static int64_t cpu_of(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(pid, &clock))
		clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Calls numbered 0 and below only show that the tool is there. */
static void make_calls(struct times *t, long n, int64_t gap)
{
	int64_t next;

	while (!t->go) {
		lseek(BAD_FD, -1, SEEK_SET);
		usleep(20000);
	}
	next = now();
	for (long i = 0; i < n; i++) {
		wait_until(next += gap);
		t->made[i] = now();
		lseek(BAD_FD, i, SEEK_SET);
	}
	_exit(0);
}

static void note_line(struct times *t, const char *line, int64_t at, long n)
{
	static const char call[] = "lseek(23456, ";
	const char *p = strstr(line, call);
	long i = p && strstr(line, "= -1") ? strtol(p + strlen(call), NULL, 10) : LONG_MIN;

	if (i == -1 && !t->go) {
		t->begun = at;
		t->cpu_begun = cpu_of(t->tool);
		t->go = 1;
	}
	if (i >= 0 && i < n && !t->shown[i])
		t->shown[i] = at;
	if (i == n - 1) {
		t->ended = at;
		t->cpu_ended = cpu_of(t->tool);
	}
}

static void read_lines(struct times *t, int fd, long n)
{
	static char line[LINE_MAX_BYTES];
	size_t used = 0;
	ssize_t got;
	char *nl;

	while ((got = read(fd, line + used, sizeof(line) - 1 - used)) > 0) {
		const int64_t at = now();

		used += (size_t)got;
		line[used] = '\0';
		while ((nl = strchr(line, '\n'))) {
			*nl = '\0';
			note_line(t, line, at, n);
			used -= (size_t)(nl + 1 - line);
			memmove(line, nl + 1, used + 1);
		}
		if (used == sizeof(line) - 1)
			used = 0;
	}
}

static int compare(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int lines(long n, int64_t gap, char **tool)
{
	struct times *t =
		mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int64_t *late = calloc((size_t)n, sizeof(*late));
	long shown = 0;
	pid_t caller;
	int fd;

	if (t == MAP_FAILED || !late)
		return 1;
	caller = fork();
	if (!caller)
		make_calls(t, n, gap);
	t->tool = start_tool(tool, caller, &fd);
	read_lines(t, fd, n);
	waitpid(caller, NULL, 0);
	waitpid(t->tool, NULL, 0);
	for (long i = 0; i < n; i++)
		if (t->shown[i])
			late[shown++] = t->shown[i] - t->made[i];
	if (shown != n) {
		fprintf(stderr, "%ld of %ld calls were shown\n", shown, n);
		return 1;
	}
	qsort(late, (size_t)n, sizeof(*late), compare);
	printf("%.3f %.3f %.3f %.3f %.2f\n", ms(late[n / 2]), ms(late[n * 95 / 100]),
	       ms(late[n * 99 / 100]), ms(late[n - 1]),
	       100 * (double)(t->cpu_ended - t->cpu_begun) / (double)(t->ended - t->begun));
	return 0;
}

static int first(char **tool)
{
	const int64_t begun = now();
	char c;
	int fd;
	pid_t child = start_tool(tool, 0, &fd);

	if (read(fd, &c, 1) != 1)
		return 1;
	printf("%.1f\n", ms(now() - begun));
	while (read(fd, &c, 1) > 0)
		;
	waitpid(child, NULL, 0);
	return 0;
}

static int stop(char **tool)
{
	pid_t caller = fork(), child;
	struct times *t;
	int64_t begun;
	char c;
	int fd;

	if (!caller) {
		t = calloc(1, sizeof(*t));
		make_calls(t, 0, 0);
	}
	child = start_tool(tool, caller, &fd);
	if (read(fd, &c, 1) != 1)
		return 1;
	begun = now();
	kill(child, SIGINT);
	waitpid(child, NULL, 0);
	printf("%.1f\n", ms(now() - begun));
	kill(caller, SIGKILL);
	waitpid(caller, NULL, 0);
	return 0;
}

/* In bursts of a millisecond */
static int calls(double seconds, double rate)
{
	const int64_t begun = now(), end = begun + (int64_t)(seconds * 1e9);
	int64_t made = 0, due;

	while (now() < end) {
		due = (int64_t)((double)(now() - begun) / 1e9 * rate);
		for (; made < due; made++)
			lseek(BAD_FD, made, SEEK_SET);
		wait_until(now() + 100000);
	}
	printf("%lld\n", (long long)made);
	return 0;
}

int main(int argc, char **argv)
{
	const long n = argc > 2 ? strtol(argv[2], NULL, 10) : 0;

	if (argc > 4 && !strcmp(argv[1], "lines") && n > 0 && n <= CALLS_MAX)
		return lines(n, strtol(argv[3], NULL, 10) * 1000, argv + 4);
	if (argc > 2 && !strcmp(argv[1], "first"))
		return first(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "stop"))
		return stop(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "calls"))
		return calls(strtod(argv[2], NULL), strtod(argv[3], NULL));
	fprintf(stderr, "usage: latency lines|first|stop|calls ...\n");
	return 2;
}
