#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No probe is made for an instruction that enters the kernel, however it is asked for. That the one
# before it does what is wanted is shown by tests/vm/t-probe-syscall.sh.
#
# area: gate tools

# shellcheck source=tests/hostile/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/hostile/lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "the program is x86-64 assembly"
cat >prog.c <<'END'
__asm__(".text\n.globl call\n.type call, @function\ncall:\n"
	"	mov %rdi, %rax\n"
	"	syscall\n"
	"	ret\n"
	".size call, . - call\n"
	".globl old\n.type old, @function\nold:\n"
	"	mov %rdi, %rax\n"
	"	int $0x80\n"
	"	ret\n"
	".size old, . - old\n"
	".globl first\n.type first, @function\nfirst:\n"
	"	syscall\n"
	"	ret\n"
	".size first, . - first\n");
long call(long nr);
static inline __attribute__((always_inline)) long own(long nr)
{
	long ret;
	__asm__ volatile("syscall" : "=a"(ret) : "a"(nr) : "rcx", "r11", "memory");
	return ret;
}
__attribute__((noinline)) long lines(long nr)
{
	return own(nr) + 1;
}
int main(void)
{
	return call(39) < 0 || lines(39) < 0;
}
END
"$cc" -g -O2 -o prog prog.c 2>/dev/null || skip_all "$cc does not compile it"
call=$(nm prog | awk '$3 == "call" { print $1 }')

# refuses NAME WORDS...: tc-probe WORDS prints no definition and says why
refuses() {
	what=$1
	shift
	"$probe" -x ./prog "$@" >out 2>err
	is "$what: an error, and nothing printed" "$?-$(wc -c <out)" 1-0
	has "$what: it says why" err 'is a system call instruction'
}

refuses "FUNC+N" -D call+3
has "the instruction before it is named" err "probe the instruction before it, 'call';"
refuses "FUNC+N, forced" -f -D call+3
refuses "FUNC+N with an argument" -D 'call+3 nr=%ax'
refuses "an address" -D "0x$(printf '%x' $((0x$call + 3)))"
refuses "int 0x80" -D old+3
refuses "a function that begins with it" -D 'first nr=%ax'
has "no instruction is before it" err 'the function that calls it'
refuses "its return" -D 'first%return'
refuses "forced" -f -D first
refuses "in a plan" --plan - -a call+3
strip -o stripped prog
"$probe" -x ./stripped -f -D "0x$(printf '%x' $((0x$call + 3)))" >out 2>err
is "also in a stripped program" "$?-$(wc -c <out)" 1-0
"$probe" -x ./prog -D call >out 2>err
is "the instruction before it is used" "$?-$(grep -c '^p:probe_prog/call ' out)" 0-1
"$probe" -x ./prog -D 'prog.c:22' >out 2>err
sed -n 's/.*:\(0x[0-9a-f]*\)$/\1/p' out >places
objdump -d prog | sed -n 's/^ *\([0-9a-f]*\):.*\tsyscall.*/0x\1/p' >syscalls
is "no source line is probed there" "$(grep -cFxf syscalls places)" 0
finish
