#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-session: what is started is in the kernel's files, what is shown and extracted is what the
# kernel has, and after a reset tracefs is as it was. vm/t-session-top.sh has the top level, and tracers.
#
# needs: root tracefs
# area: session
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
PATH=$PATH:$bin
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
# beside whatever session somebody has: an instance of this test's own
name=tc-live-session-$$
inst=$tracefs/instances/$name
ours() {
	verb=$1
	shift
	"$session" "$verb" -B "$name" "$@"
}
# A program of this test alone, which ends at once
own_program true "work-$$"
work() {
	for _ in 1 2 3 4 5; do
		"./work-$$"
	done
}
# worked FILE: how often it ran, by its events
worked() {
	grep -c "sched_process_exec: *filename=./work-$$ " "$1"
}
# shellcheck disable=SC2317 # by the trap
cleanup() {
	"$session" reset -q -B "$name" -d 2>/dev/null
	"$session" reset -q -B "$name.by-hand" -d 2>/dev/null
	tap_clean
}
trap cleanup EXIT
ours start -e sched:sched_process_exec -e sched:sched_process_exit -f 'pid > 1' -C mono -b 4M 2>err
is "start succeeds" $? 0
is "it says nothing into a file" "$(cat err)" ""
is "the events are enabled" "$(sort "$inst/set_event" | tr '\n' ' ')" \
	"sched:sched_process_exec sched:sched_process_exit "
is "with the filter" "$(cat "$inst/events/sched/sched_process_exit/filter")" "pid > 1"
is "and the clock" "$(grep -o '\[mono\]' "$inst/trace_clock")" "[mono]"
is "tracing is on" "$(cat "$inst/tracing_on")" 1
between "the ring buffer has the size" "$(cat "$inst/buffer_size_kb")" 4096 4200
ours start -e sched 2>err
is "an existing session is not replaced" $? 1
has "and says how to end it" err "tc-session reset -B $name"
is "it goes on as it was" "$(wc -l <"$inst/set_event")" 2

"$record" -q -e sched_switch -o other.dat -- true
is "no other program takes it for an orphan" "$(cat "$inst/tracing_on")" 1

work
ours stop
is "stop" "$(cat "$inst/tracing_on")" 0
# nameless FILE: without names of threads, which others' recordings may push out of the kernel's table
nameless() {
	sed -i 's/^.*-\([0-9]* *\[\)/\1/' "$1"
}
cat "$inst/trace" >kernel
ours show >shown
nameless kernel
nameless shown
same "show prints the file trace" shown kernel
ours show -c 0 >shown
cat "$inst/per_cpu/cpu0/trace" >kernel0
nameless kernel0
nameless shown
same "show --cpu prints one CPU" shown kernel0
is "-f prints the path first" "$(ours show -f | head -n 1)" "$inst/trace"
is "show --tracing_on" "$(ours show --tracing_on)" 0
ours show --max_latency --tracing_on >shown 2>err
is "show: a setting that is not there does not hide the next" "$?-$(grep -c tracing_max_latency err)-$(tail -n 1 shown)" \
	"$([ -e "$inst/tracing_max_latency" ] && echo 0-0-0 || echo 1-1-0)"
"$session" start -B "$name-two" -e sched:sched_process_exec
"$session" show -B "$name" -B "$name-two" --max_latency --current_tracer >shown 2>err
is "nor does it hide another instance" "$?-$(grep -c tracing_max_latency err)-$(grep -cx nop shown)" \
	"$([ -e "$inst/tracing_max_latency" ] && echo 0-0-2 || echo 1-2-2)"
"$session" show -B "$name" -B "$name-two" >/dev/full 2>err
is "a full disk is reported once" "$?-$(grep -c 'No space left' err)" 1-1
"$session" reset -q -B "$name-two"
is "show --trigger" "$(ours show --trigger sched_process_exec | head -n 1)" "# Available triggers:"
n=$(grep -c 'sched_process_ex' kernel)
is "the programs are in it" "$(worked kernel)" 5
kept() {
	ours status --json | jq "[.buffers[0].cpus[].$1] | add"
}
if command -v jq >/dev/null; then
	is "status counts the events" "$(kept entries)" "$n"
	is "status names them" "$(ours status --json | jq -c .buffers[0].events)" \
		'["sched:sched_process_exec","sched:sched_process_exit"]'
	is "and the filter" "$(ours status --json | jq -r '.buffers[0].filters[] | .event + " " + .text')" \
		"sched:sched_process_exit pid > 1"
	is "and the clock" "$(ours status --json | jq -r .buffers[0].clock)" mono
