#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tc-listen and tc-record -N with releases of trace-cmd from 2.9 to 3.4 at the other end, over both versions
# of the protocol. tests/net/fetch-trace-cmd has them from Debian's archive; the installed one takes part too.
#
# trace-cmd record uses the top level of tracefs.
#
# needs: root tracefs net exclusive
# area: network

# shellcheck disable=SC2317 # by wait_for
# shellcheck source=tests/live/lib.sh
. "${TC_SRCDIR:-$(dirname "$0")/../..}/tests/live/lib.sh"

command -v python3 >/dev/null || skip_all "python3 is not installed"
peer=$TC_SRCDIR/tests/net/peer.py
PATH=$TC_BUILDDIR:$PATH
export PATH
"$TC_SRCDIR/tests/live/state.sh" >state.before
cp /bin/true marked

# trace-cmd record writes to files of the function tracer, which no event needs and some kernels refuse. Where
# this one does, it gets others in their place, in a mount namespace of its own.
: >mask
masked=
enabled=/proc/sys/kernel/ftrace_enabled
if cat $enabled >was 2>/dev/null && ! cat was 2>/dev/null >$enabled; then
	masked=$enabled
fi
# It may find tracefs at another place than this test does: each has the files.
for place in $(awk '$3 == "tracefs" { print $2 }' /proc/mounts); do
	for file in "$place/set_ftrace_filter" "$place/set_ftrace_notrace" "$place/set_ftrace_pid"; do
		if [ -e "$file" ] && ! (: >>"$file") 2>/dev/null; then
			masked="$masked $file"
		fi
	done
done

# their_record OPTION...: trace-cmd record of the release that is tested
their_record() {
	# shellcheck disable=SC2016 # for the shell
	unshare --mount sh -c '
		for file in $1; do
			mount --bind "$2" "$file" || exit 1
		done
		shift 2
		exec "$@"' - "$masked" "$tap_dir/mask" "$theirs" record "$@"
}

# execs FILE: the programs of the test's loop by their process ids, as tc-report prints them
execs() {
	tc-report -i "$1" 2>/dev/null | sed -n 's/^.*\(sched_process_exec: .*filename=\.\/marked pid=.*\)$/\1/p'
}

# shellcheck disable=SC2016 # for the shell that is recorded
loop='i=0; while [ $i -lt 200 ]; do ./marked; i=$((i + 1)); done'

# port_of PID FILE: the port that it writes there
port_of() {
	wait_for "$1" test -s "$2"
	cat "$2"
}

# arrived: a file in out/ is complete
arrived() {
	grep -q "wrote '" log
}

# listen_ours: a tc-listen with its files in out/; sets $port
listen_ours() {
	rm -rf out log
	mkdir out
	tc-listen -p 0 --udp -d out 2>log &
	ours=$!
	wait_for $ours grep -q 'listening on' log
	port=$(sed -n 's/^.*listening on .* port //p' log)
}

is_open() {
	python3 -c "import socket; socket.create_connection(('127.0.0.1', $1)).close()"
}

# listen_theirs: trace-cmd listen with its files in theirs.d/; sets $their_port
listen_theirs() {
	rm -rf theirs.d
	mkdir theirs.d
	their_port=$(python3 -c 'import socket; print(socket.create_server(("", 0)).getsockname()[1])')
	(cd theirs.d && exec "$theirs" listen -p "$their_port" >../theirs.log 2>&1) &
	their_pid=$!
	wait_for $their_pid is_open "$their_port"
}

