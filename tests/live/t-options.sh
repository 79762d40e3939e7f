#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-report's options on a fresh recording: those of trace-cmd report, every third line of
# tests/golden/options, print the same; parts that are asked for one by one add up to the whole.
#
# needs: root tracefs
# area: gate record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -x "$report" ] || skip_all "tc-report is not built"
"$record" -q -e sched -e irq -o r.dat -- sh -c 'ls / >/dev/null; ls /usr >/dev/null' 2>err
is "there is a recording" $? 0

awk 'NR % 3 == 0' "$TC_SRCDIR/tests/golden/options" >lines
TC_OPTIONS=$PWD/lines "$TC_SRCDIR/tests/golden/beside.sh" "$PWD/r.dat" >said 2>&1
case $? in
0) pass "$(grep -c . lines) options print what trace-cmd prints" ;;
77) skip "options print what trace-cmd prints" "$(cat said)" ;;
*) fail "options print what trace-cmd prints" "$(head -n 20 said)" ;;
esac

# How many records are shown; --json has one to a line whatever names of tasks hold.
count() {
	"$report" --json "$@" r.dat | grep -c '^{'
}

all=$(count)
is "there are records" "$([ "$all" -ge 20 ] && echo yes)" yes
is "events of the CPUs add up" "$(for cpu in $("$report" --cpus r.dat | awk '$1 ~ /^[0-9]+$/ { print $1 }'); do
	count -C "$cpu"
done | awk '{ n += $1 } END { print n }')" "$all"
is "events of the systems add up" "$(($(count --select sched) + $(count --select irq)))" "$all"
is "events that a filter matches and -v's rest add up" \
	"$(($(count -F '.*: common_pid > 1000') + $(count -v -F '.*: common_pid > 1000')))" "$all"
is "quarters of the time add up" "$(for n in 1 2 3 4; do count --time "25%/$n"; done |
	awk '{ n += $1 } END { print n }')" "$all"
is "--max-events limits the number of events" "$(count --max-events 7)" 7
exec=$("$report" --fields ts --select sched_process_exec r.dat | head -n 1)
is "--after: the first event matches" \
	"$("$report" --fields ts,event --after sched_process_exec r.dat | head -n 1)" \
	"$exec	sched:sched_process_exec"
is "--until: the last event matches" \
	"$("$report" --fields ts,event --until sched_process_exec r.dat | tail -n 1)" \
	"$exec	sched:sched_process_exec"
"$report" --ts-check r.dat >/dev/null 2>err
nothing "time never goes backwards" "$(cat err)"
nothing_of_mine "afterwards"
finish
