#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace --sql counts what programs are known to do, by events that are read where the kernel has no
# histograms; nothing is left in tracefs. In a guest, whose kernel has them, both ways have the same numbers.
#
# needs: root tracefs
# area: tools
# also: vm
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
PATH=$PATH:$bin
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/syscalls/sys_enter_write" ] || skip_all "there are no events of system calls"
helper calls
mine=calls.$$
cp calls "$mine"
calls=30000
! guest || calls=300
# counting PID: tc-trace with this pid has enabled its events, or set its triggers, and tracing is on
counting() {
	counting_in=$tracefs/instances/tc-trace.$1
	# A new instance is on until the program has turned it off, before it asks for events.
	cat "$counting_in/set_event" "$counting_in"/events/sched/*/trigger "$counting_in"/events/raw_syscalls/*/trigger \
		"$counting_in/events/syscalls/sys_enter_write/trigger" 2>/dev/null | grep -q '^[^#]' &&
		[ "$(cat "$counting_in/tracing_on" 2>/dev/null)" = 1 ]
}

# cells FILE: of a table, without the heading; blanks between them
cells() {
	sed 1d "$1" | tr -s ' ' | sed 's/^ //'
}

"$trace" --sql 'SELECT fd, COUNT(*) AS n, SUM(count) AS bytes FROM sys_enter_write WHERE count == 17 || count == 19' \
	-o out -- sh -c 'dd if=/dev/zero of=/dev/null bs=17 count=700; dd if=/dev/zero of=/dev/null bs=19 count=50
	dd if=/dev/zero of=/dev/null bs=18 count=50' 2>err
is "a sum: exit status" $? 0
has "it is said how the query is evaluated" err "evaluate"
is "a sum and its mean; WHERE" "$(cells out)" "1 750 12850 17"
"$trace" -q --sql 'SELECT CAST(id AS SYSCALL) AS name FROM raw_syscalls.sys_enter' -o out -- \
	./calls fork $calls 2 2>err
is "the count is there without being asked for, the largest first" "$(cells out | head -n 1)" "$((2 * calls)) getppid"
nothing "-q: no notice" "$(cat err)"
"$TC_BUILDDIR/tc-stat" -x, -o stat --by id -e raw_syscalls:sys_enter -- ./calls fork $calls 2
is "COMMAND is counted from its exec on" "$(cells out | awk '{ print $2 "," $1 }' | sort)" \
	"$(cut -d, -f1,2 stat | sort)"
"$trace" -q -j --sql 'SELECT filename, COUNT(*) AS n FROM sched_process_exec' -o out -- \
	sh -c '/bin/true; /bin/true; exec /bin/false' 2>err
is "status of COMMAND" $? 1
if command -v jq >/dev/null; then
	is "-j: JSON" "$(jq -r 'select(.filename | endswith("e")) | "\(.filename | split("/") | last) \(.n)"' out)" "true 2
false 1"
else
	skip "-j: JSON" "jq is not installed"
fi

# A pair: who waited how long for what it had itself asked for. The pair of a guest is below.
if ! guest; then
	"$trace" -q --sql 'SELECT b.ret, COUNT(*) AS n, TIMESTAMP_DELTA_USECS AS us
		FROM sys_enter_clock_nanosleep AS a JOIN sys_exit_clock_nanosleep AS b ON a.which_clock = b.ret' \
		-o out -- sh -c 'for i in 1 2 3 4 5; do sleep 0.1; done' 2>err
	is "a pair: exit status" $? 0
	is "a pair: the time between is that of the sleeps" \
		"$(cells out | awk '{ print $1, $2, ($3 >= 500000), ($4 >= 100000) }')" "0 5 1 1"
fi
is "without -o the table is on standard error, where COMMAND has standard output" \
	"$("$trace" -q --sql 'SELECT prev_comm FROM sched_switch' -- echo text 2>err)" text
has "and there it is" err "COUNT"
nothing_of_mine "after queries"

# --- histograms and synthetic events beside events that are read: two programs count the same tasks at the same time

