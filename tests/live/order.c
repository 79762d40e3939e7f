/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each variable has values of its own: those of vN are N million and some hundreds. A value read
 * from a location that is not the variable's yet, or not any more, is outside that range.
 */
#include <stdio.h>

#define OWN __attribute__((noinline, noclone))
#define COPY static inline __attribute__((always_inline))

static volatile int sink;
static volatile int three = 3;

OWN static void use(int x)
{
	sink ^= x;
}

OWN static void taken(int *p)
{
	*p = *p / 1000000 * 1000000 + (*p + 7) % 1000;
}

/* leaves something else in a register that arguments are passed in */
OWN static void spoil(int *p)
{
	sink += *p & 1;
#if defined(__x86_64__)
	__asm__ volatile("mov $4242, %%edx" : : : "rdx");
#endif
}

COPY int copied(int v7)
{
	int v6 = 6000000 + v7 % 1000;

	taken(&v6);
	use(v7);
	taken(&v7);
	return v6 % 1000 + v7 % 1000;
}

OWN static int late(int v1, int v2)
{
	use(v1);
	int v3 = 3000000 + (v1 + v2) % 1000;
	for (int i = 0; i < three; i++) {
		use(v3);
		taken(&v3);
		sink = i;
	}
	taken(&v1);
	use(v2);
	int v4 = 4000000 + (v3 + sink) % 1000;
	if (v4 & 1) {
		use(v4);
		taken(&v4);
	}
	use(v1 ^ v3);
	int v5 = 5000000 + v4 % 1000;
	taken(&v5);
	sink ^= copied(7000000 + v5 % 1000);
	use(v5);
	return v4 + v5;
}

OWN static int reused(int v1, int v2, int v3)
{
	sink = v1 + v3;
	spoil(&v1);
	sink = 5;
	spoil(&v2);
	sink = 6;
	return v1 + v2;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		sum ^= late(1000000 + i, 2000000 + i * 5);
		sum ^= reused(1000000 + i, 2000000 + i, 3000000 + i * 7);
	}
	printf("%d\n", sum);
	return 0;
}
