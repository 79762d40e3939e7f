#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Which events are recorded, and whose: -e, -v, -f, -P, -F, -c, --user; and for how long: --duration.
#
# needs: root tracefs
# area: gate record
# also: vm
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# Read by another program, where there is one
reader=trace-cmd
command -v trace-cmd >/dev/null || reader=tc-report

# text FILE: the events of a recording
text() {
	case $reader in
	trace-cmd) trace-cmd report -N -i "$1" 2>/dev/null >text.all ;;
	*) "$report" -N -i "$1" >text.all ;;
	esac
	lines_of text.all >text
}

# names: the events that occur; pids: the tasks
names() {
	sed 's/^.*\] *[0-9.]*: \([a-z_0-9]*\): .*/\1/' text | sort -u | tr '\n' ' '
}
pids() {
	sed 's/^.*-\([0-9][0-9]*\) *\[[0-9]*\].*/\1/' text | sort -un | tr '\n' ' '
}

# Each exits with a different status, so that they cannot be mixed up
"$record" -q -e sched_process_exit -e sched_process_fork -o two.dat -- sh -c 'sh -c "exit 3"; exit 4'
is "COMMAND's status is passed on" $? 4
text two.dat
is "only the events named" "$(names)" "sched_process_exit sched_process_fork "

"$record" -q -e 'sched:sched_process_*' -v -e sched_process_fork -o v.dat -- sh -c 'true; (true); true'
text v.dat
is "-v switches off what follows" "$(names | tr ' ' '\n' | grep -c process_fork)" 0
is "and leaves the others" "$(names | tr ' ' '\n' | grep -c process_exit)" 1

"$record" -q -e sched -v -e sched:sched_switch -e 'sched:sched_stat_*' -o rest.dat -- /bin/true
text rest.dat
is "-v takes globs" "$(grep -c 'sched_switch:\|sched_stat_' text)" 0
has "and leaves the rest of the system" text 'sched_process_exec:'
"$record" -q -e 'sched:sched_process_e*' -o glob.dat -- /bin/true
text glob.dat
is "-e with a glob: both events that match" "$(names)" "sched_process_exec sched_process_exit "

# A name that nobody else has: other programs sleep meanwhile
own_program sleep "nap.$$"
"$record" -q -e sched_switch -f "prev_comm == \"nap.$$\"" -e sched_wakeup -o f.dat -- "./nap.$$" 0.3
text f.dat
is "-f holds for the -e before it" "$(grep 'sched_switch:' text | grep -vc "prev_comm=nap.$$ ")" 0
is "others do not" "$(names)" "sched_switch sched_wakeup "

"$record" -q -e sched_switch -f "prev_comm == \"nap.$$\" || prev_pid == 0" -f 'prev_state == 1' \
	-o ff.dat -- "./nap.$$" 0.3
text ff.dat
is "several -f must all hold" \
	"$(grep -vc "prev_comm=nap.$$ .* prev_state=S " text) $(grep -c "prev_comm=nap.$$ " text)" "0 1"

"$record" -q -e raw_syscalls -F -o F.dat -- sh -c 'echo $$ >pid; /bin/true; exit 0'
text F.dat
is "-F: only COMMAND" "$(pids)" "$(cat pid) "
"$record" -q -e raw_syscalls -F -c -o Fc.dat -- sh -c 'echo $$ >pid; /bin/true & echo $! >>pid; wait'
text Fc.dat
is "-F -c: COMMAND and its children" "$(pids)" "$(sort -n pid | tr '\n' ' ')"

# A process that exists before; each line that it reads has it start a child, whose pid it prints
mkfifo go gone
sh -c 'exec <go >gone; while read -r _; do /bin/true & echo $!; wait; done' &
loop=$!
exec 3>go 4<gone
# one_child OPTION...: what is recorded while it has a child; $child is its pid, and $next
# that of the next one
one_child() {
	"$record" -q -e raw_syscalls "$@" -o P.dat 2>err &
	pid=$!
	wait_for $pid recording $pid || fail "recording begins" "$(cat err)"
	echo >&3
	read -r child <&4
	# the child before it has ended
	echo >&3
	read -r next <&4
	kill -TERM $pid
	wait $pid
	is "with $1 $3: status" $? 0
	text P.dat
}

one_child -P $loop
is "-P: only this process" "$(pids)" "$loop "
one_child -P $loop -c
is "-P -c: its children too" "$(pids | tr ' ' '\n' | grep -cx -e $loop -e "$child")" 2
nothing "and nobody else" "$(pids | tr ' ' '\n' | grep . | grep -vx -e $loop -e "$child" -e "$next")"
one_child -P "$loop,$$"
is "-P takes a list" "$(pids)" "$(printf '%s\n' $loop $$ | sort -n | tr '\n' ' ')"
start=$(cut -d ' ' -f 1 /proc/uptime)
"$record" -q -e raw_syscalls -P $loop -c --duration 500ms -o time.dat
is "--duration ends a recording without COMMAND" $? 0
# uptime has hundredths of a second, cut off
runs "after that time" awk -v a="$start" -v b="$(cut -d ' ' -f 1 /proc/uptime)" 'BEGIN { exit !(b - a > 0.48) }'
exec 3>&- 4<&-
wait $loop

"$record" -e sched -P 4194300 -o none.dat -- true 2>err
is "-P of no process is refused" $? 1
has "and named" err "there is no process 4194300"

if id nobody >/dev/null 2>&1; then
	chmod 755 .
	"$record" -q -e sched_process_exec -o user.dat --user nobody -- id -un >./who
	is "--user: COMMAND runs as this user" "$(cat ./who)" nobody
	"$record" -q -e sched_process_exec -o user.dat --user nobody -- id -u >./who
	is "--user: with this number" "$(cat ./who)" "$(id -u nobody)"
else
	skip "--user: COMMAND runs as this user" "there is no user nobody"
fi

"$record" -e sched_process_exec -o user2.dat --user "no.$$" -- touch ran 2>err
is "--user: an unknown user: status" $? 1
has "--user: an unknown user is named" err "no.$$"
runs "--user: COMMAND does not run then" test ! -e ran

"$record" -q -i -e sched_process_exit -e nosuchevent -o i.dat -- true
is "-i: an event that does not exist is left out" $? 0
"$record" -q -e sched_switch -C mono -o mono.dat -- true
is "-C: the clock is used" "$(strings -a mono.dat | grep -c '\[mono\]')" 1
# A trigger with a count acts on the first events that are recorded. The kernel counts down without a lock, so
# it may act once more where two CPUs have such an event at once: these come one after the other.
own_program true counted.$$
"$record" -q -e sched_process_exec -R "stacktrace:3 if filename == \"./counted.$$\"" -o counted.dat -- \
	sh -c "for i in 1 2 3 4 5; do ./counted.$$; done" 2>err
is "a counted trigger: status" $? 0
"$report" -i counted.dat >text
is "a counted trigger: the number of stacks" "$(grep -c '<stack trace' text)" 3

# A recorder that is recorded reading what it recorded never comes to an end of it. How much it does besides is
# known where nobody else runs.
if guest; then
	"$record" -e raw_syscalls -o r.dat -- sleep 0.3 2>err
	"$report" --no-flags -i r.dat >text
	own=$(grep -c '^ *tc-record-[0-9]' text)
	runs "tc-record does not record itself reading ($own records)" test "$own" -lt 50
	keep r.dat text --no-flags
fi
nothing_of_mine "afterwards"
finish
