#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-perfetto.sh - files of --perfetto, decoded by protoc: every event with its time, CPU, task and fields, the
# losses, and that nothing else is in them, beside what --json and --stat print of the recording
#
# area: gate report

set -u
# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/lib.sh"

begin perfetto xz python3 protoc
some="x86_64/ev-v6 x86_64/stack x86_64/graph x86_64/kprobe x86_64/lost x86_64/marker x86_64/inst x86_64/func
	x86_64-6.12/ev-v7zstd x86_64-6.12/graph i386/ev-plain arm64/graph s390x/ev-v7zstd ppc64el/ev-v7zstd
	switch-be32 switch-le32 user-stack hostile-terminal unknown-event"

for name in $some; do
	stored_recording "$name" || continue
	report=$TC_BUILDDIR/tc-report
	rm -f "$tmp/out.pftrace"
	if ! "$report" --perfetto "$tmp/out.pftrace" -q "$dat" >"$tmp/said" 2>&1; then
		fail "$name: is written" "$(cat "$tmp/said")"
	elif ! "$report" --json -q "$dat" >"$tmp/events.json"; then
		fail "$name: is read as JSON"
	elif ! "$report" -f -q "$dat" >"$tmp/symbols"; then
		fail "$name: its symbols are read"
	elif python3 "$TC_SRCDIR/tests/exchange/check_perfetto.py" "$tmp/out.pftrace" \
		"$tmp/events.json" "$tmp/symbols" >"$tmp/wrong" 2>&1; then
		pass "$name: $(tail -n 1 "$tmp/wrong")"
	else
		fail "$name: differs from --json" "$(tail -n 20 "$tmp/wrong")"
	fi
done

# Only what was selected
stored_recording x86_64/ev-v6 || true
"$TC_BUILDDIR/tc-report" --perfetto "$tmp/some.pftrace" -q --select sched --cpu 1 "$dat"
"$TC_BUILDDIR/tc-report" --json -q --select sched --cpu 1 "$dat" >"$tmp/events.json"
"$TC_BUILDDIR/tc-report" -f -q "$dat" >"$tmp/symbols"
if python3 "$TC_SRCDIR/tests/exchange/check_perfetto.py" "$tmp/some.pftrace" "$tmp/events.json" \
	"$tmp/symbols" >"$tmp/wrong" 2>&1; then
	pass "a selection: $(tail -n 1 "$tmp/wrong")"
else
	fail "a selection" "$(tail -n 20 "$tmp/wrong")"
fi

# An older file stays if the new one cannot be completed.
echo old >"$tmp/kept.pftrace"
if "$TC_BUILDDIR/tc-report" --perfetto "$tmp/kept.pftrace" -q "$tmp/no-such.dat" 2>/dev/null; then
	fail "a recording that does not exist is an error"
elif [ "$(cat "$tmp/kept.pftrace")" = old ] && [ "$(find "$tmp" -name '.kept*' | wc -l)" -eq 0 ]; then
	pass "an older file stays if there is no new one"
else
	fail "an older file stays if there is no new one"
fi

finish
