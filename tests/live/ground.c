/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that say what they were given: a line a call, "FUNCTION<tab>EXPRESSION=VALUE...",
 * the expressions as tc-probe takes them. Lines are kept until the end, so that what is
 * recorded in between is not disturbed.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum colour { RED, GREEN = 5, BLUE = 900 };
typedef unsigned short number;

struct inner {
	int n;
	union {
		long wide;
		unsigned char low;
	} u;
	short row[3];
};

struct item {
	int i;
	unsigned int three : 3, seven : 7, more : 22;
	const char *text;
	struct inner in;
	char name[12];
	struct item *next;
	struct inner pair[2];
	unsigned long eleven : 11;
};

struct small {
	long p;
	int q;
};

struct large {
	long a[3];
	int z;
	char tag[8];
};

static int count_static = 70;
int64_t count_global = -8;

static char said[1 << 18];
static size_t used;
static volatile long sink;

#define SAY(...)                                                                  \
	do {                                                                      \
		int n_ = snprintf(said + used, sizeof(said) - used, __VA_ARGS__); \
		if (n_ > 0 && (size_t)n_ < sizeof(said) - used)                   \
			used += (size_t)n_;                                       \
	} while (0)
/* of its own size, as ":x" shows it */
#define NUMBER(text, v) \
	SAY("\t%s:x=0x%" PRIx64, text, (uint64_t)(v)&UINT64_MAX >> (64 - 8 * sizeof(v)))
#define BITS(text, v) SAY("\t%s=0x%" PRIx64, text, (uint64_t)(v))
#define TEXT(text, v) SAY("\t%s:string=\"%s\"", text, v)

#define OWN __attribute__((noinline))
#define COPY static inline __attribute__((always_inline))

OWN long integers(signed char a, unsigned char b, short c, number d, int e, unsigned int f, long g,
		  unsigned long h, bool i, enum colour j)
{
	SAY("integers");
	NUMBER("a", a);
	NUMBER("b", b);
	NUMBER("c", c);
	NUMBER("d", d);
	NUMBER("e", e);
	NUMBER("f", f);
	NUMBER("g", g);
	NUMBER("h", h);
	NUMBER("i", i);
	NUMBER("j", j);
	NUMBER("count_static", count_static);
	NUMBER("count_global", count_global);
	SAY("\n");
	sink += a + b + c + d + e + f + g + (long)h + i + j;
	return sink;
}

OWN long pointers(struct item *it, const char *text, int *row, struct item **list)
{
	SAY("pointers");
	NUMBER("it->i", it->i);
	BITS("it->three", it->three);
	BITS("it->seven", it->seven);
	BITS("it->more", it->more);
	BITS("it->eleven", it->eleven);
	TEXT("it->text", it->text);
	TEXT("it->name", it->name);
	NUMBER("it->in.n", it->in.n);
	NUMBER("it->in.u.wide", it->in.u.wide);
	NUMBER("it->in.u.low", it->in.u.low);
	NUMBER("it->in.row[2]", it->in.row[2]);
	NUMBER("it->pair[1].n", it->pair[1].n);
	NUMBER("it->next->i", it->next->i);
	TEXT("it->next->text", it->next->text);
	TEXT("text", text);
	NUMBER("row[1]", row[1]);
	NUMBER("list[1]->in.n", list[1]->in.n);
	SAY("\n");
	sink += it->i + text[0] + row[1];
	return sink;
}

OWN long by_value(struct small s, int before, struct large l, double real, int after)
{
	SAY("by_value");
	NUMBER("s.p", s.p);
	NUMBER("s.q", s.q);
	NUMBER("before", before);
	NUMBER("l.z", l.z);
	NUMBER("l.a[1]", l.a[1]);
	TEXT("l.tag", l.tag);
	NUMBER("after", after);
	SAY("\n");
	sink += s.p + before + l.z + (long)real + after;
	return sink;
}

/* a copy in each caller; the structure is put together there */
COPY long copied(int a, struct large l, const struct item *it, unsigned char b, struct small s)
{
	SAY("copied");
	NUMBER("a", a);
	NUMBER("l.z", l.z);
	NUMBER("l.a[1]", l.a[1]);
	TEXT("l.tag", l.tag);
	NUMBER("it->in.n", it->in.n);
	BITS("it->seven", it->seven);
	NUMBER("b", b);
	NUMBER("s.q", s.q);
	SAY("\n");
	sink += a + l.z + l.a[1] + it->i + b + s.p;
	return sink;
}

/* one argument is always the same, of the structure one member is used: compilers make clones */
static OWN long cloned(const struct item *it, int always, struct small s, int a)
{
	SAY("cloned");
	NUMBER("it->in.n", it->in.n);
	NUMBER("s.p", s.p);
	NUMBER("a", a);
	SAY("\n");
	sink += it->in.n + always + s.p + a;
	return sink;
}

static struct item *make(int n)
{
	struct item *it = calloc(2, sizeof(*it));

	for (int k = 0; it && k < 2; k++) {
		it[k].i = n * 1000 - k;
		it[k].three = (unsigned int)(n + k) & 7;
		it[k].seven = (unsigned int)(n * 13) & 127;
		it[k].more = (unsigned int)(n * 3333) & 0x3fffff;
		it[k].eleven = (unsigned long)(n * 77) & 2047;
		it[k].text = n % 2 ? "odd" : "even";
		it[k].in.n = -n - k;
		it[k].in.u.wide = n * 0x123456789L;
		it[k].in.row[2] = (short)(-5 * n);
		it[k].pair[1].n = n * 11;
		snprintf(it[k].name, sizeof(it[k].name), "item-%d", n);
		it[k].next = &it[1 - k];
	}
	return it;
}

static OWN long twice(int n, struct item *it)
{
	struct small s = { -n, n };
	struct large l = { { n, 2 * n, 3 }, 7 * n, "large" };

	return copied(n, l, it, (unsigned char)n, s) +
	       copied(-n, (struct large){ { 1, -n, 1 }, n, "other" }, it + 1, 17,
		      (struct small){ 1, 4 * n });
}

int main(void)
{
	int row[] = { 5, 6, 7 };

	for (int n = 1; n < 4; n++) {
		struct item *it = make(n);
		struct item *list[] = { it, it + 1 };

		if (!it)
			return 1;
		row[1] = -n;
		integers((signed char)-n, (unsigned char)(250 + n), (short)(-300 * n),
			 (number)(65000 + n), -70000 * n, 4000000000U + (unsigned int)n,
			 -0x123456789aL * n, 0xfedcba9876543210UL + (unsigned long)n, n & 1,
			 n & 1 ? BLUE : GREEN);
		pointers(it, it->text, row, list);
		by_value((struct small){ n, -n }, n + 1, (struct large){ { 1, n, 3 }, -n, "by" },
			 n * 1.5, n + 2);
		twice(n, it);
		copied(n, (struct large){ { 4, 5, 6 }, 8, "third" }, it, (unsigned char)(n * 2),
		       (struct small){ 9, -n });
		cloned(it, 42, (struct small){ n * 100, 1 }, n);
		count_static += n;
		count_global -= n;
		free(it);
	}
	fwrite(said, 1, used, stdout);
	return 0;
}
