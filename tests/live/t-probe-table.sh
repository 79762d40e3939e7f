#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Cases that other tools answer with nothing, with a definition that the kernel refuses, or with another
# value than the variable's. For each a small program; what is wanted comes from nm, readelf, the calling
# convention, or what the program says itself. Where perf is installed its answer is shown beside ours.
#
# needs: root tracefs uprobes
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

pin=$TC_SRCDIR/tests/perf/pin
[ "$(uname -m)" = x86_64 ] || skip_all "registers and offsets are those of x86_64"
for tool in gcc nm readelf objcopy strip; do
	command -v $tool >/dev/null || skip_all "there is no $tool"
done

cat >prog.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))
#define INLINE static inline __attribute__((always_inline))
#define COLD __attribute__((noinline, cold, noreturn))

struct bits {
	unsigned int a : 3, b : 5, c : 24;
	unsigned long big : 40;
};
struct outer {
	int matrix[2][3];
	const char *strs[2];
};
struct pair {
	long p, q;
};
struct large {
	long x, y, z, more[2];
};

static int static_count = 7;
const char *global_text = "gstring";
volatile int sink;

NOINLINE void bits(struct bits *p)
{
	printf("bits %u %u %u %lu\n", p->a, p->b, p->c, (unsigned long)p->big);
}

NOINLINE void outer(struct outer *o)
{
	printf("outer %d %s\n", o->matrix[1][2], o->strs[1]);
}

NOINLINE void strings(const char *strs[2])
{
	printf("strings %s\n", strs[1]);
}

INLINE int inl(int a)
{
	sink = a - 1;
	return 0;
}

NOINLINE int has_inl(int k)
{
	return inl(k + 1);
}

NOINLINE long callback(long x)
{
	sink++;
	return x + sink;
}

INLINE long fnptr(long (*cb)(long), long arg)
{
	printf("fnptr %ld\n", arg);
	return cb(arg);
}

NOINLINE long has_fnptr(long one)
{
	return fnptr(callback, one);
}

NOINLINE void basic(int number)
{
	static_count++;
	printf("basic %d %d %s\n", number, static_count, global_text);
}

NOINLINE void bypair(struct pair p)
{
	printf("bypair %ld %ld\n", p.p, p.q);
}

NOINLINE void local_pair(long k, long s)
{
	struct pair b = { s, k };

	printf("local_pair %ld %ld\n", b.p, b.q);
}

NOINLINE void real(int n, double d, const char *text)
{
	printf("real %d %f %s\n", n, d, text);
}

NOINLINE void nothing(void)
{
	printf("nothing\n");
}

NOINLINE int seven(int a, int b, int c, int d, int e, int f, int flags)
{
	printf("seven %d\n", flags);
	return a + b + c + d + e + f + flags;
}

__attribute__((alias("seven"))) int sieben(int, int, int, int, int, int, int);

NOINLINE void large(struct large a1)
{
	sink++;
	printf("large %ld\n", a1.z);
	sink += a1.x;
}

static NOINLINE void dup(int a)
{
	printf("dup %d\n", a);
}

INLINE void three(const char *name, int n)
{
	printf("three %s\n", name);
	sink += n;
}

NOINLINE void has_three(const char *name, int n)
{
	three(name, n);
	three(name + 1, n * 5 + 1);
	three("third", 3);
}

COLD void bad(int n)
{
	printf("bad %d\n", n);
	exit(3);
}

NOINLINE int cold_fn(int n)
{
	if (__builtin_expect(n < 0, 0)) {
		printf("negative %d\n", n);
		bad(n);
	}
	printf("cold_fn %d\n", n);
	return n;
}

__attribute__((noinline, section(".own"))) void own(int n)
{
	printf("own %d\n", n);
}

static __attribute__((noinline)) int cloned(int n, int always)
{
	for (int i = 0; i < always; i++)
		sink += n * i;
	printf("cloned %d\n", n);
	return sink;
}

void dup_other(void);

