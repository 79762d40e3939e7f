#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-list --features on this kernel, whichever it is: its results agree with the files of tracefs, and it
# leaves nothing behind. t-features-top.sh compares the whole state.
#
# needs: root tracefs
# area: tools
# also: vm

set -u
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

list=$TC_BUILDDIR/tc-list
PATH=$PATH:$bin
command -v jq >/dev/null || skip_all "jq is not installed"
# works NAME: yes, no or ?
works() {
	jq -r --arg n "$1" '.features[] | select(.name == $n) | .works |
		if . == null then "?" elif . then "yes" else "no" end' features
}

"$list" --features --json >features &
pid=$!
wait $pid
is "it succeeds whichever features work" "$?" 0
nothing_of_mine "after it"
is "no probe of it is left" "$(find "$tracefs/events" -maxdepth 1 -name "tc_list_$pid*")" ""
is "no journal of it is left" "$(find /run/tracecraft -name 'tc-list.*' 2>/dev/null)" ""
is "the text agrees with --json" \
	"$("$list" --features=hist,kallsyms,zstd | awk '/^[a-z]/ { print $1, $2 }')" \
	"$(for name in hist kallsyms zstd; do echo "$name $(works $name)"; done)"
nothing "each feature that does not work has a reason" \
	"$(jq -r '.features[] | select(.works != true and .why == null) | .name' features)"

# --- beside the kernel's own answers, by hand

dir=$tracefs/instances/tc-features-test.$$
mkdir "$dir"
trap 'rmdir "$dir" 2>/dev/null; tap_clean' EXIT
# takes NAME TEXT FILE: the verdict is what the file of an instance says to echo
takes() {
	want=no
	if { echo "$2" >>"$dir/$3"; } 2>/dev/null; then
		want=yes
	fi
	is "$1: agrees with a write to $3" "$(works "$1")" "$want"
}
takes filters 'prev_pid == 1' events/sched/sched_switch/filter
takes trigger-stacktrace 'stacktrace:1' events/sched/sched_switch/trigger
takes trigger-snapshot 'snapshot:1' events/sched/sched_switch/trigger
takes hist 'hist:keys=prev_pid' events/sched/sched_switch/trigger
takes function-filters vfs_write set_ftrace_filter
takes snapshot 1 snapshot
takes set_event_pid $$ set_event_pid
takes set_event_notrace_pid $$ set_event_notrace_pid
takes buffer-percent 10 buffer_percent
takes clock-tai tai trace_clock
takes trace-marker hello trace_marker
takes cpumask 1 tracing_cpumask
takes userstacktrace 1 options/userstacktrace
for tracer in function irqsoff preemptoff wakeup wakeup_rt; do
	takes "$tracer" "$tracer" current_tracer
	echo nop >"$dir/current_tracer"
done
rmdir "$dir"
want=no
grep -q '^0*[1-9a-f][0-9a-f]* T ' /proc/kallsyms && want=yes
is "kallsyms: works if the file shows addresses" "$(works kallsyms)" "$want"

# --- exit status

yes=$(jq -r '[.features[] | select(.works) | .name] | .[:2] | join(",")' features)
no=$(jq -r '[.features[] | select(.works == false) | .name] | .[0] // empty' features)
runs "names of features that work: success ($yes)" "$list" --features="$yes"
[ -z "$no" ] || refuses "one that does not: failure ($no)" "$list" --features="$yes,$no"
"$list" --features=krobes >out 2>err
is "no such feature: usage" $? 2
has "no such feature: similar names" err "'kprobes'"
is "help lists the names" "$("$list" --features=help | awk '{ print $1 }')" \
	"$(jq -r '.features[].name' features)"

# --- ends before its time

"$list" --features >/dev/null 2>&1 &
pid=$!
wait_for $pid test -d "$tracefs/instances/tc-list.$pid"
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
"$list" --features=tracefs >/dev/null
is "the next run cleans up after one that was killed" \
	"$(ls -d "$tracefs/instances/tc-list.$pid" 2>/dev/null; grep "tc_list_$pid" "$tracefs/dynamic_events")" ""
"$list" --features >/dev/null 2>&1 &
pid=$!
wait_for $pid test -d "$tracefs/instances/tc-list.$pid"
kill -INT $pid 2>/dev/null
wait $pid
is "SIGINT leaves nothing" "$(ls -d "$tracefs/instances/tc-list.$pid" 2>/dev/null)" ""
nothing_of_mine "after SIGINT"

# --- another user

if [ -x "$bin/setpriv" ]; then
	chmod 755 .
	"$bin/setpriv" --reuid=65534 --regid=65534 --clear-groups "$list" --features --json >features 2>err
	is "without root: it succeeds" $? 0
	[ "$(works instances)" = yes ] || pass "without root: no instance"
	is "without root: zstd" "$(works zstd)" "$("$list" --features=zstd | awk '{ print $2 }')"
fi
finish
