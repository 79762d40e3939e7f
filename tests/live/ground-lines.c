/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values at lines: locals that hide parameters, small structures that are passed in registers,
 * numbers with a sign. As ground.c, but what stands before the expressions is a probe's point.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

struct point {
	int x, y;
};

struct three {
	int a, b, c;
};

struct bits {
	int five : 5;
	unsigned int three : 3;
	int : 0;
	int whole : 32;
	long wide : 40;
};

static char said[1 << 18];
static size_t used;
static volatile long sink;

#define SAY(...)                                                                  \
	do {                                                                      \
		int n_ = snprintf(said + used, sizeof(said) - used, __VA_ARGS__); \
		if (n_ > 0 && (size_t)n_ < sizeof(said) - used)                   \
			used += (size_t)n_;                                       \
	} while (0)
#define OWN __attribute__((noinline))
#define COPY static inline __attribute__((always_inline))
#define USE(v) __asm__ volatile("" ::"r"(v))

static OWN void say_signed(const char *text, long v)
{
	SAY(v < 0 ? "\t%s=%ld" : "\t%s=0x%lx", text, v);
}

/* the line after this one, and a variable of it */
static OWN void say_next(int line, const char *text, long v)
{
	SAY("ground-lines.c:%d", line + 1);
	say_signed(text, v);
	SAY("\n");
}

OWN void hidden_by_a_block(int x)
{
	say_next(__LINE__, "x", x);
	sink++;
	{
		int x = 50 + (int)sink % 3;

		say_next(__LINE__, "x", x);
		sink++;
		x++;
		say_next(__LINE__, "x", x);
		sink++;
		USE(x);
	}
	say_next(__LINE__, "x", x);
	sink++;
	USE(x);
}

OWN void hidden_by_a_constant(int x)
{
	sink += x;
	{
		int x = 70;

		x++;
		say_next(__LINE__, "x", 71);
		sink += x;
		USE(x);
	}
	say_next(__LINE__, "x", x);
	sink += x;
	USE(x);
}

/* clang keeps nothing of the block where this is inlined, not even that it was there */
COPY void hidden_and_left_out(long x)
{
	sink += x;
	{
		unsigned char x = (unsigned char)(sink % 7 + 10);

		say_next(__LINE__, "x", x);
		sink++;
		USE((long)x);
		x++;
		say_next(__LINE__, "x", x);
		sink++;
		USE((long)x);
	}
	sink += x;
}

/* its variable is described once, not in each copy; clang describes it in no function */
#ifndef __clang__
COPY void counted(int n)
{
	static int calls = 30;

	calls += n;
	say_next(__LINE__, "calls", calls);
	sink++;
}
#else
#define counted(n) (void)(n)
#endif

OWN void hidden_twice(long n)
{
	for (long i = 0; i < 3; i++) {
		long n = 10 * i;

		say_next(__LINE__, "n", n);
		sink += n;
		for (long n = 5; n < 7; n++) {
			say_next(__LINE__, "n", n);
			sink += n;
			USE(n);
		}
		USE(n);
	}
	say_next(__LINE__, "n", n);
	sink += n;
	USE(n);
}

OWN long in_registers(struct point p, int z, struct three f)
{
	SAY("in_registers");
	say_signed("p.x", p.x);
	say_signed("p.y", p.y);
	say_signed("p.y:s32", p.y);
	say_signed("z", z);
	say_signed("f.b", f.b);
	say_signed("f.c", f.c);
	SAY("\n");
	sink += p.x + p.y + z + f.a + f.b + f.c;
	return sink;
}

OWN long in_memory(const struct bits *b, const int (*row)[3])
{
	SAY("in_memory");
	say_signed("b->five", b->five);
	say_signed("b->three", b->three);
	say_signed("b->whole", b->whole);
	say_signed("b->wide", b->wide);
	say_signed("row[0][2]", row[0][2]);
	SAY("\n");
	sink += b->five + b->whole + b->wide + (*row)[1];
	return sink;
}

int main(void)
{
	for (int n = -2; n < 3; n++) {
		struct bits b = { -7 * n / 2, 5, -33 * n, -123456789L * n };
		int row[3] = { 0, n, -123 * n };

		hidden_by_a_block(n);
		hidden_by_a_constant(n - 5);
		hidden_and_left_out(-3);
		hidden_twice(n);
		counted(n);
		counted(2 * n);
		in_registers((struct point){ n, -2 * n }, 3 * n, (struct three){ -1, -300 * n, n });
		in_memory(&b, &row);
	}
	fwrite(said, 1, used, stdout);
	return 0;
}
