#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Without root, as README describes it: a user with two capabilities who records. t-unprivileged-top.sh has a
# group that may look at tracefs.
#
# needs: root tracefs
# area: record
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

command -v setpriv >/dev/null || skip_all "setpriv is not installed"
setpriv --ambient-caps +dac_override --inh-caps +dac_override true 2>/dev/null ||
	skip_all "setpriv cannot set ambient capabilities"
nobody=65534
# Programs where another user finds them
chmod 755 .
mkdir -m 755 bin
mkdir -m 777 files
cp "$record" "$report" bin/
cp /bin/true "user.$$"

# with NAME CAPABILITIES: a recording of three programs
with() {
	setpriv --reuid=$nobody --regid=$nobody --clear-groups --inh-caps="-all,$2" --ambient-caps="-all,$2" \
		bin/tc-record -q -e sched:sched_process_exec -e raw_syscalls:sys_enter -T -F -c \
		-o "files/$1.dat" -- sh -c "./user.$$; ./user.$$; ./user.$$; exit 0" 2>"$1.err"
}
with both +dac_override,+syslog
is "capabilities: a user records" $? 0
# After a recording of root's /run/tracecraft is there.
is "capabilities: without a complaint, but for the journal, which is root's" \
	"$(grep -v -e "'/run/tracecraft' belongs to another user" -e '^hint: nothing in it is trusted' both.err)" ""
is "capabilities: the file is the user's" "$(stat -c %u files/both.dat)" $nobody
setpriv --reuid=$nobody --regid=$nobody --clear-groups --inh-caps=-all --bounding-set=-all \
	--no-new-privs bin/tc-report -q files/both.dat >text 2>err
is "capabilities: who may read it without any" "$? $(cat err)" "0 "
is "capabilities: all events are there" "$(grep -c "sched_process_exec:.*filename=./user.$$ " text)" 3
is "capabilities: functions of the kernel have names" "$(grep -c '^ *=> [a-z_]*syscall' text |
	awk '{ print ($1 > 3) }')" 1
with one +dac_override
is "without CAP_SYSLOG: the user records" $? 0
bin/tc-report -q files/one.dat >text
is "without CAP_SYSLOG: all events are there" "$(grep -c "sched_process_exec:.*filename=./user.$$ " text)" 3
is "without CAP_SYSLOG: functions have no names" "$(grep -c '^ *=> [a-z_]*syscall' text)" 0
nothing_of_mine "at the end"
finish
