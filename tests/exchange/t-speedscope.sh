#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-speedscope.sh - files of --speedscope: profiles are the stacks that --folded prints of the recording
#
# area: gate report

set -u
# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/lib.sh"

begin speedscope xz python3

# check NAME WHAT OPTION...: both views of $dat with these options
check() {
	check_what="$1: $2"
	shift 2
	if ! "$TC_BUILDDIR/tc-report" --speedscope "$tmp/out.json" -q "$@" "$dat" >"$tmp/said" 2>&1; then
		fail "$check_what is written" "$(cat "$tmp/said")"
	elif ! "$TC_BUILDDIR/tc-report" --folded=- --no-annotate --countname=ns -q "$@" "$dat" \
		>"$tmp/folded" 2>"$tmp/said"; then
		fail "$check_what is folded" "$(cat "$tmp/said")"
	elif ! [ -s "$tmp/folded" ]; then
		fail "$check_what: has stacks"
	elif python3 "$TC_SRCDIR/tests/exchange/check_speedscope.py" "$tmp/out.json" "$tmp/folded" \
		>"$tmp/wrong" 2>&1; then
		pass "$check_what: $(tail -n 1 "$tmp/wrong")"
	else
		fail "$check_what differs from --folded" "$(tail -n 20 "$tmp/wrong")"
	fi
}

for name in x86_64/stack x86_64/func user-stack x86_64/graph arm64/graph; do
	stored_recording "$name" || continue
	check "$name" "stacks"
	check "$name" "stacks by thread" --by-tid
done
if stored_recording x86_64/stack; then
	check x86_64/stack "time off the CPU" --off-cpu=all
fi

finish
