/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs whose CPU time is known, to compare a profile with.
 *
 *	busy steady SECONDS	computes all the time, in five functions
 *	busy timed SECONDS	0.5 ms of work every 4 ms, when a timer of its own expires
 *
 * Both end after so many seconds: steady of CPU time, timed of time. "steady" prints a line for
 * each function: its name and ns of CPU time. Every call is measured: reading the clock takes some
 * 0.3 % of it, while the cost of a part of the calls would be off by what interrupts and the host
 * took just then. The last line is "total" and the CPU time of the process.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_SEC 1000000000LL
#define PERIOD 4000000
#define WORK 500000

static volatile uint64_t sink;

static int64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_SEC + ts.tv_nsec;
}

/* Each is a loop whose iterations take the same time, and calls nothing. */
#define WORKER(name, step)                              \
	__attribute__((noinline)) void name(uint64_t n) \
	{                                               \
		uint64_t x = sink;                      \
                                                        \
		while (n--)                             \
			x = (step);                     \
		sink = x;                               \
	}

void work_mul(uint64_t n);
void work_div(uint64_t n);
void work_xor(uint64_t n);
void work_rot(uint64_t n);
void work_add(uint64_t n);
WORKER(work_mul, x * 6364136223846793005U + 1442695040888963407U)
WORKER(work_div, (x | 1) % 1000003 + n * 2654435761U)
WORKER(work_xor, (x ^ x << 13) ^ (x ^ x << 13) >> 7)
WORKER(work_rot, (x << 7 | x >> 57) + n)
WORKER(work_add, (x + n) ^ (x >> 3))

static const struct {
	const char *name;
	void (*work)(uint64_t n);
	unsigned int share;
} workers[] = {
	{ "work_mul", work_mul, 8 }, { "work_div", work_div, 5 }, { "work_xor", work_xor, 4 },
	{ "work_rot", work_rot, 2 }, { "work_add", work_add, 1 },
};

#define N_WORKERS (sizeof(workers) / sizeof(workers[0]))

/* Return: ns of CPU time */
static int64_t measure(void (*work)(uint64_t n), uint64_t n)
{
	const int64_t begin = now(CLOCK_THREAD_CPUTIME_ID);

	work(n);
	return now(CLOCK_THREAD_CPUTIME_ID) - begin;
}

/* Iterations that take about 100 us; adds what finding out took to *@cost */
static uint64_t calibrate(void (*work)(uint64_t n), int64_t *cost)
{
	uint64_t n = 1000;
	int64_t took = 0;

	for (; took < 2000000; n *= 2) {
		took = measure(work, n);
		*cost += took;
	}
	return (uint64_t)((double)n / 2 * 100000 / (double)took) + 1;
}

static void steady(int64_t until)
{
	int64_t cost[N_WORKERS] = { 0 };
	uint64_t unit[N_WORKERS];

	for (size_t i = 0; i < N_WORKERS; i++)
		unit[i] = calibrate(workers[i].work, &cost[i]);
	while (now(CLOCK_PROCESS_CPUTIME_ID) < until) {
		for (size_t i = 0; i < N_WORKERS; i++)
			cost[i] += measure(workers[i].work, unit[i] * workers[i].share);
	}
	for (size_t i = 0; i < N_WORKERS; i++)
		printf("%s %lld\n", workers[i].name, (long long)cost[i]);
}

static void timed(int64_t until)
{
	int64_t next = now(CLOCK_MONOTONIC), begin;
	struct timespec ts;

	while (next < until) {
		next += PERIOD;
		ts = (struct timespec){ next / NS_PER_SEC, next % NS_PER_SEC };
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		begin = now(CLOCK_THREAD_CPUTIME_ID);
		while (now(CLOCK_THREAD_CPUTIME_ID) - begin < WORK)
			work_mul(2000);
	}
}

int main(int argc, char **argv)
{
	const double seconds = argc == 3 ? atof(argv[2]) : 0;
	const int64_t ns = (int64_t)(seconds * NS_PER_SEC);
	struct rusage u;

	if (argc == 3 && !strcmp(argv[1], "steady"))
		steady(ns);
	else if (argc == 3 && !strcmp(argv[1], "timed"))
		timed(now(CLOCK_MONOTONIC) + ns);
	else
		return 2;
	getrusage(RUSAGE_SELF, &u);
	printf("total %lld\n", (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_SEC +
				       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000LL);
	return 0;
}
