/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-elf.sh compiles this into seeds of fuzz_elf: a little of everything that tc-probe reads. */
struct flags {
	unsigned int low : 3;
	int high : 5;
};

struct node {
	struct node *next;
	const char *name;
	union {
		long number;
		short half[2];
	};
	struct flags flags;
	int grid[2][3];
};

enum colour { RED, GREEN = 7 };

typedef const volatile struct node *node_ref;

static struct node root = { .name = "root" };
int counter;

extern void elsewhere(int n);

static inline __attribute__((always_inline)) int twice(int n)
{
	int doubled = n * 2;

	counter += doubled;
	return doubled + 1;
}

static __attribute__((noinline)) long walk(node_ref from, int depth, enum colour paint)
{
	long sum = paint;

	while (from && depth-- > 0) {
		long here = from->number;

		sum += here + from->flags.high;
		from = from->next;
	}
	return sum;
}

struct node *enter(struct node *n, unsigned char c, double d, int (*call)(int), char text[8])
{
	int local = twice(c);

	elsewhere(local + text[1]);
	n->number = walk(n, call(local), GREEN) + (long)d;
	root.next = n;
	/* a marker as <sys/sdt.h> writes them */
	__asm__ volatile("990: nop\n"
			 ".pushsection .note.stapsdt, \"\", \"note\"\n"
			 ".balign 4\n"
			 ".4byte 992f - 991f, 994f - 993f, 3\n"
			 "991: .asciz \"stapsdt\"\n"
			 "992: .balign 4\n"
			 "993: .8byte 990b, 0, 0\n"
			 ".asciz \"sample\"\n"
			 ".asciz \"mark\"\n"
			 ".asciz \"-4@%eax 8@-8(%rsp) 4@$3 4@counter(%rip)\"\n"
			 "994: .balign 4\n"
			 ".popsection\n");
	return root.next;
}
