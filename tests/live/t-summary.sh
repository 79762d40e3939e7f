#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace -c counts system calls and errors as they happen: those of a program that makes a known number
# of calls, in several threads and processes; and those that strace -c counts. Both tools get programs
# whose calls do not depend on time.
#
# needs: root tracefs
# area: report
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
program=./calls.$$
helper counted-calls $program

# calls FILE NAME: calls and errors of a system call in a table of strace -c
calls() {
	awk -v name="$2" '$NF == name { print $4, NF == 6 ? $5 : 0 }' "$1"
}

# counts FILE: name, calls, errors of all
counts() {
	awk '$4 ~ /^[0-9]+$/ && $NF != "total" { print $NF, $4, NF == 6 ? $5 : 0 }' "$1" | sort
}

# 3 processes with 2 threads each, in each 400 getppid() and 300 close(-1), and a wait of 20 ms
"$trace" -c -o table -- $program 3 2 400 300
is "ends as the program" $? 0
is "calls of all threads are counted" "$(calls table getppid)" "2400 0"
is "errors of all threads are counted" "$(awk '$NF == "close" { print $5 }' table)" 1800
is "threads are created by their processes alone" "$(calls table clone3)" "6 0"
is "a call that does not return is not counted" "$(calls table exit_group)" ""
is "times are wall time" "$(awk '$NF == "clock_nanosleep" {
	print ($2 >= 0.12), ($3 >= 20000), $4 }' table)" "1 1 6"
is "nothing was lost" "$(grep -c '^#.*lost' table)" 0

# The whole machine is not counted, and the tool is not. The ring buffer has room for all, at 50 bytes each.
"$trace" -c --buffer-size=32M -o table -- $program 1 0 100000 0
is "200,000 events are counted to the last" "$(calls table getppid)" "100000 0"

if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	strace -c -f -o theirs.txt $program 2 0 30 20
	"$trace" -c -o ours.txt -- $program 2 0 30 20
	counts theirs.txt >theirs
	counts ours.txt >ours
	same "calls and errors are those that strace -c -f counts" ours theirs
	head -n 2 theirs.txt >theirs
	"$trace" -c -w -o ours.txt -- $program 2 0 30 20
	head -n 2 ours.txt >ours
	same "with -w the table begins as strace's" ours theirs
fi
nothing_of_mine "after all"
finish
