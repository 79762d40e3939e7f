#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A recorder whose own system calls are events would record itself for ever. Here its threads are in
# set_event_notrace_pid; that it stops at a sub-buffer that is not full is tested in
# tests/unit/record/test_percpu.c.
#
# needs: root tracefs
# area: session
# shellcheck source=tests/live/lib.sh
. "$(dirname "$0")/lib.sh"

# nice_values PID: those of its threads, each once
nice_values() {
	cat "/proc/$1/task/"*/stat | sed 's/^.*) //' | awk '{ print $17 }' | sort -nu | paste -s -d ' ' -
}

can_be_nice() {
	[ "$(nice -n -20 nice 2>/dev/null)" = -20 ] && [ "$(nice)" = 0 ]
}

# has_nice PID VALUES: its threads have these
# shellcheck disable=SC2317 # wait_for runs it
has_nice() {
	[ "$(nice_values "$1")" = "$2" ]
}

# all_threads PID: main, and a reader for each CPU
# shellcheck disable=SC2317 # wait_for runs it
all_threads() {
	[ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 | wc -l)" -gt "$(nproc)" ]
}

# run CODEC: two seconds of all system calls, by a recorder whose threads are known
run() {
	"$record" -e raw_syscalls --compression "$1" -o "$1.dat" --duration 2 2>err &
	pid=$!
	wait_for $pid recording $pid || fail "$1: recording begins"
	wait_for $pid all_threads $pid
	ls "/proc/$pid/task" >tids
	if can_be_nice; then
		wait_for $pid has_nice $pid "-20 0"
	fi
	nice_values $pid >values
	wait $pid
	is "$1: it ends after its time" $? 0
}

for codec in zstd none; do
	run $codec
	is "$codec: one reader for each CPU, and main" "$(wc -l <tids)" $(($(nproc) + 1))
	if command -v trace-cmd >/dev/null; then
		trace-cmd report -i $codec.dat >text 2>/dev/null
		own=0
		while read -r tid; do
			own=$((own + $(grep -c -- "-$tid  *\[" text)))
		done <tids
		is "$codec: the file has no system call of the recorder" "$own" 0
	else
		skip "$codec: the file has no system call of the recorder" "no trace-cmd"
	fi
done

if can_be_nice; then
	is "readers have a higher priority, the main thread has not" "$(cat values)" "-20 0"
else
	skip "readers have a higher priority, the main thread has not" "the nice value cannot be lowered here"
fi
# Fields 40 and 41 of stat: the real-time priority, and the policy, of which 1 is SCHED_FIFO
if setpriv true 2>/dev/null && "$record" -q -r 7 -e sched_switch -o fifo.dat -- true 2>err; then
	# shellcheck disable=SC2016 # COMMAND's
	"$record" -q -r 7 -e sched_switch -o fifo.dat -- sh -c 'cut -d " " -f 40,41 /proc/$PPID/task/*/stat | sort | uniq -c; \
		cut -d " " -f 40,41 /proc/$$/stat' >fifo 2>err
	is "-r: readers are real-time ones, main and COMMAND are not" "$(tr '\n' ' ' <fifo | tr -s ' ')" \
		" 1 0 0 $(nproc) 7 1 0 0 "
	setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice "$record" -q -r 7 -e sched_switch -o none.dat -- true 2>err
	is "-r without CAP_SYS_NICE: status" $? 1
	has "-r without CAP_SYS_NICE: says so" err "option -r: cannot give the recorder the priority 7"
	has "-r without CAP_SYS_NICE: says what it takes" err "ulimit -r"
else
	skip "-r" "no setpriv, or no real-time priority here"
fi
nice -n 3 "$record" -q -e sched_switch -o nice.dat 2>err &
pid=$!
wait_for $pid recording $pid || fail "recording begins"
wait_for $pid all_threads $pid
is "unless another nice value was chosen" "$(nice_values $pid)" "$(($(nice) + 3))"
kill -INT $pid
wait $pid
nothing_of_mine "afterwards"
finish
