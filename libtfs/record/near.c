/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "record/near.h"

/* Sub-buffers; moving costs more than taking fewer from another CPU */
#define WORTH_IT 8
/* A pause that takes this much longer: the CPU is not to be had. */
#define LATE_NS UINT64_C(100000000)

void tfs_near_init(struct tfs_near *near)
{
	*near = (struct tfs_near){ .cpu = -1 };
	/* A kernel with more CPUs than the set has room for refuses: no moves. */
	near->given_up = sched_getaffinity(0, sizeof(near->cpus), &near->cpus) != 0;
}

static void move(struct tfs_near *near, int cpu)
{
	cpu_set_t one;

	if (cpu < 0) {
		sched_setaffinity(0, sizeof(near->cpus), &near->cpus);
	} else {
		CPU_ZERO(&one);
		CPU_SET((unsigned int)cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			return;
	}
	near->cpu = cpu;
}

void tfs_near_release(struct tfs_near *near)
{
	if (near->cpu >= 0)
		move(near, -1);
}

int tfs_near_choose(const unsigned int *cpus, const size_t *found, size_t n)
{
	size_t all = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		all += found[i];
		if (found[i] > found[most])
			most = i;
	}
	if (all < WORTH_IT || found[most] < all - all / 4 || cpus[most] >= CPU_SETSIZE)
		return -1;
	return (int)cpus[most];
}

void tfs_near_move(struct tfs_near *near, int cpu, uint64_t now, uint64_t pause_ns)
{
	const uint64_t took = now - near->since;

	near->since = now;
	if (near->given_up)
		return;
	if (near->cpu >= 0 && took > pause_ns + LATE_NS) {
		near->given_up = true;
		cpu = -1;
	}
	if (cpu >= 0 && !CPU_ISSET((unsigned int)cpu, &near->cpus))
		cpu = -1;
	if (cpu != near->cpu)
		move(near, cpu);
}
