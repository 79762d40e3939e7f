#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Several buffers (-B), tasks by cgroup and pid namespace, settings that stay, a recorder in the
# background; in a guest, tracers in buffers of their own.
#
# needs: root tracefs
# area: record
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# The one hierarchy, or a controller's of version 1
base=
for dir in /sys/fs/cgroup /sys/fs/cgroup/pids /sys/fs/cgroup/freezer; do
	[ -n "$base" ] || [ ! -e "$dir/cgroup.procs" ] || base=$dir
done
cgroup=${base:-/no/cgroups}/tc-test.$$
mine=$tracefs/instances/mine.$$
# shellcheck disable=SC2317 # the trap calls it
cleanup() {
	for dir in "$mine" "$tracefs/instances/new.$$"; do
		[ ! -d "$dir" ] || rmdir "$dir"
	done
	[ ! -d "$cgroup" ] || rmdir "$cgroup"
}

# beside what lib.sh does at the end
trap "cleanup; tap_clean" EXIT

# events FILE NAME: how many lines of that event
events() {
	grep -c ": $2:" "$1"
}

# Programs of a name that nobody else runs: the machine starts others meanwhile, however many
own_program true "mine.$$"
"$record" -q -e sched_process_exec -B "new.$$" -e sched_process_exit -R stacktrace -b 1M -o b.dat -- \
	sh -c "./mine.$$; ./mine.$$; exit 0"
"$report" --compat -i b.dat --no-flags >b.txt
is "the main buffer has its events" "$(grep -v "^new.$$:" b.txt |
	grep -c ": sched_process_exec: .*filename=./mine.$$ ")" 2
is "and has no event of the other buffer" "$(grep -v "^new.$$:" b.txt | events - sched_process_exit)" 0
is "-B has its events, and its name" "$(grep "^new.$$:" b.txt |
	grep -c ": sched_process_exit: .*comm=mine.$$ ")" 2
# Directly after it on its CPU. The trigger is there before the event is enabled, so that the stacks of
# others may be more than their events.
is "each event has the trigger's stack" "$(grep "^new.$$:" b.txt | awk -v name=" comm=mine.$$ " '
	match($0, /\[[0-9]+\]/) {
		cpu = substr($0, RSTART, RLENGTH)
		n += / kernel_stack:/ && ours[cpu]
		ours[cpu] = / sched_process_exit:/ && index($0, name)
	}
	END { print n + 0 }')" 2
runs "the instance is gone" test ! -e "$tracefs/instances/new.$$"
# as_trace_cmd NAME FILE: trace-cmd prints what tc-report --compat does
as_trace_cmd() {
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i "$2" 2>/dev/null >theirs.txt
		# shellcheck disable=SC2046 # one option or none
		"$report" --compat $(guest && echo "$VM_FLAGS" || echo --no-flags) -i "$2" >compat.txt
		same "$1" compat.txt theirs.txt
	else
		skip "$1" "no trace-cmd"
	fi
}
as_trace_cmd "trace-cmd reads both buffers" b.dat

# An instance of somebody's, with settings and an event of theirs.
mkdir "$mine"
echo 128 >"$mine/buffer_size_kb"
echo mono >"$mine/trace_clock"
echo 1 >"$mine/events/irq/softirq_entry/enable"
settings() {
	cat "$mine/tracing_on" "$mine/buffer_size_kb" "$mine/trace_clock" "$mine/set_event" \
		"$mine/set_event_pid" "$mine/tracing_cpumask" "$mine/options/stacktrace" \
		"$mine/events/sched/sched_process_exec/filter"
}
settings >theirs.before
"$record" -q -B "mine.$$" -e sched_process_exec -f 'pid > 0' -b 256 -C boot -M 1 -T -P $$ -o m.dat \
	-- /bin/true
is "an existing instance is used" $? 0
settings >theirs.after
same "and keeps its settings" theirs.before theirs.after
echo 0 >"$mine/events/irq/softirq_entry/enable"
# not at a moment at which somebody reads it
wait_for $$ rmdir "$mine"

# A shell that runs our program five times when it may, and says when it has
mkfifo go gone
five="exec <go >gone; read -r _; for _ in 1 2 3 4 5; do ./mine.$$; done; echo; read -r _"

# five_recorded OPTION: of the shell with the FIFOs. The same program runs beside it.
five_recorded() {
	"$record" -q -e sched_process_exec "$1" -o five.dat 2>err &
	pid=$!
	wait_for $pid recording $pid || fail "$1: recording begins" "$(cat err)"
	"./mine.$$"
	echo >&3
	read -r _ <&4
	kill -TERM $pid
	wait $pid
	echo >&3
	"$report" -i five.dat >text
	grep "sched_process_exec: .*filename=./mine.$$ " text >ours
	is "${1%%=*} records its tasks" "$(wc -l <ours)" 5
	is "and nothing else" "$(lines_of text | wc -l)" 5
}

