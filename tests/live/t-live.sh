#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-session show --events prints events as they happen: in order over CPUs, each before the next one happens, with what was
# lost where it was lost, until tracing is off or the instance is removed.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "there is no python3"
[ "$(nproc)" -ge 2 ] || skip_all "there is one CPU only"
markers=$TC_SRCDIR/tests/live/markers.py
name=tc-live-$$
inst=$tracefs/instances/$name
# shellcheck disable=SC2317 # by the trap
cleanup() {
	[ -z "$show" ] || kill -CONT "$show" 2>/dev/null
	[ -z "$show" ] || kill "$show" 2>/dev/null
	"$session" reset -q -B "$name" -d 2>/dev/null
	tap_clean
}
show=
trap cleanup EXIT

# start SIZE: an empty session with the buffer size, whose events are shown in "shown"
start() {
	"$session" start -q -B "$name" -e sched:sched_process_exec -f 'pid == 0' -C mono -b "$1" ||
		fail "a session starts"
	# not what was shown before
	: >shown
	"$session" show -B "$name" --events >shown 2>notices &
	show=$!
	echo begin >"$inst/trace_marker"
	wait_for $show grep -q ': begin$' shown || fail "events are shown" "$(notices notices)"
}

# stop: end tracing, and so the reader
stop() {
	"$session" stop -B "$name"
	wait $show
	is "$1: the reader ends when tracing is off" $? 0
	show=
	"$session" reset -q -B "$name" -d
}

for gap in 0.01 1; do
	n=200
	[ $gap = 1 ] && n=3
	"$session" start -q -B "$name" -e sched:sched_process_exec -f 'pid == 0' -C mono
	figures=$(python3 "$markers" latency "$inst" $n $gap \
		"$session" show -B "$name" --events 2>notices)
	is "an event every $gap s is shown before the next one happens" $? 0
	echo "# an event every $gap s: median and greatest latency $figures ms"
	nothing "an event every $gap s: no notice" "$(notices notices)"
	"$session" reset -q -B "$name" -d
done

start 16M
python3 "$markers" write "$inst" 0 20000 >pid0 &
first=$!
python3 "$markers" write "$inst" 1 20000 >pid1
wait $first
stop load
python3 "$markers" check shown 2 20000 >found
is "load: every event of two CPUs is shown, in order, with its CPU and task" \
	"$(head -n 3 found)" "40000 0"
for cpu in 0 1; do
	has "load: events of CPU $cpu have the writer's pid" shown "-$(cat pid$cpu) "
done
nothing "load: no notice" "$(notices notices)"

start 64K
kill -STOP $show
wait_for $show is_stopped $show
python3 "$markers" write "$inst" 0 10000 >pid0 &
first=$!
python3 "$markers" write "$inst" 1 10000 >pid1
wait $first
kill -CONT $show
stop stopped
python3 "$markers" check shown 2 10000 >found
nothing "stopped: what is shown and what is lost add up to what happened" "$(sed '$d' found)"
lost=$(awk 'END { print $2 }' found)
between "stopped: events were lost" "$lost" 1 20000 # of 20000
has "stopped: a line says where" shown "EVENTS DROPPED]"
has "stopped: a notice says how many" notices "$lost events were lost"

start 1M
# The kernel does not remove it at the moment in which it is read.
wait_for $$ rmdir "$inst"
runs "removed: an instance can be removed while its events are shown" test ! -e "$inst"
wait $show
is "removed: the reader ends well" $? 0
show=
has "removed: a notice says why" notices "session '$name' was removed"
"$session" reset -q -B "$name" -d 2>/dev/null

start 1M
kill -INT $show
wait $show
has "interrupted: SIGINT ends the reader" shown ": begin"
show=
"$session" show -B "$name" --events -F nonsense -R >shown 2>err
is "a filter for an event that does not exist is refused" $? 2
"$session" show -B "$name" --pid 1 >shown 2>err
is "a view option without --events is refused" $? 2
has "and says so" err "--pid needs --events"
"$session" reset -q -B "$name" -d

"$session" start -q -B "$name" -e sched:sched_process_exec -C mono
cp /bin/true "live.$$"
"./live.$$"
"$session" stop -B "$name"
"$session" show -B "$name" --events --json -F "sched_process_exec:filename == \"./live.$$\"" >json
is "values are those of the program" "$(jq -r .fields.filename json 2>/dev/null | sort)" "./live.$$"
"$session" reset -q -B "$name" -d

nothing_of_mine "show --events"
finish
