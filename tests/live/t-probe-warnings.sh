#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-probe warns about values that may not be what they seem, or refuses them.
#
# needs: root tracefs
# area: probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

probe=$TC_BUILDDIR/tc-probe
[ -x "$probe" ] || skip_all "tc-probe is not built in $TC_BUILDDIR"
[ "$(uname -m)" = x86_64 ] || skip_all "registers of x86-64 are named here"
command -v gcc >/dev/null || skip_all "there is no gcc"

# says NAME PROGRAM PROBE TEXT: a definition, and this on standard error
says() {
	"$probe" -x "$2" -D "$3" >out 2>err
	is "$1: it is defined" "$?" 0
	has "$1: with this notice" err "$4"
}
# quiet NAME PROGRAM PROBE: a definition, and nothing said
quiet() {
	"$probe" -x "$2" -D "$3" >out 2>err
	is "$1" "$? $(cat err)" "0 "
}
refused() {
	"$probe" -x "$2" -D "$3" >out 2>err
	is "$1: refused" "$?" 1
	has "$1: why" err "$4"
}

cat >sign.c <<'END'
struct point { int x, y; };
struct bits { int five : 5; unsigned int three : 3; int : 0; int whole : 32; };
volatile long sink;
#define OWN __attribute__((noinline))
OWN long point(struct point p) { return sink += p.x + p.y; }
OWN long bits(struct bits *b) { return sink += b->five + b->three + b->whole; }
int main(int c, char **v)
{
	struct bits b = { -c, c, -c };
	(void)v;
	return (int)(point((struct point){ c, -c }) + bits(&b)) == 99;
}
END
gcc -g -O2 sign.c -o sign || skip_all "gcc does not compile"
says "a signed half of a register" sign 'point p.y' "y: recorded without its sign"
has "its -1 as 32 bits are read" err "4294967295 stands for -1"
says "asked for as s32" sign 'point p.y:s32' "y: recorded without its sign"
quiet "as x32" sign 'point p.y:x32'
quiet "the half at the bottom" sign 'point p.x'
has "has its sign" out 'x=%di:s32'
says "a signed bitfield" sign 'bits b->five' "31 stands for -1, 16 for -16"
quiet "an unsigned one" sign 'bits b->three'
quiet "one of whole bytes" sign 'bits b->whole'
has "is read with its sign" out ':s32'

cat >return.c <<'END'
volatile int sink;
#define OWN __attribute__((noinline))
static OWN int dropped(int a, int *p) { sink += a + *p; return a * 7 + *p; }
static OWN int kept(int a) { sink += a; return a * 3; }
OWN int global(int a) { sink -= a; return a * 5; }
int main(int c, char **v)
{
	int n = 5;
	(void)v;
	dropped(c, &n);
	dropped(c + 1, &n);
	return kept(c) + global(c) == 99;
}
END
gcc -g -O2 return.c -o return
if nm return | grep -q 'dropped.*isra'; then
	says "gcc's .isra" return 'dropped%return ret' "drops what it returns where nobody uses that"
fi
quiet "a return value at -O2" return 'kept%return ret'
if command -v clang >/dev/null && clang -g -O2 return.c -o return-clang; then
	refused "clang dropped it" return-clang 'dropped%return ret' "the compiler dropped it"
	quiet "clang: a static function that returns" return-clang 'kept%return ret'
	quiet "clang: a global one" return-clang 'global%return ret'
	cat >halves.c <<'END'
struct two { long a; int b; };
volatile long sink;
#define OWN __attribute__((noinline))
static OWN struct two half(long n) { sink += n; return (struct two){ sink * 3, -5 }; }
static OWN struct two whole(long n) { sink += n; return (struct two){ sink * 3, (int)sink }; }
int main(int c, char **v)
{
	struct two h = half(c), w = whole(c);
	(void)v;
	return h.a + h.b + w.a + w.b == 99;
}
END
	clang -g -O2 halves.c -o halves
	says "clang: the constant half of a struct is dropped" halves 'half%return ret.b' "'ret' may then be anything"
	quiet "clang: a struct in two registers" halves 'whole%return ret.b'
fi

cat >prologue.c <<'END'
volatile int sink;
int passed(int a, long b) { sink = a; return (int)b; }
int main(int c, char **v) { (void)v; return passed(c, 3) == 99; }
END
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	$cc -g -O0 prologue.c -o prologue-$cc
	entry=$(nm prologue-$cc | awk '$3 == "passed" { print "0x" $1 }')
	for point in passed:0 passed+0 passed+1 passed+4 "$(printf '0x%x' $((entry + 4)))"; do
		refused "$cc -O0, $point" prologue-$cc "$point a" \
			"its place in the frame is written only after the entry"
	done
	# push, mov, and the instruction that stores it: 1, 3 and 3 bytes
	quiet "$cc -O0: after the instruction that stores it" prologue-$cc 'passed+7 a'
	quiet "$cc -O0: without a variable the given location is used" prologue-$cc 'passed+0'
	is "$cc -O0: the entry" "$(sed 's/.*://' out)" "$(printf '0x%x' $((entry)))"