else
	skip "status --json" "jq is not installed"
fi
# shellcheck disable=SC2094 # the first is not a file
ours status >status
has "status in words" status "session '$name': stopped"
has "with the filter" status "sched:sched_process_exit: pid > 1"

# The records of the file, as trace-cmd and the kernel print them: which thread, where, when, what
ours extract -o x.dat 2>err
is "extract succeeds" $? 0
has "it says how many" err "$n events are in 'x.dat'"
# "  comm-1  [000] .....  1.2: event: text" without the flags
fields() {
	sed -nE 's/^(.*-)?([0-9]+) +\[([0-9]+)\] +([^ ]+ +)?([0-9.]+): +(sched_process_ex[a-z]+):.*/\2 \3 \5 \6/p' "$1"
}
fields kernel >want
"$report" -i x.dat >text
fields text >got
same "extract writes the records that the kernel showed" got want
if command -v trace-cmd >/dev/null; then
	trace-cmd report -i x.dat 2>/dev/null >text
	fields text >got
	same "trace-cmd reads the same" got want
else
	skip "trace-cmd reads the same" "trace-cmd is not installed"
fi
is "the ring buffer is empty then" "$(grep -vc '^#' "$inst/trace")" 0

ours restart
is "restart" "$(cat "$inst/tracing_on")" 1
begun=$(date +%s)
work
ours extract -q --date -o y.dat
is "a session that traces goes on after an extract" "$(cat "$inst/tracing_on")" 1
"$report" -i y.dat --no-flags >text
is "and its events are in the file" "$(worked text)" 5
between "extract --date: the time of day, by the session's clock" \
	"$(sed -n "s/^.*\] *\([0-9]*\)\.[0-9]*: sched_process_exec: *filename=.\/work-$$ .*/\1/p" text |
		tail -n 1)" "$((begun - 1))" "$(($(date +%s) + 1))"

work
ours show -p >pipe &
pid=$!
wait_for $pid grep -q "filename=./work-$$" pipe
is "show -p prints what is there, and waits" "$(kill -0 $pid && echo waits)" waits
"./work-$$"
ours stop
wait $pid
is "until tracing is off" $? 0
is "and prints new events" "$(worked pipe)" 6
is "printed records are no longer in the ring buffer" "$(grep -vc '^#' "$inst/trace")" 0
ours restart
for sig in INT TERM; do
	[ $sig = INT ] && status=130 || status=143
	: >pipe
	"$bin/env" --ignore-signal=INT --ignore-signal=TERM "$session" show -B "$name" -p >pipe &
	pid=$!
	"./work-$$"
	wait_for $pid grep -q "filename=./work-$$" pipe
	kill -$sig $pid
	wait $pid
	is "SIG$sig, ignored at the start, ends show -p" $? "$status"
	is "and it is not left out of the session any more" "$(cat "$inst/set_event_notrace_pid")" ""
done
work
ours stop
# with those that "show -p" was ended before it printed
between "there is something to clear" "$(worked "$inst/trace")" 5 7
ours clear
is "clear empties the ring buffer" "$(grep -vc '^#' "$inst/trace")" 0

ours snapshot -s 2>err
if [ -e "$inst/snapshot" ]; then
	is "a snapshot is taken" "$(cat err)" ""
else
	has "a kernel without snapshots is reported" err "CONFIG_TRACER_SNAPSHOT"
fi

ours reset
is "reset succeeds" $? 0
nothing_of_mine "after a reset"
is "no journal is left" "$(find /run/tracecraft -name "*$name*")" ""
ours reset 2>err
is "an instance that does not exist is an error" $? 1