# waits_in_open PID: for a writer of a FIFO
waits_in_open() {
	grep -q '^wait_for_partner$' "/proc/$1/wchan"
}

# both NAME QUERY COMMAND: the tables that the kernel and, for a name of tasks, tc-trace makes of it.
# Where one CPU has begun a row and does not run (the emulator's run in turn), the kernel drops the
# event of another for the same row, and says so (__tracing_map_insert()): then once more.
both() {
	for _ in 1 2 3 4 5; do
		once "$@"
		grep -q lost kernel || break
	done
}

once() {
	name=$1
	rm -f begin
	mkfifo begin
	sh -c "read line <begin; $3" >/dev/null 2>&1 &
	task=$!
	wait_for $task waits_in_open $task
	"$trace" --sql "$2" -o kernel -p $task 2>kernel.err &
	first=$!
	"$trace" --sql "$2" -o read -p $task --comm '*' 2>read.err &
	second=$!
	if ! wait_for $first counting $first || ! wait_for $second counting $second; then
		fail "$name: counting begins" "$(cat kernel.err read.err)"
	fi
	echo >begin
	wait $first
	is "$name: histograms: exit status" $? 0
	wait $second
	is "$name: reading: exit status" $? 0
	has "$name: the kernel evaluates it" kernel.err "the kernel evaluates the query, in histograms"
	has "$name: events are read" read.err "events are read to evaluate the query"
	for f in kernel read; do
		cells $f | sort >$f.txt
	done
}

if guest; then
	both "one event" 'SELECT fd, COUNT(*) AS n, SUM(count) AS bytes FROM syscalls.sys_enter_write WHERE count > 10' '
		dd if=/dev/zero of=/dev/null bs=17 count=700; dd if=/dev/zero of=/dev/null bs=5 count=70'
	same "one event: the same table" kernel.txt read.txt
	has "one event: counts and sums are those of dd" kernel.txt "1 700 11900 17"
	both "names of calls" 'SELECT CAST(id AS SYSCALL) AS call FROM sys_enter' './calls fork 300 2; ls -l /'
	same "names of calls: the same table" kernel.txt read.txt
	has "names of calls: those that were made" kernel.txt "600 getppid"
	both "tasks, powers of two" 'SELECT common_pid, CAST(count AS LOG2) AS size FROM syscalls.sys_enter_write WHERE common_pid > 1' '
		dd if=/dev/zero of=/dev/null bs=17 count=700; dd if=/dev/zero of=/dev/null bs=5 count=70'
	same "tasks, powers of two: the same table" kernel.txt read.txt
	has "tasks, powers of two: those of dd" kernel.txt " 2^5"
	both "text" 'SELECT filename, COUNT(*) FROM sched_process_exec WHERE filename ~ "*ls"' \
		'/bin/ls; /bin/ls; ./calls exec 2 2'
	same "text: the same table" kernel.txt read.txt
	has "text: those that were executed" kernel.txt "/bin/ls 2"

	# How often each task was woken and ran
	# shellcheck disable=SC2016 # the inner shell's
	both "a pair of events" 'SELECT e.next_comm, s.prio, COUNT(*) AS n, TIMESTAMP_DELTA_USECS AS lat
		FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid WHERE s.prio > 100 && e.next_prio < 139' '
		for i in $(seq 20); do sleep 0.01; done; ./calls thread 50 8; ls -l / | cat | wc'
	cut -d ' ' -f 1-3 kernel.txt >kernel.n
	cut -d ' ' -f 1-3 read.txt >read.n
	same "a pair of events: the same tasks, as often" kernel.n read.n
	has "a pair of events: each sleep ended" kernel.n "sleep 120 "
	# Each of the two takes its own time stamps, between which the emulator may have to wait.
	is "a pair of events: the same times, nearly" "$(awk '{ sum[FILENAME] += $4 }
		END { a = sum["kernel.txt"]; b = sum["read.txt"]; print (a > 0 && b > 0 && a < 5 * b && b < 5 * a) }' \
		kernel.txt read.txt)" 1
	nothing_of_mine "after queries in histograms"
