#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-trace on a terminal: keys of the shell stop, continue and end it; the terminal and tracefs are then as they
# were, and the exit status is the one that tc-trace(1) promises.
#
# needs: root tracefs
# area: tools
# shellcheck disable=SC2317 # by becomes
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

trace=$TC_BUILDDIR/tc-trace
[ -x "$trace" ] || skip_all "tc-trace is not built in $TC_BUILDDIR"
[ -d "$tracefs/events/raw_syscalls" ] || skip_all "there are no events of system calls"
# shellcheck source=tests/live/terminal.sh
. "$TC_SRCDIR/tests/live/terminal.sh"

# For each number that it is given it makes a call with that number, and has a child
mkfifo go || exit 1
exec 3<>go
cat >job-command <<-'END'
	echo $PPID >tracer.pid
	echo $$ >command.pid
	trap 'exit 9' TERM
	exec 0<>go
	while read -r number; do
		/bin/true
		umask "$number"
	done
END

start() {
	start_in_terminal "$trace $*"
}

# call NUMBER: COMMAND is to make one
call() {
	echo "$1" >&3
}

# begun NAME: lines of COMMAND are on the screen
begun() {
	call 0111
	becomes "$1: lines" shows "umask(0111)"
	becomes "$1: the processes are told apart" shows "[pid "
}

# goes_on NAME NUMBER: lines come from now on; the number is a new one
goes_on() {
	call "$2"
	becomes "$1: goes on" shows "umask($2)"
}

# gone PID: it has ended; whose child it was need not have seen that yet
gone() {
	[ ! -e "/proc/$1/exe" ]
}
open_terminal 80 24

start -- sh ./job-command
begun "a command"
terminal resize-window -x 40 -y 10
goes_on "40x10" 0112
terminal resize-window -x 80 -y 24
goes_on "80x24 again" 0113
stop "a command"
runs "Ctrl-Z: COMMAND is stopped" wait_for "$(command_pid)" is_stopped "$(command_pid)"
call 0114
go_on
becomes "fg: what COMMAND does then" shows "umask(0114)"
key C-c
becomes "Ctrl-C: ends" shell_is_back
is "Ctrl-C: status of COMMAND, which SIGINT killed" "$(cat status)" 130
same "Ctrl-C: the terminal's settings are as before" after.tty before.tty
runs "Ctrl-C: COMMAND has ended" gone "$(command_pid)"
nothing_of_mine "Ctrl-C"

start -- sh ./job-command
begun "kill -9 of COMMAND"
kill -KILL "$(command_pid)"
ended "kill -9 of COMMAND" 137
nothing_of_mine "kill -9 of COMMAND"

start -- sh ./job-command
begun "SIGTERM"
kill -TERM "$(tool_pid)"
ended "SIGTERM: the status that COMMAND chose" 9
runs "SIGTERM: COMMAND has ended" gone "$(command_pid)"
nothing_of_mine "SIGTERM"

start --all
becomes "everything: lines" shows "("
key C-c
ended "everything, Ctrl-C" 0
nothing_of_mine "everything, Ctrl-C"

start -c -- sh ./job-command
becomes "a table: COMMAND runs" test -s command.pid
key C-c
becomes "a table: is shown after Ctrl-C" shows " total"
ended "a table, Ctrl-C" 130
nothing_of_mine "a table, Ctrl-C"

# tracing_ended: while COMMAND goes on
tracing_ended() {
	[ -s command.pid ] || return
	call 0115
	[ ! -e "$tracefs/instances/tc-trace.$(cat tracer.pid)" ]
}

# A reader that goes away ends the tracing. COMMAND goes on, and is waited for.
start -- sh ./job-command '2>&1 | head -n 3'
becomes "a pipe that is closed: tracing ends" tracing_ended
runs "a pipe that is closed: COMMAND goes on" kill -0 "$(command_pid)"
kill -KILL "$(command_pid)"
becomes "a pipe that is closed: ends with COMMAND" shell_is_back
nothing_of_mine "a pipe that is closed"

start -o '"|head -n 2 >first"' -- sh ./job-command
becomes "-o |CMD that ends: tracing ends" tracing_ended
is "-o |CMD that ends: it got what it read" "$(grep -c . first)" 2
kill -KILL "$(command_pid)"
becomes "-o |CMD that ends: ends with COMMAND" shell_is_back
is "-o |CMD that ends: status" "$(cat status)" 1
nothing_of_mine "-o |CMD that ends"

start -- sh ./job-command
begun "a terminal that is closed"
terminal kill-server
wait_for "$(tool_pid)" gone "$(tool_pid)"
runs "a terminal that is closed: tc-trace ends" gone "$(tool_pid)"
nothing_of_mine "a terminal that is closed"
finish
