#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-chrome.sh - files of --chrome: they parse, slices nest, and slices, instants and losses are those that a
# script finds in what --json prints of the recording
#
# area: gate report

set -u
# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/lib.sh"

begin chrome xz python3
some="x86_64/ev-v6 x86_64/graph x86_64/kprobe x86_64/lost x86_64/marker x86_64/func x86_64-6.12/ev-v7zstd
	x86_64-6.12/graph i386/ev-plain arm64/graph s390x/ev-v7zstd ppc64el/ev-v7zstd switch-be32
	user-stack hostile-terminal unknown-event"

for name in $some; do
	stored_recording "$name" || continue
	if ! "$TC_BUILDDIR/tc-report" --chrome "$tmp/out.json" -q "$dat" >"$tmp/said" 2>&1; then
		fail "$name: is written" "$(cat "$tmp/said")"
	elif ! "$TC_BUILDDIR/tc-report" --json -q "$dat" >"$tmp/events.json"; then
		fail "$name: is read as JSON"
	elif python3 "$TC_SRCDIR/tests/exchange/check_chrome.py" "$tmp/out.json" "$tmp/events.json" \
		>"$tmp/wrong" 2>&1; then
		pass "$name: $(tail -n 1 "$tmp/wrong")"
	else
		fail "$name: differs from --json" "$(tail -n 20 "$tmp/wrong")"
	fi
done

finish
