#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder that is stopped for a while (SIGSTOP) loses what its ring buffer could not hold: that is
# counted and said, and everything else is in the file. Two recorders at once each have their own.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -e "$tracefs/events/syscalls/sys_enter_write/enable" ] || skip_all "this kernel has no events of system calls"
writer=dd.$$
cp "$(command -v dd)" "$writer"

# writes SIZE NUMBER: so many system calls of a program of our own
writes() {
	"./$writer" if=/dev/zero of=/dev/null bs="$1" count="$2" 2>/dev/null
}

# recorder SIZE NAME OPTION...: records these system calls in the background; $pid
recorder() {
	name=$2
	filter="count == $1 && COMM == \"$writer\""
	shift 2
	"$record" -e syscalls:sys_enter_write -f "$filter" "$@" -o "$name.dat" 2>"$name.err" &
	pid=$!
	wait_for $pid recording $pid || fail "$name: recording begins"
}

# calls NAME SIZE: how many of them the recording has
calls() {
	"$report" -i "$1.dat" | grep -c "sys_enter_write: .*count: 0x$(printf '%08x' "$2")"
}

recorder 771 stopped -b 64K
inst=$tracefs/instances/tc-record.$pid
writes 771 1000
kill -STOP $pid
wait_for $pid is_stopped $pid || fail "the recorder stops"
writes 771 50000
kill -CONT $pid
writes 771 1000
echo 0 >"$inst/tracing_on"
lost=$(awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n }' "$inst"/per_cpu/cpu*/stats)
kill -TERM $pid
wait $pid
is "a recorder that was stopped succeeds" $? 0
between "it lost events meanwhile" "$lost" 10000 52000
has "and prints the kernel's number" stopped.err "$lost events lost: "
is "all others are in the file" "$(calls stopped 771)" $((52000 - lost))
is "which has the number of lost events" "$("$report" --stat -i stopped.dat 2>/dev/null |
	awk '$1 == "(top)" { n += $4 } END { print n + 0 }')" "$lost"

recorder 781 one
one=$pid
recorder 782 two
two=$pid
writes 781 3000
writes 782 2000
kill -TERM $one
wait $one
is "two recorders at once: the first succeeds" $? 0
writes 781 10
writes 782 500
kill -TERM $two
wait $two
is "and the second" $? 0
is "the first has its events and no later ones" "$(calls one 781) $(calls one 782)" "3000 0"
is "the second too" "$(calls two 781) $(calls two 782)" "0 2500"
has "none was lost" one.err "; no events lost"
has "by neither" two.err "; no events lost"
nothing_of_mine "afterwards"
finish
