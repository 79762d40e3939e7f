#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace on a terminal: keys of the shell stop, continue and end it; the terminal and tracefs are then as they
# were, and the exit status is the one that tc-trace(1) promises.
# shellcheck disable=SC2317 # by becomes
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/raw_syscalls" ] || skip_all "there are no events of system calls"
# shellcheck source=tests/live/terminal.sh
. "$TC_SRCDIR/tests/live/terminal.sh"

# A child that sleeps, again and again
cat >job-command <<-EOF
	echo \$\$ >command.pid
	trap 'exit 9' TERM
	while :; do sleep 0.02; done
EOF

start() {
	start_in_terminal "$trace $*"
}

# begun NAME: lines of COMMAND are on the screen
begun() {
	becomes "$1: lines" shows "clock_nanosleep("
	becomes "$1: the processes are told apart" shows "[pid "
}

# more: lines come from now on
more() {
	screen >more.1
	sleep 0.3
	screen >more.2
	! cmp -s more.1 more.2 && shows "clock_nanosleep("
}

# idle: nothing is written for a while
idle() {
	screen >idle.1
	sleep 0.3
	screen >idle.2
	cmp -s idle.1 idle.2
}

# gone PID: there is no such process
gone() {
	! kill -0 "$1" 2>/dev/null
}

remember_state
open_terminal 80 24

start -- sh ./job-command
begun "a command"
terminal resize-window -x 40 -y 10
becomes "40x10: goes on" more
terminal resize-window -x 80 -y 24
becomes "80x24 again: goes on" more
key C-z
becomes "Ctrl-Z: the shell has the terminal" test -s status
becomes "Ctrl-Z: nothing is written" idle
same "Ctrl-Z: the terminal's settings are as before" after.tty before.tty
rm -f status after.tty
key 'fg; echo $? >status.new; stty -g >after.tty; mv status.new status' Enter
becomes "fg: goes on" more
key C-c
becomes "Ctrl-C: ends" test -s status
is "Ctrl-C: status of COMMAND, which SIGINT killed" "$(cat status)" 130
same "Ctrl-C: the terminal's settings are as before" after.tty before.tty
runs "Ctrl-C: COMMAND has ended" gone "$(command_pid)"
same_state "Ctrl-C"

start -- sh ./job-command
begun "kill -9 of COMMAND"
kill -KILL "$(command_pid)"
ended "kill -9 of COMMAND" 137
same_state "kill -9 of COMMAND"

start -- sh ./job-command
begun "SIGTERM"
kill -TERM "$(cat tool.pid)"
ended "SIGTERM: the status that COMMAND chose" 9
runs "SIGTERM: COMMAND has ended" gone "$(command_pid)"
same_state "SIGTERM"

start --all
becomes "everything: lines" shows "("
key C-c
ended "everything, Ctrl-C" 0
same_state "everything, Ctrl-C"

start -c -- sh ./job-command
becomes "a table: COMMAND runs" test -s command.pid
key C-c
becomes "a table: is shown after Ctrl-C" shows " total"
ended "a table, Ctrl-C" 130
same_state "a table, Ctrl-C"

# tracing_ended: no instance of tc-trace is left
tracing_ended() {
	[ -s command.pid ] && [ -z "$(find "$tracefs/instances" -maxdepth 1 -name 'tc-trace.*')" ]
}

# A reader that goes away ends the tracing. COMMAND goes on, and is waited for.
start -- sh ./job-command '2>&1 | head -n 3'
becomes "a pipe that is closed: tracing ends" tracing_ended
runs "a pipe that is closed: COMMAND goes on" kill -0 "$(command_pid)"
kill -KILL "$(command_pid)"
becomes "a pipe that is closed: ends with COMMAND" test -s status
same_state "a pipe that is closed"

start -o '"|head -n 2 >first"' -- sh ./job-command
becomes "-o |CMD that ends: tracing ends" tracing_ended
is "-o |CMD that ends: it got what it read" "$(grep -c . first)" 2
kill -KILL "$(command_pid)"
becomes "-o |CMD that ends: ends with COMMAND" test -s status
is "-o |CMD that ends: status" "$(cat status)" 1
same_state "-o |CMD that ends"

start -- sh ./job-command
begun "a terminal that is closed"
terminal kill-server
until_true 60 gone "$(cat tool.pid)"
runs "a terminal that is closed: tc-trace ends" gone "$(cat tool.pid)"
same_state "a terminal that is closed"
finish
