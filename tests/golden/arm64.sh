#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Structs that functions for arm64 return (AAPCS64, 6.9): where the definitions look for them, and
# whether a compiler puts them there. The definitions are made here, for another machine; what is in
# x0 and x1 is what compiled code leaves there, run by qemu-user.
#
# area: gate probe

# shellcheck disable=SC2016 # dollars are the probes'

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
probe=$TC_BUILDDIR/tc-probe

command -v clang >/dev/null || skip_all "there is no clang to compile for arm64"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-arm64.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1
cat >prog.c <<'END'
typedef unsigned long u64;
struct one { int a; };
struct pair { int x, y; };
struct two { long p, q; };
struct three { char c; short s; int i; long l; };
struct odd { char name[12]; int n; };
struct nine { long a; char b; };
struct big { long v[3]; };
struct hfa { float a, b; };
struct mixed { long n; double d; };
struct half { float f; int i; };
struct nested { struct pair p; u64 f; };
union either { int i; long l; };
struct bits { unsigned a : 5, b : 7; u64 c : 40; };
#define KEEP __attribute__((noinline, used))
KEEP struct one f_one(long k) { return (struct one){ (int)k }; }
KEEP struct pair f_pair(long k) { return (struct pair){ (int)k, (int)k + 1 }; }
KEEP struct two f_two(long k) { return (struct two){ k, k + 1 }; }
KEEP struct three f_three(long k) { return (struct three){ 1, (short)k, (int)k + 1, k + 2 }; }
KEEP struct odd f_odd(long k) { return (struct odd){ "abc", (int)k }; }
KEEP struct nine f_nine(long k) { return (struct nine){ k, 9 }; }
KEEP struct big f_big(long k) { return (struct big){ { k, k, k } }; }
KEEP struct hfa f_hfa(float k) { return (struct hfa){ k, k }; }
KEEP struct mixed f_mixed(long k) { return (struct mixed){ k, 1.5 }; }
KEEP struct half f_half(long k) { return (struct half){ 1.5f, (int)k }; }
KEEP struct nested f_nested(long k) { return (struct nested){ { 3, (int)k }, (u64)k + 1 }; }
KEEP union either f_either(long k) { return (union either){ .l = k }; }
KEEP struct bits f_bits(long k) { return (struct bits){ (unsigned)k, 77, (u64)k << 30 }; }

static void put(const char *text, u64 n)
{
	register u64 number __asm__("x8") = 64, fd __asm__("x0") = 1, len __asm__("x2") = n;
	register const char *at __asm__("x1") = text;

	__asm__ volatile("svc 0" : "+r"(fd) : "r"(number), "r"(at), "r"(len) : "memory");
}

static void put_hex(u64 v)
{
	char text[17];

	for (int i = 15; i >= 0; i--, v >>= 4)
		text[i] = "0123456789abcdef"[v & 15];
	text[16] = ' ';
	put(text, 17);
}

#define CALL(name)                                                                              \
	{                                                                                       \
		register u64 a __asm__("x0") = 20, b __asm__("x1") = 0;                         \
		u64 x, y;                                                                       \
		__asm__ volatile("bl " #name : "+r"(a), "+r"(b) : : "x2", "x3", "x4", "x5",     \
				 "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",     \
				 "x15", "x16", "x17", "x30", "v0", "v1", "memory", "cc");       \
		x = a;                                                                          \
		y = b;                                                                          \
		put(#name " ", sizeof(#name));                                                  \
		put_hex(x);                                                                     \
		put_hex(y);                                                                     \
		put("\n", 1);                                                                   \
	}

void _start(void)
{
	CALL(f_one) CALL(f_pair) CALL(f_two) CALL(f_three) CALL(f_odd) CALL(f_nine) CALL(f_mixed)
	CALL(f_half) CALL(f_nested) CALL(f_either) CALL(f_bits)
	register u64 number __asm__("x8") = 93, status __asm__("x0") = 0;
	__asm__ volatile("svc 0" : : "r"(number), "r"(status));
}
END
clang --target=aarch64-linux-gnu -g -O1 -ffreestanding -fno-stack-protector -c prog.c -o prog.o \
	2>err || skip_all "clang does not compile for arm64" "$(cat err)"
{ ld.lld -o prog prog.o || aarch64-linux-gnu-ld -o prog prog.o; } 2>err ||
	skip_all "no linker for arm64 (ld.lld, aarch64-linux-gnu-ld)"

# returned TYPE EXPRESSION DEFINITION: what tc-probe says
returned() {
	"$probe" -q -x ./prog -D "f_$1%return $2" >out 2>err
	is "struct $1, $2" "$(sed 's/^[^ ]* [^ ]* //' out)" "$3"
}
returned one ret.a 'a=$retval:s32'
returned pair 'ret.x ret.y' 'x=$retval:s32 y=$retval:b32@32/64'
returned two 'ret.p ret.q' 'p=$retval:s64 q=%x1:s64'
returned three 'ret.s ret.i ret.l' 's=$retval:b16@16/64 i=$retval:b32@32/64 l=%x1:s64'
returned odd ret.n 'n=%x1:b32@32/64'
returned nine 'ret.a ret.b' 'a=$retval:s64 b=%x1:x8'
returned mixed ret.n 'n=$retval:s64'
returned half ret.i 'i=$retval:b32@32/64'
returned nested 'ret.p.y ret.f' 'y=$retval:b32@32/64 f=%x1:x64'
returned either ret.l 'l=$retval:s64'

# refused TYPE: in floating-point registers, or where x8 pointed when the function was called
refused() {
	"$probe" -q -x ./prog -D "f_$1%return ret.$2" >out 2>err
	is "struct $1 is refused" "$?-$(wc -l <out)" 1-0
}
refused big 'v[0]'
refused hfa a

if ! command -v qemu-aarch64 >/dev/null; then
	skip "compiled code returns them there" "there is no qemu-aarch64"
	finish
fi
qemu-aarch64 ./prog >registers 2>err
is "the program runs" "$?" 0
# value TYPE MEMBER WANTED: what the definition gives of the registers that the code left
value() {
	"$probe" -q -x ./prog -D "f_$1%return v=ret.$2" >out 2>err
	is "struct $1: $2 is $3" "$(python3 -c '
import re, sys
name, text = sys.argv[1], open("out").read()
x = {l.split()[0]: [int(v, 16) for v in l.split()[1:]] for l in open("registers")}["f_" + name]
m = re.search(r" v=(\$retval|%x1):(?:b(\d+)@(\d+)/64|[sux](\d+))\n", text)
v, shift, bits = x[m[1] == "%x1"], int(m[3] or 0), int(m[2] or m[4])
print(v >> shift & (1 << bits) - 1)' "$1" 2>&1)" "$3"
}
value one a 20
value pair x 20
value pair y 21
value two p 20
value two q 21
value three c 1
value three s 20
value three i 21
value three l 22
value odd n 20
value nine a 20
value nine b 9
value mixed n 20
value half i 20
value nested p.x 3
value nested p.y 20
value nested f 21
value either i 20
value bits a 20
value bits b 77
value bits c $((20 << 30))
finish
