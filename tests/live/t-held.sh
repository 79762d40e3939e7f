#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Somebody reads a file of the instance when it is to be removed: a reader that lets go in time is waited for; one
# that stays is named, what it keeps busy is left to the journal, and the recording is a success all the same.
#
# needs: root tracefs uprobes
# area: record session

# shellcheck disable=SC2016 # the inner shell's
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/live/lib.sh
. "$TC_SRCDIR/tests/live/lib.sh"

session=$TC_BUILDDIR/tc-session
journals=/run/tracecraft
name=tc-live-held-$$

# hold FILE CONDITION: a process, $holder, that has the file open until the shell command CONDITION is true, or "go" exists
hold() {
	rm -f held go
	(
		exec 3<"$1"
		: >held
		until [ -e go ] || eval "$2" 3<&-; do
			sleep 0.02 3<&- # poll: what strace writes
		done
	) &
	holder=$!
	wait_for "$holder" test -e held || fail "$1 is held"
	holder_name=$(cat "/proc/$holder/comm")
}

let_go() {
	: >go
	wait "$holder"
}

# gone FILE...: none exists
# shellcheck disable=SC2317 # runs calls it
gone() {
	for gone_file; do
		[ ! -e "$gone_file" ] || return 1
	done
}

# record_held FILE [OPTION...]: a recording, $pid, that waits for "stop", with FILE of its instance held until stop_holding
record_held() {
	record_file=$1
	shift
	rm -f stop pid
	mkfifo stop
	: >trace.out
	$under sh -c 'echo $$ >pid; exec "$0" "$@"' "$record" -e sched_switch -o t.dat "$@" -- \
		sh -c 'read -r stop <stop; exit 0' 2>err &
	job=$!
	wait_for $job test -s pid || fail "tc-record is started"
	pid=$(cat pid)
	wait_for "$pid" recording "$pid" || fail "recording begins" "$(cat err)"
	instance=$tracefs/instances/tc-record.$pid
	journal=$journals/tc-record.$pid
	hold "$instance/$record_file" "$release"
}

# held_to_the_end WHAT FILE [OPTION...]
held_to_the_end() {
	what=$1
	shift
	under=
	release=false
	record_held "$@"
	: >stop
	wait "$job"
	is "$what: the recording is a success" $? 0
	has "$what: the message names the reader" err "a file of it is open in $holder ($holder_name)"
	has "$what: and says who goes on" err "the next program of tracecraft takes it back"
	is "$what: the reader's instance is there" "$(ls -d "$instance")" "$instance"
	grep "^+rmdir.instances/tc-record.$pid\$" "$journal" >line
	is "$what: so is what the journal says of it" "$(wc -l <line)" 1
	"$report" -i t.dat >text 2>text.err
	is "$what: the file is whole" "$(cat text.err)" ""
	let_go
	"$record" -q -e sched_switch -o next.dat -- true 2>next.err
	runs "$what: the next program removes the instance" gone "$instance" "$journal"
}

# A reader that lets go once the recorder was refused, which strace shows
if command -v strace >/dev/null; then
	for file in tracing_on per_cpu/cpu0/trace_pipe_raw; do
		under="strace -o trace.out -e trace=unlinkat"
		release='grep -q EBUSY trace.out'
		record_held "$file"
		: >stop
		wait "$job"
		is "$file held for a moment: status" $? 0
		has "$file held for a moment: the recorder was refused" trace.out "EBUSY"
		nothing "$file held for a moment: it says nothing of it" "$(grep -e busy -e open err)"
		nothing "$file held for a moment: nothing is left" "$(ls -d "$instance" "$journal" 2>/dev/null)"
		let_go
	done

	"$session" start -q -B "$name" -e sched_switch
	: >trace.out
	hold "$tracefs/instances/$name/tracing_on" 'grep -q EBUSY trace.out'
	strace -o trace.out -e trace=unlinkat "$session" reset -B "$name" 2>err
	is "a session held for a moment: status of reset" $? 0
	has "a session held for a moment: reset was refused" trace.out "EBUSY"
	nothing "a session held for a moment: it is gone" "$(ls -d "$tracefs/instances/$name" 2>/dev/null)"
	let_go

	mkdir "$tracefs/instances/$name"
	: >trace.out
	hold "$tracefs/instances/$name/tracing_on" 'grep -q EBUSY trace.out'
	strace -o trace.out -e trace=unlinkat "$session" reset -B "$name" -d 2>err
	is "an instance held for a moment: status of reset -d" $? 0
	has "an instance held for a moment: reset was refused" trace.out "EBUSY"
	nothing "an instance held for a moment: it is gone" "$(ls -d "$tracefs/instances/$name" 2>/dev/null)"
	let_go
else
	skip "held for a moment" "there is no strace"
fi

held_to_the_end "tracing_on held" tracing_on
held_to_the_end "a ring buffer held" per_cpu/cpu0/trace_pipe_raw

# A probe is busy as long as the instance that it is enabled in
if [ -e "$tracefs/uprobe_events" ] && command -v cc >/dev/null; then
	echo 'int one(int n) { return n; } int main(void) { return one(0); }' >fns.c
	cc -g -O0 -o fns fns.c
	held_to_the_end "a probe's instance held" tracing_on -p "uprobe:$PWD/fns:one"
	nothing "a probe's instance held: the probe is gone with it" "$(grep "$PWD/fns" "$tracefs/uprobe_events")"
else
	skip "a probe's instance held" "no uprobes, or no C compiler"
fi

"$session" start -q -B "$name" -e sched_switch
hold "$tracefs/instances/$name/tracing_on" false
"$session" reset -B "$name" 2>err
is "a session held: status of reset" $? 1
has "a session held: the message names the reader" err "a file of it is open in $holder ($holder_name)"
is "a session held: what reset is to undo is kept" "$(ls "$journals/kept/instance:$name")" "$journals/kept/instance:$name"
let_go
"$session" reset -B "$name" 2>err
is "a session let go: status of reset" $? 0
nothing "a session let go: nothing is left" \
	"$(ls -d "$tracefs/instances/$name" "$journals/kept/instance:$name" 2>/dev/null)"

finish
