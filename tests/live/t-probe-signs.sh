#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The signs of bitfields and of parts of a register, which the kernel reads as unsigned: what the program
# says, in text, JSON, CSV, tables and filters; by tc-record, by tc-probe, and by a plan.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"

cat >prog.c <<'END'
#include <stdio.h>
#define OWN __attribute__((noinline))
enum mode { LOW = -2, MID = 0, HIGH = 3 };
struct bits { int b : 5; unsigned u : 3; int far : 13; enum mode m : 3; long long wide : 40; };
struct pair { int x, y; };
struct four { short a; signed char b, c; int d; };
OWN int bits(struct bits *p)
{
	char number[16];
	snprintf(number, sizeof(number), "%d", p->m);
	printf("@ bits b=%d u=%u far=%d m=%s wide=%lld\n", p->b, p->u, p->far,
	       p->m == LOW ? "LOW" : p->m == MID ? "MID" : p->m == HIGH ? "HIGH" : number, (long long)p->wide);
	__asm__ volatile("" ::: "memory");
	return p->b;
}
OWN int pair(struct pair p)
{
	printf("@ pair x=%d y=%d\n", p.x, p.y);
	__asm__ volatile("" ::: "memory");
	return p.y;
}
OWN int four(struct four f)
{
	printf("@ four a=%d b=%d c=%d d=%d\n", f.a, f.b, f.c, f.d);
	__asm__ volatile("" ::: "memory");
	return f.d;
}
int main(void)
{
	static const struct bits b[] = { { -7, 5, -4096, LOW, -123456789012LL }, { 15, 7, 4095, HIGH, 5 },
					 { -16, 0, -1, (enum mode)-1, -1 } };
	for (int i = 0; i < 3; i++) {
		bits((struct bits *)&b[i]);
		pair((struct pair){ 3 - 4 * i, 2 * i - 2 });
		four((struct four){ (short)(-300 + 300 * i), (signed char)(i - 1), (signed char)-i, -i });
	}
	return 0;
}
END

set -- 'bits=bits p->b p->u p->far p->m p->wide' 'pair=pair p.x p.y' 'four=four f.a f.b f.c f.d'
for cc in "$cc" clang; do
	command -v "$cc" >/dev/null || { skip "$cc" "there is no $cc"; continue; }
	for opt in -O0 -O2; do
		"$cc" -g "$opt" prog.c -o prog 2>err || skip_all "$cc does not compile"
		values "$cc $opt" ./prog "$@"
	done
done

"${CC:-cc}" -g -O2 prog.c -o prog
"$record" -q -p 'uprobe:./prog:bits p->b p->m p->wide p->far:x' -p 'uprobe:./prog:pair p.x p.y' -o t.dat -- ./prog \
	>said 2>err
is "-q: nothing is said" "$(cat err)" ""
sed -n 's/^@ bits.* b=\(.*\) u.* m=\(.*\) wide=\(.*\)/\1 \2 \3/p; s/^@ bits b=\([-0-9]*\).* m=\(.*\) wide=\(.*\)/\1 \2 \3/p' \
	said >wanted
"$report" -i t.dat --json 2>err | sed -n 's/.*"b":\(.*\),"m":"*\([^,"]*\)"*,"wide":\([^,]*\),.*/\1 \2 \3/p' >got
same "JSON" got wanted
"$report" -i t.dat --csv --fields b,m,wide -F bits 2>err | sed 1d | cut -d, -f1-3 | tr , ' ' >got
same "CSV" got wanted
"$report" -i t.dat --wide --json -F bits 2>err | sed -n 's/.*"b":\([^,}]*\).*/\1/p' >got
cut -d' ' -f1 wanted >wanted.b
same "--wide" got wanted.b
"$report" -i t.dat --count-by b -F bits --csv 2>err >out
for b in -7 15 -16; do
	is "--count-by counts $b" "$(grep -c "^'*$b," out)" 1
done
is "another type has what was recorded" "$("$report" -i t.dat -F bits 2>/dev/null | grep -c 'far=4096\|far=4095\|far=8191')" 3
is "--kernel, too" "$("$report" -i t.dat -F bits --kernel 2>/dev/null | grep -c 'b=25 \|b=15 \|b=16 ')" 3

# matches FILTER NUMBER
matches() {
	is "a filter: $1" "$("$report" -i t.dat -F "$1" 2>err | grep -c 'bits:\|pair:')" "$2"
}
matches 'bits:b == -7' 1
matches 'bits:b < 0' 2
matches 'bits:b == 25' 0
matches 'bits:b >= -16' 3
matches 'bits:m == LOW' 1
matches 'bits:m == -1' 1
matches 'bits:m > LOW' 2
matches 'pair:y == -2' 1
matches 'pair:y < 0' 1

"$record" -p 'uprobe:./prog:bits p->b' -o u.dat -- ./prog >said 2>err
has "the kernel's filters have no sign, which a notice says" err \
	'31 stands for -1, 16 for -16'

# a plan: for a machine that has no debug information
"$probe" -q -x ./prog --plan prog.plan -a "$group:bits=bits p->b" -a "$group:pair=pair p.y" 2>err
is "a plan is written" "$?" 0
has "it has the sign" prog.plan 'sign b 5'
strip prog
"$probe" -q --apply prog.plan 2>err
is "and applied" "$?" 0
"$record" -q -e "$group" -o t.dat -- ./prog >said 2>err
sed -n 's/^@ bits b=\([^ ]*\).*/bits b=\1/p; s/^@ pair .*\(y=.*\)/pair \1/p' said >wanted
"$report" -i t.dat 2>err | sed -n 's/^.*[0-9]: \([a-z]*\): *([^)]*) *\(.*\)$/\1 \2/p' | sed 's/ *$//' >got
same "the values are the program's" got wanted
forget "a plan"

finish
