#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tables of a program of 32 bits, which forks and executes one of 64: calls and errors by name and width
# are those that strace -f -c counts.
#
# needs: root tracefs
# area: tools
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
command -v strace >/dev/null || skip_all "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
[ "$(uname -m)" = x86_64 ] || skip_all "this machine does not run programs for i386"
# shellcheck disable=SC2086
${CC:-cc} -m32 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o calls-32 \
	"$TC_SRCDIR/tests/live/calls-32.c" 2>err || skip_all "cannot compile for i386: $(head -n 1 err)"
echo text >file
./calls-32 file || skip_all "the kernel runs no programs for i386"
# counts TABLE: "NAME CALLS ERRORS" of each row, in a table of 32 bits "NAME@32"
counts() {
	awk '/ bit mode:$/ { width = "@32" }
		$1 ~ /^[0-9.]+$/ && $NF != "total" { print $NF width, $4, (NF > 5 ? $5 : 0) }' "$1" | sort
}

strace -q -f -c -o strace.table ./calls-32 file
counts strace.table >theirs
between "calls that strace has in its table of 32 bits" "$(grep -c '@32 ' theirs)" 20 30
between "... and in that of 64" "$(grep -vc '@32 ' theirs)" 10 30

"$trace" -q -c --record=calls-32.dat -o tc.table ./calls-32 file
counts tc.table >ours
same "tc-trace -c has the same" theirs ours
"$trace" -q -c -o tc.table -i calls-32.dat
counts tc.table >ours
same "... from a recording as well" theirs ours
"$trace" -q -C -o tc.table ./calls-32 file
sed -n '/^% time/,$p' tc.table >tc.only
counts tc.only >ours
same "... and -C after the lines" theirs ours
"$trace" -q -c -j -e trace=read,getuid32 -o tc.json ./calls-32 file
is "calls that are chosen by name" "$(sed -n 's/.*"syscall":"\([^"]*\)".*"calls":\([0-9]*\),.*/\1 \2/p' tc.json | sort)" \
	"$(grep -E '^(read|read@32|getuid32@32) ' theirs | cut -d ' ' -f 1,2 | sort)"
"$TC_BUILDDIR/tc-stat" -q --syscalls --time -o tc.table ./calls-32 file
counts tc.table >ours
same "tc-stat --syscalls --time has the same" theirs ours
nothing_of_mine "afterwards"
finish
