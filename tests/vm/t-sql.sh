# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# tc-trace --sql: the kernel's histograms and synthetic events have the numbers that tc-trace finds in the
# events of the same tasks at the same time, and of known calls those that were made.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

command -v tc-trace >/dev/null || skip_all "no tc-trace"
command -v calls >/dev/null || skip_all "no program that makes known calls"

# counting PID: tc-trace with this pid has turned tracing on
counting()
{
	[ "$(cat $T/instances/tc-trace."$1"/tracing_on 2>/dev/null)" = 1 ] &&
		cat $T/instances/tc-trace."$1"/events/*/*/trigger $T/instances/tc-trace."$1"/set_event |
		grep -q '^[^#]'
}

# both NAME QUERY COMMAND: the tables that the kernel and, for a name of tasks, tc-trace makes of it.
# Where one CPU has begun a row and does not run (the emulator's run in turn), the kernel drops the
# event of another for the same row, and says so (__tracing_map_insert()): then once more.
both()
{
	for _ in 1 2 3 4 5; do
		once "$@"
		grep -q lost kernel || break
	done
}

once()
{
	name=$1
	rm -f go
	mkfifo go
	sh -c "read line <go; $3" >/dev/null 2>&1 &
	task=$!
	wait_for 30 waits_in_open $task || sleep 1
	tc-trace --sql "$2" -o kernel -p $task 2>kernel.err &
	a=$!
	tc-trace --sql "$2" -o read -p $task --comm '*' 2>read.err &
	b=$!
	if ! wait_for 30 counting $a || ! wait_for 30 counting $b; then
		fail "$name: counting begins" "$(cat kernel.err read.err)"
	fi
	sleep 1
	echo >go
	wait $a
	is "$name: histograms: exit status" $? 0
	wait $b
	is "$name: reading: exit status" $? 0
	has "$name: the kernel evaluates it" kernel.err "the kernel evaluates the query, in histograms"
	has "$name: events are read" read.err "events are read to evaluate the query"
	for f in kernel read; do
		sed 1d $f | tr -s ' ' | sort >$f.txt
	done
}

both "one event" 'SELECT fd, COUNT(*) AS n, SUM(count) AS bytes FROM syscalls.sys_enter_write WHERE count > 10' '
	dd if=/dev/zero of=/dev/null bs=17 count=700; dd if=/dev/zero of=/dev/null bs=5 count=70'
same "one event: the same table" kernel.txt read.txt
has "one event: counts and sums are those of dd" kernel.txt "1 700 11900 17"
both "names of calls" 'SELECT CAST(id AS SYSCALL) AS call FROM sys_enter' 'calls fork 300 2; ls -l /'
same "names of calls: the same table" kernel.txt read.txt
has "names of calls: those that were made" kernel.txt "600 getppid"
both "text" 'SELECT filename, COUNT(*) FROM sched_process_exec WHERE filename ~ "*ls"' '/bin/ls; /bin/ls; calls exec 2 2'
same "text: the same table" kernel.txt read.txt
has "text: those that were executed" kernel.txt "/bin/ls 2"

query='SELECT CAST(id AS SYSCALL) AS call FROM sys_enter'
tc-trace -q --sql "$query" -o out -- calls fork 300 2
tc-stat -x, -o stat --by id -e raw_syscalls:sys_enter -- calls fork 300 2
is "COMMAND is counted from its exec on" "$(sed 1d out | awk '{ print $2 "," $1 }' | sort | tr '\n' ' ')" \
	"$(cut -d, -f1,2 stat | sort | tr '\n' ' ')"

# How often each task was woken and ran
both "a pair of events" 'SELECT e.next_comm, s.prio, COUNT(*) AS n, TIMESTAMP_DELTA_USECS AS lat
	FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid WHERE s.prio > 100 && e.next_prio < 139' '
	i=0; while [ $i -lt 20 ]; do i=$((i + 1)); sleep 0.01; done; calls thread 50 8; ls -l / | cat | wc'
cut -d ' ' -f 1-3 kernel.txt >kernel.n
cut -d ' ' -f 1-3 read.txt >read.n
same "a pair of events: the same tasks, as often" kernel.n read.n
has "a pair of events: each sleep ended" kernel.n "sleep 120 "
# Each of the two takes its own time stamps, between which the emulator may have to wait.
is "a pair of events: the same times, nearly" "$(awk '{ sum[FILENAME] += $4 }
	END { a = sum["kernel.txt"]; b = sum["read.txt"]; print (a > 0 && b > 0 && a < 5 * b && b < 5 * a) }' \
	kernel.txt read.txt)" 1
is "nothing is left" "$(ls $T/instances)$(cat $T/dynamic_events)" ""

# Interrupted, and killed
pair='SELECT s.pid, TIMESTAMP_DELTA AS lat FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid'
tc-trace --sql "$pair" -o out 2>err &
a=$!
wait_for 30 counting $a || fail "SIGINT: counting begins" "$(cat err)"
is "the synthetic event is there" "$(grep -c "tc_sql_$a" $T/dynamic_events)" 1
sleep 1
kill -INT $a
wait $a
is "SIGINT: exit status" $? 0
has "SIGINT: the table is printed" out "lat_mean"
is "SIGINT: nothing is left" "$(ls $T/instances)$(cat $T/dynamic_events)" ""
tc-trace --sql "$pair" -o out 2>err &
a=$!
wait_for 30 counting $a || fail "kill -9: counting begins" "$(cat err)"
kill -9 $a
wait $a 2>/dev/null
tc-stat -x, -o out -e sched:sched_switch -- true 2>err
has "kill -9: the next program cleans up" err "cleaned up after 1 earlier program"
is "kill -9: nothing is left" "$(ls $T/instances)$(cat $T/dynamic_events)" ""

# Wrong queries
tc-trace --sql 'SELECT prev_com FROM sched_switch' -- true 2>err
is "status of an unknown field" $? 2
has "an unknown field has its place" err '         ^'
tc-trace --sql 'SELECT prev_comm FROM sched_switch WHERE prev_comm > 5' -- true 2>err
is "status of a condition that the kernel refuses" $? 1
is "nothing is left after that" "$(ls $T/instances)$(cat $T/dynamic_events)" ""
finish
