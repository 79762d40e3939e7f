# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# A terminal for the live tests, which source it after lib.sh: tmux, which knows whether the alternate
# screen is left and the cursor shown.
# shellcheck disable=SC2154,SC2317 # of lib.sh; by becomes and the trap

command -v tmux >/dev/null || skip_all "there is no tmux"

command_pid() {
	cat command.pid 2>/dev/null
}

terminal() {
	tmux -S "$tap_dir/tmux" "$@"
}

cleanup() {
	terminal kill-server 2>/dev/null
	[ -z "$(command_pid)" ] || kill -KILL "$(command_pid)" 2>/dev/null
	tap_clean
}
trap cleanup EXIT

# open_terminal COLUMNS LINES: with a shell in it
open_terminal() {
	terminal -f /dev/null new-session -d -x "$1" -y "$2" "env ENV= PS1='\$ ' sh -i"
	becomes "a shell in the terminal" shows '$'
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

# becomes NAME COMMAND...: it will succeed
becomes() {
	becomes_name=$1
	shift
	if until_true 60 "$@"; then
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
	rm -f status before.tty after.tty tool.pid command.pid
	cat >job <<-EOF
		stty -g >before.tty
		sh -c 'echo \$\$ >tool.pid; exec $1'
		echo \$? >status.new
		stty -g >after.tty
		mv status.new status
	EOF
	key -R
	key clear Enter
	key ". ./job" Enter
	until_true 60 test -s tool.pid
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
	becomes "$1: ends" test -s status
	is "$1: exit status" "$(cat status)" "$2"
	becomes "$1: the screen is left, the cursor shown" off_screen
	same "$1: the terminal's settings are as before" after.tty before.tty
}

