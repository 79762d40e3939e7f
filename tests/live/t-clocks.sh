#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recording holds what CLOCK_REALTIME showed beside its trace clock, with a bound that holds.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# pairs_of FILE: its clock pairs, a line each
pairs_of() {
	python3 "$TC_SRCDIR/tests/live/clocks.py" pairs "$1"
}

# offset NAME: CLOCK_REALTIME minus another clock of programs now, and how wide the reading was
offset() {
	python3 -c "
import time
best = None
for i in range(100):
    a = time.clock_gettime_ns(time.$1)
    r = time.clock_gettime_ns(time.CLOCK_REALTIME)
    b = time.clock_gettime_ns(time.$1)
    if best is None or b - a < best[1]:
        best = r - (a + b) // 2, b - a
print(*best)"
}

# brackets NAME FILE: the first pair is before the first event and the last one after the last
brackets() {
	"$report" -q -t --fields=ts "$2" >stamps 2>err
	pairs_of "$2" >pairs
	is "$1: the pairs are around the events" "$(awk '
		FNR == NR { if (!n++) a = $1; b = $1; next }
		$1 < a || $1 > b { outside++ }
		END { print (n >= 2 && FNR > 0) + 0, outside + 0 }' pairs stamps)" "1 0"
}

if ! command -v python3 >/dev/null; then
	skip "clock pairs" "no python3"
	finish
fi

# Clocks that programs can read: the test reads them as well. It takes two readings, between which
# nothing but a change of the clock by its owner moves them apart.
for clock in mono:CLOCK_MONOTONIC boot:CLOCK_BOOTTIME; do
	name=${clock%:*}
	"$record" -q -C "$name" -e sched --compression none -o p.dat -- sleep 0.1 2>err
	offset "${clock#*:}" >now
	brackets "$name" p.dat
	is "$name: the pairs are right within their bounds" "$(awk '
		FNR == NR { offset = $1; width = $2; next }
		{ n++; d = $2 - $1 - offset; if (d < 0) d = -d; if (d > $3 + width + 1024) bad++ }
		END { print (n >= 2) + 0, bad + 0 }' now pairs)" "1 0"
	is "$name: the clock was read by the program" "$(awk '{ print $4 }' pairs | uniq)" 1
done

# A clock that only the kernel reads
"$record" -q -C local -e sched --compression none -o l.dat -- sleep 0.1 2>err
brackets local l.dat
is "local: the kernel is asked for its clock" "$(awk '{ print $4 }' pairs | uniq)" 2

"$record" -q -C counter -e sched --compression none -o c.dat -- true 2>err
is "counter: there is nothing to compare" "$(pairs_of c.dat)" ""

# Every ten seconds, besides both ends. With each the recorder asks how well the clock is known.
# shellcheck disable=SC2317 # wait_for runs it
asked_twice() {
	[ "$(grep -c adjtime asked)" -ge 2 ]
}
if strace -o asked true 2>/dev/null; then
	mkfifo go
	strace -o asked -e trace=adjtimex,clock_adjtime "$record" -q -C mono -e sched_process_exec --compression none -o t.dat -- \
		sh -c 'read -r _ <go' 2>err &
	pid=$!
	wait_for $pid asked_twice
	echo >go
	wait $pid
	is "pairs between both ends: status" $? 0
	is "there are as many as the clock was read" "$(pairs_of t.dat | wc -l)" "$(grep -c adjtime asked)"
	pairs_of t.dat >pairs
	is "there are pairs between both ends" "$(awk 'END { print (NR >= 3) + 0 }' pairs)" 1
else
	skip "there are pairs between both ends" "no strace"
fi

# The other half of a comparison between machines
cat >asks <<'END'
clock 1 1 mono
clock 1 4294967295 real
clock 1 3 sundial
END
date +%s%N >moments
"$record" --clock-probe <asks >answers 2>err
is "--clock-probe: status" $? 0
date +%s%N >>moments
is "--clock-probe: answers" "$(sed 's/ [0-9]\{11,\}/ T/g' answers)" "clock 1 1 mono T T
clock 1 4294967295 real T T
clock 1 3 sundial unknown"
# The shell's numbers are exact.
is "--clock-probe: the time was read in between" "$(
	read -r first <moments
	last=$(tail -n 1 moments)
	grep real answers | while read -r _ _ _ _ t1 t2; do
		[ "$first" -le "$t1" ] && [ "$t1" -le "$t2" ] && [ "$t2" -le "$last" ] && echo yes
	done)" yes
echo 'GET / HTTP/1.0' | "$record" --clock-probe >answers 2>err
is "--clock-probe: something else is refused" "$?,$(cat answers)" "1,"
has "--clock-probe: and it says so" err "something else than requests"
head -c 100000 /dev/zero | "$record" --clock-probe >answers 2>err
is "--clock-probe: an endless line is refused" "$?,$(cat answers)" "1,"
"$record" --clock-probe -e sched 2>err
is "--clock-probe with events" $? 2

# A recorder that is killed leaves the pair of its beginning.
"$record" -q -C mono -e sched_switch --compression none -o k.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
kill -KILL $pid
wait $pid 2>/dev/null
"$record" -q --recover k.dat 2>err
is "a recording that was killed has a pair" "$(pairs_of k.dat | grep -c .)" 1
"$record" -q -e sched_switch -o n.dat -- true 2>/dev/null
nothing_of_mine "tracefs"
finish
