#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-record --stream: the events that come out of the stream are those that happened, and neither a slow
# nor a dead reader harms the recorder.
#
# needs: root tracefs
# area: gate network

# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

fleet=$TC_BUILDDIR/tc-fleet
[ -x "$report" ] || skip_all "tc-report is not built"
[ -x "$fleet" ] || skip_all "tc-fleet is not built"
mkdir -m 700 spool || exit 1
# stream OPTION...: with the spool of this test
stream() {
	"$record" --stream --spool spool "$@"
}

# shellcheck disable=SC2016 # the inner shell's
calls='i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i + 1)); done; echo said; exit 7'

# has_bytes FILE: as many as a head and some events have
has_bytes() {
	[ "$(wc -c <"$1")" -gt 60000 ]
}

# execs FILE: how often /bin/true was executed
execs() {
	"$report" --no-pager "$1" 2>/dev/null | grep -c 'sched_process_exec:.*filename=/bin/true'
}

stream -e sched -F -c -- sh -c "$calls" >whole.stream 2>whole.err
is "the exit status is that of COMMAND" $? 7
has "COMMAND writes to standard error" whole.err said
has "the totals are printed" whole.err "events in"
"$fleet" receive -q -o whole.dat whole.stream 2>whole.receive
is "the stream is received" $? 0
nothing "without a message" "$(cat whole.receive)"
is "each exec is in the file" "$(execs whole.dat)" 200
is "as many events as the recorder counted" "$("$report" --no-pager whole.dat | lines_of /dev/stdin | wc -l)" \
	"$(events_in whole.err)"
nothing "nothing is left in the spool" "$(ls spool)"
nothing "nothing is left beside the file" "$(find . -name 'whole.dat?*')"
if command -v trace-cmd >/dev/null; then
	is "trace-cmd reads as many events" "$(trace-cmd report -i whole.dat 2>/dev/null | lines_of /dev/stdin | wc -l)" \
		"$(events_in whole.err)"
else
	skip "trace-cmd reads as many events" "trace-cmd is not installed"
fi

# Uncompressed, and through a pipe
stream --compression=none -e sched -F -c -- sh -c "$calls" 2>none.err | "$fleet" receive -q -o none.dat
is "uncompressed: each exec is in the file" "$(execs none.dat)" 200

# An output that takes nothing
stream -e sched --duration 10 >/dev/full 2>full.err
is "a full output ends it with status 1" $? 1
has "and the message says why" full.err "cannot write the recording to standard output: No space left on device"
stream -e sched --duration 10 >&- 2>closed.err
is "a closed output ends it with status 1" $? 1
has "and the message says why" closed.err "cannot write the recording to standard output: Bad file descriptor"
mkfifo nobody
: <nobody &
stream -e sched --duration 10 >nobody 2>pipe.err
is "a pipe that nobody reads ends it with status 1" $? 1
has "and the message says why" pipe.err "nobody reads standard output any more: recording has ended"
nothing "nothing is left in the spool" "$(ls spool)"

# A stream that ends early: what came before the cut is in the file. Where the chunks of events lie in it depends on
# when the CPUs filled them, so a cut is taken at each tenth, and one where only the end is missing.
size=$(wc -c <whole.stream)
for bytes in $(seq $((size / 10)) $((size / 10)) $((size - size / 10))) $((size - 1)); do
	rm -f part.dat
	head -c "$bytes" whole.stream | "$fleet" receive -o part.dat 2>part.err && echo "$bytes taken as whole" >>whole.parts
	grep -q "ends before the end of the recording" part.err || echo "$bytes: $(cat part.err)" >>whole.parts
	"$report" --no-pager part.dat 2>/dev/null | lines_of /dev/stdin | wc -l >>parts
done
nothing "a stream that is cut is an error, and the message says so" "$(cat whole.parts 2>/dev/null)"
runs "a longer part has no fewer events" sort -n -c parts
is "without the last byte all events are in the file" "$(tail -n 1 parts)" "$(events_in whole.err)"

# Damage in the middle
{ head -c 60000 whole.stream; head -c 100 /dev/zero; tail -c +60101 whole.stream; } >bad.stream
"$fleet" receive -o bad.dat bad.stream 2>bad.err
is "a damaged stream is an error" $? 1
has "the message says where" bad.err "damaged at record"

# SIGINT ends the recording and not the stream
"$record" --stream --spool spool -e sched >int.stream 2>int.err &
pid=$!
wait_for $pid has_bytes int.stream
kill -INT $pid
wait $pid
is "SIGINT ends the recording" $? 0
"$fleet" receive -q -o int.dat int.stream
is "its stream is whole" $? 0

# A reader that ends takes the recorder with it
stream -e sched -- sh -c 'until [ -e ended ]; do /bin/true; done' 2>/dev/null | head -c 100000 >/dev/null
wait_for $$ rmdir spool
: >ended
mkdir -p -m 700 spool
nothing "without a reader nothing is left in the spool" "$(ls spool)"

# A sender that is killed, too
"$record" --stream --spool spool -e sched >killed.stream 2>/dev/null &
pid=$!
wait_for $pid has_bytes killed.stream
kill -KILL $pid
wait $pid 2>/dev/null
wait_for $$ rmdir spool
mkdir -p -m 700 spool
nothing "after the death of the sender nothing is left in the spool" "$(ls spool)"

# A reader that is slower than the events: the spool is full, events are lost, and the file says so
mkfifo enough || exit 1
# shellcheck disable=SC2016 # the inner shell's
stream --spool-size 1M -e sched -e raw_syscalls -- \
	sh -c 'i=0; while [ $i -lt 5000 ]; do /bin/true; i=$((i + 1)); done; echo now >enough' 2>slow.err | {
	read -r _ <enough
	cat
} >slow.stream
"$fleet" receive -o slow.dat slow.stream 2>slow.receive
is "a slow reader gets a whole stream" $? 0
stored=$("$report" --no-pager slow.dat 2>/dev/null | grep -c ': \(sched_\|sys_\)')
is "the events in the file are those that were not lost" "$stored" "$(events_in slow.err)"
has "the lost ones are counted" slow.err "events lost"

"$record" --stream -e sched --max-size 1M >/dev/null 2>both.err
is "--max-size has no meaning for a stream" $? 2
if command -v script >/dev/null; then
	script -qec "'$record' --stream -e sched --duration 1" /dev/null </dev/null >terminal.out 2>&1
	has "a terminal is refused" terminal.out "cannot be written to a terminal"
else
	skip "a terminal is refused" "there is no script"
fi
nothing_of_mine "afterwards"
finish
