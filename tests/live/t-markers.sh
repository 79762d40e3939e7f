#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Text that programs write to the top level's trace_marker, on kernels that copy it into instances and on others.
#
# needs: root tracefs exclusive
# area: record session
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

session=$TC_BUILDDIR/tc-session
copies() {
	[ -e "$tracefs/options/copy_trace_marker" ]
}
# shellcheck disable=SC2317 # the trap calls it
cleanup() {
	[ ! -d "$tracefs/instances/m.$$" ] || "$session" reset -B "m.$$"
	echo 0 >"$tracefs/events/sched/sched_process_fork/enable"
}
trap "cleanup; tap_clean" EXIT

# marks OPTION...: record these while a shell writes two markers; how many of them its text has
marks() {
	"$record" "$@" -o m.dat -- sh -c "echo 'B|$$|first' >$tracefs/trace_marker
		echo 'E|$$|second' >$tracefs/trace_marker; exit 0" 2>err ||
		fail "tc-record $*" "$(cat err)"
	"$report" --no-flags -i m.dat >text
	grep -c "print: *tracing_mark_write: [BE]|$$|" text
}
top() {
	cat "$tracefs/tracing_on" "$tracefs/buffer_size_kb" "$tracefs/trace_clock" "$tracefs/set_event" \
		"$tracefs/current_tracer" "$tracefs/buffer_percent"
	! copies || cat "$tracefs/options/copy_trace_marker"
}

# The size is what it is once the buffer has been used.
echo >"$tracefs/trace_marker"
echo 1408 >"$tracefs/buffer_size_kb"
top >before
if copies; then
	is "text that programs write to trace_marker is recorded" "$(marks -e sched_process_exec)" 2
	is "nothing is said to be missing" "$(grep -c markers err)" 0
	is "with -P, too, for they belong to no event" "$(marks -e sched_process_exec -P 1)" 2
	is "not if the option that copies is cleared" \
		"$(marks -e sched_process_exec -O nocopy_trace_marker)" 0
else
	is "an instance has nothing of what programs write to trace_marker" "$(marks -e sched_process_exec)" 0
	has "a notice counts what went by" err \
		'2 records of trace_printk() or trace_marker went into the top level'
	has "and names the option" err '--markers records such'
	is "-q has no notice" "$(marks -q -e sched_process_exec)$(grep -c markers err)" 00
fi

is "--markers records it" "$(marks -e sched_process_exec --markers)" 2
is "nothing is said to be missing" "$(grep -c markers err)" 0
is "in a buffer of its own" "$(grep -c "^ *top: .*tracing_mark_write: [BE]|$$|" text)" 2
is "on one time line with the events" \
	"$(sed -n -e "s/.* sched_process_exec: .*filename=.*\/sh .*/exec/p" -e "s/.*: [BE]|$$|//p" text | tr '\n' ' ')" \
	"exec first second "
is "--markers alone is a recording" "$(marks --markers)" 2
is "whose lines have no name of a buffer" "$(grep -c '^ *top:' text)" 0
is "-B '' is the top level" "$(marks -B '' -e sched_process_exec)" 2
is "with its events" "$(grep -c 'sched_process_exec: .*filename=.*/sh ' text)" 1
is "as a recording of trace-cmd" "$(grep -c '^ *top:' text)" 0
is "-B '' with -F" "$(marks -B '' -e sched_process_fork -F)" 2
top >after
same "the top level is as it was" before after

echo 1 >"$tracefs/events/sched/sched_process_fork/enable"
"$record" -e sched_process_exec --markers -o busy.dat -- true 2>err
is "a top level that somebody uses is left alone" $? 1
has "and the message says who uses it" err "the event 'sched:sched_process_fork' is enabled"
runs "no file is written" test ! -e busy.dat
echo 0 >"$tracefs/events/sched/sched_process_fork/enable"
"$record" -e sched_process_exec -B top -e sched_switch --markers -o no.dat 2>err
is "a buffer of the same name in the file is an error" $? 2
has "and the message says so" err "is called 'top' in the file"

if copies; then
	"$session" start -q -B "m.$$" -e sched_process_exec
	echo "M|$$" >"$tracefs/trace_marker"
	"$session" stop -B "m.$$"
	"$session" show -B "m.$$" >text
	has "a session has the markers of programs" text "tracing_mark_write: M|$$"
	"$session" restart -B "m.$$"
	echo "N|$$" >"$tracefs/trace_marker"
	"$session" show -B "m.$$" >text
	has "also after stop and restart" text "tracing_mark_write: N|$$"
	"$session" reset -B "m.$$"
else
	skip "a session has the markers of programs" "this kernel does not copy them"
	skip "also after stop and restart" "this kernel does not copy them"
fi

# The kernel refuses a marker to its writer when one instance that has the copies does not take it. A guest's CPU is
# too slow to write without pause.
if copies && ! guest; then
	# shellcheck disable=SC2016 # the inner shell's
	sh -c 'while [ ! -e done ]; do echo W >"$1/trace_marker" || echo "$?"; done' sh "$tracefs" >refused 2>&1 &
	writer=$!
	"$record" -q -e sched_process_exec -o w.dat -- true
	# shellcheck disable=SC2016 # the inner shell's
	write='for cpu in $(seq 0 $(($(nproc) - 1))); do
		taskset -c $cpu sh -c '\''echo V >"$0/trace_marker" || echo "$?"'\'' "$0"
	done'
	"$record" -q -e sched_process_exec -M 1 -o w.dat -- sh -c "$write" "$tracefs" >refused.on 2>&1
	"$record" -q -e sched_process_exec -O nooverwrite -b 8 -o w.dat -- true
	"$record" -q -e sched_process_exec -R traceoff -o w.dat -- sh -c "$write" "$tracefs" >refused.off 2>&1
	"$record" -q -e sched_process_exec -O copy_trace_marker -o w.dat -- true 2>/dev/null
	"$session" start -q -B "m.$$" -e sched_process_exec
	"$session" extract -q -B "m.$$" -o w.dat
	"$session" stop -B "m.$$"
	"$session" show -B "m.$$" >text
	"$session" restart -B "m.$$"
	"$session" reset -q -B "m.$$"
	: >done
	wait $writer
	nothing "no writer of a marker is refused meanwhile" "$(sort refused refused.on refused.off | uniq -c)"
else
	skip "no writer of a marker is refused meanwhile" "this kernel does not copy them"
fi
if grep -qw function_graph "$tracefs/available_tracers" &&
	"$record" --dry-run -p function_graph | grep -q 'tracing/current_tracer'; then
	"$record" -p function_graph --markers -o no.dat -- true 2>err
	is "a tracer at the top level has the markers already" $? 1
	has "and the message says so" err "leave out -B '' and --markers"
else
	skip "a tracer at the top level has the markers already" "no tracer is there only"
	skip "and the message says so" "no tracer is there only"
fi
nothing_of_mine "after all of it"
finish
