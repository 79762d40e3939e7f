#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-session flight and dump: each trigger makes a dump that holds the newest events in order; the
# limits hold; a killed recorder is taken over; the end leaves tracefs as it was.
#
# needs: root tracefs
# area: session
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
command -v python3 >/dev/null || skip_all "python3 is not installed"
name=tc-live-flight-$$
inst=$tracefs/instances/$name
here=$PWD
dumps=$here/dumps
mkdir "$dumps"
pid='' load='' full='' notified=''
# shellcheck disable=SC2317 # by the trap
cleanup() {
	# shellcheck disable=SC2086 # several
	kill -9 $pid $load $notified 2>/dev/null
	[ -z "$full" ] || umount "$full"
	"$session" reset -q -B "$name" -d 2>/dev/null
	# the lock of a recorder outlives it
	rm -f "/run/tracecraft/.flight-$name"
	tap_clean
}
trap cleanup EXIT
# configure LINE...: the recorder's file
configure() {
	printf '%s\n' "directory = $dumps" "buffer-size = 1M" "holdoff = 100ms" "poll = 100ms" "$@" \
		>flight.conf
}
# fly: start it, and wait until it records
fly() {
	# what the one before said is not this one's
	: >err
	"$session" flight --config flight.conf "$name" 2>err &
	pid=$!
	wait_for "$pid" grep -q ": recording" err || fail "the recorder starts" "$(cat err)"
}
# land: end it with SIGTERM; $? is its exit status
land() {
	kill -TERM "$pid"
	wait "$pid"
	set -- $?
	pid=
	return "$1"
}
count() {
	find "$dumps" -name "$name-*.dat" | wc -l
}
# shellcheck disable=SC2317 # wait_for runs it
more_than() {
	[ "$(count)" -gt "$1" ]
}
newest() {
	find "$dumps" -name "$name-*.dat" | sort | tail -n 1
}
# The load runs on the first CPU, and programs whose start is looked for on the last one. Nobody else is
# recorded, so that these are not overwritten, however long a dump takes.
allowed=$(taskset -cp $$ | sed 's/.*: //')
first=$(echo "$allowed" | sed 's/[-,].*//')
last=$(echo "$allowed" | sed 's/.*[-,]//')
# mark NAME: start a program NAME-$$
mark() {
	cp /bin/true "$1-$$" && taskset -c "$last" "./$1-$$"
}
# of the start of programs, those of this test
mine_only="filter = filename ~ \"*-$$\""

# ordered FILE: complain of a line whose time is before that of the line above
ordered() {
	awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+\.[0-9]+:$/) break }
		i > NF { next }
		$i + 0 < last { print "line " NR ": " $0 }
		{ last = $i + 0; n++ }
		END { if (n < 2) print "no events" }' "$1" | head -n 3
}
# triggered TRIGGER COMMAND...: it makes a dump with the program that was started before it
triggered() {
	trigger=$1
	shift
	before=$(count)
	mark "mark-$trigger"
	"$@"
	if ! wait_for "$pid" more_than "$before"; then
		fail "$trigger makes a dump" "$(cat err)"
		return
	fi
	pass "$trigger makes a dump"
	dump=$(newest)
	"$report" -q "$dump" >text 2>report.err
	is "$trigger: the dump is read without a complaint" "$(cat report.err)" ""
	has "$trigger: it holds what happened last" text "filename=./mark-$trigger-$$"
	nothing "$trigger: events are in order of time" "$(ordered text)"
	is "$trigger: only its owner may read it" "$(stat -c %a "$dump")" 600
}

# --- a load that fills the ring buffer many times

taskset -c "$first" dd if=/dev/zero of=/dev/null bs=1 2>/dev/null &
load=$!
configure "event = raw_syscalls" "filter = common_pid == $load" "event = sched:sched_process_exec" "$mine_only" \
	"trigger = traceoff if filename ~ \"*/stop-it-$$\""
python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("notify")
print("bound", flush=True)
while True:
	text = s.recv(4096).decode()
	print(text, flush=True)
	if "STOPPING" in text:
		break' >notified &
notified=$!
wait_for "$notified" grep -q bound notified
NOTIFY_SOCKET=$here/notify
export NOTIFY_SOCKET
fly
unset NOTIFY_SOCKET
wait_for "$pid" grep -q READY=1 notified
is "the service manager is notified" "$(grep -c READY=1 notified)" 1
is "tracing is on" "$(cat "$inst/tracing_on")" 1
# shellcheck disable=SC2317 # wait_for runs it
overwritten() {
	[ "$(cat "$inst"/per_cpu/cpu*/stats | awk '/^overrun/ { n += $2 } END { print n }')" -gt 100000 ]
}
wait_for "$load" overwritten || fail "the load fills the ring buffer" "$(cat "$inst"/per_cpu/cpu*/stats)"
triggered signal kill -USR2 "$pid"
# The message comes after the file.
wait_for "$pid" grep -q "tracing paused for" err
has "tracing was paused for a short time, which is said" err "tracing paused for"
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i "$dump" 2>/dev/null | grep -c sys_enter: >theirs
	is "trace-cmd reads as many events" "$(grep -c sys_enter: text)" "$(cat theirs)"
else
	skip "trace-cmd reads as many events" "trace-cmd is not installed"
