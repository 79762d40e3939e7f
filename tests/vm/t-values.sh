# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# The recording has what happened: system calls whose number and arguments are known.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# dd makes COUNT writes of BS bytes each; these sizes are nobody else's.
tc-record -e syscalls:sys_enter_write -e syscalls:sys_exit_write -F -o w.dat -- \
	dd if=/dev/zero of=/dev/null bs=1234 count=7 2>err
is "records COMMAND's write calls" $? 0
tc-report --no-flags -i w.dat >w.txt
is "7 writes of 1234 (0x4d2) bytes" "$(grep -c 'count: 0x000004d2' w.txt)" 7
is "7 returned as many" "$(grep -c 'sys_exit_write: *0x4d2$' w.txt)" 7
is "no other task's are recorded" "$(grep 'sys_' w.txt | grep -v -c ' dd-[0-9]')" 0
keep w.dat w.txt --no-flags

tc-record -e syscalls:sys_enter_write -f 'count == 4321' -o f.dat -- sh -c '
	dd if=/dev/zero of=/dev/null bs=4321 count=300
	dd if=/dev/zero of=/dev/null bs=4322 count=300' 2>err
tc-report --no-flags -i f.dat >f.txt
is "300 of 600 writes pass the filter on their size" "$(grep -c 'sys_enter_write:' f.txt)" 300

# The children's pids are known: each shell writes its own.
tc-record -e syscalls:sys_enter_getppid -e sched:sched_process_exec -F -c -o c.dat -- sh -c '
	echo $$ >pids
	sh -c "echo \$\$ >>pids; ls / >/dev/null"
	sh -c "echo \$\$ >>pids; ls / >/dev/null"' 2>err
tc-report --no-flags -N -i c.dat >c.txt
for pid in $(cat pids); do
	has "pid $pid of COMMAND's children is recorded" c.txt " pid=$pid "
done
usleep 0 &
tc-record -e sched:sched_process_exec -F -o nc.dat -- \
	sh -c 'sh -c "echo \$\$ >child; ls / >/dev/null"; true' 2>err
tc-report --no-flags -N -i nc.dat >nc.txt
is "without -c children are not" "$(grep -c " pid=$(cat child) " nc.txt)" 0

# Time stamps lie between two readings of the same clock.
before=$(cut -d ' ' -f 1 /proc/uptime)
tc-record -e sched -C mono -o t.dat -- ls / >/dev/null 2>err
after=$(cut -d ' ' -f 1 /proc/uptime)
tc-report --no-flags -i t.dat >t.txt
wrong=$(sed -n 's/^.*\] *\([0-9]*\.[0-9]*\): .*$/\1/p' t.txt |
	awk -v a="$before" -v b="$after" '$1 < a || $1 > b + 0.01 { n++ } { m++ }
		END { print (m > 0 ? n + 0 : "no stamps") }')
is "time stamps of the clock mono lie between two readings of it" "$wrong" 0
tc-record -e sched:sched_process_exit -C x86-tsc -o tsc.dat -- true 2>err
tc-report --no-flags -i tsc.dat >tsc.txt
keep tsc.dat tsc.txt --no-flags
finish
