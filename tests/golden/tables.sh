#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# tables.sh - --syscalls and --wakeups of recordings, beside a model of them in Python that reads the
# events one by one from --json
#
# area: gate report

set -u
# shellcheck source=tests/golden/lib.sh
. "$(dirname "$0")/lib.sh"

begin tables xz python3
some="x86_64/ev-v6 x86_64/inst x86_64-6.12/ev-v7zstd arm64/ev-v7zstd s390x/ev-v7zstd ppc64el/ev-v7zstd"
model=$TC_SRCDIR/tests/tools/model_tables.py

# report OPTION...
report() {
	"$TC_BUILDDIR/tc-report" --no-pager -q -i "$dat" "$@"
}

# beside VIEW: the rows are those of the model, and there are many
beside() {
	report --"$1" --json | python3 "$model" rows >"$tmp/ours"
	report --json | python3 "$model" "$1" >"$tmp/theirs"
	if [ "$(wc -l <"$tmp/ours")" -gt 20 ] && cmp -s "$tmp/ours" "$tmp/theirs"; then
		pass "$name: --$1"
	else
		fail "$name: --$1" "$(diff "$tmp/theirs" "$tmp/ours" | head -n 6)"
	fi
}

# ordered NAME OPTION...: rows of CSV, the same ones in the same order with any --top
ordered() {
	ordered_name=$1
	shift
	report "$@" --csv >"$tmp/all"
	report "$@" --csv --top 3 >"$tmp/top"
	head -n 4 "$tmp/all" >"$tmp/first"
	same_text "$ordered_name" "$tmp/first" "$tmp/top"
}

same_text() {
	if [ -s "$2" ] && cmp -s "$2" "$3"; then
		pass "$1"
	else
		fail "$1" "$(diff "$2" "$3" | head -n 6)"
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
	beside syscalls
	beside wakeups
	ordered "$name: --top of --syscalls" --syscalls --by-task --sort calls,-pid
	ordered "$name: --top of --wakeups" --wakeups --sort max
	report --syscalls --csv --sort -total | sed 1d | cut -d, -f 3 >"$tmp/totals"
	sort -n "$tmp/totals" >"$tmp/sorted"
	same_text "$name: --sort -total begins with the shortest time" "$tmp/sorted" "$tmp/totals"
done

# Where rows have no place for it, trace-cmd's [EVENTS DROPPED] is a notice, which -q does not silence.
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/lost.dat.xz"
stored "$base" report
is "trace-cmd says that events were lost" "$(grep -c '\[EVENTS DROPPED\]' "$tmp/want")" 1
lost="tc-report: events were lost, the kernel did not count how many"
for view in --syscalls --wakeups --profile --latency '--count-by comm'; do
	# shellcheck disable=SC2086 # an option and its argument
	is "$view --csv says it, too" "$(report $view --csv 2>&1 >/dev/null)" "$lost"
	# shellcheck disable=SC2086
	is "... and not twice" "$(report $view --json 2>&1 >"$tmp/json"; grep -c '^{"lost":' "$tmp/json")" 1
done
for view in --flat '--flat --csv' --folded --perf-script "--speedscope $tmp/out"; do
	# shellcheck disable=SC2086
	is "$view says it" "$(report $view 2>&1 >/dev/null)" "$lost"
done

# Two recordings, whose rows are those of each
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v6.dat.xz"
cp "$dat" "$tmp/a.dat"
unpacked "$TC_SRCDIR/tests/data/recordings/x86_64/ev-v7zlib.dat.xz"
cp "$dat" "$tmp/b.dat"
for name in a.dat b.dat; do
	dat=$tmp/$name
	report --syscalls --csv | sed 1d | cut -d, -f 1,3,5,6 | sed "s/^/$name,/"
done | sort >"$tmp/each"
"$TC_BUILDDIR/tc-report" --no-pager -q -i "$tmp/a.dat" -i "$tmp/b.dat" --syscalls --csv |
	sed 1d | cut -d, -f 1,2,4,6,7 | sort >"$tmp/both"
same_text "two recordings are kept apart" "$tmp/each" "$tmp/both"
finish
