#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# beside.sh [FILE...] - tc-report beside trace-cmd report, with each line of "options"
#
# FILE: recordings, NAME.dat or NAME.dat.xz, or directories of them; without any, a few of
# data/recordings. tc-report --compat --no-flags must print what trace-cmd 3.1 prints, except for the
# differences that tc-report(1) lists: lines about lost events, raw_data of other machines, and stack traces of records
# that were not asked for, and --cpu and --align-ts with instances. So recordings with stack traces are
# left out of lines that begin with "?", those with instances of lines that begin with "@", and so is what
# trace-cmd does not survive (it is counted). A line that begins with "!" names its files itself.
# TC_OPTIONS: other lines than those of "options".
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin beside xz trace-cmd
trace-cmd report -h 2>&1 | grep -q '^trace-cmd version 3\.1\.' ||
	skip_all "another trace-cmd than 3.1, whose text has no flags"
golden=$TC_SRCDIR/tests/golden
options=${TC_OPTIONS:-$golden/options}

if [ $# -eq 0 ]; then
	cd "$golden/../data/recordings" || exit 1
	set -- x86_64-6.12/subbuf16-v6.dat.xz x86_64-6.12/graph.dat.xz s390x/ev-v7zstd.dat.xz \
		x86_64/clock-x86-tsc.dat.xz
fi

# The lines in which both may differ. libtraceevent reads saved_cmdlines when the first task but idle
# is shown, and has two names for a pid that events of idle have named before: such names are cut.
normal() {
	sed -i '/EVENTS DROPPED\]$/d; / raw_data: /d' "$1"
	awk '
		!/^cpus=/ && !rest && !/^ *<idle>-0 / { rest = 1 }
		!rest {
			line = $0
			while (match(line, /:[0-9]+ \[/)) {
				named[substr(line, RSTART + 1, RLENGTH - 3)] = 1
				line = substr(line, RSTART + RLENGTH)
			}
		}
		{
			for (pid in named)
				sub("^ *[^[]*-" pid " ", pid " ")
			print
		}' "$1" >"$1.cut"
	mv "$1.cut" "$1"
}

# The shell takes the quotes of an option line.
# shellcheck disable=SC2294
both() {
	(eval "trace-cmd report $1") >want 2>/dev/null
	theirs=$?
	(eval "\"\$TC_BUILDDIR/tc-report\" --compat --no-flags --no-pager $1") >got 2>err
	ours=$?
}

# ask FILE NAME: every line of options; one result
ask() {
	stacks=$(trace-cmd report input.dat 2>/dev/null | grep -c ' \(kernel\|user\)_stack: ')
	instances=$(trace-cmd report --stat input.dat 2>/dev/null | grep -c '^Buffer: ')
	: >wrong
	asked=0
	gave_up=0
	while read -r line; do
		case $line in
		'? '*)
			[ "$stacks" -eq 0 ] || continue
			line="${line#? } input.dat"
			;;
		'@ '*)
			[ "$instances" -eq 0 ] || continue
			line="${line#@ } input.dat"
			;;
		'! '*) line=${line#! } ;;
		*) line="$line input.dat" ;;
		esac
		both "$line"
		if [ "$theirs" -gt 128 ] && [ "$theirs" -lt 200 ]; then
			gave_up=$((gave_up + 1))
			continue
		fi
		asked=$((asked + 1))
		# Options that trace-cmd refuses are errors here, too: an event that does not exist.
		[ "$theirs" -ne 0 ] && [ "$ours" -ne 0 ] && continue
		cmp -s want got && continue
		normal want
		normal got
		same want got && continue
		echo "$line: exit status $theirs and $ours; - trace-cmd, + tc-report" >>wrong
		diff -U 0 want got | awk '/^-/ && ++a < 6 || /^[+]/ && ++b < 6' >>wrong
	done <"$options"
	if [ -s wrong ]; then
		fail "$1: $asked options" "$(cat wrong)"
	elif [ "$asked" -eq 0 ]; then
		fail "$1: trace-cmd reads it"
	else
		pass "$1: $asked options beside trace-cmd ($gave_up it did not survive)"
	fi
}

recordings "$@" | while read -r file; do
	realpath "$file"
done >"$tmp/list"
cd "$tmp" || exit 1
probe_libtraceevent
while read -r file; do
	unpacked "$file"
	[ "$dat" = "$tmp/input.dat" ] || ln -sf "$dat" input.dat
	if lacks_codec input.dat; then
		skip "${file##*/}" "zstd is not built in"
	elif ! trace-cmd report -e input.dat >/dev/null 2>&1; then
		skip "${file##*/}" "trace-cmd does not read it"
	else
		ask "$(basename "$(dirname "$file")")/${file##*/}"
	fi
	rm -f input.dat
done <list
finish
