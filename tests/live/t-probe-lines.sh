#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A line is hit as often as the program executes it, wherever the compiler put its code: loops, unrolled
# loops, statements on several lines. The program's source gives the expected counts.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

# "HITS NUMBER" on a line: so often it is come to; the head of a loop once more for each turn
cat >prog.c <<'END'
volatile int sink;
#define OWN __attribute__((noinline))
OWN int g(int a, int b) { sink += a; return b; }
OWN int counted(int n)
{
	int r = 0;
	for (int i = 0; i < n; i++)
		r += g(i,               /* HITS 5 */
		       g(i, 2));
	while (n > 0) {
		sink += n;              /* HITS 5 */
		n--;
	}
	for (int k = 0; k < 3; k++) {
		g(k, k);                /* HITS 3 */
		sink++;                 /* HITS 3 */
	}
	for (int k = 0; k < 4; k++)
		if (k & 1)
			g(k, 1);        /* HITS 2 */
		else
			sink += r;      /* HITS 2 */
	return r;
}
OWN int loops(int n)
{
	for (int i = 0; i < n; i++)     /* O0HITS 6 */
		g(i, n);                /* HITS 5 */
	while (n-- > 0)                 /* O0HITS 6 */
		g(n, n);                /* HITS 5 */
	return n;
}
static inline __attribute__((always_inline)) void step(int a, int b)
{
	g(a, b);                        /* HITS 8 */
	sink += b;                      /* HITS 8 */
}
OWN int copies(int n)
{
	for (int k = 0; k < 3; k++)
		step(k, n);
	for (int k = 0; k < n; k++)
		step(n, k);
	return n;
}
int main(int c, char **v)
{
	(void)v;
	return counted(c + 4) + loops(c + 4) + copies(c + 4) == 99;
}
END

# checked NAME MARK COMPILER...
checked() {
	name=$1 mark=$2
	shift 2
	"$@" -o prog prog.c 2>/dev/null || {
		pass "$name: not built # SKIP"
		return
	}
	grep -nE "$mark" prog.c | sed 's/^\([0-9]*\):.*HITS \([0-9]*\).*/l\1 \2/' >wanted
	set --
	: >sure
	while read -r event hits; do
		"$probe" -x ./prog -D "prog.c:${event#l}" >out 2>err
		# tc-probe warned that it cannot be sure
		grep -q 'hits are missed' err && continue
		echo "$event $hits" >>sure
		set -- "$@" -a "$group:$event=prog.c:${event#l}"
	done <wanted
	between "$name: lines without a warning" "$(wc -l <sure)" 7 12
	mv sure wanted
	"$probe" -q -x ./prog "$@" 2>err
	is "$name: probes are defined" "$?" 0
	sed 's/^/# /' err
	"$record" -q -e "$group" -o t.dat -- ./prog >/dev/null 2>err
	"$report" -i t.dat 2>/dev/null | sed -n 's/^.*[0-9]: \(l[0-9]*\): .*/\1/p' | sort | uniq -c |
		awk '{ print $2, $1 }' | sort -s >got
	sort -s wanted -o wanted
	same "$name: each line is hit as often as it is executed" got wanted
	forget "$name"
}

# inlined copies: how often each function is called
cat >copies.c <<'END'
int printf(const char *, ...);
volatile int sink;
#define OWN __attribute__((noinline))
#define COPY static inline __attribute__((always_inline))
COPY void step(int a, int b)
{
	sink += a;
	sink += b * 2;
}
COPY int call(int a)
{
	printf("call %d\n", a);
	sink++;
	return a + 1;
}
OWN int four(int n) { for (int k = 0; k < 4; k++) step(k, n); return n; }
OWN int three(int n)
{
	int r = 0;

	for (int k = 0; k < 3; k++)
		r += call(k + n);
	return r;
}
OWN int each(int n)
{
	int r = 0;

	for (int k = 0; k < n; k++)
		r += call(k);
	return r;
}
OWN int steps(int n) { for (int k = 0; k < n; k++) step(k, k); return n; }
OWN int either(int n)
{
	if (n > 3) {
		call(n);
		return 1;
	}
	call(-n);
	return call(n) * 2;
}
int main(int c, char **v)
{
	(void)v;
	four(c);
	three(c);
	each(5 + c);
	steps(6 + c);
	return either(2) + either(5) == 99;
}
END

# called NAME COMPILER...
called() {
	name=$1
	shift
	"$@" -o copies copies.c 2>/dev/null || {
		pass "$name: not built # SKIP"
		return
	}
	set --
	: >wanted
	for function in call:12 step:11; do
		"$probe" -x ./copies -D "${function%:*}" >out 2>err
		grep -q 'hits are missed' err && continue
		echo "${function%:*} ${function#*:}" >>wanted
		set -- "$@" -a "$group:${function%:*}=${function%:*}"
	done
	"$probe" -q -x ./copies "$@" 2>err
	is "$name: probes are defined" "$?" 0
	"$record" -q -e "$group" -o t.dat -- ./copies >/dev/null 2>err
	"$report" --select "$group" -i t.dat 2>/dev/null | sed -n 's/^.*[0-9]: \([a-z]*\): .*/\1/p' | sort | uniq -c |
		awk '{ print $2, $1 }' >got
	same "$name: each call of an inlined function is a hit" got wanted
	forget "$name"
}

for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	checked "$cc -O0" HITS $cc -g -O0
	for level in -O1 -O2 -O3 -Os; do
		checked "$cc $level" '/\* HITS' $cc -g $level
		called "$cc $level" $cc -g $level
	done
done
finish
