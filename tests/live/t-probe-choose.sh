#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# One name, several functions; one function, several places.
#
# needs: root tracefs
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

probe=$TC_BUILDDIR/tc-probe
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "no C compiler"

cat >all.h <<'END'
#include <stdio.h>
__attribute__((noinline)) static int shared(int v) { return printf("%d\n", v); }
END
cat >a.c <<'END'
#include "all.h"
__attribute__((noinline)) static int helper(int a) { return shared(a); }
int fa(int x) { return helper(x + 1); }
END
cat >b.c <<'END'
#include "all.h"

__attribute__((noinline)) static int helper(long b, const char *s) { return shared(b) + *s; }
int fb(int x) { return helper(x + 2, "s"); }
END
cat >m.c <<'END'
int fa(int), fb(int);
static inline __attribute__((always_inline)) int square(int v) { return v * v; }
int main(int c, char **v) { (void)v; return fa(square(c)) + fb(square(c + 1)) == 99; }
END
"$cc" -g -O1 a.c b.c m.c -o prog 2>/dev/null || skip_all "$cc does not compile"
# address SYMBOL: of each symbol of that name, in order
address() { nm prog | awk -v s="$1" '$3 == s { sub(/^0+/, "", $1); print "0x" $1 }' | sort; }
places() { "$probe" -x prog ${2:+"$2"} -D "$1" 2>err | sed 's/.*:\(0x[0-9a-f]*\).*/\1/' | sort; }

# shellcheck disable=SC2016 # $params is tc-probe's
for point in helper 'helper $params' 'helper%return' helper:0; do
	"$probe" -x prog -D "$point" >out 2>err
	is "'$point': two static functions are not one" "$?" 1
	has "'$point': both are named" err "helper@a.c (line 2), helper@b.c (line 3)"
	has "'$point': so is the way to take both" err "--all"
done
"$probe" -x prog -L helper >out 2>err
is "-L asks too" "$?" 1
is "helper@a.c is the first" "$(places helper@a.c)" "$(address helper | head -n 1)"
is "helper@b.c is the second" "$(places helper@b.c)" "$(address helper | tail -n 1)"
is "helper#2 is the second" "$(places 'helper#2')" "$(address helper | tail -n 1)"
is "--all takes both" "$(places helper --all)" "$(address helper)"
is "a glob does" "$(places 'helpe?')" "$(address helper)"
# shellcheck disable=SC2016
"$probe" -x prog --all -D 'helper $params' >out
is "with different arguments each is an event of its own" "$(grep -c ' [ab]=' out)" 2
"$probe" -x prog -V helper >out
has "-V shows the first" out "int	a"
has "and the second" out "int	b"
is "a header's function in two units is one" "$(places shared)" "$(address shared)"
is "two inlined copies are one" "$(places square | wc -l)" 2
"$probe" -x prog -D 'helper#3' >out 2>err
is "there is no third" "$?" 1
strip -g -o bare prog
"$probe" -x bare -D helper >out 2>err
is "without debug information two addresses are two functions" "$?" 1
has "which are listed by number" err "helper#2 ($(address helper | tail -n 1))"

strip -o bald prog
"$probe" -x bald -D nosuchfunction >out 2>err
has "without a symbol table the message says so" err "symbol table is stripped"
"$probe" -x bare -D nosuchfunction >out 2>err
is "with one it does not" "$(grep -c "is stripped" err)" 0

# files of one name in two directories: what the hint offers works when typed
mkdir -p one two
cp a.c one/same.c
cp b.c two/same.c
"$cc" -I. -g -O1 one/same.c two/same.c m.c -o dirs
for point in helper helper@same.c; do
	"$probe" -x dirs -D "$point" >out 2>err
	is "'$point': functions of one name in two files are ambiguous" "$?" 1
	has "'$point': as much of the path is shown as is needed" err \
		"helper@one/same.c (line 2), helper@two/same.c (line 3)"
done
is "the printed name works" "$("$probe" -x dirs -D helper@two/same.c 2>&1 | sed 's/.*:0x//')" \
	"$(nm dirs | awk '$3 == "helper" { sub(/^0+/, "", $1); print $1 }' | sort | tail -n 1)"

# a function that is only there inlined is not another one whose name differs by underscores
cat >u.c <<'END'
#include <stdio.h>
__attribute__((noinline)) int __twice(int a) { return printf("%d\n", a); }
static inline __attribute__((always_inline)) int twice(int v) { return __twice(v) + v; }
__attribute__((noinline)) int __lone(int a) { return printf("%d\n", a + 1); }
int main(int c, char **v) { (void)v; return twice(c) + twice(c + 1) + __lone(c) == 99; }
END
"$cc" -g -O1 u.c -o under
for flag in '' --no-inlines; do
	"$probe" -x under ${flag:+"$flag"} --max-probes=1 -D "twice$([ -n "$flag" ] || echo %return)" >out 2>err
	is "${flag:-%return}: what is only inlined is refused" "$?" 1
	has "${flag:-%return}: with the reason" err "'twice' exists only inlined, in 2 locations"
