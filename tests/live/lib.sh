# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the live tests: TAP lines, waiting, a directory of their own. t-*.sh source it and end with
# "finish". They need root and tracefs, and exit with 77 without.
#
# TC_BUILDDIR (default: the present directory) is where the programs were built, TC_SRCDIR where
# the sources are.

LC_ALL=C
export LC_ALL
TC_BUILDDIR=${TC_BUILDDIR:-$PWD}
TC_SRCDIR=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
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

# until_same FILE FILE COMMAND...: run it until the files are equal, five times at most. A virtual CPU that does not run
# while it records comes too late for what a live run prints, but is in the recording.
until_same() {
	same_one=$1
	same_other=$2
	shift 2
	for _ in 1 2 3 4 5; do
		"$@"
		! cmp -s "$same_one" "$same_other" || break
	done
}

# has NAME FILE TEXT: a line of the file holds the text, taken literally
has() {
	if grep -qF -e "$3" "$2"; then
		pass "$1"
	else
		fail "$1" "no '$3' in:" "$(head -n 12 "$2")"
	fi
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

# is_stopped PID: all of its threads are. A signal returns before the process has taken it.
is_stopped() {
	# shellcheck disable=SC2317 # until_true runs it
	! grep -h '^State:' "/proc/$1/task/"*/status | grep -qv T
}

# remember_state: save the state of tracefs, after what killed programs left behind is cleaned up
remember_state() {
	"$record" -q -e sched_switch -o first.dat -- true 2>/dev/null
	rm -f first.dat
	# The ring buffer of the top level gets its memory with its first use and keeps it. Setting a tracer,
	# even none, is such a use.
	[ "$(cat "$tracefs/current_tracer")" != nop ] || echo nop >"$tracefs/current_tracer"
	"$TC_SRCDIR/tests/live/state.sh" >before
}

# state_is_as_before: for until_true; others that trace on this machine come and go
state_is_as_before() {
	"$TC_SRCDIR/tests/live/state.sh" >after
	cmp -s after before
}

# same_state NAME: tracefs is as it was at remember_state
same_state() {
	until_true 20 state_is_as_before || :
	same "$1: tracefs is as it was" after before
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
