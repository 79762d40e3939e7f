#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A program of 32 bits on a kernel of 64: what is in registers and on the stack is read as it is;
# pointers in memory, of which the kernel would take twice the bytes, are not followed.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "only x86_64 runs programs of 32 bits that can be probed"

# No C library: that of 32 bits is rarely there.
cat >prog.c <<'END'
struct item {
	int number;
	struct item *next;
	char name[8];
};

int counter = 11;
struct item *head;

__attribute__((noinline)) int use(struct item *item, int n, signed char c, long long wide)
{
	counter += n + c + (int)wide;
	return item->next->number + counter;
}

/* in a register, what it points to is one read away */
__attribute__((noinline, regparm(2))) int near(struct item *item, int n)
{
	counter -= n;
	return item->number + counter;
}

void _start(void)
{
	struct item a = { -5, &a, "first" };

	head = &a;
	use(&a, 1000000, -3, 0x123456789abcdefLL);
	use(&a, -7, 4, -2);
	near(&a, 9);
	__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
END
for cc in "${CC:-cc} -m32" i686-linux-gnu-gcc; do
	$cc -g -O2 -static -nostdlib -ffreestanding -fno-stack-protector -fcf-protection=none -o prog \
		prog.c 2>err && break
done
[ -x prog ] || skip_all "no compiler for 32 bits"
./prog || skip_all "programs of 32 bits do not run"

"$probe" -q -x ./prog -a "$group:one=use n c=c:x8 wide counter" -a "$group:two=use%return v=ret" \
	-a "$group:three=near item->number name=item->name n" 2>err
is "single reads are defined" "$?" 0
"$record" -q -e "$group" -o t.dat -- ./prog >/dev/null 2>&1
"$report" -i t.dat --select "$group:one" 2>/dev/null | sed -n 's/.*) n=/n=/p' >got
printf '%s\n' "n=1000000 c=0xfd wide=81985529216486895 counter=11" \
	"n=-7 c=0x4 wide=-2 counter=$((11 + 1000000 - 3 + 0x89abcdef - (1 << 32)))" >want
same "they have the program's values" got want
"$report" -i t.dat --select "$group:three" 2>/dev/null | sed -n 's/.*) number=/number=/p' >got
echo 'number=-5 name="first" n=9' >want
same "so has memory that a register points to" got want
"$report" -i t.dat --select "$group:two" 2>/dev/null | sed -n 's/.*) v=//p' | head -n 1 >got
echo "$((-5 + 11 + 1000000 - 3 + 0x89abcdef - (1 << 32)))" >want
same "so has a return value" got want
"$probe" -q -d "$group:*"

"$probe" -x ./prog -a "$group:one=use item->number" >out 2>err
is "a pointer in memory is not followed" "$?" 1
has "the reason is given" err "32 bits"
"$probe" -x ./prog -a "$group:one=use head->number" >out 2>err
is "nor one in a global variable" "$?" 1
"$probe" -x ./prog -D "use item->number" >out 2>err
is "it can be defined for a kernel of that machine" "$?" 0
has "with a notice" err "32 bits"
is "nothing is defined" "$(defined)" 0

xz -dc "$TC_SRCDIR/tests/data/foreign/aarch64-O2.xz" >foreign
"$probe" -x ./foreign -a "$group:one=many" >out 2>err
is "a program of another machine is refused" "$?" 1
has "with both machines' names" err "it is for aarch64, this machine is x86_64"
finish
