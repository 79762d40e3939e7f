#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Small signed numbers, arrays and strings of a probe: the report's text is that of the kernel's own
# file "trace", of the same buffer.
#
# needs: root tracefs uprobes
# area: gate probe

TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"
# shellcheck source=tests/live/probe-lib.sh
. "$TC_SRCDIR/tests/live/probe-lib.sh"

[ "$(uname -m)" = x86_64 ] || skip_all "its registers are those of x86_64"
cc=${CC:-cc}
command -v "$cc" >/dev/null || skip_all "there is no C compiler"
instance=$tracefs/instances/$group

# shellcheck disable=SC2317 # the trap calls it
values_clean() {
	[ ! -d "$instance" ] || rmdir "$instance"
	probe_clean
}
trap values_clean EXIT

cat >p.c <<'END_OF_SOURCE'
#include <stdint.h>
struct s { int8_t a8[3]; int16_t a16[3]; int32_t a32[3]; uint16_t u16[2]; int64_t a64[2]; int8_t n8; int16_t n16; };
__attribute__((noinline)) void f(struct s *s, const char **v, int8_t x, int16_t y)
{
	__asm__ volatile("" ::"r"(s), "r"(v), "r"(x), "r"(y) : "memory");
}
int main(void)
{
	static const char *v[2] = { "one", "two" };
	struct s s = { { 0, -1, -123 }, { 1, -11, 300 }, { 0, 0, -123 }, { 65535, 2 }, { -5, 6 }, -7, -300 };
	f(&s, v, -3, -11);
	return 0;
}
END_OF_SOURCE
"$cc" -O1 -no-pie -o p p.c 2>err || skip_all "the compiler does not make a program: $(head -n 1 err)"
command -v nm >/dev/null || skip_all "nm is not installed"
# A program at 0x400000, whose code has the same offset in the file as from that address
at=$(printf '0x%x' $((0x$(nm p | sed -n 's/ T f$//p') - 0x400000)))
strings='+0(%si):ustring[2]'
define() {
	echo "p:$group/f $PWD/p:$at a8=+0(%di):s8[3] a16=+4(%di):s16[3] a32=+12(%di):s32[3]" \
		"u16=+24(%di):u16[2] a64=+32(%di):s64[2] x8=+0(%di):x8[3] n8=+48(%di):s8 n16=+50(%di):s16" \
		"x=%dx:s8 y=%cx:s16 str=+0(+0(%si)):ustring $1 hx=%cx:x16 none=+0(%dx):ustring" >>"$tracefs/uprobe_events"
}
define "strs=$strings" 2>err || define "" || skip_all "the kernel does not take the probe"

mkdir "$instance" || skip_all "no instance can be made"
echo 1 >"$instance/events/$group/f/enable"
./p
echo 0 >"$instance/events/$group/f/enable"
grep ": f: " "$instance/trace" >kernel.lines
"$TC_BUILDDIR/tc-session" extract -B "$group" -o v.dat 2>err || cat err >&2
# The text after the address, which this kernel prints with 0x and its format does not
sed 's/^.*: f: ([^)]*) //' kernel.lines >kernel
"$report" -i v.dat | sed -n 's/^.* f: *([^)]*) //p' >ours
same "values are the kernel's" ours kernel
is "a string that cannot be read is not shown as empty" "$(grep -c 'none=(fault)$' ours)" 1
is "and some are negative" "$(grep -c 'n8=-7 n16=-300 x=-3 y=-11' ours)" 1
"$report" -i v.dat -F 'f: n16 < 0 && x == -3' | sed -n 's/^.* f: *([^)]*) //p' >filtered
same "a filter finds them" filtered kernel
"$report" -i v.dat -R >raw
has "-R shows the numbers" raw "a16={1,-11,300} a32={0,0,-123} u16={65535,2} a64={-5,6}"
"$report" -i v.dat --json >json
has "--json too" json '"a16":[1,-11,300]'
# others may be looking at what instances there are
wait_for $$ rmdir "$instance"
forget "the instance is gone"
finish
