#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Speed and memory of reading, beside trace-cmd and perf in the same run.
#
#   report.sh [FILE.dat]
#
# Without FILE, one is recorded here (needs root): over three million events of sched, syscalls, irq,
# timer and kmem, and where there is perf the same load once more, for as long, into a perf.data of
# its own. The recording is read as it was compressed, uncompressed, and compressed by zlib.
#
#   TC_BENCH_PEER     one more trace-cmd to compare with, e.g. "chroot /trixie trace-cmd"; it must see
#                     the files, which are below $TMPDIR (/var/tmp)
#   TC_BENCH_OLD      a folder with an older tc-report: it runs in turn with this one, and for each row
#                     the median of this one's figures by that one's in the same round is printed
#   TC_BENCH_RUNS     5; alternating runs of each program, of which medians are printed
#   TC_BENCH_EVENTS   3000000; events the recording is to have: it ends when it has a tenth more

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
peer=${TC_BENCH_PEER:-}
wanted=${TC_BENCH_EVENTS:-3000000}

# The tenth is for what the kernel's counters count and a report does not show. Sets $seconds.
record() {
	under_load "$build/tc-record" -e sched -e syscalls -e irq -e timer -e kmem -b 64M -o "$1" \
		--max-events $((wanted + wanted / 10)) --duration 320 2>"$dir/said" || cat "$dir/said"
	seconds=$(sed -n 's/^tc-record: .* events in \([0-9.]*\) s, .*/\1/p' "$dir/said")
}

# perf cannot stop after a number of events, but it records about as many in the same time.
perf_record() {
	under_load perf record -q -a -m 16M -e 'sched:*' -e 'syscalls:*' -e 'irq:*' -e 'timer:*' \
		-e 'kmem:*' -o "$1" -- sleep "$seconds" >/dev/null 2>&1
}