if mkdir "$cgroup" 2>/dev/null; then
	sh -c "echo \$\$ >'$cgroup/cgroup.procs' && $five" &
	shell=$!
	exec 3>go 4<gone
	five_recorded "--cgroup=${cgroup#/sys/fs/cgroup/}"
	exec 3>&- 4<&-
	wait $shell
	# The kernel may still be about to let go of its last process.
	wait_for $$ rmdir "$cgroup"
else
	skip "--cgroup records its tasks" "no cgroup can be made"
	skip "and nothing else" "no cgroup can be made"
fi
"$record" -e sched --cgroup no/such/group -o no.dat 2>err
is "a path that is not a cgroup is an error" $? 1
has "which names it" err "no/such/group"

if unshare -p -f true 2>/dev/null; then
	unshare -p -f sh -c "$five" &
	outer=$!
	exec 3>go 4<gone
	read -r inner <"/proc/$outer/task/$outer/children"
	five_recorded "--container=$inner"
	exec 3>&- 4<&-
	wait $outer
else
	skip "--container records its tasks" "no pid namespace can be made"
	skip "and nothing else" "no pid namespace can be made"
fi
"$record" -e sched --container $$ -o no.dat 2>err
is "a process outside any container is an error" $? 1
has "and the message says so" err "is not in a container"

# The wall clock, to the second: the first record is not older than the start and not newer than now.
start=$(date +%s)
"$record" -q -e sched_process_exec --date -o date.dat -- /bin/true
now=$(date +%s)
between "--date shows the time of day" \
	"$("$report" -i date.dat --no-flags | sed -n 's/^.*\] *\([0-9]*\)\.[0-9]*: sched_process_exec.*/\1/p' |
		head -n 1)" "$((start - 1))" "$((now + 1))"

"$record" -e sched_process_exec -k -o k.dat -- true 2>err
left=$(sed -n 's|^tc-record: \(.*/instances/[^/]*\)/* is left.*|\1|p' err)
has "-k: the instance stays, with its events" "$left/set_event" sched:sched_process_exec
is "and does not trace" "$(cat "$left/tracing_on")" 0
wait_for $$ rmdir "$left"
rm -f "/run/tracecraft/kept/instance:${left##*/}"

"$record" -q -e sched_process_exec --daemonize -o d.dat
is "--daemonize returns once recording has begun" $? 0
pid=$(cat /run/tc-record.pid)
./mine.$$
"$record" -q -e sched_switch --daemonize -o d2.dat 2>err
is "a second recording with the same pid file is refused" $? 1
has "and names the first" err "already runs in the background: process $pid"
is "the pid file keeps its pid" "$(cat /run/tc-record.pid)" "$pid"
is "and it leaves no file" "$(find . -name 'd2.dat*')" ""
kill -TERM "$pid"
# not our child: the wait is for its end
wait_for "$pid" false
runs "a signal ends it, and its pid file goes" test ! -e /run/tc-record.pid
runs "and its recording is complete" "$report" -i d.dat
is "with what happened meanwhile" \
	"$("$report" -i d.dat | grep -c ": sched_process_exec: .*filename=./mine.$$ ")" 1
"$record" -q -e no_such_event --daemonize -o no.dat 2>err
is "a recording that cannot begin fails before the program goes into the background" $? 2

nothing_of_mine "after all of it"

# --- tracers in buffers, each of its own, beside events in the main one: a guest's kernel is known to have them, and
# nobody else uses its top level

guest || finish
head -c 100 /dev/zero >bytes
top_level() {
	cat "$tracefs/current_tracer" "$tracefs/set_graph_function" "$tracefs/set_ftrace_filter"
}
top_level >before
# By a pattern that needs no look-up: that takes an emulated machine seconds.
"$record" -q -e sched_process_exec -B "fun.$$" -p function -l 'vfs_ope*' -e sched_process_exit -F -o f.dat -- \
	/bin/dd if=bytes of=/dev/null bs=10 2>err
is "-B with the tracer function" $? 0
"$report" --no-flags -i f.dat >f.txt
is "it has its functions" \
	"$(sed -n 's/^ *\([a-z.0-9]*\): .* function: *vfs_open$/\1/p' f.txt | sort -u)" "fun.$$"
is "it has its events" \
	"$(sed -n 's/^ *\([a-z.0-9]*\): .* sched_process_exit: .*$/\1/p' f.txt | sort -u)" "fun.$$"
is "the main buffer has its own events" "$(grep -c "^ *fun.$$: .* sched_process_exec:" f.txt) \
$(grep -c ' sched_process_exec: .*filename=/bin/dd' f.txt)" "0 1"
as_trace_cmd "trace-cmd reads the same" f.dat

