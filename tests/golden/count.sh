#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# count.sh - --count-by of recordings, beside what awk counts in the texts of trace-cmd
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin count xz awk
some="x86_64/ev-v6 x86_64/stack x86_64/lost x86_64/kprobe x86_64-6.12/kprobe arm64/ev-v7zstd s390x/ev-v7zstd"

# count: lines of the report as "pid cpu event count share", in the order of a table
count() {
	awk 'match($0, /-[0-9]+ +\[[0-9]+\] /) {
		split(substr($0, RSTART + 1, RLENGTH), who, /[^0-9]+/)
		rest = substr($0, RSTART + RLENGTH)
		if (!match(rest, /[0-9]+\.[0-9]+: +/))
			next
		name = substr(rest, RSTART + RLENGTH)
		sub(/:.*/, "", name)
		if (name ~ /^(kernel|user)_stack$/)
			next
		n[who[1] " " who[2] + 0 " " name]++
		all++
	}
	END {
		for (key in n)
			printf "%s %d %.2f\n", key, n[key], n[key] * 100 / all
	}' "$1" | sort
}

# counted FILE OPTION...: the rows of --csv in the same form, in their own order
counted() {
	counted_file=$1
	shift
	"$TC_BUILDDIR/tc-report" --no-pager -i "$counted_file" --count-by pid,cpu,event --csv "$@" |
		sed 1d | tr , ' ' | sed 's/ [^ :]*:/ /'
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
	if ! stored "$base" report; then
		skip "$name" "no text of trace-cmd is stored"
		continue
	fi
	count "$tmp/want" >"$tmp/by-awk"
	counted "$dat" -j2 >"$tmp/rows"
	sort "$tmp/rows" >"$tmp/sorted"
	if [ -s "$tmp/by-awk" ] && cmp -s "$tmp/by-awk" "$tmp/sorted"; then
		pass "$name: counts and shares"
	else
		fail "$name: other counts" "$(diff "$tmp/by-awk" "$tmp/sorted" | head -n 10)"
	fi
	if awk '{ print $4 }' "$tmp/rows" | sort -nrc 2>/dev/null; then
		pass "$name: the most frequent first"
	else
		fail "$name: wrong order"
	fi
	counted "$dat" --top 3 -j1 >"$tmp/top"
	if head -n 3 "$tmp/rows" | cmp -s - "$tmp/top"; then
		pass "$name: --top, and the same with one thread"
	else
		fail "$name: --top" "$(cat "$tmp/top")"
	fi
done

# Functions of timers: trace-cmd prints them as function=NAME
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v6.dat.xz"
if stored "$base" report; then
	sed -n 's/.* function=\([a-z_]*\).*/\1/p' "$tmp/want" | sort | uniq -c | awk '{ print $2 "," $1 }' |
		sort >"$tmp/by-awk"
	"$TC_BUILDDIR/tc-report" --no-pager -q -i "$dat" --select timer --count-by symbol --csv |
		sed '1d; s/,[^,]*$//' | sort >"$tmp/rows"
	if [ -s "$tmp/by-awk" ] && cmp -s "$tmp/by-awk" "$tmp/rows"; then
		pass "symbols are the functions in the text"
	else
		fail "symbols are the functions in the text" "$(diff "$tmp/by-awk" "$tmp/rows" | head)"
	fi
else
	skip "symbols" "no text of trace-cmd is stored"
fi
finish
