#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Markers (SDT) of programs for other machines: what their arguments are fetched as. The operands are
# those that compilers print there, what the kernel calls registers is in arch/*/kernel/ptrace.c
# (regoffset_table). Where there are a compiler for a machine, qemu-user and gdb-multiarch, a program's
# markers are fetched while it runs and compared with what it prints.
#
# area: gate probe

# shellcheck disable=SC2016 # dollars are of operands

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
TC_BUILDDIR=$(cd "${TC_BUILDDIR:-.}" && pwd)
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"
probe=$TC_BUILDDIR/tc-probe
tool=$TC_SRCDIR/tests/golden/markers.py

command -v python3 >/dev/null || skip_all "there is no python3"
DEBUGINFOD_URLS=
TRACECRAFT_TRACEFS=/nonexistent
export DEBUGINFOD_URLS TRACECRAFT_TRACEFS
tmp=$(mktemp -d "${TMPDIR:-/tmp}/tc-markers.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT HUP TERM
cd "$tmp" || exit 1

# fetched MACHINE OPERANDS DEFINITION
fetched() {
	python3 "$tool" "file-$1" "$1" "$2"
	"$probe" -x "./file-$1" -D '%here' >out 2>err
	is "$1: $2" "$(sed 's/^[^ ]* [^ ]* *//' out)" "$3"
}
fetched x86_64 '-4@%eax 8@%r10 1@%sil -2@%r9w -8@-8(%rbp) 4@$-1 4@(%rsp)' \
	'arg1=%ax:s32 arg2=%r10:u64 arg3=%si:u8 arg4=%r9:s16 arg5=-8(%bp):s64 arg6=\-1:u32 arg7=+0(%sp):u32'
fetched x86_64 '-4@variable(%rip) 4@variable+4(%rip) 8f@16(%rsp) 4f@%ecx 8@$0x10 %rax' \
	'arg1=@+0x1100:s32 arg2=@+0x1104:u32 arg3=+16(%sp):x64 arg4=%cx:x32 arg5=\16:u64 arg6=%ax:u64'
fetched i386 '-4@%eax 4@-16(%ebp) 4@variable -1@$-7' \
	'arg1=%ax:s32 arg2=-16(%bp):u32 arg3=@+0x1100:u32 arg4=\-7:s8'
fetched aarch64 '-1@x1 -4@w2 8@[sp, 128] -4@[x20] 8@[x29, -16] -2@-300 8f@x21 4f@[sp, 8] 8@xzr 4@[x19,#4]' \
	'arg1=%x1:s8 arg2=%x2:s32 arg3=+128(%sp):u64 arg4=+0(%x20):s32 arg5=-16(%x29):u64 arg6=\-300:s16 arg7=%x21:x64 arg8=+8(%sp):x32 arg9=\0:u64 arg10=+4(%x19):u32'
fetched arm '-4@r4 4@[r7, #32] -2@[lr] 4@fp 1@#200 8f@[sp, #8] -4@r12 -4@#-1' \
	'arg1=%r4:s32 arg2=+32(%r7):u32 arg3=+0(%lr):s16 arg4=%fp:u32 arg5=\200:u8 arg6=+8(%sp):x64 arg7=%ip:s32 arg8=\-1:s32'
fetched riscv64 '-4@a5 8@-96(s0) -2@-300 4f@s2 8@16(sp) 8@zero 8@fp' \
	'arg1=%a5:s32 arg2=-96(%s0):u64 arg3=\-300:s16 arg4=%s2:x32 arg5=+16(%sp):u64 arg6=\0:u64 arg7=%s0:u64'
fetched s390x '-4@%r3 8@296(%r11) -2@-300 8f@%r6 -4@0(%r10)' \
	'arg1=%r3:s32 arg2=+296(%r11):u64 arg3=\-300:s16 arg4=%r6:x64 arg5=+0(%r10):s32'
fetched ppc64le '-4@10 8@0(29) -2@i-300 8@i-1 4f@29 -1@-8(%r1) 8@%r31' \
	'arg1=%gpr10:s32 arg2=+0(%gpr29):u64 arg3=\-300:s16 arg4=\-1:u64 arg5=%gpr29:x32 arg6=-8(%gpr1):s8 arg7=%gpr31:u64'

# refused MACHINE OPERAND REASON: it is left out, the one after it is not
refused() {
	fetched "$1" "$2 1@$3" "$4"
	if grep -qF -e "arg1: '$2': $5; it is left out" err; then
		pass "$1: $2 is refused with the reason"
	else
		fail "$1: $2 is refused with the reason" "wanted: $5" "$(cat err)"
	fi
}
two='its address is the sum of two registers, and a probe adds constants only'
fp='it is in a floating-point register, which a probe cannot read'
refused x86_64 '-2@4(%rbp,%r10,2)' '%cl' 'arg2=%cx:u8' "$two"
refused x86_64 '8f@%xmm0' '%cl' 'arg2=%cx:u8' "$fp"
refused x86_64 '-4@nowhere(%rip)' '%cl' 'arg2=%cx:u8' \
	"its variable is not in the file's symbol table, or not once"
refused x86_64 '16@(%rax)' '%cl' 'arg2=%cx:u8' 'a number of this size cannot be recorded'
refused x86_64 '1@%ah' '%cl' 'arg2=%cx:u8' 'this kind of operand is not known'
refused i386 '-8@%eax' '%cl' 'arg2=%cx:u8' 'it is in two registers, of which a probe reads one'
refused aarch64 '-2@[x0, x10, lsl 1]' x3 'arg2=%x3:u8' "$two"
refused aarch64 '4f@s8' x3 'arg2=%x3:u8' "$fp"
refused arm '-2@[r0, r10, lsl #1]' r3 'arg2=%r3:u8' "$two"
refused arm '8@r6' r3 'arg2=%r3:u8' 'it is in two registers, of which a probe reads one'
refused arm '8@#-1' r3 'arg2=%r3:u8' \
	'the constant has 64 bits, and the kernel of this machine 32'
refused riscv64 '4f@fa0' s3 'arg2=%s3:u8' "$fp"
refused riscv64 '-4@%lo(gl)(a5)' s3 'arg2=%s3:u8' 'this kind of operand is not known'
refused s390x '-2@0(%r14,%r8)' %r3 'arg2=%r3:u8' "$two"
refused s390x '4@8(%r0)' %r3 'arg2=%r3:u8' 'this kind of operand is not known'
refused ppc64le '-2@11,0' 3 'arg2=%gpr3:u8' "$two"

python3 "$tool" two x86_64 '8@%rdi' other
"$probe" -x ./two -D '%here' >out 2>err
is "markers of one name and two providers keep it: each has its group" "$(sed 's/ .*\/two:/ /' out)" \
	'p:sdt_test/here 0x1000 arg1=%di:u64
p:sdt_other/here 0x1004'

cat >prog.c <<'END_OF_C'
#include <stdio.h>
#include <string.h>
#if defined(__powerpc64__)
#define OPERAND "%I[v]%[v]"
#define WHERE "nZr"
#else
#define OPERAND "%[v]"
#define WHERE "nor"
#endif
#ifdef __s390x__
#define NOP "nop 0\n"
#else
#define NOP "nop\n"
#endif
#ifdef __arm__
#define WORD ".4byte"
#define POINTER "4"
#else
#define WORD ".8byte"
#define POINTER "8"
#endif
/* as <sys/sdt.h> writes them */
#define MARK(name, size, value)                                                      \
	__asm__ volatile("990: " NOP ".pushsection .note.stapsdt, \"\", \"note\"\n"    \
			 ".balign 4\n.4byte 992f - 991f, 994f - 993f, 3\n"             \
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n993: " WORD         \
			 " 990b, 0, 0\n.asciz \"test\"\n.asciz \"" #name "\"\n"        \
			 ".asciz \"" size "@" OPERAND "\"\n994: .balign 4\n.popsection\n" \
			 : : [v] WHERE(value))
struct s { int a; short b[4]; const char *name; double d; struct s *next; };
static int global = -77;
static short tab[8] = { 1, -2, 3, -4 };
static long long bits_of(double d) { long long v; memcpy(&v, &d, sizeof(v)); return v; }
static unsigned bits_of_float(float d) { unsigned v; memcpy(&v, &d, sizeof(v)); return v; }
__attribute__((noinline)) int work(int i, struct s *s, float f, double d, const char *txt)
{
	MARK(byte, "-1", (signed char)-i);
	MARK(ubyte, "1", (unsigned char)(200 + i));
	MARK(con, "-2", -300);
	MARK(num, "-4", -i);
	MARK(shrt, "-2", (short)(-i * 3));
	MARK(text, POINTER, txt);
	MARK(member, "-4", s->a);
	MARK(element, "-2", s->b[2]);
	MARK(chain, "-4", s->next->a);
	MARK(mixed, "-2", s->b[i & 3]);
	MARK(global, "-4", global);
	MARK(table, "-2", tab[i & 7]);
	MARK(flt, "4f", f);
	MARK(dbl, "8f", d);
	printf("byte %d\nubyte %d\ncon -300\nnum %d\nshrt %d\ntext %lu\nmember %d\nelement %d\n"
	       "chain %d\nmixed %d\nglobal %d\ntable %d\nflt %u\ndbl %lld\n",
	       (signed char)-i, (unsigned char)(200 + i), -i, (short)(-i * 3), (unsigned long)txt,
	       s->a, s->b[2], s->next->a, s->b[i & 3], global, tab[i & 7], bits_of_float(f),
	       bits_of(d));
	return i;
}
int main(int argc, char **argv)
{
	struct s t = { .a = -9 }, s = { -8, { 10, -20, 30, -40 }, "first", 2.5, &t };

	for (int i = argc; i < 3; i++)
		work(i, &s, 1.5f * i, 2.25 * i, argv[0]);
	return 0;
}
END_OF_C

# truth COMPILER QEMU OPTION...: what is fetched while the program runs, and what it prints
truth() {
	cc=$1 qemu=$2
	shift 2
	title="$cc $*"
	for wanted in "$cc" "$qemu" gdb-multiarch; do
		command -v "$wanted" >/dev/null && continue
		skip "markers of a program that runs: $title" "there is no $wanted"
		return
	done
	if ! "$cc" -static -no-pie "$@" -o prog prog.c 2>err; then
		skip "markers of a program that runs: $title" "$cc does not compile and link"
		return
	fi
	"$probe" -x ./prog -D '%sdt_test:*' >definitions 2>left
	rm -f socket
	"$qemu" -g "$tmp/socket" ./prog >printed 2>qemu.err &
	pid=$!
	while [ ! -S socket ] && kill -0 "$pid" 2>kill.err; do :; done
	gdb-multiarch -nx -batch -iex 'set auto-load off' prog -ex "target remote $tmp/socket" \
		-x "$tool" -ex kill >gdb.out 2>gdb.err
	wait "$pid"
	sed -n 's/^VALUES //p' gdb.out | grep ' .' | sort >fetched
	grep -wFf - printed >expected <<-END_OF_NAMES
	$(sed -n 's|^p:sdt_test/\([^ ]*\) .*=.*|\1|p' definitions)
	END_OF_NAMES
	sort -o expected expected
	# what cannot be fetched: sums of two registers; of arm, pairs of them and literal pools (.L4)
	if [ -s expected ] && cmp -s expected fetched && [ "$(wc -l <left)" -le 3 ] &&
		! grep -qvE "sum of two registers|in two registers|'-[24]@[.]L[0-9]*': " left; then
		pass "markers of a program that runs: $title"
	else
		fail "markers of a program that runs: $title" "$(diff expected fetched)" \
			"$(cat left gdb.err)"
	fi
}
for opt in -O0 -O2; do
	truth aarch64-linux-gnu-gcc qemu-aarch64 "$opt"
	truth powerpc64le-linux-gnu-gcc qemu-ppc64le "$opt"
	truth s390x-linux-gnu-gcc qemu-s390x "$opt"
	truth riscv64-linux-gnu-gcc qemu-riscv64 "$opt"
	truth arm-linux-gnueabihf-gcc qemu-arm -marm "$opt"
done
finish
