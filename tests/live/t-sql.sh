#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace --sql counts what programs are known to do, by events that are read where the kernel has no
# histograms; nothing is left in tracefs. tests/vm/t-sql.sh compares both ways.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/syscalls/sys_enter_write" ] || skip_all "there are no events of system calls"
helper calls
mine=calls.$$
cp calls "$mine"
# counting PID: tc-trace with this pid has enabled its events, or set its triggers, and tracing is on
counting() {
	[ "$(cat "$tracefs/instances/tc-trace.$1/tracing_on" 2>/dev/null)" = 1 ] &&
		cat "$tracefs/instances/tc-trace.$1/set_event" \
			"$tracefs/instances/tc-trace.$1"/events/sched/*/trigger 2>/dev/null | grep -q '^[^#]'
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
	./calls fork 30000 2 2>err
is "the count is there without being asked for, the largest first" "$(cells out | head -n 1)" "60000 getppid"
nothing "-q: no notice" "$(cat err)"
"$TC_BUILDDIR/tc-stat" -x, -o stat --by id -e raw_syscalls:sys_enter -- ./calls fork 30000 2
is "COMMAND is counted from its exec on" "$(cells out | awk '{ print $2 "," $1 }' | sort)" \
	"$(cut -d, -f1,2 stat | sort)"
"$trace" -q -j --sql 'SELECT filename, COUNT(*) AS n FROM sched_process_exec' -o out -- \
	sh -c '/bin/true; /bin/true; exec /bin/false' 2>err
is "status of COMMAND" $? 1
is "-j: JSON" "$(python3 -c 'import json
for line in open("out"):
    row = json.loads(line)
    if row["filename"].endswith("e"):
        print(row["filename"].split("/")[-1], row["n"])' 2>&1)" "true 2
false 1"

# A pair: who waited how long for what it had itself asked for
"$trace" -q --sql 'SELECT b.ret, COUNT(*) AS n, TIMESTAMP_DELTA_USECS AS us
	FROM sys_enter_clock_nanosleep AS a JOIN sys_exit_clock_nanosleep AS b ON a.which_clock = b.ret' \
	-o out -- sh -c 'for i in 1 2 3 4 5; do sleep 0.1; done' 2>err
is "a pair: exit status" $? 0
is "a pair: the time between is that of the sleeps" \
	"$(cells out | awk '{ print $1, $2, ($3 >= 500000), ($4 >= 100000) }')" "0 5 1 1"
is "without -o the table is on standard error, where COMMAND has standard output" \
	"$("$trace" -q --sql 'SELECT prev_comm FROM sched_switch' -- echo text 2>err)" text
has "and there it is" err "COUNT"
nothing_of_mine "after queries"

# Mistakes
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
has "the kernel says why" err "the kernel says"
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

# On a terminal the table comes anew each second.
# tables N: so many have been printed
tables() {
	[ "$(grep -c COUNT typed)" -ge "$1" ]
}
if command -v script >/dev/null; then
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