# One that was there before: it stays, as it was
mkdir "$tracefs/instances/$name.by-hand"
hand=$tracefs/instances/$name.by-hand
echo 1 >"$hand/events/irq/enable"
echo 'prev_pid > 7' >"$hand/events/sched/sched_switch/filter"
"$session" reset -B "$name.by-hand"
is "reset of others' instance ends their events" "$(cat "$hand/set_event")" ""
is "and filters" "$(cat "$hand/events/sched/sched_switch/filter")" none
"$session" reset -B "$name.by-hand" -d
is "and -d removes it" "$(find "$tracefs/instances" -maxdepth 1 -name "$name*")" ""

# Errors leave nothing behind
ours start -e sched_swich 2>err
is "an unknown event is wrong usage" $? 2
has "with similar names" err "sched_switch"
ours start -e sched_switch -f 'nosuch > 1' 2>err
is "a filter that is refused" $? 1
has "is shown with the kernel's message" err "Field not found"
ours start -e sched_switch -- /no/such/command 2>err
is "a COMMAND that does not exist" $? 1
ours start -e sched_process_exec -F -- sh -c '/bin/true; exit 7'
is "start waits for COMMAND, and has its status" $? 7
is "the session holds what it did, and nobody else" \
	"$(grep -c 'sched_process_exec: ' "$inst/trace") $(grep -c 'exec: filename=[a-z/]*/sh ' "$inst/trace")" "1 1"
ours reset
ours start -p nop
is "a session can be for markers only" $? 0
echo "hello from $name" >"$inst/trace_marker"
has "which are in it" "$inst/trace" "hello from $name"
ours reset
# Killed halfway, or just when it had ended: one of both has what is to be taken back.
"$session" start -q -B "$name" -e sched -f 'pid > 1' -e irq -f 'irq > 0' 2>/dev/null &
pid=$!
wait_for $pid test -d "$inst"
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
[ -e "/run/tracecraft/kept/instance:$name" ] && ours reset -q
"$session" reset -q --orphans
is "reset cleans up after a start that was killed" \
	"$(find "$tracefs/instances" -maxdepth 1 -name "*$name*"; find /run/tracecraft -name "*$name*" -o -name "tc-session.$pid*")" ""
"$session" strat 2>err
is "an unknown verb is wrong usage" $? 2
has "with similar verbs" err "did you mean 'start'?"
nothing_of_mine "at the end"
# Who looks at a session of all system calls, here of this test's processes, is not in it, and gets to its end.
ours start -e syscalls -b 8M -P $$ -c 2>err
is "a session of system calls: start" $? 0
echo 1 >>"$inst/set_event_notrace_pid"
ours status >text
is "status" $? 0
is "its own pid is not a setting" "$(sed -n 's/.*set_event_notrace_pid[: ]*//p' text)" 1
"$session" show -B "$name" >shown &
pid=$!
wait $pid
is "show ends" $? 0
ours stop
# It is loaded before it can leave itself out; what it reads then makes no events.
grep -e "-$pid .*sys_" "$inst/trace" >own
has "it was in it until it left itself out" own sys_execve
nothing "reading it makes no events" "$(grep 'trace_pipe\|per_cpu\|sys_splice' own | head -n 3)"
is "and nobody else's pid was taken out" "$(cat "$inst/set_event_notrace_pid")" 1
ours reset
# Two starts of one name at once: who succeeds has a session, whatever becomes of the other one.
lost=
for i in 1 2 3 4 5 6 7 8; do
	"$session" start -q -B "$name.race$i" -e sched:sched_switch 2>>race.err &
	one=$!
	"$session" start -q -B "$name.race$i" -e sched:sched_waking 2>>race.err &
	two=$!
	wait $one
	one=$?
	wait $two
	two=$?
	if [ $one = 0 ] || [ $two = 0 ]; then
		[ -d "$tracefs/instances/$name.race$i" ] || lost="$lost $i"
		[ $one != $two ] || lost="$lost both-$i"
	fi
	"$session" reset -q -B "$name.race$i" 2>/dev/null
done
nothing "two starts at once: one has a session, which stays" "$lost"

nothing_of_mine "a session of system calls"

finish
