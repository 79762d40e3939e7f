#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The recorded arguments and results are those of the calls that were made.
#
# needs: root tracefs
# area: truth
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

[ -x "$report" ] || skip_all "tc-report is not built in $TC_BUILDDIR"
helper known-calls

# shellcheck disable=SC2016 # the inner shell's
"$record" -q -e raw_syscalls -F -o calls.dat -- sh -c 'echo $$ >pid; exec ./known-calls' >said
is "the program that makes the calls is recorded" $? 0

# sys_enter: "NR 1 (3db, 55d0c0de, 1f, 11, 22, 33)"; sys_exit: "NR 1 = -9"
"$report" -i calls.dat >text
while read -r nr a b c d e f _ result; do
	if grep -q "sys_enter: *NR $nr ($a, $b, $c, $d, $e, $f)" text; then
		pass "the arguments of call $nr"
	else
		fail "the arguments of call $nr" "no ($a, $b, $c, $d, $e, $f) among" \
			"$(grep "sys_enter: *NR $nr (" text)"
	fi
	after=$(grep -A 1 "sys_enter: *NR $nr ($a, $b, $c, $d, $e, $f)" text | tail -n 1 |
		sed -n 's/.*sys_exit: *//p')
	is "the result of call $nr" "$after" "NR $nr = $result"
done <said
nothing "only the program is recorded" "$(lines_of text | grep -v -e "-$(cat pid) " | head -n 5)"

# The same through syscalls:, whose fields have names. dd makes COUNT writes of BS bytes each.
"$record" -q -e syscalls:sys_enter_write -e syscalls:sys_exit_write -F -o write.dat -- \
	dd if=/dev/zero of=/dev/null bs=4321 count=7 2>/dev/null
is "records COMMAND's writes" $? 0
"$report" --no-flags -i write.dat >text
is "seven writes of 4321 bytes" "$(grep -c 'sys_enter_write:.*count: 0x000010e1' text)" 7
is "and their results" "$(grep -c 'sys_exit_write: *0x10e1$' text)" 7
is "and nobody else's" "$(grep 'sys_' text | grep -v -c ' dd-[0-9]')" 0
keep write.dat text --no-flags

# shellcheck disable=SC2016 # the inner shell's
"$record" -q -e syscalls:sys_enter_write -f 'count == 4321' -o filter.dat -- sh -c '
	for size in 4321 4322; do
		sh -c "echo \$\$ >pid.$size; exec dd if=/dev/zero of=/dev/null bs=$size count=300 2>/dev/null"
	done'
is "records writes of one size" $? 0
"$report" --no-flags -i filter.dat >text
is "300 of 600 writes pass the filter on their size" \
	"$(grep -c -e "-$(cat pid.4321) .*sys_enter_write:" text) $(grep -c -e "-$(cat pid.4322) " text)" "300 0"
nothing "and no others" "$(grep 'sys_enter_write:' text | grep -v 'count: 0x000010e1')"

# The children's pids are known: each shell writes its own.
# shellcheck disable=SC2016 # the inner shell's
"$record" -q -e syscalls:sys_enter_getppid -e sched:sched_process_exec -F -c -o c.dat -- sh -c '
	echo $$ >pids
	sh -c "echo \$\$ >>pids; ls / >/dev/null"
	sh -c "echo \$\$ >>pids; ls / >/dev/null"
	true'
"$report" --no-flags -N -i c.dat >text
while read -r pid; do
	has "pid $pid of COMMAND and its children is recorded" text " pid=$pid "
done <pids
is "there are three of them" "$(sort -u pids | wc -l)" 3
"$record" -q -e sched:sched_process_exec -F -o nc.dat -- sh -c 'sh -c "echo \$\$ >child; ls / >/dev/null"; true'
"$report" --no-flags -N -i nc.dat >text
is "without -c children are not" "$(grep -c " pid=$(cat child) " text)" 0

# monotonic: the clock's time. A guest has no python3, and was never suspended.
monotonic() {
	python3 -c 'import time; print(time.clock_gettime(time.CLOCK_MONOTONIC))' 2>/dev/null ||
		cut -d ' ' -f 1 /proc/uptime
}

before=$(monotonic)
"$record" -q -e sched -C mono -o t.dat -- ls / >/dev/null
after=$(monotonic)
"$report" --no-flags -i t.dat >text
# uptime has hundredths of a second
wrong=$(sed -n 's/^.*\] *\([0-9]*\.[0-9]*\): .*$/\1/p' text |
	awk -v a="$before" -v b="$after" '$1 < a || $1 > b + 0.01 { n++ } { m++ }
		END { print (m > 0 ? n + 0 : "no stamps") }')
is "time stamps of the clock mono lie between two readings of it" "$wrong" 0
if grep -q 'x86-tsc' "$tracefs/trace_clock"; then
	"$record" -q -e sched:sched_process_exit -C x86-tsc -o tsc.dat -- true
	is "the clock x86-tsc: status" $? 0
	"$report" --no-flags -i tsc.dat >text
	has "the clock x86-tsc: COMMAND's end" text "sched_process_exit:"
	keep tsc.dat text --no-flags
else
	skip "the clock x86-tsc" "this kernel has none"
fi
nothing_of_mine "recordings of known calls"
finish
