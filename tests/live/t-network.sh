#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-record -N sends a recording to tc-listen, to trace-cmd listen and to a listener of the test, and says
# what is wrong with others.
#
# needs: root tracefs
# area: network

# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/live/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
peer=$TC_SRCDIR/tests/net/peer.py
PATH=$TC_BUILDDIR:$PATH
export PATH
# arrived NAME: there is a file of that name, with something in it
arrived() {
	[ -n "$(find out -name "$1" -size +0)" ]
}

# wrote N: tc-listen has completed N files
wrote() {
	[ "$(grep -c "wrote '" log)" -ge "$1" ]
}

# readable FILE: to its end
readable() {
	[ -e "$1" ] && tc-file check "$1"
}

# counted FILE: events by the kernel's counters, as tc-record printed them
counted() {
	sed -n 's/^tc-record: \([0-9]*\) events in .*no events lost$/\1/p' "$1"
}

# has_all WHAT FILE: each event that the kernel counted, for which the buffers have room, is in it, with the name of its task
has_all() {
	tc-report -i "$2" >text 2>/dev/null
	is "$1 has each event that the kernel counted" "$(grep -vc '^cpus=' text)" "$(counted err)"
	is "$1 has an id" "$(trace_id "$2" | wc -l)" 1
	command -v trace-cmd >/dev/null || return
	trace-cmd report -i "$2" 2>/dev/null >theirs
	is "trace-cmd reads as many from $1" "$(grep -vc '^cpus=' theirs)" "$(counted err)"
}

# names WHAT FILE: of tasks that began after the first metadata were sent, and have ended
names() {
	tc-report -i "$2" >text 2>/dev/null
	is "$1 has the names of tasks that began later" \
		"$(grep -c '^ *true-[0-9]' text | sed 's/^[1-9][0-9]*$/some/')" some
}

trace_id() {
	if command -v trace-cmd >/dev/null; then
		trace-cmd dump --options -i "$1" | grep TRACEID
	else
		echo "not looked at"
	fi
}

# shellcheck disable=SC2016 # for the shell that is recorded
work='i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done'

mkdir out
: >log
tc-listen -p 0 -d out 2>log &
listener=$!
wait_for $listener grep -q 'listening on' log
port=$(sed -n 's/^.*listening on .* port //p' log)
[ -n "$port" ] || skip_all "tc-listen does not start: $(cat log)"
tc-record -N "$port" -b 8192 -t -F -c -e sched -e raw_syscalls -- sh -c "$work" 2>err
is "tc-record -N succeeds" $? 0
wait_for $listener wrote 1
has_all "the file of tc-listen" out/trace.127.0.0.1:*.dat
names "the file of tc-listen" out/trace.127.0.0.1:*.dat
rm -f out/*

tc-record -q -N "127.0.0.1:$port" --compression none --cpus 0 -e sched -F -c -- sh -c "$work" 2>err
is "one CPU of several, without compression" "$?$(cat err)" 0
wait_for $listener wrote 2
is "has one CPU" "$(grep -c "wrote '.* sub-buffers of 1 CPUs\$" log)" 1
runs "can be read" tc-report -i out/trace.127.0.0.1:*.dat
rm -f out/*

# A signal ends the recording; until then metadata are not complete, which a listener waits for.
tc-record -N "$port" -C mono --compression none -P $$ -c -e sched >said 2>err &
recorder=$!
wait_for $recorder arrived '*.dat'
wait_for $recorder recording $recorder
sh -c "$work"
kill -INT $recorder
wait $recorder
is "a recording without COMMAND ends with a signal" $? 0
wait_for $listener wrote 3
has_all "its file" out/trace.127.0.0.1:*.dat
# It has asked tc-listen for its clock, which is the same one here: at the start and at the end.
python3 "$TC_SRCDIR/tests/live/clocks.py" pairs out/trace.127.0.0.1:*.dat | awk '$4 == 3' >trips
is "its clock was compared with that of tc-listen" \
	"$(awk '{ d = $2 - $1; if (d < 0) d = -d; if (d > $3) wrong++ } END { print (NR >= 2), wrong + 0 }' trips)" "1 0"
is "which has a name" "$(grep -c ', clock mono of boot ' out/trace.127.0.0.1:*.dat)" 1
rm -f out/*

# The recorder is killed: there is a file of what had arrived.
tc-record -N "$port" -e sched >said 2>err &
recorder=$!
wait_for $recorder arrived '*.cpu0'
kill -9 $recorder
wait $recorder 2>/dev/null
wait_for $listener grep -q 'did not end its recording' log
tc-report -i out/trace.127.0.0.1:*.dat >text 2>report.err
is "a killed recorder leaves a file" "$(grep -c sched_switch: text | sed 's/^[1-9][0-9]*$/some/')" some
trace-cmd report -i out/trace.127.0.0.1:*.dat 2>/dev/null >theirs
is "which trace-cmd reads as well" "$(wc -l <theirs)" "$(wc -l <text)"
rm -f out/*
tc-session reset --orphans -q

# The listener is killed: tc-record ends, and says so.
tc-record -N "$port" -e sched >said 2>err &
recorder=$!
wait_for $recorder arrived '*.cpu0'
kill -9 $listener
wait $listener 2>/dev/null
wait $recorder
is "a listener that goes away ends the recording" $? 1
is "with a message" "$(grep -c "the listener on .* went away" err)" 1
is "that says what to do" "$(grep -c '^hint: tc-listen keeps a file' err)" 1
# The metadata have an end that never came: what the report shows of them and the data beside can be joined.
set -- out/trace.127.0.0.1:*.dat
tc-report -i "$1" >killed 2>report.err
has "the report says that the file is not complete" report.err 'is damaged'
runs "tc-record --recover completes it" tc-record -q --recover "$1"
tc-report -i "$1" >recovered 2>report.err
[ -s recovered ] && same "and it shows what the report showed" killed recovered
is "without damage" "$(cat report.err)$(tc-file check "$1" | tail -n 1 | sed 's/.*: //')" sound
is "and nothing is beside it" "$(ls out)" "${1#out/}"
trace-cmd report -i "$1" 2>/dev/null >theirs
is "trace-cmd reads as many events" "$(wc -l <theirs)" "$(wc -l <recovered)"
rm -f out/*

tc-record -N "$port" -e sched -- true >said 2>err
is "nobody listens: refused" $? 1
is "which is said" "$(grep -c "cannot connect to 'localhost' port $port: Connection refused" err)" 1

python3 "$peer" listen wire wire.port --greeting >said 2>&1 &
wait_for $! test -s wire.port
tc-record -N "$(cat wire.port)" -e sched -- true >said 2>err
is "another server: refused" $? 1
is "it says what is missing" "$(grep -c "is not a trace-cmd listener: it does not greet with 'tracecmd'" err)" 1
wait

# The wire itself: metadata that are a trace file, and whole sub-buffers.
for confirm in '' --confirm; do
	rm -f wire.*
	# shellcheck disable=SC2086 # no word or one
	python3 "$peer" listen wire wire.port $confirm >said 2>&1 &
	script=$!
	wait_for $script test -s wire.port
	tc-record -N "$(cat wire.port)" -e sched -- sh -c "$work" 2>err
	is "a listener of the test gets a recording $confirm" $? 0
	wait $script
	is "in the order of the protocol $confirm" "$?$(tail -n 1 said)" 0
	runs "metadata are a trace file $confirm" tc-report --events -i wire.meta
done

for options in '-B foo' '-o t.dat' '--mode 644' '--max-size 10M' '-m 10M' '--switch-output=10M' \
	'--compression zlib'; do
	# shellcheck disable=SC2086 # words
	tc-record -N 1 $options -e sched -- true >said 2>err
	is "-N with ${options%% *} is a wrong use" $? 2
	is "with a reason" "$(grep -c 'option -N excludes' err)" 1
done
for host in '' x: :1 host:0 host:99999 a:b:1 '[::1' '[::1]' '[]:1'; do
	tc-record -N "$host" -e sched -- true >said 2>err
	is "-N '$host' does not name a listener" $? 2
done

if command -v trace-cmd >/dev/null; then
	mkdir theirs.d
	port=$(python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
	(cd theirs.d && exec trace-cmd listen -p "$port" >../theirs.log 2>&1) &
	listener=$!
	wait_for $listener python3 -c "import socket; socket.create_connection(('127.0.0.1', $port)).close()"
	# Longer than the 5 s that it waits for metadata
	tc-record -N "$port" -b 8192 -C mono -F -c -e sched -e raw_syscalls -- sh -c "$work; sleep 7" 2>err # real time: trace-cmd
	is "trace-cmd listen takes a recording" $? 0
	wait_for $listener readable theirs.d/trace.localhost:*.dat
	has_all "the file of trace-cmd listen" theirs.d/trace.localhost:*.dat
	names "the file of trace-cmd listen" theirs.d/trace.localhost:*.dat
	kill $listener
else
	skip "trace-cmd listen takes a recording" "trace-cmd is not installed"
fi
nothing_of_mine afterwards
finish