done
# one that is there both ways is probed where it returns, and the rest is said once
cat >both.c <<'END'
#include <stdio.h>
static inline int thrice(int v) { return printf("%d\n", v) + 3 * v; }
__attribute__((noinline)) int lonely(int a) { return printf("%d\n", a); }
int (*volatile pointer)(int) = thrice;
int main(int c, char **v) { (void)v; return thrice(c) + thrice(c + 1) + pointer(c) + lonely(c) == 99; }
END
"$cc" -g -O2 both.c -o both
copies=$(readelf --debug-dump=info both | awk '/^ *<[0-9]+><[0-9a-f]+>/ { copy = /DW_TAG_inlined_subroutine/ }
	copy && /DW_AT_abstract_origin/ { n++ } END { print n }')
# shellcheck disable=SC2016 # the kernel's
"$probe" -x both -D 'thrice%return $retval' -D 'lonely%return $retval' >out 2>err
is "the returns of a function that is also inlined" "$(grep -c '^r:' out)" 2
has "its inlined copies have no return" err "$copies inlined copies of 'thrice' have no return"
is "once, and of it alone" "$(grep -c inlined err)" 1
"$probe" -x both --no-inlines -D 'thrice%return' >out 2>err
is "--no-inlines shows a notice" "$(wc -l <err)" 0
"$probe" -x under -D lone >out 2>err
has "a similar name is used if there is no such function" err "'__lone' is taken"
has "the event has the name of the one that is probed" out "/__lone "

# versions: the one that a program is linked to now
cat >v.c <<'END'
int old(void) { return 1; }
int new(void) { return 2; }
__asm__(".symver old, call@V_1");
__asm__(".symver new, call@@V_2");
END
printf 'V_1 { };\nV_2 { };\n' >v.map
if "$cc" -g -O1 -shared -fPIC -Wl,--version-script=v.map v.c -o libv.so 2>/dev/null; then
	version() { "$probe" -x ./libv.so -D "$1" 2>&1 | sed 's/.*:0x//'; }
	want() { nm libv.so | awk -v s="$1" '$3 == s { sub(/^0+/, "", $1); print $1 }'; }
	is "a name alone is its default version" "$(version call)" "$(want new)"
	is "another is named with its version" "$(version 'call\@V_1')" "$(want old)"
else
	skip "versions of a function" "$cc does not link them"
fi

# a function that the loader chooses: its symbol is that of what chooses
cat >i.c <<'END'
__attribute__((noinline)) int __pick_fast(int v) { return v + 1; }
__attribute__((noinline)) int __pick_slow(int v) { return v + 2; }
__attribute__((noinline)) int __pick_chk(int v) { return v + 3; }
static int (*choose_pick(void))(int) { return __pick_fast; }
int pick(int v) __attribute__((ifunc("choose_pick")));
int use(int v) { return pick(v) + __pick_slow(v) + __pick_chk(v); }
END
if "$cc" -g -O1 -shared -fPIC i.c -o libi.so 2>/dev/null; then
	"$probe" -x ./libi.so -D 'pick %ax' >out 2>err
	is "a resolver can be probed" "$?" 0
	has "the notice names the functions to choose from" err \
		"'pick' is a resolver: the"
	is "those, and no others" "$(sed -n '/resolver/s/.* chooses: //p' err)" \
		"__pick_fast, __pick_slow"
	"$probe" -x ./libi.so -D choose_pick >out 2>err
	is "by its own name without one" "$(cat err)" ""
	for point in 'pick v' 'pick%return ret'; do
		"$probe" -x ./libi.so -D "$point" >out 2>err
		is "'$point': its variables are not the function's" "$?" 1
		has "'$point': the reason is printed" err "'pick' is a resolver: what the function is"
	done
	# shellcheck disable=SC2016
	runs "its return value can be probed" "$probe" -x ./libi.so -D 'pick%return $retval'
else
	skip "resolvers" "$cc makes no indirect functions"
fi

cat >o.cc <<'END'
#include <cstdio>
__attribute__((noinline)) int overl(int a) { return printf("%d\n", a); }
__attribute__((noinline)) int overl(const char *s) { return printf("%s\n", s); }
int main() { return overl(1) + overl("x") == 3; }
END
if command -v g++ >/dev/null && g++ -g -O1 o.cc -o overl; then
	"$probe" -x overl -D overl >out 2>err
	is "overloaded functions are ambiguous" "$?" 1
	has "by number, with the line of each" err "overl#2 (overl(char const*), o.cc:3)"
	runs "the parameters choose" "$probe" -x overl -D 'overl(int) a'
	runs "the number does" "$probe" -x overl -D 'overl#2 s'
else
	skip "overloaded functions" "no C++ compiler"
fi
finish
