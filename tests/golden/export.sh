#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# export.sh [DIR] - --json, --csv and --fields of recordings, beside the texts of trace-cmd
#
# DIR as in sweep.sh, default: some of tests/data, of every kind. Each object is held against tc-report-json(5) by
# export.jq, and what is in it against trace-cmd's text by export.py.
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin rows xz jq python3
dir=${1:-$TC_SRCDIR/tests/data}
some="sched.dat made/foreign-32.dat.xz made/switch-be32.dat.xz made/switch-be64.dat.xz
made/unknown-event.dat.xz recordings/x86_64/clock-x86-tsc.dat.xz recordings/x86_64/kprobe.dat.xz
recordings/x86_64/marker.dat.xz recordings/x86_64/stack.dat.xz recordings/x86_64-lat/latency-v6.dat.xz
recordings/i386/kprobe.dat.xz recordings/s390x/kprobe.dat.xz recordings/s390x/inst.dat.xz
recordings/x86_64/lost.dat.xz"

# valid NAME: all lines of --json are objects as the manual page describes them
valid() {
	"$TC_BUILDDIR/tc-report" --json=text --compat --no-pager -i "$dat" >"$tmp/json" 2>"$tmp/err"
	jq -c -f "$TC_SRCDIR/tests/golden/export.jq" "$tmp/json" >"$tmp/valid" 2>>"$tmp/err"
	if [ -s "$tmp/json" ] && [ "$(wc -l <"$tmp/valid")" -eq "$(wc -l <"$tmp/json")" ] &&
		! grep -qv true "$tmp/valid"; then
		pass "$1: objects"
	else
		bad=$(grep -n -m1 -v true "$tmp/valid" | cut -d: -f1)
		fail "$1: objects" "$(cat "$tmp/err")" "$(sed -n "${bad:-1}p" "$tmp/json")"
	fi
}

# values NAME BASE: what is in them is what trace-cmd printed
values() {
	raw=-
	report=-
	if [ -z "$tep_later" ]; then
		stored "$2" raw && cp "$tmp/want" "$tmp/raw" && raw=$tmp/raw
		stored "$2" report && cp "$tmp/want" "$tmp/report" && report=$tmp/report
	fi
	if python3 "$TC_SRCDIR/tests/golden/export.py" "$TC_BUILDDIR/tc-report" "$dat" "$raw" "$report" \
		>"$tmp/said" 2>&1; then
		pass "$1: $(cat "$tmp/said")"
	else
		fail "$1: rows differ" "$(tail -n 5 "$tmp/said")"
	fi
}

# names BASE: tasks are called in --json, --csv and --wide as in trace-cmd's text, which learns names on the way
names() {
	unpacked "$dir/recordings/$1.dat.xz"
	stored "$base" report
	sed -n 's/^ *\(.*\)-\([0-9]*\) *\[[0-9]*\] .*/\1,\2/p' "$tmp/want" >"$tmp/names"
	for format in json csv wide; do
		case $format in
		json) "$TC_BUILDDIR/tc-report" -q --json -i "$dat" | jq -r '"\(.comm // "<...>"),\(.pid)"' ;;
		csv) "$TC_BUILDDIR/tc-report" -q --csv --fields comm,pid -i "$dat" | sed '1d; s/,$//; s/^,/<...>,/' ;;
		wide) "$TC_BUILDDIR/tc-report" -q --wide --json -i "$dat" | jq -r '"\(.comm // "<...>"),\(.tid)"' ;;
		esac >"$tmp/got"
		if [ -s "$tmp/names" ] && cmp -s "$tmp/names" "$tmp/got"; then
			pass "$1: names of tasks in $format"
		else
			fail "$1: names of tasks in $format" "$(diff "$tmp/names" "$tmp/got" | head -n 4)"
		fi
	done
}

probe_libtraceevent
if [ $# -gt 0 ]; then
	recordings "$dir"
else
	for file in $some; do
		echo "$dir/$file"
	done
fi >"$tmp/list"
while read -r file; do
	name=${file#"$dir"/}
	unpacked "$file"
	if lacks_codec "$dat"; then
		skip "${file#"$dir"/}" "zstd is not built in"
		continue
	fi
	valid "$name"
	values "$name" "$base"
done <"$tmp/list"
if [ $# -eq 0 ]; then
	names x86_64/tsc2nsec
	names x86_64/qdisc
fi
[ "$tap_count" -gt 0 ] || fail "there are recordings in $dir"
finish