fi

# Mistakes
"$trace" --sql 'SELECT prev_com FROM sched_switch' -- true 2>err
is "status of an unknown field" $? 2
has "an unknown field has its place" err '         ^'
"$trace" --sql 'SELECT prev_comm FROM sched_swich' -- true 2>err
is "status of an unknown event" $? 2
has "its place" err '                        ^'
has "and what may have been meant" err "did you mean 'sched_switch'?"
"$trace" --sql 'SELECT prev_comm, FROM sched_switch' -- true 2>err
is "status of a query that cannot be read" $? 2
has "the place of the mistake" err '                    ^'
"$trace" --sql 'SELECT prev_comm FROM sched_switch' -c -- true 2>err
is "status with an option that makes no sense with it" $? 2
has "it is named" err "option --sql excludes -c"
"$trace" --sql 'SELECT prev_comm FROM sched_switch WHERE prev_comm > 5' -- true 2>err
is "status of a condition that the kernel refuses" $? 1
# which it does of a filter, and not of a histogram's
guest || has "the kernel says why" err "the kernel says"
"$trace" -q --sql 'SELECT prev_comm FROM sched_switch' -o /dev/full -- true 2>err
is "status of a full disk" $? 1
nothing_of_mine "after mistakes"

# Signals, in all tasks
for sig in INT TERM; do
	"$trace" -q --sql 'SELECT next_comm, COUNT(*) AS n FROM sched_switch' >out 2>err &
	child=$!
	wait_for $child counting $child || fail "SIG$sig: counting begins" "$(cat err)"
	"./$mine" fork 1 1
	kill -$sig $child
	wait $child
	is "SIG$sig ends it well" $? 0
	has "SIG$sig: the table is on standard output, with what ran meanwhile" out "$mine "
	nothing_of_mine "after SIG$sig"
done
"$trace" -q --sql 'SELECT next_comm, COUNT(*) AS n FROM sched_switch' >out 2>err &
child=$!
wait_for $child counting $child || fail "kill -9: counting begins" "$(cat err)"
kill -KILL $child
wait $child 2>/dev/null
"$trace" --sql 'SELECT prev_comm FROM sched_switch' -o out -- true 2>err
has "kill -9: the next one cleans up" err "cleaned up after 1 earlier program"
nothing_of_mine "after kill -9"

if guest; then
	pair='SELECT s.pid, TIMESTAMP_DELTA AS lat FROM sched_waking AS s JOIN sched_switch AS e ON s.pid = e.next_pid'
	for sig in INT KILL; do
		"$trace" --sql "$pair" -o out 2>err &
		child=$!
		wait_for $child counting $child || fail "a pair, SIG$sig: counting begins" "$(cat err)"
		runs "a pair, SIG$sig: there is a synthetic event" grep -q "tc_sql_$child" "$tracefs/dynamic_events"
		/bin/true
		kill -$sig $child
		wait $child 2>/dev/null
		rc=$?
		if [ $sig = INT ]; then
			is "a pair, SIGINT: exit status" $rc 0
			has "a pair, SIGINT: the table is printed" out "lat_mean"
		else
			"$TC_BUILDDIR/tc-stat" -x, -o out -e sched:sched_switch -- true 2>err
			has "a pair, kill -9: any next program cleans up" err "cleaned up after 1 earlier program"
		fi
		nothing_of_mine "a pair, SIG$sig"
	done
fi

# On a terminal the table comes anew each second.
# tables N: so many have been printed
tables() {
	[ "$(grep -c COUNT typed)" -ge "$1" ]
}
if ! guest && command -v script >/dev/null; then
	mkfifo go
	script -qefc "$trace -q --sql 'SELECT next_comm FROM sched_switch' -- sh -c 'read -r now <go'" typed >/dev/null 2>&1 </dev/null &
	child=$!
	wait_for $child tables 2
	echo now >go
	wait $child
	is "a terminal: the table is printed anew, and COMMAND's status is kept" $? 0
else
	skip "a terminal: the table is printed anew" "there is no script(1)"
fi
finish
