# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Runs the commands in the EXAMPLES of manual pages as they stand there. Sourced, after tap.sh, by live
# tests and in the guest; the programs are in PATH, the working directory is the test's own.
# page_until PID COMMAND... has to be defined: it repeats COMMAND until it succeeds or PID has ended.

page_tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}

# page_commands PAGE: each line of the blocks in EXAMPLES
page_commands() {
	awk '/^== / { on = /^== EXAMPLES/ }
	/^----$/ { block = !block; next }
	on && block && NF' "$1"
}

# page_stand_ins: programs that the examples name and a test cannot use: a build, a server, a pager
page_stand_ins() {
	mkdir -p page_bin
	printf '#!/bin/sh\nexec cat\n' >page_bin/less
	printf '#!/bin/sh\n/bin/ls / >/dev/null; exec /bin/ls\n' >page_bin/make
	printf '#!/bin/sh\nexec /bin/ls\n' >page_bin/curl
	# its last two words are a host and a command
	# shellcheck disable=SC2016 # the script's
	printf '#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done; exec sh -c "$2"\n' >page_bin/ssh
	chmod +x page_bin/*
	PATH=$PWD/page_bin:$PATH
}

# page_process: the process that "pidof" names; it opens a file ten times a second
page_process() {
	(while :; do : </dev/null && sleep 0.1; done) &
	page_pid=$!
	printf '#!/bin/sh\necho %s\n' "$page_pid" >page_bin/pidof
	chmod +x page_bin/pidof
}

page_end_process() {
	[ -z "${page_pid:-}" ] || kill "$page_pid" 2>/dev/null
}

# page_feature NAME: tc-list says that it works; asked once each
page_feature() {
	[ -e "page_feature.$1" ] || {
		tc-list -q --features="$1" >/dev/null 2>&1
		echo $? >"page_feature.$1"
	}
	[ "$(cat "page_feature.$1")" = 0 ]
}

# page_needs COMMAND: what it needs and this machine has not got
page_needs() {
	case $1 in
	*kprobe:*) page_feature kprobes || echo "this kernel has no kprobes" ;;
	*function_graph*) page_feature function_graph || echo "this kernel has no function_graph" ;;
	*snapshot*) page_feature trigger-snapshot || echo "this kernel has no snapshots" ;;
	*" -R '"*) page_feature trigger-traceon || echo "this kernel has no triggers" ;;
	*/bin/bash*) tc-probe -q -x /bin/bash -D 'readline%return' >/dev/null 2>&1 ||
		echo "there is no /bin/bash with readline" ;;
	esac
	case $1 in
	*funcgraph-retval*) [ -e "$page_tracefs/options/funcgraph-retval" ] ||
		echo "this kernel has no funcgraph-retval" ;;
	*"| jq "* | *"|jq "*) command -v jq >/dev/null || echo "there is no jq" ;;
	tc-top*--batch*) ;;
	tc-top*) command -v script >/dev/null || echo "there is no script, for a terminal" ;;
	*"trace-cmd "*) command -v trace-cmd >/dev/null || echo "there is no trace-cmd" ;;
	esac
	case $1 in
	*' -B net -e net'*) [ -e "$page_tracefs/events/net" ] || echo "this kernel has no events of net" ;;
	esac
}

# page_is_recording PID [PROGRAM]
page_is_recording() {
	grep -q . "$page_tracefs/instances/${2:-tc-record}.$1/set_event" 2>/dev/null &&
		[ "$(cat "$page_tracefs/instances/${2:-tc-record}.$1/tracing_on" 2>/dev/null)" = 1 ]
}

# page_interrupt COMMAND: SIGINT, as by Ctrl-C, once it has begun
page_interrupt() {
	# Empty at once, or what the command before has written would be taken for a beginning.
	: >out
	: >err
	sh -c "exec $1" >out 2>err </dev/null &
	page_job=$!
	case $1 in
	# of calls with a path that nobody uses
	tc-trace*" -P "*) page_until "$page_job" page_is_recording "$page_job" tc-trace ;;
	tc-trace*) page_until "$page_job" test -s err -o -s out ;;
	tc-record*) page_until "$page_job" page_is_recording "$page_job" ;;
	tc-listen*) page_until "$page_job" test -s err ;;
	*) page_until "$page_job" test -s out ;;
	esac
	kill -INT "$page_job" 2>/dev/null
	wait "$page_job"
	page_status=$?
	# as a shell says that SIGINT ended it
	[ $page_status = 0 ] || [ $page_status = 130 ]
}

# page_screen COMMAND: in a terminal, where q ends it once it shows something
page_screen() {
	rm -f page_keys
	mkfifo page_keys
	: >out
	exec 5<>page_keys
	TERM=xterm script -qefc "$1" /dev/null <page_keys >out 2>err &
	page_job=$!
	page_until "$page_job" test -s out
	printf q >&5
	wait "$page_job"
	page_status=$?
	exec 5>&-
	return $page_status
}

# page_run COMMAND: what comes to no end by itself is interrupted
page_run() {
	case $1 in
	# of a machine that is not here: the recording of this one has the same events
	*phone.dat*) cp net.dat phone.dat ;;
	esac
	case $1 in
	*--batch*) sh -c "$1" >out 2>err </dev/null ;;
	tc-top*) page_screen "$1" ;;
	*" -- "* | *--dry-run*) sh -c "$1" >out 2>err </dev/null ;;
	tc-record* | tc-listen* | "tc-session show -p") page_interrupt "$1" ;;
	*) sh -c "$1" >out 2>err </dev/null ;;
	esac
}

# page_examples PAGE [PATTERN [NOT]]: a result for each command, in their order, since one may need what another
# has made; with PATTERN (for grep -E), only for those that match, with NOT, only for those that do not
page_examples() {
	page_commands "$1" | grep -E "${2:-.}" | grep -vE "${3:-^$}" >page_commands.txt
	page_lines=0
	while read -r page_command <&3; do
		page_lines=$((page_lines + 1))
		page_why=$(page_needs "$page_command" | head -n 1)
		if [ -n "$page_why" ]; then
			skip "$page_command" "$page_why"
		elif ! page_run "$page_command"; then
			fail "$page_command" "$(cat out err)"
		elif case $page_command in tc-report*) [ ! -s out ] ;; *) false ;; esac then
			fail "$page_command" "it prints nothing"
		else
			pass "$page_command"
		fi
	done 3<page_commands.txt
	is "there are examples" "$([ "$page_lines" -ge 2 ] && echo yes)" yes
}

# page_table PAGE: the commands on the right of the tables in COMING FROM, where that column has commands
page_table() {
	awk '/^== / { on = /^== COMING FROM/ }
	{ gsub(/\\\|/, "\001") }
	on && /^\|[^|]* \|tc-[a-z]+ / {
		sub(/^\|[^|]* \|/, "")
		gsub("\001", "|")
		print
	}' "$1"
}

# page_tables PAGE: a result for each of these; those that come to no end by themselves get SIGINT
page_tables() {
	page_table "$1" | sed "s/1234/$page_pid/" >page_commands.txt
	page_lines=0
	while read -r page_command <&3; do
		page_lines=$((page_lines + 1))
		case $page_command in
		*" -p "* | *" --all"*) page_interrupt "$page_command" ;;
		*) sh -c "$page_command" >out 2>err </dev/null ;;
		esac
		page_status=$?
		case $page_status in
		0) pass "$page_command" ;;
		*) fail "$page_command: exit status $page_status" "$(cat out err)" ;;
		esac
	done 3<page_commands.txt
	is "there are commands in the tables" "$([ "$page_lines" -ge 2 ] && echo yes)" yes
}
