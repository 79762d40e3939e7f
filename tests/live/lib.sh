# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the live tests: TAP lines, waiting, a directory of their own. t-*.sh source it and end with
# "finish". They run under tests/lib/one, where /run is their own; started by hand, they start
# themselves again that way. Those with "# also: vm" run in the guests of tests/vm, too, by busybox's sh.
#
# TC_BUILDDIR (default: the present directory) is where the programs were built, TC_SRCDIR where
# the sources are.

LC_ALL=C
export LC_ALL
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
export TC_BUILDDIR TC_SRCDIR
[ -n "${TC_ONE:-}" ] || exec "$TC_SRCDIR/tests/run" --raw "$0"
tracefs=${TRACECRAFT_TRACEFS:-/sys/kernel/tracing}
record=$TC_BUILDDIR/tc-record
# shellcheck disable=SC2034 # used by the tests
report=$TC_BUILDDIR/tc-report
# shellcheck source=tests/lib/tap.sh
. "$TC_SRCDIR/tests/lib/tap.sh"

# between NAME NUMBER LEAST MOST
between() {
	if [ "$2" -ge "$3" ] && [ "$2" -le "$4" ]; then
		pass "$1"
	else
		fail "$1" "got $2, wanted $3 to $4"
	fi
}

# at_least NAME NUMBER LEAST
at_least() {
	if [ "$2" -ge "$3" ]; then
		pass "$1"
	else
		fail "$1" "got $2, wanted $3 or more"
	fi
}

# same NAME FILE FILE: equal, and not empty
same() {
	if [ ! -s "$2" ]; then
		fail "$1" "$2 is empty or missing"
	elif cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" 2>&1 | head -n 12)"
	fi
}

# has NAME FILE TEXT: a line of the file holds the text, taken literally
has() {
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "no '$3' in:" "$(head -n 12 "$2")"
	fi
}

# notices FILE: its lines, but for the one that others have the kernel busy with their events
notices() {
	grep -v ': waiting for the kernel: another process is changing events or probes' "$1"
}

# traces INSTANCE: its program has enabled its events and tracing is on. A new instance has tracing on until
# the program turns it off, so tracing_on alone is not enough.
traces() {
	grep -q . "$tracefs/instances/$1/set_event" 2>/dev/null &&
		[ "$(cat "$tracefs/instances/$1/tracing_on" 2>/dev/null)" = 1 ]
}

# recording PID: the tc-record with this pid does
recording() {
	traces "tc-record.$1"
}

# sends DIR HOST...: tc-fleet records into DIR, and the recordings of all of these hosts have begun
sends() {
	sends_dir=$1
	shift
	for sends_host; do
		ls "$sends_dir/$sends_host/"*.cpu0 || return
	done
}

# has_open PID FILE: one of its descriptors is this file, deleted or not, below whatever root
has_open() {
	find "/proc/$1/fd" -lname "*/$2" -o -lname "*/$2 (deleted)" 2>/dev/null | grep -q .
}

# Before a live run that is compared with its recording: a CPU that comes late is too late for what is printed at once.
# shellcheck disable=SC2034 # used by the tests
on_one="taskset -c $(sed -n 's/^Cpus_allowed_list:[[:space:]]*\([0-9]*\).*/\1/p' /proc/self/status)"

# is_stopped PID: all of its threads are. A signal returns before the process has taken it.
is_stopped() {
	# shellcheck disable=SC2317 # wait_for runs it
	! grep -h '^State:' "/proc/$1/task/"*/status | grep -qv T
}

# wait_for PID COMMAND...: run it again and again until it succeeds; 1 when the process has ended without it.
# There is no deadline: the runner has one for a test as a whole. A shell's child that has ended and was not
# waited for has no exe any more.
wait_for() {
	wait_pid=$1
	shift
	until "$@" >/dev/null 2>&1; do
		if [ ! -e "/proc/$wait_pid/exe" ]; then
			"$@" >/dev/null 2>&1
			return
		fi
		sleep "$poll" # poll: the one place that waits
	done
}

# mine: the pids of programs that this test started, that changed tracefs and have ended, as one
# extended expression. tests/lib/one writes them down by the names of their journals.
mine() {
	while read -r mine_pid; do
		[ -d "/proc/$mine_pid" ] || printf '%s|' "$mine_pid"
	done <"$TC_MINE"
}

# leftovers: instances, groups of probes and journals that ended programs of this test have left, by the names that
# programs give: another test may have one of these pids by now. The last number is none that a kernel gives; groups of
# others may go while they are listed.
leftovers() {
	mine_re="^tc[-_](.*[^0-9])?($(mine)99999999)([^0-9]|\$)"
	find "$tracefs/instances" "$tracefs/events" -mindepth 1 -maxdepth 1 -type d 2>/dev/null | sed 's|.*/||' |
		grep -E -e "$mine_re"
	find /run/tracecraft -maxdepth 1 -type f | sed 's|.*/||' | grep -E -e "$mine_re"
}

# nothing_of_mine NAME: tracefs and the journals have nothing of the programs that this test has run. What
# others do there is not looked at. The runner looks once more at the end, for the test's own pid, too.
nothing_of_mine() {
	nothing "$1: nothing is left" "$(leftovers)"
}

# helper PROGRAM [NAME]: a copy of the one that "make tests" built of live/PROGRAM.c, here
helper() {
	cp "$TC_BUILDDIR/tests/live/$1" "${2:-$1}" || skip_all "make tests builds tests/live/$1"
}

# guest: this is one of tests/vm, whose CPU is emulated
guest() {
	[ -n "${VM_KERNEL:-}" ]
}

# Seconds between two looks of wait_for: in a guest each takes the CPU away from what is waited for.
poll=0.02
! guest || poll=0.1

# The directory of programs that are not busybox: a guest has some of the host's
bin=/bin
! guest || bin=/host/bin

# own_program PROGRAM NAME: a copy under a name that nobody else runs
own_program() {
	cp "$bin/$1" "$2"
}

# keep DAT TEXT [OPTION...]: tc-report with these options printed TEXT. tests/vm/run compares that with what it and
# trace-cmd print of a guest's file outside.
keep() {
	guest || return 0
	keep_name=/out/$(basename "$0" .sh)-$(basename "$1" .dat)
	cp "$1" "$keep_name.dat"
	cp "$2" "$keep_name.txt"
	shift 2
	echo "$*" >"$keep_name.args"
}

# What "recorded" counts: the events of the summary on stderr in FILE
events_in() {
	sed -n 's/^tc-record: \([0-9]*\) events in .*/\1/p' "$1"
}

# A report's lines without its heading
lines_of() {
	sed '/^cpus=/d' "$1"
}

finish() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

[ "$(id -u)" = 0 ] || skip_all "recording needs root"
[ -r "$tracefs/events/enable" ] || skip_all "there is no tracefs at $tracefs"
[ -x "$record" ] || skip_all "tc-record is not built in $TC_BUILDDIR"

tap_dir=$(mktemp -d)
tap_clean() {
	cd /
	if mountpoint -q "$tap_dir/disk" 2>/dev/null; then
		umount "$tap_dir/disk"
	fi
	rm -rf "$tap_dir"
}
trap tap_clean EXIT
trap 'exit 1' HUP INT TERM
cd "$tap_dir" || exit 1