fi
cp "$dump" first.dat
triggered request "$session" flight --config flight.conf --dump "$name" 2>>err
ends=$("$report" -q first.dat | grep -oE ' [0-9]+\.[0-9]+: ' | tail -n 1)
begins=$("$report" -q "$dump" | grep -oE ' [0-9]+\.[0-9]+: ' | head -n 1)
is "dumps follow one another" "$(echo "${ends%: } ${begins%: }" | awk '{ print ($1 < $2) }')" 1
triggered traceoff mark stop-it
has "and the event that triggered it" text "filename=./stop-it-$$"
wait_for "$pid" grep -q 1 "$inst/tracing_on"
is "tracing is on again" "$(cat "$inst/tracing_on")" 1
# shellcheck disable=SC2317 # wait_for runs it
notified_of() {
	[ "$(grep -c STATUS=recording notified)" -ge "$1" ]
}
wait_for "$pid" notified_of 3
kill "$load" && wait "$load" 2>/dev/null
load=

# --- two recorders, a killed one

"$session" flight --config flight.conf "$name" 2>second
is "a second recorder of the name is refused" "$?" 1
has "and says why" second "runs already"
mark before-kill
kill -9 "$pid"
wait "$pid" 2>/dev/null
is "a killed recorder leaves the ring buffer tracing" "$(cat "$inst/tracing_on")" 1
fly
has "the next one goes on with it" err "goes on with it"
triggered again kill -USR2 "$pid"
has "the events before the kill are there" text "filename=./before-kill-$$"
land
is "SIGTERM ends it" $? 0
is "the session is gone" "$(ls -d "$inst" 2>/dev/null)" ""
is "and the manager was notified of each dump while it listened" "$(grep -c STATUS=recording notified)" 3
kill "$notified" && wait "$notified" 2>/dev/null
notified=

# --- pressure

if [ -e /proc/pressure/cpu ]; then
	configure "event = sched:sched_process_exec" "$mine_only" "pressure = cpu some 1ms 2s"
	fly
	for _ in 1 2; do
		taskset -c "$first" sh -c 'while :; do :; done' &
		load="$load $!"
	done
	wait_for "$pid" grep -q "by pressure" err
	has "pressure makes a dump" err "by pressure"
	# shellcheck disable=SC2086 # several
	kill $load
	# shellcheck disable=SC2086
	wait $load 2>/dev/null
	load=
	land
else
	skip "pressure makes a dump" "the kernel has no CONFIG_PSI"
fi

# --- limits: uncompressed dumps of 4 MiB and more, 32 MiB of them

"$session" start -q -B "$name" -e raw_syscalls -b 4M
fill() {
	dd if=/dev/zero of=/dev/null bs=1 count=120000 2>/dev/null
}
most=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	fill
	"$session" dump "$name" -q -o "$dumps" --keep-size 32M --compression none 2>>limits ||
		fail "dump" "$(cat limits)"
	size=$(cat "$dumps/$name"-*.dat | wc -c)
	[ "$size" -le "$most" ] || most=$size
done
between "all dumps together have the size that was given" "$most" 16777216 33554432
touch -d '3 hours ago' "$(newest)"
kept=$(newest)
fill
"$session" dump "$name" -q -o "$dumps" --keep-age 7xd 2>err
is "dump: an age that is not a time" "$? $(grep -c "'7xd' is not a time" err)" "2 1"
"$session" dump "$name" -q -o "$dumps" --keep-age 2h
is "one that is too old goes" "$(ls "$kept" 2>/dev/null)" ""

entries() {
	cat "$inst"/per_cpu/cpu*/stats | awk '/^entries/ { n += $2 } END { print n }'
}
fill
"$session" stop -B "$name"
had=$(entries)
"$session" dump "$name" -o "$dumps" --keep-free 900T 2>err
is "without room there is no dump" $? 1
has "and it says so" err "no room for a dump"
is "the ring buffer keeps its events" "$(entries)" "$had"
full=$here/full
mkdir "$full"
if mount -t tmpfs -o size=4m tmpfs "$full"; then
	"$session" dump "$name" -o "$full" --keep-free 0 2>err
	is "a file system that is too small gets none" $? 1
	is "nothing is left there" "$(ls -A "$full")" ""
	is "the ring buffer keeps its events then" "$(entries)" "$had"
	mount -o remount,size=13m "$full"
	"$session" dump "$name" -o "$full" --keep-free 0 --compression none 2>err
	is "where there is some room" "$(sed 's/.*: [0-9]* KiB;.*/dumped/' err)" dumped
	"$report" -q "$full/$name"-*.dat >text
	is "the newest events are kept" "$("$report" -q "$full/$name"-*.dat | tail -n 1 | wc -l)" 1
else
	skip "a full file system" "tmpfs cannot be mounted"
	full=
fi
"$session" dump "$name" -o /nonexistent 2>err
is "a directory that is not there" $? 1
has "is named" err "/nonexistent"
"$session" reset -q -B "$name"

# --- mistakes

configure "event = sched" "kep-size = 1G"
"$session" flight --config flight.conf "$name" 2>err
is "a wrong key is a usage error" $? 2
has "with its line" err "flight.conf:6: unknown key 'kep-size'"
configure "event = no_such_event_there"
"$session" flight --config flight.conf "$name" 2>err
is "an event that does not exist is an error" $? 1
has "with its name" err no_such_event_there
"$session" flight --config /nonexistent "$name" 2>err
is "a file that does not exist is an error" $? 2
chmod 666 flight.conf
"$session" flight --config flight.conf "$name" 2>err
has "a file that others may write is refused" err "may have been written by another user"
chmod 644 flight.conf
"$session" flight 2>err
is "NAME is needed" $? 2
is "nothing was started" "$(ls -d "$inst" 2>/dev/null)" ""

configure "event = sched:sched_process_exec"
"$session" flight --config flight.conf --dry-run "$name" >plan
has "--dry-run prints the commands" plan "instances/$name"
fly
"$session" reset -q -B "$name" 2>reset.err
is "reset leaves a recorder that runs alone" $? 1
wait_for "$pid" rmdir "$inst"
wait "$pid"
is "a recorder whose instance was removed fails" $? 1
pid=
nothing_of_mine "at the end"
finish
