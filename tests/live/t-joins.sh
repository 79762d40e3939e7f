#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tasks that come after a program has looked for those to trace: threads that are made while it sets up, and
# what is moved into a cgroup or enters a container while it traces.
#
# needs: root tracefs
# area: record
# also: vm
# shellcheck disable=SC2317 # by wait_for and the trap
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

helper chain
own_program true "mine.$$"

# The one hierarchy, or a controller's of version 1
base=
for dir in /sys/fs/cgroup /sys/fs/cgroup/pids /sys/fs/cgroup/freezer; do
	[ -n "$base" ] || [ ! -e "$dir/cgroup.procs" ] || base=$dir
done
cgroup=${base:-/no/cgroups}/tc-joins.$$
path=${cgroup#/sys/fs/cgroup/}
cleanup() {
	[ ! -d "$cgroup" ] || rmdir "$cgroup"
}
trap "cleanup; tap_clean" EXIT

# Each thread is made by the one before. Who misses one misses all that follow.
mkfifo in
./chain <in >ready &
chain=$!
exec 3>in
wait_for $chain grep -q ready ready
seen=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
	"$record" -q -P "$chain" -c -e sched:sched_process_fork --max-events 5 --duration 20 -o chain.dat 2>err
	[ "$("$report" -i chain.dat 2>/dev/null | grep -c sched_process_fork:)" -lt 5 ] || seen=$((seen + 1))
done
is "a thread that is made while tc-record looks for threads is recorded" $seen 10
exec 3>&-
wait $chain

# has_task PID PROGRAM: the list of the program with this pid has the task
has_task() {
	grep -qx "$2" "$tracefs/instances/$1/set_event_pid" 2>/dev/null
}

# moved INSTANCE TRACER: a shell that came into the cgroup runs the program three times, once the tracer has it
moved() {
	rm -f go
	mkfifo go
	sh -c "echo \$\$ >'$cgroup/cgroup.procs'; read -r now <go; for i in 1 2 3; do ./mine.$$; done; exit 0" &
	shell=$!
	exec 4<>go
	wait_for "$2" has_task "$1" $shell
	echo now >&4
	wait $shell
	exec 4>&-
}

if mkdir "$cgroup" 2>/dev/null; then
	"$record" -e sched:sched_process_exec --cgroup "$path" -o later.dat 2>err &
	tracer=$!
	wait_for $tracer recording $tracer
	./mine.$$
	moved tc-record.$tracer $tracer
	moved tc-record.$tracer $tracer
	./mine.$$
	kill -INT $tracer
	wait $tracer
	is "tc-record --cgroup of an empty cgroup waits for tasks" $? 0
	"$report" -i later.dat >text
	is "tasks that come into it are recorded, and nobody else" "$(lines_of text | wc -l)" 6
	is "... each by its program" "$(grep -c "filename=./mine.$$ " text)" 6
	is "... and the recorder does not take its own list for a change by others" "$(grep -c 'no events lost' err)" 1
	is "with --no-filter nobody could stand for tasks to come" \
		"$("$record" --no-filter -e sched --cgroup "$path" -o no.dat 2>&1 | grep -c "no tasks in '$path'")" 1

	"$TC_BUILDDIR/tc-stat" -e sched:sched_process_exec --cgroup "$path" --json -o out 2>err &
	tracer=$!
	wait_for $tracer traces "tc-stat.$tracer"
	moved tc-stat.$tracer $tracer
	wait $tracer
	is "tc-stat waits for tasks, and ends after the last" "$?$(grep -c '"counter-value" : "3.0' out)" 01

	"$TC_BUILDDIR/tc-trace" -q -f -e trace=execve --cgroup "$path" -o out 2>err &
	tracer=$!
	wait_for $tracer traces "tc-trace.$tracer"
	moved tc-trace.$tracer $tracer
	wait $tracer
	is "tc-trace as well" "$?$(grep -c 'execve(' out)" 03
	wait_for $$ rmdir "$cgroup"
else
	skip "--cgroup waits for tasks" "no cgroup can be made"
fi

if unshare -p -f true 2>/dev/null && command -v nsenter >/dev/null; then
	mkfifo hold
	unshare -p -f sh -c 'read -r now <hold; exit 0' &
	outer=$!
	exec 5<>hold
	wait_for $outer grep -q . "/proc/$outer/task/$outer/children"
	read -r inner <"/proc/$outer/task/$outer/children"
	"$record" -e sched:sched_process_exec --container "$inner" -o later.dat 2>err &
	tracer=$!
	wait_for $tracer recording $tracer
	rm -f go
	mkfifo go
	nsenter -t "$inner" -p sh -c "read -r now <go; ./mine.$$; exit 0" &
	enter=$!
	exec 4<>go
	# nsenter itself stays outside; the shell that it makes is inside.
	wait_for $enter grep -q . "/proc/$enter/task/$enter/children"
	read -r entered <"/proc/$enter/task/$enter/children"
	wait_for $tracer has_task tc-record.$tracer "$entered"
	echo now >&4
	wait $enter
	kill -INT $tracer
	wait $tracer
	"$report" -i later.dat >text
	is "who enters a container is recorded" "$(grep -c "filename=./mine.$$ " text)" 1
	echo now >&5
	wait $outer
else
	skip "who enters a container is recorded" "no pid namespace can be made"
fi
finish
