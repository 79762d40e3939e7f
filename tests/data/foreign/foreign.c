/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make.sh compiles this for each machine: registers, stack, bitfields, numbers of two registers. */
struct inner {
	char name[16];
	const char *text;
};

struct bits {
	unsigned int a : 3;
	unsigned int b : 5;
	int c : 9;
	unsigned long long d : 40;
};

struct outer {
	int id;
	struct inner *in;
	struct bits bits;
	short grid[3][4];
};

int counter = 7;
static long hidden;

__attribute__((noinline)) int many(int a, unsigned int b, long c, short d, signed char e, char *f,
				   int g, int h, int i, int j, struct outer *o)
{
	counter += a + (int)b + (int)c + d + e + *f + g + h + i + j + o->id;
	return counter;
}

__attribute__((noinline)) long long wide(int a, long long b, unsigned long long c)
{
	counter += a;
	return b + (long long)c;
}

__attribute__((noinline)) const char *deep(struct outer *o, int n)
{
	o->bits.b = 3;
	o->grid[1][2] = (short)n;
	return o->in->text;
}

__attribute__((noinline)) double real(float f, double d, int k)
{
	counter += k;
	return f + d;
}

static inline __attribute__((always_inline)) int twice(int n, struct outer *p)
{
	counter += n;
	return n * 2 + p->id;
}

__attribute__((noinline)) int caller(struct outer *q, int m)
{
	hidden += m;
	counter ^= 5;
	return twice(m + 1, q) + counter;
}

int main(int argc, char **argv)
{
	struct outer o = { .id = argc, .in = &(struct inner){ "n", argv[0] } };

	many(1, 2, 3, 4, 5, argv[0], 7, 8, 9, 10, &o);
	wide(1, 2, 3);
	deep(&o, 5);
	real(1, 2, 3);
	caller(&o, 3);
	return (int)hidden & 0;
}