command -v trace-cmd >/dev/null || { say "bench: trace-cmd is not installed"; exit 77; }
perf_data=
if [ $# -gt 0 ]; then
	file=$1
else
	[ "$(id -u)" = 0 ] || { say "bench: recording needs root; or name a recording"; exit 77; }
	file=$dir/bench.dat
	record "$file"
	if command -v perf >/dev/null && perf_record "$dir/perf.data"; then
		perf_data=$dir/perf.data
	fi
fi
trace-cmd convert -i "$file" -o "$dir/none.dat" --compression none >/dev/null 2>&1
trace-cmd convert -i "$dir/none.dat" -o "$dir/zstd.dat" --compression zstd >/dev/null 2>&1
"$source/tests/tools/zlib_dat.py" "$dir/none.dat" "$dir/zlib.dat"
# shellcheck disable=SC2086 # "ccache gcc" is two words
${CC:-cc} -O2 -o "$dir/plain-loop" "$source/tests/bench/plain.c"
trace-cmd report -i "$dir/none.dat" 2>/dev/null >"$dir/text"
for codec in none zstd zlib; do
	"$build/tc-report" --compat --no-flags -j 2 -i "$dir/$codec.dat" | cmp - "$dir/text"
done
events=$(grep -vc '^cpus=\|EVENTS DROPPED' "$dir/text")
say "recording: $events events, $(stat -c %s "$dir/none.dat") bytes, $(stat -c %s "$dir/text") of text, equal"

# ours NAME ARGUMENT...: rows of tc-report, with that of the older one next to it
ours() {
	ours_name=$1
	shift
	echo "$ours_name $build/tc-report $*"
	[ -z "$old" ] || echo "old-$ours_name $old/tc-report $*"
}

# Rows are "NAME COMMAND"; every round runs all of them once.
rows() {
	for jobs in 1 2; do
		for codec in none zstd zlib; do
			ours "$codec-j$jobs" --no-flags -j $jobs -i "$dir/$codec.dat"
		done
		ours "plugins-j$jobs" --no-flags -N -j $jobs -i "$dir/none.dat"
		ours "raw-j$jobs" --no-flags -R -j $jobs -i "$dir/none.dat"
		ours "json-j$jobs" --json -j $jobs -i "$dir/none.dat"
		ours "csv-j$jobs" --csv -j $jobs -i "$dir/none.dat"
	done
	echo "compat-j1 $build/tc-report --compat --no-flags -j 1 -i $dir/none.dat"
	echo "theirs trace-cmd report -i $dir/none.dat"
	echo "theirs-zstd trace-cmd report -i $dir/zstd.dat"
	echo "theirs-raw trace-cmd report -R -i $dir/none.dat"
	[ -z "$peer" ] || echo "peer $peer report -i $dir/none.dat"
	[ -z "$perf_data" ] || echo "perf perf script -i $perf_data"
	echo "plain $dir/plain-loop $dir/text"
}

rows >"$dir/rows"
say_machine
i=0
while [ $i -lt "$runs" ]; do
	while read -r name command; do
		# shellcheck disable=SC2086 # a command of several words
		measure "$name" $command </dev/null
	done <"$dir/rows"
	i=$((i + 1))
done

say ""
say "report > /dev/null                     wall       CPU  Mevents/s       peak"
for codec in none zstd zlib; do
	row "tc-report -j 1, $codec" "$codec-j1" "$events"
	row "tc-report -j 2, $codec" "$codec-j2" "$events"
done
row "tc-report --compat -j 1, none" compat-j1 "$events"
row "trace-cmd report, none" theirs "$events"
row "trace-cmd report, zstd" theirs-zstd "$events"
[ -z "$peer" ] || row "the other trace-cmd, none" peer "$events"
row "tc-report -R -j 1" raw-j1 "$events"
row "tc-report -R -j 2" raw-j2 "$events"
row "trace-cmd report -R" theirs-raw "$events"
row "tc-report --json -j 1" json-j1 "$events"
row "tc-report --json -j 2" json-j2 "$events"
row "tc-report --csv -j 1" csv-j1 "$events"
row "tc-report --csv -j 2" csv-j2 "$events"
if [ -n "$perf_data" ]; then
	perf_lines=$(perf script -i "$perf_data" 2>/dev/null | wc -l)
	row "perf script ($perf_lines lines)" perf "$perf_lines"
fi
row "the text by a plain loop" plain "$events"

# versus LABEL NAME: both medians of CPU seconds, and the medians of what each round's two make
versus() {
	printf '  %-14s %8.2f s  %8.2f s  %9s %9s %9s\n' "$1" "$(median "$2" 2)" \
		"$(median "old-$2" 2)" "$(paired "$2" "old-$2" 1)" "$(paired "$2" "old-$2" 2)" \
		"$(paired "$2" "old-$2" 3)"
}

if [ -n "$old" ]; then
	say ""
	say "this tc-report / $old/tc-report"
	say "                  CPU, this        old       wall       CPU      peak"
	for jobs in 1 2; do
		for codec in none zstd zlib; do
			versus "$codec, -j $jobs" "$codec-j$jobs"
		done
		versus "-N, -j $jobs" "plugins-j$jobs"
		versus "-R, -j $jobs" "raw-j$jobs"
		versus "--json, -j $jobs" "json-j$jobs"
		versus "--csv, -j $jobs" "csv-j$jobs"
	done
fi

# ratio LABEL OURS THEIRS [EVENTS]: how many times as much theirs is; for an event, where it had EVENTS
ratio() {
	awk -v label="$1" -v n="$events" -v tn="${4:-$events}" \
		-v w="$(median "$2" 1)" -v tw="$(median "$3" 1)" -v c="$(median "$2" 2)" \
		-v tc="$(median "$3" 2)" -v p="$(median "$2" 3)" -v tp="$(median "$3" 3)" 'BEGIN {
		printf "  %-30s %8.1f    %8.1f             %8.1f\n", label, tw / tn / w * n, tc / tn / c * n,
			tp / p }'
}

say ""
say "trace-cmd / tc-report                  wall       CPU                  peak"
ratio "none, -j 1" none-j1 theirs
ratio "none, -j 2" none-j2 theirs
ratio "zstd, -j 1" zstd-j1 theirs-zstd
ratio "zstd, -j 2" zstd-j2 theirs-zstd
ratio "-R, -j 1" raw-j1 theirs-raw
ratio "-R, -j 2" raw-j2 theirs-raw
if [ -n "$peer" ]; then
	ratio "the other, none, -j 1" none-j1 peer
	ratio "the other, none, -j 2" none-j2 peer
fi
if [ -n "$perf_data" ]; then
	say ""
	say "perf script / tc-report, an event       wall       CPU                  peak"
	ratio "none, -j 1" none-j1 perf "$perf_lines"
	ratio "none, -j 2" none-j2 perf "$perf_lines"
	say "perf recorded $perf_lines events in the same time, $((100 * perf_lines / events)) for 100 of ours"
fi