"$record" -q -e sched_process_exec -B "graph.$$" -p function_graph -g vfs_read -l 'vfs_rea*' -l 'rw_verify_a*' \
	-F -o g.dat -- /bin/dd if=bytes of=/dev/null bs=10 2>err
rc=$?
if grep -q 'at the top level only' err; then
	is "a kernel with function_graph only at the top level refuses it" $rc 1
	has "and says what to do" err 'hint: put -p function_graph before the first -B'
	runs "no file is written" test ! -e g.dat
else
	is "-B records with function_graph" $rc 0
	"$report" --no-flags -i g.dat >g.txt
	# 100 bytes by tens, and the read that finds the end
	n=$(grep -c "^ *graph.$$: .*|  vfs_read() {" g.txt)
	runs "each read is a graph of its buffer ($n)" test "$n" -ge 11
	is "and each has what it calls" "$(grep -c "^ *graph.$$: .*|    rw_verify_area();" g.txt)" "$n"
	as_trace_cmd "trace-cmd reads these graphs" g.dat
	keep g.dat g.txt --no-flags
	"$report" --graph -i g.dat >t.txt
	is "--graph draws as many trees" "$(grep -c '|  vfs_read() {' t.txt) \
$(grep -c '|    rw_verify_area();' t.txt)" "$n $n"
fi
top_level >after
same "the top level is as it was" after before
nothing_of_mine "after tracers"

# --- the recorder's threads change places without a record; a reader is woken often, beside the main thread

"$record" -q -e sched_switch -e sched_waking -s 2000 -o own.dat -- \
	sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do /bin/ls / >/dev/null; done'
"$report" --profile --json -i own.dat >json
cpus=$(grep -c '^processor' /proc/cpuinfo)
n=$(sed -n 's/^{"unknown":\([0-9]*\).*/\1/p' json)
between "one run for each CPU began before it was recorded, and none later" "${n:-0}" 0 "$cpus"

# --- threads that a tracer starts have their names, which the kernel does not save

if grep -qw timerlat "$tracefs/available_tracers"; then
	"$record" -q -p timerlat --duration 0.5 -o timerlat.dat
	"$report" -i timerlat.dat >text
	runs "the threads of timerlat measure" grep -q 'timer_latency' text
	is "and have the names that the tracer gives them" \
		"$(sed -n 's/^ *\(.*\)-[0-9]* *\[00*\([0-9]\)\].*context:1	.*/\1 of \2/p' text |
			grep -cv '^timerlat/\([0-9]\) of \1$')" 0
else
	skip "the threads of timerlat measure" "this kernel has no such tracer"
	skip "and have the names that the tracer gives them" "this kernel has no such tracer"
fi

# --- probes of functions and of their returns, drawn as function_graph draws

for f in ksys_read vfs_read rw_verify_area; do
	printf ' -p kprobe:%s -p kretprobe:%s' $f $f
done >probes
# shellcheck disable=SC2046 # words
"$record" -q $(cat probes) -F -o k.dat -- /bin/dd if=bytes of=/dev/null bs=10 2>err
is "probes of entries and returns: records" $? 0
"$report" --no-flags -t -i k.dat >k.txt
"$report" --graph -i k.dat >k.graph
# From the records alone, in the form of graph.awk: a call lasts from its record to that of its return, in
# nanoseconds, and is within those that have begun and not returned.
awk 'function us(from, to,    a, b, t) {
		split(from, a, ".")
		split(to, b, ".")
		# A fraction alone may begin with 0, which busybox takes for the sign of an octal number.
		t = sprintf("%.3f", ((b[1] - a[1]) * 1000000000 + ("1" b[2]) - ("1" a[2])) / 1000)
		# The column has room for so many digits (trace_print_graph_duration()).
		t = substr(t, 1, 8)
		sub(/\.$/, "", t)
		return t
	}
	BEGIN { depth = 0; name[-1] = "-" }
	/\(ffff/ { f = $4; time = $3; pid = $1; sub(/:/, "", f); sub(/:/, "", time); sub(/.*-/, "", pid) }
	/__return: / { depth--; print pid, depth, name[depth - 1], name[depth], us(at[depth], time)
		sub(/__return$/, "", f); if (f != name[depth]) print "not nested:", $0; next }
	/\(ffff/ { at[depth] = time; name[depth++] = f }' k.txt | sort >want
awk -v form=tc-report -f "$TC_SRCDIR/tests/lib/graph.awk" k.graph | sort >have
runs "ten reads and the one at the end of the file, each in its system call" test \
	"$(grep -c ' 1 ksys_read vfs_read ' have)" -ge 11
same "trees and durations are those of the records" want have
nothing_of_mine "after probes"
finish
