# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# TAP for shell tests. Sourced as ". "$TC_SRCDIR/tests/lib/tap.sh""; a test ends with "finish".
# A description says what holds, not what is done.

tap_count=0
tap_failed=0

# pass DESCRIPTION
pass() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1"
}

# fail DESCRIPTION [LINE...]: the lines go below it as comments
fail() {
	tap_count=$((tap_count + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_count - $1"
	shift
	for tap_line in "$@"; do
		printf '%s\n' "$tap_line" | sed 's/^/# /'
	done
}

# skip DESCRIPTION REASON
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# skip_all REASON: the whole program
skip_all() {
	echo "1..0 # SKIP $1"
	exit 77
}

# is DESCRIPTION GOT WANTED
is() {
	if [ "$2" = "$3" ]; then
		pass "$1"
	else
		fail "$1" "got:    $2" "wanted: $3"
	fi
}

# nothing DESCRIPTION TEXT: passes when TEXT is empty; else each line of it is a complaint
nothing() {
	if [ -z "$2" ]; then
		pass "$1"
	else
		fail "$1" "$2"
	fi
}

# runs DESCRIPTION COMMAND...: it exits with 0
runs() {
	tap_what=$1
	shift
	if tap_out=$("$@" 2>&1); then
		pass "$tap_what"
	else
		fail "$tap_what" "exit status $?: $*" "$tap_out"
	fi
}

# refuses DESCRIPTION COMMAND...: it exits with anything but 0
refuses() {
	tap_what=$1
	shift
	if tap_out=$("$@" 2>&1); then
		fail "$tap_what" "it succeeded: $*" "$tap_out"
	else
		pass "$tap_what"
	fi
}

finish() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}

# until_true SECONDS COMMAND...: run it again and again until it succeeds; 1 if it never did
until_true() {
	tap_end=$(($(date +%s) + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -le "$tap_end" ] || return 1
		sleep 0.05
	done
}
