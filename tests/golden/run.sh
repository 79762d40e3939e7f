#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [CASE...] - golden tests: a command, what it must print, and its exit status
#
# A case is a directory tests/golden/PROGRAM/NAME with
#   cmd          shell commands, run in an empty directory with the programs in PATH
#   input        files to put there: "NAME SOURCE" a line, SOURCE below tests/; .xz is unpacked
#   expect.out   what must come on stdout (missing: nothing)
#   expect.err   the same for stderr
#   expect.rc    exit status of the last command (missing: 0)
#   from         where the expected text comes from: trace-cmd, the kernel, arithmetic, the manual
# Without CASE all are run, then the recordings of tests/data/recordings (sweep.sh).
# TC_UPDATE_GOLDEN=1 rewrites the expectations; the diff is to be reviewed against "from".
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin golden xz
PATH=$TC_BUILDDIR:$PATH
golden=$TC_SRCDIR/tests/golden

# inputs CASE: put the files of its list into $tmp/dir
inputs() {
	[ -f "$1/input" ] || return 0
	while read -r name source; do
		case $source in
		*.xz) xz -dc "$golden/../$source" >"$tmp/dir/$name" ;;
		*) cp "$golden/../$source" "$tmp/dir/$name" ;;
		esac || return 1
	done <"$1/input"
}

# update FILE EXPECT: an empty file is none
update() {
	if [ -s "$1" ]; then
		cp "$1" "$2"
	else
		rm -f "$2"
	fi
}

# differs WHAT GOT EXPECT: prints the difference
differs() {
	[ -f "$3" ] || set -- "$1" "$2" /dev/null
	same "$3" "$2" && return 1
	printf '%s: - expected, + got\n' "$1"
	diff -u "$3" "$2" | tail -n +3 | head -n 40
}

run_case() {
	case_name=${1#"$golden"/}
	rm -rf "$tmp/dir"
	mkdir "$tmp/dir" || exit 1
	if ! inputs "$1"; then
		fail "$case_name" "its input is missing"
		return
	fi
	for case_input in "$tmp/dir"/*; do
		if [ -f "$case_input" ] && lacks_codec "$case_input"; then
			skip "$case_name" "zstd is not built in"
			return
		fi
	done
	(cd "$tmp/dir" && HOME=$tmp/dir sh "$1/cmd" </dev/null >"$tmp/out" 2>"$tmp/err")
	rc=$?
	: >"$tmp/rc"
	[ "$rc" -eq 0 ] || echo "$rc" >"$tmp/rc"
	if [ "${TC_UPDATE_GOLDEN:-}" = 1 ]; then
		update "$tmp/out" "$1/expect.out"
		update "$tmp/err" "$1/expect.err"
		update "$tmp/rc" "$1/expect.rc"
	fi
	{
		differs "exit status" "$tmp/rc" "$1/expect.rc"
		differs stdout "$tmp/out" "$1/expect.out"
		differs stderr "$tmp/err" "$1/expect.err"
	} >"$tmp/diff"
	if [ -s "$tmp/diff" ]; then
		fail "$case_name" "$(cat "$tmp/diff")"
	else
		pass "$case_name"
	fi
}

probe_libtraceevent
if [ $# -gt 0 ]; then
	for c; do
		run_case "$golden/${c#"$golden"/}"
	done
	finish
fi
for c in "$golden"/*/*/cmd; do
	run_case "${c%/cmd}"
	[ -s "${c%/cmd}/from" ] || echo "${c%/cmd}" >>"$tmp/without"
done
if [ -f "$tmp/without" ]; then
	fail "every case says where its text comes from" "$(cat "$tmp/without")"
else
	pass "every case says where its text comes from"
fi
# The recordings: one result here, the differences below it.
if "$golden/sweep.sh" "$golden/../data/recordings" >"$tmp/sweep"; then
	pass "all recordings print the text of their own machine: $(grep -c '^ok' "$tmp/sweep") texts"
else
	fail "all recordings print the text of their own machine" "$(grep -v '^ok' "$tmp/sweep")"
fi
finish
