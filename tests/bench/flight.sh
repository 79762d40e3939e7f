#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A flight recorder under load for half an hour: dumps by each trigger in turn, a recorder that is killed
# and started again, limits of size and age, and the CPU time that it uses. The load is a tenth of a CPU:
# two processes that pass a byte to and fro. Prints TAP, and the figures as comments. Needs root.
#
#   TC_FLIGHT_SECONDS   1800; at least 180
#   TC_FLIGHT_DUMPS     where dumps go: a directory of the test's

# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/../live/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "python3 is not installed"
seconds=${TC_FLIGHT_SECONDS:-1800}
[ "$seconds" -ge 180 ] || skip_all "TC_FLIGHT_SECONDS is less than 180"
# Others' tests leave instances with such names out of the state that they compare.
name=tc-flight.$$
inst=$tracefs/instances/$name
dumps=${TC_FLIGHT_DUMPS:-$PWD/dumps}
mkdir -p "$dumps"
limit=$((64 * 1048576))
age=90
pid='' load='' watch=''
# shellcheck disable=SC2317 # by the trap
cleanup() {
	# shellcheck disable=SC2086 # several
	kill -9 $pid $load $watch 2>/dev/null
	"$session" reset -q -B "$name" -d 2>/dev/null
	tap_clean
}
trap cleanup EXIT

cat >flight.conf <<END
directory = $dumps
buffer-size = 16M
keep-size = $limit
keep-age = ${age}s
compression = none
holdoff = 1s
poll = 1s
event = sched:sched_switch
event = sched:sched_waking
event = sched:sched_process_*
event = irq
event = sched:sched_process_exec
trigger = traceoff if filename ~ "*/stop-it"
END

# --- the load, and what is looked at all the time

cat >load.py <<'END'
import os, time
there, back = os.pipe(), os.pipe()
if not os.fork():
    os.close(there[1])
    while os.read(there[0], 1):
        os.write(back[1], b"x")
    os._exit(0)
while True:
    until = time.process_time() + 0.005
    while time.process_time() < until:
        os.write(there[1], b"x")
        os.read(back[0], 1)
    time.sleep(0.09)
END
# size_of: bytes of all complete dumps
size_of() {
	find "$dumps" -name "$name-*.dat" -printf '%s\n' | awk '{ n += $1 } END { printf "%.0f\n", n }'
}
# ticks: CPU time of the recorder in ns, user and kernel
ticks() {
	awk '{ n += $1 } END { printf "%.0f\n", n }' "/proc/$pid/task/"*/schedstat 2>/dev/null
}
fly() {
	"$session" flight --config flight.conf "$name" 2>>err &
	pid=$!
	until_true 30 is_flying || fail "the recorder starts" "$(tail err)"
}
# shellcheck disable=SC2317 # until_true runs it
is_flying() {
	[ "$(grep -c ': recording' err)" -eq "$flights" ]
}
newest() {
	find "$dumps" -name "$name-*.dat" | sort | tail -n 1
}
# shellcheck disable=SC2317 # until_true runs it
has_newer() {
	[ "$(newest)" != "$1" ]
}
idle_ns=0 idle_s=0 dump_ns=0 made=0 number=0 events=0 pauses=''

# rest SECONDS: nothing happens but the load; what the recorder uses meanwhile
rest() {
	rest_ns=$(ticks)
	sleep "$1"
	if [ -n "$rest_ns" ] && [ -e "/proc/$pid/stat" ]; then
		idle_ns=$((idle_ns + $(ticks) - rest_ns))
		idle_s=$((idle_s + $1))
	fi
}
# triggered TRIGGER COMMAND...: a dump is made that holds the program started before it, once
triggered() {
	trigger=$1
	shift
	number=$((number + 1))
	cp /bin/true "mark-$number" && "./mark-$number"
	rm "mark-$number"
	triggered_before=$(newest)
	triggered_ns=$(ticks)
	"$@" 2>>err || wrong="$wrong
$number, $trigger: exit status $?"
	if ! until_true 60 has_newer "$triggered_before"; then
		wrong="$wrong
$number, $trigger: no dump"
		return
	fi
	made=$((made + 1))
	# dump and request are processes of their own
	case $trigger in
	signal | event)
		sleep 1
		dump_ns=$((dump_ns + $(ticks) - triggered_ns))
		own=$((own + 1))
		;;
	esac
	"$report" -q "$(newest)" >text 2>report.err
	[ ! -s report.err ] || wrong="$wrong
