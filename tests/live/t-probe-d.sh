#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# D, by ldc2 and gdc: what is recorded of parameters is what the program says. ldc2 without optimisation gives
# the stores of parameters the line of a statement, so that the line table's prologue ends before them.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cat >prog.d <<'END'
import core.stdc.stdio;
struct P { int x; long y; short z; }
pragma(inline, false) extern(C) int two(int a, int b) { printf("@ two a=%d b=%d\n", a, b); a = 9; return a - b; }
pragma(inline, false) extern(C) long many(byte a, ushort b, long c, bool d, wchar e, int g, int h, int* i)
{
	printf("@ many a=%d b=%d c=%lld d=%d e=%d g=%d h=%d i=%d\n", a, b, c, d, e, g, h, *i);
	return c + h;
}
pragma(inline, false) extern(C) int part(int n, int[] s) { printf("@ part n=%d len=%d ptr=%d\n", n, cast(int) s.length, s[1]); return n; }
pragma(inline, false) extern(C) int by(P* p, ref P r) { printf("@ by x=%d y=%lld z=%d\n", p.x, r.y, r.z); return p.x; }
pragma(inline, false) extern(C) int whole(P p) { printf("@ whole x=%d y=%lld z=%d\n", p.x, p.y, p.z); return p.x; }
extern(C) int main()
{
	int i = -77;
	int[3] a = [1, 2, 3];
	for (int n = 0; n < 3; n++) {
		auto p = P(n - 1, 1L << 40, cast(short) -n);
		two(7 + n, 8);
		many(cast(byte) -n, 65535, -5_000_000_000L + n, n == 1, cast(wchar) (0x20ac + n), n, -n, &i);
		part(n, a[0 .. 2]);
		by(&p, p);
		whole(p);
	}
	return 0;
}
END

# compile FILE
compile() {
	case $cc in
	ldc2*) $cc -g -betterC "$1" -of=prog >out 2>err ;;
	*) $cc -g -fno-druntime "$1" -o prog >out 2>err ;;
	esac
}

built=
for cc in 'ldc2 -O0' 'ldc2 -O2' 'gdc -O0' 'gdc -O2'; do
	command -v "${cc% *}" >/dev/null || { skip "$cc" "there is no ${cc% *}"; continue; }
	built=yes
	# what is optimised may pass other arguments
	set -- 'two=two a b' 'many=many a b=b:u c d=d:u e=e:u g h i=*i'
	cp prog.d some.d
	case $cc in
	*-O0) set -- "$@" 'part=part n len=s.length:u s.ptr[1]' 'by=by p.x r.y r.z' 'whole=whole p.x p.y p.z' ;;
	*) sed 's/"@ \(part\|by\|whole\)/"\1/' prog.d >some.d ;;
	esac
	compile some.d || { skip "$cc" "it does not compile: $(head -1 err)"; continue; }
	values "$cc" ./prog "$@"
	case $cc in *-O2) continue ;; esac
	is "$cc: all parameters" "$("$probe" -x ./prog -D 'many $params' 2>/dev/null | grep -c '^p:.* a=.* b=.* c=.* d=.* e=.* g=.* h=.* i=')" 1
done
[ -n "$built" ] || pass "there is no compiler of D"

finish
