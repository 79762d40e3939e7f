#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Functions and members by the names that sources of C++, D, Fortran and Rust have for them. The
# addresses are nm's.
#
# area: gate probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
probe=$TC_BUILDDIR/tc-probe
DEBUGINFOD_URLS=
TRACECRAFT_TRACEFS=/nonexistent
export DEBUGINFOD_URLS TRACECRAFT_TRACEFS
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-languages.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# found NAME PROGRAM POINT SYMBOL: a probe where the function of that symbol begins, in one place
found() {
	"$probe" -q -x "./$2" -D "$3" >out 2>err
	is "$1: $3" "$(sed 's/.*:0x/0x/' out)" \
		"$(nm "$2" | awk -v s="$4" '$3 ~ s { sub(/^0+/, "", $1); print "0x" $1; exit }')"
}
# has_args NAME PROGRAM PROBE PATTERN: what is fetched
has_args() {
	"$probe" -q -x "./$2" -D "$3" >out 2>err
	if grep -Eq -e "$4" out && [ "$(wc -l <out)" = 1 ]; then
		pass "$1: $3"
	else
		fail "$1: $3" "wanted: $4" "$(cat out err)"
	fi
}

cat >anon.cc <<'END_OF_CXX'
#include <cstdio>
#define NI __attribute__((noinline))
extern "C" NI int fun(int a) { return printf("c %d\n", a); }
NI int fun(double d) { return printf("d %g\n", d); }
namespace n {
namespace {
NI int q(int x) { return printf("q %d\n", x); }
struct K { NI int m(int x) { return printf("m %d\n", x); } };
}
namespace in { namespace { NI int r(int x) { return printf("r %d\n", x); } } }
inline namespace v { NI int s(int x) { return printf("s %d\n", x); } }
int all(int a) { return q(a) + K().m(a) + in::r(a) + s(a); }
}
int main(int argc, char **argv) { return n::all(argc) + fun(argc) + fun(argc * 1.5) == 99; }
END_OF_CXX
for compiler in "${CXX:-g++}" clang++; do
	if ! "$compiler" -g -O1 -Wl,-z,noseparate-code anon.cc -o anon 2>err; then
		skip "names through a namespace without a name: $compiler" "it does not compile"
		continue
	fi
	for point in q n::q 'n::(anonymous namespace)::q'; do
		found "$compiler" anon "$point" '1qEi$'
	done
	for point in n::K::m K::m 'n::(anonymous namespace)::K::m'; do
		found "$compiler" anon "$point" '1mEi$'
	done
	for point in n::in::r in::r; do
		found "$compiler" anon "$point" '1rEi$'
	done
	found "$compiler" anon n::s '1sEi$'
	found "$compiler" anon fun '^fun$'
	found "$compiler" anon 'fun(int)' '^fun$'
	found "$compiler" anon 'fun(double)' 'fund$'
	# each name that is listed is taken
	"$probe" -q -x ./anon -F '*' | grep -v '^%' >names
	while read -r name; do
		"$probe" -q -x ./anon -D "$name" >out 2>err || fail "$compiler: '$name' is listed" "$(cat err)"
	done <names
	strip --strip-debug anon -o bare
	found "$compiler, without debug information" bare n::q '1qEi$'
	found "$compiler, without debug information" bare n::in::r '1rEi$'
	found "$compiler, without debug information" bare fun '^fun$'
	"$probe" -x ./anon -L fun@anon.cc >lines 2>err
	"$probe" -x ./anon -L main@anon.cc >lines 2>err
	"$probe" -x ./anon -L main >wanted 2>err
	is "$compiler: the lines of FUNCTION@FILE are those of the function" "$(cat lines)" "$(cat wanted)"
done

cat >s.d <<'END_OF_D'
module s;
import core.stdc.stdio;
struct S { int prims; }
int tick(S d1, int q) { printf("%d %d\n", d1.prims, q); return q; }
extern (C) int main(int argc, char **argv) { S s; s.prims = argc; return tick(s, argc); }
END_OF_D
for compile in 'gdc -g -o inD' 'ldc2 -g -of=inD'; do
	# shellcheck disable=SC2086 # words
	if ! $compile s.d 2>err; then
		skip "names of D: $compile" "it does not compile"
		continue
	fi
	"$probe" -q -x ./inD -D 's.tick q d1.prims' >out 2>err
	is "$compile: s.tick" "$(grep -c ' q=.* prims=' out)-$(wc -l <out)" 1-1
done

cat >f.f90 <<'END_OF_FORTRAN'
module mm
contains
  subroutine sub1(a, b)
    integer :: a, b
    print *, a, b
  end subroutine
end module
program p
  use mm
  call sub1(3, 4)
end program
END_OF_FORTRAN
if gfortran -g -O0 -o inF f.f90 2>err; then
	has_args Fortran inF 'mm::sub1 a b' ' a=[+]0[(].*:s32 b=[+]0[(].*:s32$'
else
	skip "names of Fortran" "there is no gfortran"
fi

cat >r.rs <<'END_OF_RUST'
struct W(i32, u64);
impl W {
	#[inline(never)] fn get(&self, k: i32) -> i32 { println!("{} {} {}", self.0, self.1, k); self.0 }
}
#[inline(never)] fn pair(t: (i32, u8)) -> i32 { println!("{} {}", t.0, t.1); t.0 }
fn main() { let w = W(5, 6); pair((1, 2)); w.get(3); }
END_OF_RUST
if rustc -g -o inR r.rs 2>err; then
	has_args Rust inR 'r::pair t.0 t.1' '_0=.*:s32 _1=.*:[ux]8$'
	has_args Rust inR 'r::W::get self.0 self.1 k' '_0=.*:s32 _1=.*:[ux]64 k=.*:s32$'
	has_args Rust inR 'r::W::get self.__0' '__0=.*:s32$'
else
	skip "members of Rust" "there is no rustc"
fi
finish
