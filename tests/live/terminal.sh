# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A terminal for the live tests, which source it after lib.sh: tmux, which knows whether the alternate
# screen is left and the cursor shown.
# shellcheck disable=SC2154,SC2317 # of lib.sh; by becomes and the trap

command -v tmux >/dev/null || skip_all "there is no tmux"

command_pid() {
	cat command.pid
}

tool_pid() {
	cat tool.pid
}

terminal() {
	tmux -S "$tap_dir/tmux" "$@"
}

cleanup() {
	terminal kill-server 2>/dev/null
	tap_clean
}
trap cleanup EXIT

# open_terminal COLUMNS LINES: with a shell in it, and what it does when a program has ended or stopped. The text
# that it writes last comes after all that the program wrote.
open_terminal() {
	cat >over <<-'EOF'
		over() {
			echo $1 >status.new
			stty -g >after.tty
			mv status.new status
			echo "the shell is back"
		}
	EOF
	terminal -f /dev/null new-session -d -x "$1" -y "$2" "env ENV=./over PS1='\$ ' sh -i"
	shell_pid=$(terminal display -p '#{pane_pid}')
	runs "a shell in the terminal" wait_for "$shell_pid" shows '$'
}

screen() {
	terminal capture-pane -p
}

shows() {
	screen | grep -qF -e "$1"
}

lacks() {
	! shows "$1"
}

# selected TEXT: the row that is selected has it
selected() {
	screen | grep '^>' | grep -qF -e "$1"
}

# line N TEXT: the screen's line N is this text
line() {
	[ "$(screen | sed -n "$1p")" = "$2" ]
}

# shell_is_back: the program has ended or stopped, and the screen has all that it wrote
shell_is_back() {
	[ -s status ] && shows "the shell is back"
}

# becomes NAME COMMAND...: it succeeds at last; when the program has ended, by what is then on the screen
becomes() {
	becomes_name=$1
	shift
	if wait_for "$(tool_pid)" "$@" || { wait_for "$shell_pid" shell_is_back && "$@"; }; then
		pass "$becomes_name"
	else
		fail "$becomes_name" "$(screen)"
	fi
}

# key KEY...: as tmux names them
key() {
	terminal send-keys "$@"
}

# start_in_terminal COMMAND-LINE: its pid in tool.pid, its status in status; nothing is left on the screen of
# what ran before
start_in_terminal() {
	rm -f status before.tty after.tty tool.pid tool.new command.pid
	cat >job <<-EOF
		stty -g >before.tty
		sh -c 'echo \$\$ >tool.new; mv tool.new tool.pid; exec $1'
		over \$?
	EOF
	key -R
	key clear Enter
	key ". ./job" Enter
	wait_for "$shell_pid" test -s tool.pid
}

# stop NAME: with Ctrl-Z
stop() {
	key C-z
	becomes "$1, Ctrl-Z: the shell has the terminal" shell_is_back
	runs "$1, Ctrl-Z: it is stopped" wait_for "$(tool_pid)" is_stopped "$(tool_pid)"
	same "$1, Ctrl-Z: the terminal's settings are as before" after.tty before.tty
}

# go_on: what was stopped, in the foreground
go_on() {
	rm -f status after.tty
	# shellcheck disable=SC2016 # the terminal's shell's
	key 'clear; fg; over $?' Enter
}

on_screen() {
	[ "$(terminal display -p '#{alternate_on}')" = 1 ]
}

# off_screen: the alternate screen is left, and the cursor is shown
off_screen() {
	[ "$(terminal display -p '#{alternate_on} #{cursor_flag}')" = "0 1" ]
}

# ended NAME STATUS: what start_in_terminal started ended, and gave back the terminal
ended() {
	becomes "$1: ends" shell_is_back
	is "$1: exit status" "$(cat status)" "$2"
	runs "$1: the screen is left, the cursor shown" off_screen
	same "$1: the terminal's settings are as before" after.tty before.tty
}