# they_send WHAT PORT OPTION...: trace-cmd record -N to tc-listen has the events of a file recorded beside it
they_send() {
	what=$1
	send_port=$2
	shift 2
	rm -f out/* started ended local.dat
	: >log
	mkfifo ended
	exec 4<>ended
	their_record -N "localhost:$send_port" -C mono "$@" -e sched:sched_process_exec \
		sh -c 'touch started; read -r now <ended' >their.log 2>&1 &
	sender=$!
	wait_for $sender test -e started
	tc-record -q -C mono -e sched:sched_process_exec -o local.dat -- sh -c "$loop" 2>/dev/null
	echo now >&4
	wait $sender
	status=$?
	wait_for $ours arrived
	execs local.dat >want
	execs out/trace.127.0.0.1:*.dat >got
	if [ $status -ne 0 ] || [ "$(wc -l <want)" -ne 200 ] || ! cmp -s want got; then
		fail "$name sends: $what" "status $status, $(wc -l <got) of $(wc -l <want) events" \
			"$(tail -n 3 their.log)" "$(tail -n 3 log)"
	else
		pass "$name sends: $what"
	fi
}

# The first connection is answered as listeners of version 1 do, so the client speaks version 1.
they_send_v1() {
	rm -f old.port
	python3 "$peer" old "$port" old.port >old.log 2>&1 &
	old=$!
	# shellcheck disable=SC2086 # no word or one
	they_send "$1" "$(port_of $old old.port)" $2
	wait $old
	is "after it asked for version 3" $? 0
	"$theirs" report -i out/trace.127.0.0.1:*.dat >text 2>/dev/null
	is "and $name reads what version 1 made" "$(grep -c 'sched_process_exec:.*\./marked' text)" 200
}

# captured WHAT: what was sent, sent again to tc-listen and trace-cmd listen, gives the same reports
captured() {
	what=$1
	listen_theirs
	rm -f out/*
	: >log
	python3 "$peer" send wire "$port" --captured >said 2>&1 || fail "$what: sent to tc-listen" "$(cat said)"
	wait_for $ours arrived
	python3 "$peer" send wire "$their_port" --captured >said 2>&1 || fail "$what: sent to $name" "$(cat said)"
	# It has no other sign that its file is complete than that it reads well.
	wait_for $their_pid complete
	for reader in "$theirs" tc-report; do
		verb=report
		[ "$reader" = "$theirs" ] || verb=
		# shellcheck disable=SC2086 # no word or one
		"$reader" $verb -i out/trace.127.0.0.1:*.dat >want 2>/dev/null
		# shellcheck disable=SC2086
		"$reader" $verb -i theirs.d/trace.*.dat >got 2>/dev/null
		if [ "$(grep -c 'sched_process_exec: .*\./marked' want)" -eq 200 ]; then
			same "$what: $name listen and tc-listen make the same of it, by ${reader##*/}" want got
		else
			fail "$what: its events are there, by ${reader##*/}" "$(tail -n 3 want)"
		fi
	done
	kill "$their_pid"
	wait "$their_pid" 2>/dev/null
}

complete() {
	[ "$(execs theirs.d/trace.*.dat | wc -l)" -eq 200 ]
}

# capture [--theirs]: the sender's port
capture() {
	rm -f wire.*
	# shellcheck disable=SC2086 # no word or one
	python3 "$peer" listen wire wire.port $1 >wire.log 2>&1 &
	script=$!
	port_of $script wire.port >port
}

as_listener() {
	listen_theirs
	tc-record -N "$their_port" -b 8192 -F -c -e sched -- sh -c "$loop" 2>err
	is "$name listen takes a recording" "$?$(grep -c 'no events lost' err)" 01
	wait_for $their_pid complete
	counted=$(sed -n 's/^tc-record: \([0-9]*\) events in .*no events lost$/\1/p' err)
	for reader in "$theirs report" tc-report; do
		$reader -i theirs.d/trace.*.dat 2>/dev/null >text
		is "each event that the kernel counted is there, by ${reader##*/}" \
			"$(grep -vc '^cpus=' text)" "$counted"
	done
	kill "$their_pid"
	wait "$their_pid" 2>/dev/null
}

with() {
	listen_ours
	they_send "version 3, TCP" "$port" -t
	they_send "version 3, UDP" "$port"
	they_send_v1 "version 1, TCP" -t
	they_send_v1 "version 1, UDP" ''
	case $name in
	*2.9*) skip "$name listen takes a recording" "it knows trace files of version 6 only" ;;
	*) as_listener ;;
	esac
	capture --theirs
	their_record -N "localhost:$(cat port)" -t -e sched -e irq sh -c "$loop" >their.log 2>&1
	wait $script
	is "$name record sends whole sub-buffers" "$?$(tail -n 1 wire.log)" 0
	captured "$name record"
	case $name in
	*2.9*) ;;
	*)
		capture ''
		tc-record -q -N "$(cat port)" -e sched -e irq -- sh -c "$loop"
		wait $script
		captured "tc-record -N"
		;;
	esac
	kill "$ours"
	wait "$ours"
}

[ $# -gt 0 ] || set -- installed 2.9 3.3 3.4
for release; do
	theirs=
	if [ "$release" = installed ]; then
		theirs=$(command -v trace-cmd) || reason="it is not installed"
	else
		theirs=$("$TC_SRCDIR/tests/net/fetch-trace-cmd" "$release" 2>why) || reason=$(tail -n 1 why)
	fi
	if [ -z "$theirs" ]; then
		skip "trace-cmd $release" "$reason"
		continue
	fi
	name="trace-cmd $("$theirs" 2>&1 | sed -n 's/^.*version \([0-9.]*[0-9]\).*$/\1/p' | head -n 1)"
	with
done
nothing_of_mine "afterwards"
"$TC_SRCDIR/tests/live/state.sh" >state.after
same "tracefs is as it was" state.before state.after
finish
