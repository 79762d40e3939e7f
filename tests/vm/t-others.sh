# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Who else traces is left alone: the top level, and a second recording at the same time.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

restore()
{
	echo 0 >$T/events/enable
	echo nop >$T/current_tracer
	echo 0 >$T/events/sched/filter
	: >$T/trace
}
trap restore EXIT

echo 'comm == "nobody"' >$T/events/sched/sched_process_exec/filter 2>/dev/null
echo 1 >$T/events/sched/sched_process_fork/enable
echo 'before' >$T/trace_marker
cat $T/set_event $T/tracing_on $T/current_tracer $T/events/sched/*/filter >before
tc-record -q -e sched -o a.dat -- sh -c '/bin/ls / >/dev/null; true'
cat $T/set_event $T/tracing_on $T/current_tracer $T/events/sched/*/filter >after
same "events enabled at the top level stay enabled" before after
grep -v '^#' $T/trace >top
has "its buffer keeps its contents" top 'before'
has "and it goes on recording" top 'sched_process_fork:'

# Two recordings, each with its own events; the second one starts and ends within the first.
tc-record -q -e sched:sched_process_exec -o out.dat -- sh -c '
	/bin/ls / >/dev/null
	tc-record -q -e sched:sched_process_exit -o in.dat -- cat /etc/passwd >/dev/null
	/bin/date >/dev/null'
is "a recording inside a recording works" $? 0
tc-report --no-flags -N -i out.dat >out.txt
tc-report --no-flags -N -i in.dat >in.txt
has "the outer one has the events from before the inner one" out.txt '/bin/ls'
has "and those from after it" out.txt '/bin/date'
is "and none of its events" "$(grep -c sched_process_exit: out.txt)" 0
has "the inner one has its own" in.txt 'comm=cat'
is "and none of the outer one's" "$(grep -c sched_process_exec: in.txt)" 0
finish
