# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
# Whose events are recorded, and for how long.

# shellcheck source=guest/lib.sh
. /tests/lib.sh

# -P: a process that writes 333 bytes now and then, and one that writes 334.
(while usleep 20000; do /bin/dd if=/dev/zero of=/dev/null bs=333 count=1; done) 2>/dev/null &
one=$!
(exec 2>/dev/null; while usleep 20000; do /bin/dd if=/dev/zero of=/dev/null bs=334 count=1; done) &
two=$!
start=$(cut -d ' ' -f 1 /proc/uptime)
tc-record -e syscalls:sys_enter_write -P $one -c --duration 500ms -o p.dat 2>err
is "--duration ends a recording without COMMAND" $? 0
end=$(cut -d ' ' -f 1 /proc/uptime)
runs "events begin after that time" awk "BEGIN { exit !($end - $start >= 0.5) }"
kill $one $two
wait
tc-report --no-flags -i p.dat >p.txt
has "-P -c records the process's children" p.txt 'count: 0x0000014d'
is "and nobody else's" "$(grep -c 'count: 0x0000014e' p.txt)" 0

tc-record -e sched:sched_process_exec --user user -o u.dat -- sh -c 'id -u >id' 2>err
is "--user: COMMAND succeeds" $? 0
is "--user: COMMAND runs as that user" "$(cat id)" 1000
tc-record -e sched:sched_process_exec --user nobodyatall -o n.dat -- touch ran 2>err
is "--user: an unknown user fails" $? 1
has "--user: says which" err nobodyatall
runs "--user: does not run COMMAND then" test ! -e ran

tc-record -e sched -v -e sched:sched_switch -e 'sched:sched_stat_*' -o v.dat -- /bin/true 2>err
is "-v: records" $? 0
tc-report --no-flags -i v.dat >v.txt
is "-v: excluded events are not recorded" "$(grep -c 'sched_switch:\|sched_stat_' v.txt)" 0
has "-v: the rest of the system is recorded" v.txt 'sched_process_exec:'

tc-record -i -e nonesuch -e sched:sched_process_exit -o i.dat -- true 2>err
is "-i: an event that does not exist is not an error" $? 0
tc-record -e 'sched:sched_process_e*' -o g.dat -- /bin/true 2>err
tc-report --no-flags -i g.dat >g.txt
is "a glob records both events that match" \
	"$(sed -n 's/^.* \(sched_[a-z_]*\): .*$/\1/p' g.txt | sort -u | paste -s -d ' ' -)" \
	"sched_process_exec sched_process_exit"

# A recorder that is recorded reading what it recorded never comes to an end of it.
tc-record -e raw_syscalls -o r.dat -- usleep 300000 2>err
tc-report --no-flags -i r.dat >r.txt
own=$(grep -c '^ *tc-record-[0-9]' r.txt)
runs "tc-record does not record itself reading ($own records)" test "$own" -lt 50
keep r.dat r.txt --no-flags
finish
