# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# A synthetic event with a stack: the kernel prints "NAME=STACK:" and a function a line.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

first=hist:keys=prev_pid:s=common_stacktrace
# shellcheck disable=SC2016 # the kernel's $s
second='hist:keys=next_pid:s2=$s:onmatch(sched.sched_switch).trace(tc_stack,next_pid,$s2)'
echo "$first" 2>/dev/null >$T/events/sched/sched_switch/trigger ||
	skip_all "no stacks in histograms (Linux 6.3)"
echo 's:tc_stack pid_t pid; unsigned long[] stack;' >>$T/dynamic_events
echo "$second" >>$T/events/sched/sched_switch/trigger
tc-session start -q -e tc_stack
for program in true false true false true; do
	/bin/$program
done
tc-session stop
tc-session show | grep -v '^#' >show.txt
tc-session extract -q -o s.dat
tc-session reset -q
echo "!$second" >>$T/events/sched/sched_switch/trigger
echo "!$first" >>$T/events/sched/sched_switch/trigger
echo '-:tc_stack' >>$T/dynamic_events
# A task whose name the kernel learns later has it in the recording.
sed -i 's/^ *[^ ]*-\([0-9]* *\[\)/\1/' show.txt
has "the kernel has stacks" show.txt "stack=STACK:"
tc-report --kernel s.dat | sed '/^#/d; s/^ *[^ ]*-\([0-9]* *\[\)/\1/' >kernel.txt
same "--kernel prints them as the kernel does" show.txt kernel.txt
tc-report s.dat | grep '^=> ' >text.txt
sed -n 's/^\(=> .*\)\/0x[0-9a-f]*$/\1/p' show.txt >want.txt
same "text has a function a line, without its size" want.txt text.txt
finish