done

# gcc's mark for what may not be initialised, after a register: as long as what it replaces
gcc -g -O0 -S prologue.c -o marked.s
awk '/\.byte\t0x91$/ { print "\t.byte 0x50"; getline; print "\t.byte 0xf0"; next } { print }' \
	marked.s >with.s
if gcc with.s -o with && grep -q 0xf0 with.s; then
	refused "DW_OP_GNU_uninit is not called damage" with 'passed b' "(DW_OP_GNU_uninit)"
fi

cat >copies.c <<'END'
volatile int sink;
static inline int open_it(int dfd) { sink += dfd; return dfd; }
int (*by_pointer)(int) = open_it;
int one(int a) { return open_it(a + 1); }
int main(int c, char **v) { (void)v; return open_it(c) + one(c) + by_pointer(c) == 99; }
END
gcc -g -O2 copies.c -o copies
says "a register where it is inlined" copies 'open_it dfd=%di' "are inlined copies"
quiet "a variable is known in each" copies 'open_it'
"$probe" -x copies --no-inlines -D 'open_it dfd=%di' >out 2>err
is "--no-inlines: no notice" "$? $(cat err)" "0 "

cat >cast.c <<'END'
struct named { int i, j; char name[12]; };
int read_it(struct named *o) { return o->i + o->name[0]; }
int main(int c, char **v) { struct named n = { c, 2, "n" }; (void)v; return read_it(&n) == 99; }
END
gcc -g -O1 cast.c -o cast
says "eight bytes of an int" cast 'read_it o->i:s64' "4 bytes after its end"
says "sixteen of twelve" cast 'read_it o->name:x8[16]' "4 bytes after its end"
quiet "all twelve" cast 'read_it o->name:x8[12]'
quiet "two of four" cast 'read_it o->i:u16'

cat >opaque.c <<'END'
struct opaque;
struct once;
int first(struct opaque *), second(struct opaque *), third(struct once *);
struct opaque *make(void);
struct once *make_once(void);
__attribute__((noinline)) int take(struct opaque *p, struct once *o) { return first(p) + third(o); }
int main(void) { return take(make(), make_once()) == 99; }
END
printf '%s\n' 'struct opaque { int a, b; };' 'int first(struct opaque *p) { return p->b; }' >first.c
printf '%s\n' 'struct opaque { long z, a; int b; } o;' 'struct once { int n; } e;' \
	'struct opaque *make(void) { return &o; }' 'struct once *make_once(void) { return &e; }' \
	'int third(struct once *o) { return o->n; }' >third.c
gcc -g -O1 opaque.c first.c third.c -o opaque
refused "a type with two definitions" opaque 'take p->b' "first.c:1 (8 bytes), third.c:1 (24 bytes)"
quiet "the pointer itself" opaque 'take p'
quiet "a type with one" opaque 'take o->n'

cat >several.cc <<'END'
namespace aa { int w = 1; }
namespace bb { int w = 2; }
int other(int a) { return a + aa::w++ + bb::w++; }
int main(int c, char **) { return other(c) == 99; }
END
if command -v g++ >/dev/null; then
	g++ -g -O1 several.cc -o several
	refused "a name that no rule finds, and that two have" several 'other w' "2 variables have this name"
	has "both are named" err "'aa::w', 'bb::w'"
	quiet "qualified it is one" several 'other bb::w'
fi

cat >several.rs <<'END'
use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
static W: AtomicI32 = AtomicI32::new(1);
mod aa {
    use super::*;
    static W: AtomicI32 = AtomicI32::new(11);
    #[inline(never)]
    pub fn f(a: i32) -> i32 {
        static C: AtomicI32 = AtomicI32::new(111);
        C.fetch_add(1, SeqCst) + a + W.fetch_add(1, SeqCst)
    }
}
mod bb {
    use super::*;
    static W: AtomicI32 = AtomicI32::new(21);
    #[inline(never)]
    pub fn f(a: i32) -> i32 {
        static C: AtomicI32 = AtomicI32::new(121);
        C.fetch_add(1, SeqCst) + a + W.fetch_add(1, SeqCst)
    }
}
fn main() {
    println!("{} {} {}", aa::f(1), bb::f(2), W.fetch_add(1, SeqCst));
}
END
if command -v rustc >/dev/null && rustc -g several.rs -o several-rs 2>err; then
	for mod in aa bb; do
		for name in W f::C; do
			quiet "Rust: ${name#f::} of $mod" several-rs "several::$mod::f v=${name#f::}.v"
			mv out short
			quiet "and its full name" several-rs "several::$mod::f v=several::$mod::$name.v"
			same "are the same" short out
		done
	done
fi
finish