int main(int argc, char **argv)
{
	struct bits b = { 5, 17, 1193046, 78187493520 };
	struct outer o = { { { 1, 2, 3 }, { 4, 5, 6 } }, { "zero", "one" } };
	struct large l = { 1, 2, 33, { 4, 5 } };
	struct pair p = { 21, 22 };

	(void)argv;
	bits(&b);
	outer(&o);
	strings(o.strs);
	has_inl(argc);
	has_fnptr(argc);
	basic(argc + 10);
	bypair(p);
	local_pair(31, 32);
	real(41, 4.5, "text");
	nothing();
	sieben(1, 2, 3, 4, 5, 6, 77);
	large(l);
	dup(argc + 50);
	dup_other();
	has_three("first", argc);
	cold_fn(argc);
	own(argc + 60);
	cloned(argc, 9);
	cloned(argc + 1, 9);
	return 0;
}
END
cat >other.c <<'END'
#include <stdio.h>
static __attribute__((noinline)) void dup(void)
{
	printf("dup none\n");
}

void dup_other(void)
{
	dup();
}
END

# build NAME COMPILER FLAGS...
build() {
	build_to=$1
	build_cc=$2
	shift 2
	$build_cc -o "$build_to" prog.c other.c -Wl,--section-start=.own=0x900000 "$@" 2>err
}

# address FILE SYMBOL
address() {
	nm "$1" | awk -v name="$2" '$3 == name { print $1; exit }'
}

# place FILE SYMBOL: what the kernel calls it, by the program headers
place() {
	readelf -lW "$1" | awk -v addr="$(address "$1" "$2")" '
	function hex(s, i, n) {
		s = tolower(s)
		sub(/^0x/, "", s)
		for (i = 1; i <= length(s); i++)
			n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
		return n
	}
	$1 == "LOAD" && hex(addr) >= hex($3) && hex(addr) < hex($3) + hex($5) {
		printf "0x%x\n", hex(addr) - hex($3) + hex($2)
	}'
}

# ask FILE PROBE: out and err of tc-probe -D; perf's answer as a comment
ask() {
	"$probe" --all -x "./$1" -D "$2" >out 2>err
	status=$?
	echo "# $2"
	sed "s|$PWD/||; s/^/#   ours: /" out
	sed 's/^/#   said: /' err
	if command -v perf >/dev/null && [ -x "$pin" ]; then
		"$pin" perf probe -x "$PWD/$1" -D "$2" >perf.out 2>&1
		sed "s|$PWD/||; s/^/#   perf: /" perf.out
	fi
}

# args: of the only definition in out
args() {
	sed 's/^[^ ]* [^ ]* *//' out
}

# asked DESCRIPTION FILE PROBE PLACE ARGS: one definition, there, with these arguments
asked() {
	ask "$2" "$3"
	is "$1: there is one definition" "$(wc -l <out)" 1
	is "$1: it is where it should be" "$(sed 's/^[^ ]* [^ ]*:\([^ ]*\).*/\1/' out)" "$4"
	is "$1: its arguments" "$(args)" "$5"
}

# recorded DESCRIPTION FILE PROBE WANTED: the values of $group:v, in the order they come, each event's
# in a line
recorded() {
	ask "$2" "$3"
	"$probe" --all -x "./$2" -a "$group:v=$3" >/dev/null 2>err
	is "$1: it is defined" "$?" 0
	"$record" -q -e "$group" -o t.dat -- "./$2" >said 2>/dev/null
	"$report" -i t.dat 2>/dev/null | sed -n 's/.*: *v[_0-9]*: *([^)]*)//p' |
		sed 's/ [a-z0-9_]*=/ /g; s/^ //; s/"//g' >got
	"$probe" -q -d "$group:*" 2>/dev/null
	is "$1: values are the program's" "$(cat got)" "$4"
}

# said NAME FIELDS: the program's own words
said() {
	./"$1" | sed -n "s/^$2 //p"
}

