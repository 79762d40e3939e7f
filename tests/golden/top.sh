#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# top.sh - pages of tc-top, playing recordings, beside tc-report's tables of the same events
#
# area: gate tools

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin top xz python3
some="x86_64/ev-v6 x86_64/stack x86_64/lost x86_64-6.12/ev-v7zstd arm64/ev-v7zstd s390x/ev-v7zstd"
beside=$TC_SRCDIR/tests/golden/top.py

# equal NAME KIND TOP-OPTION...: the last page has the rows of tc-report's table
equal() {
	equal_name=$1
	kind=$2
	shift 2
	"$TC_BUILDDIR/tc-top" -q -i "$dat" --batch "$@" >"$tmp/page" 2>"$tmp/err"
	is "$equal_name: ends" $? 0
	python3 "$beside" page "$kind" <"$tmp/page" >"$tmp/ours"
	# shellcheck disable=SC2086 # options
	"$TC_BUILDDIR/tc-report" --no-pager -q -i "$dat" $table --json |
		python3 "$beside" table "$kind" >"$tmp/theirs"
	if [ -s "$tmp/ours" ] && cmp -s "$tmp/ours" "$tmp/theirs"; then
		pass "$equal_name"
	else
		fail "$equal_name" "$(diff "$tmp/theirs" "$tmp/ours" | head -n 6)"
	fi
}

for name in $some; do
	file=$TC_SRCDIR/tests/data/recordings/$name.dat.xz
	if ! [ -f "$file" ]; then
		fail "$name: is missing"
		continue
	fi
	unpacked "$file"
	if lacks_codec "$dat"; then
		skip "$name" "zstd is not built in"
		continue
	fi
	table="--count-by event"
	equal "$name: events, in one interval" count -k event -d 24h
	equal "$name: events, in the last of many" count -k event -d 50ms --cumulative
	table="--count-by task"
	equal "$name: tasks" count -k task -d 24h
	[ "$name" != x86_64/stack ] || continue # has no system calls
	table="--syscalls"
	equal "$name: system calls, their times and errors" syscalls -k syscall -d 24h
done

finish
