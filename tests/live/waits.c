/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that wait for something known, for t-trace-why.sh: "waits FILE". It prints its
 * process and that of its child.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLEEP_NS 30000000
#define BYTES (1 << 20)

static char data[BYTES];

static void sleep_ns(long ns)
{
	const struct timespec ts = { .tv_nsec = ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL);
}

/* Does this process sleep? */
static bool sleeps(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

/* The child wakes its parent, which waits in read() and sleeps nowhere else, after a while. */
static pid_t write_late(int fd)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	while (!sleeps(parent))
		sleep_ns(SLEEP_NS);
	sleep_ns(SLEEP_NS);
	if (write(fd, "x", 1) != 1)
		_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	int ends[2], zero = open("/dev/zero", O_RDONLY), fd, status = 1;
	char *fresh = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char byte;
	pid_t child;

	if (argc != 2 || fresh == MAP_FAILED || pipe(ends))
		return 1;
	sleep_ns(SLEEP_NS);
	child = write_late(ends[1]);
	if (read(ends[0], &byte, 1) != 1 || waitpid(child, &status, 0) != child)
		return 1;
	/* a page that was never touched, and one that was touched by the call before */
	if (pread(zero, fresh, 1, 0) != 1 || pread(zero, fresh, 1, 1) != 1)
		return 1;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0 || write(fd, data, BYTES) != BYTES || fsync(fd))
		return 1;
	printf("%d %d\n", (int)getpid(), (int)child);
	return status;
}