build gcc2 gcc -g -O2 || skip_all "gcc does not build: $(head -n 1 err)"
build gcc0 gcc -g -O0
gcc -o gcc2.turned other.c prog.c -Wl,--section-start=.own=0x900000 -g -O2 2>err
build gcc2v4 gcc -gdwarf-4 -O2
for clang in clang clang-14 ""; do
	command -v "${clang:-true}" >/dev/null && break
done
[ -z "$clang" ] || build clang2 "$clang" -g -O2 || clang=

# --- A: what is looked up by its symbol
asked "A1 an alias with an argument" gcc2 "sieben a f" "$(place gcc2 sieben)" "a=%di:s32 f=%r9:s32"
ask gcc2 'si*'
is "A2 a glob finds symbols that have another name in the source" \
	"$(sed -n 's|^p:[^/]*/\([^ ]*\) [^ ]*|\1|p' out)" sieben
ask gcc2 '*'
is "A3 all functions: the status" "$status" 0
nothing "A3 all functions: the kernel takes the names" \
	"$(sed 's|^p:[^/]*/\([^ ]*\) .*|\1|' out | grep -Ev '^[A-Za-z_][A-Za-z0-9_]*$')"
has "A3 all functions: they are there" out "/has_inl "
objcopy --only-keep-debug gcc2 gcc2.debug && strip -o stripped gcc2 &&
	objcopy --add-gnu-debuglink=gcc2.debug stripped
# shellcheck disable=SC2016 # the kernel's
asked "A4 the seventh parameter, debug information apart" stripped "seven flags" \
	"$(place gcc2 seven)" 'flags=+8($stack):s32'
cat >versioned.c <<'END'
int first(int a) { return a + 1; }
int second(int b) { return b + 2; }
__asm__(".symver first,f@OLD");
__asm__(".symver second,f@@NEW");
END
printf 'OLD { local: *; };\nNEW { global: f; } OLD;\n' >versions
if gcc -g -O2 -shared -fPIC -o versioned.so versioned.c -Wl,--version-script=versions 2>err; then
	asked "A5 a versioned symbol" versioned.so 'f\@OLD a' "$(place versioned.so first)" "a=%di:s32"
	asked "A5 the default version" versioned.so 'f\@NEW b' "$(place versioned.so second)" "b=%di:s32"
else
	skip "A5 a versioned symbol" "$(head -n 1 err)"
fi

# --- B: types
for file in gcc2v4 gcc2 ${clang:+clang2}; do
	recorded "B1 B2 bitfields ($file)" "$file" 'bits p->a:u p->b:u p->c:u p->big:u' \
		"$(said "$file" bits)"
	recorded "B3 an element of an array of strings ($file)" "$file" 'strings strs[1]:string' \
		"$(said "$file" strings)"
	recorded "B4 an array of arrays ($file)" "$file" 'outer o->matrix[1][2] o->strs[1]' \
		"$(said "$file" outer)"
done

# --- C: where variables are
ask gcc2 'inl a'
is "C1 a computed value is not read from memory" "$status $(grep -c '(%' out)" "1 0"
has "C1 the message says what it is" err "%di+1"
ask gcc2 'fnptr cb arg'
is "C2 the address of a function is not a variable of that name" "$(grep -c @cb out)" 0
recorded "C2 the other argument" gcc2 'fnptr arg' "$(said gcc2 fnptr)"
recorded "C3 a structure in two registers, taken apart" gcc2 'local_pair:4 b.p b.q' \
	"$(said gcc2 local_pair)"
recorded "C4 static and global variables" gcc2 'basic static_count global_text:string' \
	"$(said gcc2 basic | awk '{ print $2 - 1, $3 }')"
recorded "C5 a structure passed in two registers" gcc2 'bypair p.p p.q' "$(said gcc2 bypair)"
# shellcheck disable=SC2016
recorded "C6 a floating point parameter is left out of all" gcc2 'real $params' \
	"$(said gcc2 real | awk '{ print $1, $3 }')"
