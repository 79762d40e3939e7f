#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Others read the ring buffer that is recorded, empty it, change its clock, turn tracing off: the numbers are
# those of the file, the recorder says what happened, and the file keeps it. The kernel's own text is the judge.
#
# needs: root tracefs
# area: truth
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

file=$TC_BUILDDIR/tc-file
session=$TC_BUILDDIR/tc-session
trace=$TC_BUILDDIR/tc-trace
writes=3000

# work: so many writes and reads
work() {
	dd if=/dev/zero of=/dev/null bs=1 count=$writes 2>/dev/null
}

# has_read INSTANCE: somebody has read some of its events
# shellcheck disable=SC2317 # by wait_for
has_read() {
	cat "$tracefs/instances/$1"/per_cpu/cpu*/stats | grep -q '^read events: [1-9]'
}

# begin NAME OPTION...: records system calls into NAME.dat in the background; $pid, $inst
begin() {
	name=$1
	shift
	"$record" -B "$name.$$" -b 4M -e raw_syscalls:sys_enter "$@" -o "$name.dat" 2>"$name.err" &
	pid=$!
	inst=$tracefs/instances/$name.$$
	wait_for $pid traces "$name.$$" || fail "$name: recording begins"
	work
	wait_for $pid has_read "$name.$$" || fail "$name: the recorder reads"
}

# pause: the recorder does nothing
pause() {
	kill -STOP $pid
	wait_for $pid is_stopped $pid || fail "$name: the recorder stops"
}

# steal FILE: what is in the ring buffer; the pipe ends once tracing is off
steal() {
	echo 0 >"$inst/tracing_on"
	cat "$inst/trace_pipe" >"$1"
	echo 1 >"$inst/tracing_on"
}

# end [STATUS]
end() {
	kill -CONT $pid
	kill -TERM $pid
	wait $pid
	is "$name: the recording ends" $? "${1:-0}"
}

# number FILE: of events, as the recorder said
number() {
	sed -n 's/^tc-record: \([0-9]*\) events in .*/\1/p' "$1"
}

# is_true NAME: the file has as many events as the recorder said
is_true() {
	is "$1: the file has as many events as was said" "$("$report" -i "$1.dat" 2>/dev/null | grep -c ': sys_enter: ')" \
		"$(number "$1.err")"
}

# kept NAME TEXT: recorder, report and check say it, and it is a loss
kept() {
	has "$1: the recorder says it" "$1.err" "$2"
	# shellcheck disable=SC2016 # the inner shell's
	runs "$1: and not that nothing was lost" sh -c '! grep -q "no events lost" "$0"' "$1.err"
	"$report" -i "$1.dat" >/dev/null 2>"$1.report"
	has "$1: the report says it" "$1.report" "$2"
	"$report" --fail-on-lost -i "$1.dat" >/dev/null 2>&1
	is "$1: --fail-on-lost finds it" $? 1
	"$file" check "$1.dat" >"$1.check"
	is "$1: no damage to the file" $? 0
	has "$1: the check notes it" "$1.check" "$2"
}

for codec in default none; do
	codec_option=
	[ $codec = default ] || codec_option=--compression=none
	name=whole-$codec
	# shellcheck disable=SC2086
	"$record" -b 8M $codec_option -F -c -e raw_syscalls -e sched -e syscalls -f 'common_flags & 1 || common_pid > 0' -T -o $name.dat -- \
		dd if=/dev/zero of=/dev/null bs=1 count=$writes 2>$name.err
	has "$name: nothing is lost where nobody disturbs" $name.err "no events lost"
	is "$name: all that was said is in the file" "$("$file" check $name.dat | sed -n 's/.* \([0-9]*\) records can be read/\1/p')" \
		"$(number $name.err)"
	# shellcheck disable=SC2086
	begin stolen-$codec $codec_option
	pause
	work
	steal stolen
	end
	taken=$(grep -c ': sys_enter: ' stolen)
	at_least "$name: events were read by another program" "$taken" $writes
	kept stolen-$codec "another program read $taken events out of the ring buffer"
	is_true stolen-$codec
done
begin failing --fail-on-lost
pause
steal stolen
end 1

begin emptied
pause
work
echo >"$inst/trace"
end
kept emptied "another program emptied the ring buffer"
is_true emptied

begin clock -C mono
pause
echo global >"$inst/trace_clock"
end
kept clock "another program changed the clock of the ring buffer"

begin off
pause
echo 0 >"$inst/tracing_on"
end
kept off "tracing was turned off by another program"
is_true off

