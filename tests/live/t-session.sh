#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-session: what is started is in the kernel's files, what is shown and extracted is what the
# kernel has, and after a reset tracefs is as it was.
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
[ -x "$session" ] || skip_all "tc-session is not built in $TC_BUILDDIR"
# beside whatever session somebody has: an instance of this test's own
name=tc-live-session-$$
inst=$tracefs/instances/$name
ours() {
	verb=$1
	shift
	"$session" "$verb" -B "$name" "$@"
}
# Programs that end at once; each makes events of its own name.
work() {
	for _ in 1 2 3 4 5; do
		/bin/true
	done
}
# shellcheck disable=SC2317 # by the trap
cleanup() {
	"$session" reset -q -B "$name" -d 2>/dev/null
	"$session" reset -q -B "$name.by-hand" -d 2>/dev/null
	tap_clean
}
trap cleanup EXIT

remember_state

ours start -e sched:sched_process_exec -e sched:sched_process_exit -f 'pid > 1' -C mono -b 1M 2>err
is "start succeeds" $? 0
is "it says nothing into a file" "$(cat err)" ""
is "the events are enabled" "$(sort "$inst/set_event" | tr '\n' ' ')" \
	"sched:sched_process_exec sched:sched_process_exit "
is "with the filter" "$(cat "$inst/events/sched/sched_process_exit/filter")" "pid > 1"
is "and the clock" "$(grep -o '\[mono\]' "$inst/trace_clock")" "[mono]"
is "tracing is on" "$(cat "$inst/tracing_on")" 1
between "the ring buffer has the size" "$(cat "$inst/buffer_size_kb")" 1024 1100
ours start -e sched 2>err
is "an existing session is not replaced" $? 1
has "and says how to end it" err "tc-session reset -B $name"
is "it goes on as it was" "$(wc -l <"$inst/set_event")" 2

"$record" -q -e sched_switch -o other.dat -- true
is "no other program takes it for an orphan" "$(cat "$inst/tracing_on")" 1

work
ours stop
is "stop" "$(cat "$inst/tracing_on")" 0
cat "$inst/trace" >kernel
ours show >shown
same "show prints the file trace" shown kernel
ours show -c 0 >shown
cat "$inst/per_cpu/cpu0/trace" >kernel0
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
between "the programs are in it" "$(grep -c 'sched_process_exec: filename=/bin/true' kernel)" 5 1000
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

# The records of the file, as trace-cmd and the kernel print them: which thread, where, when, what (the
# name of a thread is in a table of 128 in the kernel, and may be gone when it is asked for again)
ours extract -o x.dat 2>err
is "extract succeeds" $? 0
has "it says how many" err "$n events are in 'x.dat'"
# "  comm-1  [000] .....  1.2: event: text" without the flags
fields() {
	sed -nE 's/^ *.*-([0-9]+) +\[([0-9]+)\] +([^ ]+ +)?([0-9.]+): +(sched_process_ex[a-z]+):.*/\1 \2 \4 \5/p' "$1"
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
between "and its events are in the file" \
	"$("$report" -i y.dat | grep -c 'exec:.*filename=/bin/true')" 5 1000
between "extract --date: the time of day, by the session's clock" \
	"$("$report" -i y.dat --no-flags |
		sed -n 's/^.*\] *\([0-9]*\)\.[0-9]*: sched_process_exec: *filename=.bin.true.*/\1/p' |
		tail -n 1)" "$((begun - 1))" "$(($(date +%s) + 1))"

work
ours show -p >pipe &
pid=$!
until_true 10 grep -q 'filename=/bin/true' pipe
is "show -p prints what is there, and waits" "$(kill -0 $pid && echo waits)" waits
/bin/true ours
ours stop
wait $pid
is "until tracing is off" $? 0
between "and prints new events" "$(grep -c 'filename=/bin/true' pipe)" 6 1000
is "printed records are no longer in the ring buffer" "$(grep -vc '^#' "$inst/trace")" 0
ours restart
for sig in INT TERM; do
	[ $sig = INT ] && status=130 || status=143
	: >pipe
	env --ignore-signal=INT --ignore-signal=TERM "$session" show -B "$name" -p >pipe &
	pid=$!
	/bin/true ours
	until_true 10 grep -q 'filename=/bin/true' pipe
	kill -$sig $pid
	until_true 10 sh -c "! grep -q '^State:.*[RSD]' /proc/$pid/status" || kill -KILL $pid
	wait $pid
	is "SIG$sig, ignored at the start, ends show -p" $? "$status"
	is "and it is not left out of the session any more" "$(cat "$inst/set_event_notrace_pid")" ""
done
work
ours stop
between "there is something to clear" "$(grep -c 'filename=/bin/true' "$inst/trace")" 5 1000
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
same_state "after a reset"
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
is "and -d removes it" "$(find "$tracefs/instances" -name "$name*")" ""

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
until_true 10 test -d "$inst"
kill -KILL $pid 2>/dev/null
wait $pid 2>/dev/null
[ -e "/run/tracecraft/kept/instance:$name" ] && ours reset -q
"$session" reset -q --orphans
is "reset cleans up after a start that was killed" \
	"$(find "$tracefs/instances" /run/tracecraft -name "*$name*" -o -name "tc-session.$pid*")" ""
"$session" strat 2>err
is "an unknown verb is wrong usage" $? 2
has "with similar verbs" err "did you mean 'start'?"
same_state "at the end"
# Who looks at a session of all system calls is not in it, and gets to its end. Only of this test's processes:
# a busy machine makes more events than can be printed meanwhile.
ours start -e syscalls -b 8M -P $$ -c 2>err
is "a session of system calls: start" $? 0
echo 1 >>"$inst/set_event_notrace_pid"
ours status >text
is "status" $? 0
is "its own pid is not a setting" "$(sed -n 's/.*set_event_notrace_pid[: ]*//p' text)" 1
{ timeout 60 "$session" show -B "$name"; echo "status $?"; } >shown
is "show ends" "$(tail -n 1 shown)" "status 0"
ours stop
grep -c '^ *tc-session-.*\<sys_' "$inst/trace" >count
# Each is loaded before it can leave itself out: some 300 events, where reading made 39,000
between "reading it makes hardly any events" "$(cat count)" 1 2000
is "and nobody else's pid was taken out" "$(cat "$inst/set_event_notrace_pid")" 1
ours reset
same_state "a session of system calls"

finish