has "C6 the reason is printed" err "floating-point"
ask gcc2 'dup a'
is "C7 of two functions one has the variable: two events" \
	"$(sed 's|^p:[^/]*/\([^ ]*\) [^:]*:[^ ]*|\1|' out | sort | tr '\n' ';')" "dup a=%di:s32;dup_1;"
"$probe" -q --all -x ./gcc2.turned -D 'dup a' >out
is "C7 the name is for the one that has it, whichever comes first" \
	"$(sed 's|^p:[^/]*/\([^ ]*\) [^:]*:[^ ]*|\1|' out | sort | tr '\n' ';')" "dup a=%di:s32;dup_1;"
recorded "C7 values where there are any" gcc2 'dup a' "$(said gcc2 dup | sed 's/none//')"
# shellcheck disable=SC2016
asked "C8 all parameters of a function without" gcc2 'nothing $params' "$(place gcc2 nothing)" ""
recorded "C9 a variable that cannot be read in one copy is left out there" gcc2 'three name n' \
	"$(said gcc2 three | sed '1s/$/ 1/; 3s/$/ 3/')"

# --- D: files
# same_as DESCRIPTION FILE PROBE: the same definitions as of gcc2, where the code is the same
same_as() {
	"$probe" -q -x ./gcc2 -D "$3" 2>/dev/null | sed "s|$PWD/[^:]*||; s|^p:[^/]*||" >of-gcc2
	ask "$2" "$3"
	sed "s|$PWD/[^:]*||; s|^p:[^/]*||" out >of-other
	same "$1" of-other of-gcc2
}
mkdir -p split && (cd split && cp ../prog.c ../other.c . && build ../split/split gcc -g -O2 -gsplit-dwarf) &&
	same_as "D1 split debug information" split/split 'basic number'
if [ -n "$clang" ]; then
	mkdir -p csplit && (cd csplit && cp ../prog.c ../other.c . &&
		build ../csplit/split "$clang" -g -O2 -gsplit-dwarf)
	asked "D1 split debug information by clang" csplit/split 'basic number' \
		"$(place csplit/split basic)" "number=%di:s32"
fi
if command -v dwz >/dev/null && cp gcc2 dwz1 && cp gcc2v4 dwz2 && dwz -m dwz.common dwz1 dwz2 2>err; then
	same_as "D2 dwz: an inlined function" dwz1 'fnptr arg'
	same_as "D2 dwz: a function" dwz1 'outer o->matrix[1][2]'
else
	skip "D2 dwz" "dwz is missing or does nothing: $(head -n 1 err)"
fi
if command -v xz >/dev/null; then
	nm -f posix --defined-only gcc2 | awk '$2 ~ /[tT]/ { print $1 }' >keep
	objcopy -S --remove-section .comment --keep-symbols=keep gcc2.debug mini 2>err &&
		xz -f mini && strip -o minimal gcc2 &&
		objcopy --add-section .gnu_debugdata=mini.xz minimal
	asked "D3 a symbol of .gnu_debugdata" minimal has_inl "$(place gcc2 has_inl)" ""
else
	skip "D3 .gnu_debugdata" "there is no xz"
fi
if [ -n "$clang" ]; then
	asked "D4 clang with optimisation: at the entry" clang2 'basic number' \
		"$(place clang2 basic)" "number=%di:s32"
	line=$(grep -n 'printf("large' prog.c | cut -d: -f1)
	recorded "D5 a structure passed by value, at a line" clang2 "prog.c:$line a1.z" \
		"$(said clang2 large)"
else
	skip "D4 D5 clang" "there is no clang"
fi
recorded "D5 a structure passed by value, gcc" gcc2 "large a1.z" "$(said gcc2 large)"
asked "D6 a function in a segment of its own" gcc2 'own n' "$(place gcc2 own)" "n=%di:s32"
recorded "D6 it is hit" gcc2 'own n' "$(said gcc2 own)"
mkdir -p "a b" && cp gcc2 "a b/gcc2"
recorded "D7 a path with a blank" "a b/gcc2" 'own n' "$(said gcc2 own)"
for symbol in $(nm gcc2 | awk '$2 ~ /[tT]/ && $3 ~ /^(cold_fn|cloned)\./ { print $3 }'); do
	asked "D8 a compiler's clone, $symbol" gcc2 "$symbol" "$(place gcc2 "$symbol")" ""
