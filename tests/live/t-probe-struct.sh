#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Structs that functions return, in registers and in memory; members of the function's class; text after
# a number.
#
# needs: root tracefs uprobes
# area: probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

cc=${CC:-cc} cxx=${CXX:-c++}
command -v "$cc" >/dev/null || skip_all "there is no C compiler ($cc)"
[ "$(uname -m)" = x86_64 ] || skip_all "it expects registers of x86_64"

cat >prog.c <<'END'
#include <stdint.h>
#include <stdio.h>
#define OWN __attribute__((noinline))
struct pt { unsigned x, y; };
struct pair { int64_t a; int16_t b, c; };
struct mixed { double d; int32_t i; };
struct big { int64_t v[3]; };
union either { int32_t i; char c[4]; };
OWN struct pt pt(unsigned n) { struct pt p = { n, n * 7 }; __asm__ volatile("" ::: "memory"); return p; }
OWN struct pair pair(int n) { struct pair p = { -n, (int16_t)(n + 1), (int16_t)(n + 2) }; __asm__ volatile("" ::: "memory"); return p; }
OWN struct mixed mixed(int n) { struct mixed m = { n, n - 9 }; __asm__ volatile("" ::: "memory"); return m; }
OWN struct big big(int n) { struct big b = { { n, -n, n * 3 } }; __asm__ volatile("" ::: "memory"); return b; }
OWN union either either(int n) { union either e = { .i = -n }; __asm__ volatile("" ::: "memory"); return e; }
OWN int text(uintptr_t where, char *buffer, const char *word) { printf("@ text where=\"%s\"\n", (const char *)where); return *buffer = *word; }
int main(void)
{
	char room[8] = "";
	for (int n = 3; n < 6; n++) {
		struct pt p = pt(n);
		printf("@ pt x=0x%x y=%u\n", p.x, p.y);
		struct pair q = pair(n);
		printf("@ pair a=%ld b=%d\n", (long)q.a, q.b);
		struct mixed m = mixed(n);
		printf("@ mixed i=%d\n", m.i);
		struct big b = big(n);
		printf("@ big v=%ld last=%ld\n", (long)b.v[1], (long)b.v[2]);
		union either e = either(n);
		printf("@ either i=%d\n", e.i);
		text((uintptr_t)"tail", room, "word");
	}
	return 0;
}
END
for opt in -O0 -O2; do
	"$cc" -g "$opt" prog.c -o prog 2>err || skip_all "$cc does not compile"
	values "$cc $opt" ./prog 'pt=pt%return ret.x y=ret.y:u' 'pair=pair%return ret.a ret.b' \
		'mixed=mixed%return ret.i' 'big=big%return ret.v[1] last=ret.v[2]' \
		'either=either%return ret.i' 'text=text where=where:string'
done
refuses "a member in a floating-point register is refused" ./prog 'mixed%return ret.d' \
	"floating-point register"
defines "a buffer is a pointer among all parameters, and const text is text" ./prog 'text $params' \
	' buffer=[^ ]*:x64 word=[^ ]*:string$'
defines "named, it is text" ./prog 'text buffer' ' buffer=[^ ]*:string$'

cat >prog.cc <<'END'
#include <cstdio>
int depth = 77;
struct Base { int kept = 5; };
struct Account : Base {
	long total, former = 0, before = 0;
	struct { short code; } inner;
	int depth;
	explicit Account(long t) : total(t), inner{ 9 }, depth(6) {}
	__attribute__((noinline)) long add(long more) { printf("@ add total=%ld code=%d kept=%d depth=%d more=%ld\n", total, inner.code, kept, depth, more); return total += more; }
	__attribute__((noinline)) Account copy() const { printf("@ copied total=%ld\n", total); return *this; }
	Account(const Account &o) : total(o.total), inner(o.inner), depth(1) {}
};
int main() { Account a(40); for (long i = 1; i < 4; i++) { a.add(i * 10); Account b = a.copy(); } return depth == 1; }
END
if command -v "$cxx" >/dev/null; then
	for opt in -O0 -O2; do
		"$cxx" -g "$opt" prog.cc -o cprog 2>err
		values "$cxx $opt" ./cprog 'add=Account::add total inner.code kept depth more' \
			'copied=Account::copy%return ret.total'
	done
else
	skip "C++" "there is no C++ compiler ($cxx)"
fi

finish
