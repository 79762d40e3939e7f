#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# t-tables.sh - tables of --arrow=DIR, one for each event, are what --json prints of the recording: every value
#
# area: gate report

set -u
# shellcheck source=tests/exchange/lib.sh
. "$(dirname "$0")/lib.sh"

begin tables xz python3
export PYTHONDONTWRITEBYTECODE=1
report=$TC_BUILDDIR/tc-report
some="x86_64/ev-v6 x86_64/stack x86_64/graph x86_64/kprobe x86_64/lost x86_64/marker x86_64/inst x86_64/func
	x86_64-6.12/ev-v7zstd i386/ev-plain arm64/graph arm64/kprobe s390x/ev-v7zstd s390x/kprobe ppc64el/ev-v7zstd
	ppc64el/kprobe switch-be32 foreign-be user-stack hostile-terminal unknown-event"

# check WHAT OPTION... : of $dat
check() {
	check_what=$1
	shift
	rm -rf "$tmp/dir"
	host=$("$report" --uname "$dat" | sed -n 's/^[^[]*\[*\(Linux [^]]*\).*/\1/p' | cut -d ' ' -f 2)
	if ! "$report" --json -q "$@" "$dat" >"$tmp/events.json"; then
		fail "$check_what: is read as JSON"
	elif ! "$report" --arrow="$tmp/dir" --compression=none -q "$@" "$dat" >"$tmp/said" 2>&1; then
		fail "$check_what: is written" "$(cat "$tmp/said")"
	elif python3 "$TC_SRCDIR/tests/exchange/check_tables.py" "$tmp/events.json" "$host" \
		"$(basename "$dat")" "$tmp/dir" >"$tmp/wrong" 2>&1; then
		pass "$check_what: $(tail -n 1 "$tmp/wrong")"
	else
		fail "$check_what: differs from --json" "$(tail -n 20 "$tmp/wrong")"
	fi
}

for name in $some; do
	stored_recording "$name" || continue
	check "$name"
done
stored_recording x86_64/ev-v6 && check "a selection" --select sched --cpu 0

# Two kernels whose events have the same name and other fields
if stored_recording x86_64/ev-v6 && cp "$dat" "$tmp/a.dat" && stored_recording i386/ev-plain; then
	"$report" --arrow="$tmp/both" -q "$tmp/a.dat" "$dat"
	if [ -e "$tmp/both/sched.sched_switch.arrows" ] &&
		[ -e "$tmp/both/sched.sched_switch-2.arrows" ] &&
		! [ -e "$tmp/both/irq.softirq_entry-2.arrows" ]; then
		pass "events with the same name and other fields have a table each"
	else
		fail "events with the same name and other fields have a table each" "$(ls "$tmp/both")"
	fi
fi

# Few files are open at a time.
rm -rf "$tmp/few"
# shellcheck disable=SC3045 # dash has it
if (ulimit -n 24 && "$report" --arrow="$tmp/few" -q -j 1 "$tmp/a.dat"); then
	pass "$(find "$tmp/few" -type f | wc -l) tables with 24 descriptors"
else
	fail "tables with 24 descriptors"
fi

# is_refused WHAT TEXT OPTION...: nothing is left behind
is_refused() {
	is_what=$1 is_text=$2
	shift 2
	if "$report" -q "$@" "$tmp/a.dat" >"$tmp/out" 2>"$tmp/said"; then
		fail "$is_what"
	elif grep -q -e "$is_text" "$tmp/said" && [ -z "$(find "$tmp" -name '*.tmp-*')" ]; then
		pass "$is_what"
	else
		fail "$is_what" "$(cat "$tmp/said")" "$(ls "$tmp")"
	fi
}

is_refused "a directory with files in it is refused" "is not empty" --arrow="$tmp/few"
: >"$tmp/said.file"
is_refused "a file is refused" "cannot use" --arrow="$tmp/said.file"
mkdir "$tmp/empty"
if "$report" -q --arrow="$tmp/empty/" "$tmp/a.dat" && [ -e "$tmp/empty/sched.sched_switch.arrows" ]; then
	pass "an empty directory is taken"
else
	fail "an empty directory is taken" "$(ls "$tmp")"
fi
is_refused "a directory that cannot be made is an error" "cannot write" --arrow="$tmp/no/such/dir"
is_refused "-o has no meaning with a directory" "another one" --arrow="$tmp/x" -o "$tmp/y"

finish