done
has "D8 there were clones" out "/c"

# --- parts: of functions and of variables
cat >parts.c <<'END'
#include <stdio.h>
struct bits { unsigned int low : 3, mid : 5, high : 24; };
struct two { long of[2]; };
struct text { char at[16]; };
__attribute__((noinline)) int bits(struct bits b)
{
	return printf("bits %d %d %d\n", b.low, b.mid, b.high);
}
__attribute__((noinline)) int array(struct two t)
{
	return printf("array %ld %ld\n", t.of[1], t.of[0]);
}
__attribute__((noinline)) int text(struct text t)
{
	return printf("text %d %d\n", t.at[0], t.at[9]);
}
__attribute__((noinline, cold)) int rare(int n, int k)
{
	return printf("cold %d %d\n", n, k);
}
__attribute__((noinline)) int back(int n, int k)
{
	int more = n + k;

	if (__builtin_expect(n < 0, 0))
		more += rare(n, k) + rare(k, n);
	printf("back %d\n", more);
	return more;
}
int main(int argc, char **argv)
{
	struct bits b = { 5, 17, 123456 };
	struct two t = { { 11, -22 } };
	struct text x = { "0123456789abcde" };

	(void)argv;
	bits(b);
	b.low = 2;
	bits(b);
	array(t);
	t.of[1] = argc + 77;
	array(t);
	text(x);
	back(5, argc);
	back(-6, argc + 1);
	back(-8, argc + 2);
	return 0;
}
END
gcc -g -O2 -o parts parts.c 2>err
is "parts of functions and of variables: it is built" "$?" 0
./parts >parts.said
if [ -n "$(address parts back.cold)" ]; then
	recorded "D8 the half that is rarely reached, and jumps back" parts 'back.cold n k' \
		"$(sed -n 's/^cold //p' parts.said | sed -n '1~2p')"
	same "D8 the program goes on where it jumps to" said parts.said
	ask parts 'back.cold%return'
	is "D8 it is jumped to, and has no return" "$status" 1
	has "D8 the reason is printed" err "is jumped to"
else
	skip "D8 the half that is rarely reached" "this compiler makes none"
fi
recorded "a bitfield at bit 0 of a register" parts 'bits b.low b.mid b.high' "$(said parts bits)"
recorded "elements of an array that is in two registers" parts 'array t.of[1] t.of[0]' \
	"$(said parts array)"
ask parts 'array t.of'
is "the array as a whole is in no one place" "$status" 1
has "the reason is printed" err "different places"
recorded "elements of a text that is in two registers" parts 'text t.at[0] t.at[9]' \
	"$(said parts text)"
ask parts 'text t.at'
is "nor is the text" "$status" 1
has "with the reason" err "different places"

# --- many notices
i=0
while [ $i -lt 30 ]; do
	echo "__attribute__((noinline)) double fp$i(double d) { return d + $i; }" >>many.c
	echo "	d += fp$i(d);" >>calls
	i=$((i + 1))
done
{
	echo 'int main(int argc, char **argv) { (void)argv; double d = argc;'
	cat calls
	echo '	return (int)d; }'
} >>many.c
if gcc -g -O2 -o many many.c 2>err; then
	# shellcheck disable=SC2016
	"$probe" -x ./many -D 'fp* $params' >out 2>err
	is "many omissions are summarised" "$(wc -l <err)" 11
	has "how many more there are" err "20 more"
	# shellcheck disable=SC2016
	"$probe" -v -x ./many -D 'fp* $params' >out 2>err
	is "-v lists all" "$(grep -c 'it is left out' err)" 30
fi

# --- and no variable that the program did not say
recorded "without optimisation" gcc0 'basic number static_count' \
	"$(said gcc0 basic | awk '{ print $1, $2 - 1 }')"
finish