$number, $trigger: $(cat report.err)"
	[ "$(grep -c "sched_process_exec.*filename=./mark-$number " text)" -eq 1 ] || wrong="$wrong
$number, $trigger: not 1 of mark-$number"
	events=$((events + $(grep -c ': sched_' text)))
	too_old=$(find "$dumps" -name "$name-*.dat" ! -newermt "-$((age + 5)) seconds")
	[ -z "$too_old" ] || wrong="$wrong
$number, $trigger: older than $age s: $too_old"
	[ "$(size_of)" -le "$limit" ] || wrong="$wrong
$number, $trigger: $(size_of) bytes"
	# more than half: the next one makes an old one go
	[ "$(size_of)" -le $((limit / 2)) ] || full=$((full + 1))
}
# shellcheck disable=SC2317 # triggered runs it
stop_it() {
	cp /bin/true stop-it && ./stop-it
}

nice python3 load.py &
load=$!
# the most that was there at any time, and parts left by no one
(while sleep 1; do size_of; done >sizes) &
watch=$!
wrong='' own=0 full=0 flights=1
: >err
began=$(date +%s)
fly
# round SECONDS: each trigger once, so far apart
round() {
	for how in signal request dump event; do
		case $how in
		signal) triggered signal kill -USR2 "$pid" ;;
		request) triggered request "$session" flight --config flight.conf --dump "$name" ;;
		dump) triggered dump "$session" dump "$name" -o "$dumps" --keep-size $limit \
			--keep-age ${age}s --compression none ;;
		event) triggered event stop_it ;;
		esac
		rest "$1"
	done
}
elapsed() {
	echo $(($(date +%s) - began))
}
# A third of the time dumps are made quickly, so that the limit of size counts, then slowly.
while [ "$(elapsed)" -lt $((seconds / 3)) ]; do
	round 5
done
sized=$full
before_kill=$(ticks)
cp /bin/true mark-kill && ./mark-kill
kill -9 "$pid"
wait "$pid" 2>/dev/null
flights=2
fly
has "a killed recorder is taken over" err "goes on with it"
triggered signal kill -USR2 "$pid"
has "with the events before the kill" text "filename=./mark-kill"
while [ "$(elapsed)" -lt "$seconds" ]; do
	round $((seconds / 36))
done
kill -TERM "$pid"
after_kill=$(ticks)
wait "$pid"
is "the recorder ends in order" $? 0
pid=
kill "$load" "$watch"
wait "$load" "$watch" 2>/dev/null
load='' watch=''
nothing "each dump is made, holds its mark once, and the limits hold" "$wrong"
is "all triggers made dumps" "$((made > 8)) $made" "1 $number"
is "the limit of size removed dumps" "$((sized > 0))" 1
nothing "nothing half-written is left" "$(find "$dumps" -name '*.part*')"
is "the instance is gone" "$(ls -d "$inst" 2>/dev/null)" ""
nothing "the recorder complained of nothing" "$(grep -v -e ': recording' -e 'goes on with it' -e ', by ' \
	-e ' KiB; tracing paused' err)"
pauses=$(sed -n 's/.*paused for \([0-9]*\) ms.*/\1/p' err | sort -n | awk '{ v[NR] = $1 }
	END { print "median " v[int((NR + 1) / 2)] ", most " v[NR] }')
echo "# $(elapsed) s of load, $made dumps with $events scheduler events; at most $(sort -n sizes | tail -n 1) bytes at once"
echo "# CPU of the recorder: $((idle_ns / 1000)) us in $idle_s s without a dump, $((dump_ns / 1000)) us in $own" \
	"dumps of its own, $(((${before_kill:-0} + ${after_kill:-0}) / 1000)) us in all"
echo "# pauses in ms: $pauses"
finish