"$record" -q -e raw_syscalls:sys_enter:traceoff -o trigger.dat -- true 2>trigger.err ||
	"$record" -q -e raw_syscalls:sys_enter -R traceoff -o trigger.dat -- true 2>trigger.err
nothing "a trigger that turns tracing off was asked for" "$(cat trigger.err)"

begin both
inst_state=$(cat "$inst/set_event" "$inst/tracing_on" "$inst/trace_clock")
"$record" -B "both.$$" -e sched:sched_waking -C mono -o second.dat -- true 2>second.err
is "a second recorder of one ring buffer is refused" $? 1
has "with the reason" second.err "another program of tracecraft reads the ring buffer of 'both.$$'"
! guest && has "and who it is" second.err "it is open in $pid ("
"$session" show --events -B "both.$$" >second.out 2>second.err
is "so is who would show its events" $? 1
"$session" show -p -B "both.$$" >second.out 2>second.err
is "or print them as the kernel does" $? 1
"$session" extract -q -B "both.$$" -o extract.dat 2>second.err
is "and who would extract them" $? 1
is "nothing was changed in it" "$(cat "$inst/set_event" "$inst/tracing_on" "$inst/trace_clock")" "$inst_state"
end
nothing "the first one was not disturbed" "$(grep 'another program' both.err)"
is_true both

# Tracing is on again when the recorder looks
begin moment
pause
echo 0 >"$inst/tracing_on"
work
echo 1 >"$inst/tracing_on"
end
kept moment "tracing was turned off by another program"
is_true moment

# Which events are traced: what is missing cannot be counted
enter=events/raw_syscalls/sys_enter
for change in "events $enter/enable 0" "filter $enter/filter common_pid==0" "tasks set_event_pid 1" \
	"others events/sched/sched_process_fork/enable 1" "cpus tracing_cpumask 0"; do
	# shellcheck disable=SC2086
	set -- $change
	begin "$1"
	echo "$3" >"$inst/$2"
	end
	kept "$1" "another program changed which events, tasks or CPUs are traced"
done
[ ! -e "$tracefs/options/pause-on-trace" ] || {
	begin paused
	echo 1 >"$inst/options/pause-on-trace"
	end
	kept paused "tracing was turned off by another program"
}

# tc-stat counts without reading; what it says is on its standard error.
for change in "emptied trace 0" "off tracing_on 0" "clock trace_clock global" "filter $enter/filter common_pid==0"; do
	# shellcheck disable=SC2086
	set -- $change
	# shellcheck disable=SC2016 # the inner shell's
	"$TC_BUILDDIR/tc-stat" -o stat.out -e raw_syscalls:sys_enter -- \
		sh -c 'cd "$0/instances/tc-stat.$PPID" && echo "$2" >"$1"' "$tracefs" "$2" "$3" 2>stat.err
	case $1 in
	emptied) has "tc-stat: $1" stat.err "another program emptied the ring buffer" ;;
	off) has "tc-stat: $1" stat.err "tracing was turned off by another program" ;;
	clock) has "tc-stat: $1" stat.err "another program changed the clock" ;;
	*) has "tc-stat: $1" stat.err "another program changed which events" ;;
	esac
done
"$TC_BUILDDIR/tc-stat" -q -o stat.out -e raw_syscalls:sys_enter -- true 2>stat.err
nothing "tc-stat: nothing is said where nobody disturbs" "$(cat stat.err)"

# shellcheck disable=SC2016 # the inner shell's
"$trace" -q -o trace.out --record live.dat -e trace=write -- \
	sh -c 'echo 1 >"$0/instances/tc-trace.$PPID/set_event_notrace_pid"' "$tracefs" 2>live.err
has "tc-trace: other tasks are said" live.err "another program changed which events, tasks or CPUs are traced"
"$report" -i live.dat >/dev/null 2>live.report
has "and its recording keeps it" live.report "another program changed which events, tasks or CPUs are traced"

# shellcheck disable=SC2016 # the inner shell's
"$trace" -q -o trace.out -e trace=write -- sh -c 'kill -STOP $PPID; dd if=/dev/zero of=/dev/null bs=1 count=100 2>/dev/null
	cd "$0/instances/tc-trace.$PPID" && echo 0 >tracing_on && cat trace_pipe && echo 1 >tracing_on
	kill -CONT $PPID' "$tracefs" >live.stolen 2>live.err
has "tc-trace: events that another program read are said" live.err \
	"another program read $(grep -c '\[[0-9]*\]' live.stolen) events out of the ring buffer"

nothing_of_mine "after all"
finish
