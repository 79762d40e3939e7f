#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Speed and memory of reading and recording, beside trace-cmd in the same run.
#
#   run.sh [FILE.dat]
#
# Without FILE, one is recorded here (needs root): over three million events of sched, syscalls, irq,
# timer and kmem. TC_BENCH_RUNS (5) alternating runs of each program; medians are printed. Figures of
# a busy machine are worth little: the load is printed too, and CPU seconds suffer less than wall time.

set -eu
LC_ALL=C
export LC_ALL
build=${TC_BUILDDIR:-$PWD}
source=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
runs=${TC_BENCH_RUNS:-5}
wanted=3000000
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/tc-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

say() {
	printf '%s\n' "$*"
}

# measure NAME COMMAND...: append "wall-seconds cpu-seconds peak-KiB" to $dir/NAME
measure() {
	measure_name=$1
	shift
	"$dir/measure" "$dir/$measure_name" "$@"
}

# median NAME COLUMN
median() {
	sort -n -k "$2,$2" "$dir/$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

# row LABEL NAME EVENTS
row() {
	wall=$(median "$2" 1)
	cpu=$(median "$2" 2)
	peak=$(median "$2" 3)
	awk -v label="$1" -v wall="$wall" -v cpu="$cpu" -v peak="$peak" -v n="$3" 'BEGIN {
		printf "  %-28s %8.2f s  %8.2f s  %9.2f  %8.1f MiB\n", label, wall, cpu,
			n / wall / 1e6, peak / 1024 }'
}

# ratio LABEL OURS THEIRS COLUMN: how many times as much theirs is
ratio() {
	awk -v label="$1" -v a="$(median "$2" "$4")" -v b="$(median "$3" "$4")" 'BEGIN {
		printf "  %-28s %8.2f\n", label, (a > 0 ? b / a : 0) }'
}

# Much of everything: system calls, page faults, allocations, forks, switches
load() {
	while :; do
		dd if=/dev/zero bs=64 count=100000 2>/dev/null | cat >/dev/null
		find /usr/include /etc -type f -name '*.h' 2>/dev/null | head -n 2000 | xargs cat >/dev/null 2>&1 || :
		for _ in 1 2 3 4 5 6 7 8; do sh -c :; done
	done
}

# record_one FILE SECONDS
record_one() {
	load &
	load_pid=$!
	"$build/tc-record" -q -e sched -e syscalls -e irq -e timer -e kmem -b 64M -o "$1" \
		--duration "$2" || :
	kill $load_pid
	wait $load_pid 2>/dev/null || :
}

count() {
	trace-cmd report --stat -i "$1" 2>/dev/null | awk '/^(read events|entries):/ { n += $NF } END { print n + 0 }'
}

command -v trace-cmd >/dev/null || { say "bench: trace-cmd is not installed"; exit 77; }
"${CC:-cc}" -O2 -o "$dir/measure" "$source/tests/bench/measure.c"
if [ $# -gt 0 ]; then
	file=$1
else
	[ "$(id -u)" = 0 ] || { say "bench: recording needs root; or name a recording"; exit 77; }
	file=$dir/bench.dat
	seconds=5
	record_one "$file" $seconds
	while [ "$(count "$file")" -lt $wanted ] && [ $seconds -lt 320 ]; do
		seconds=$((seconds * 2))
		record_one "$file" $seconds
	done
fi
events=$(trace-cmd report -i "$file" 2>/dev/null | grep -vc '^cpus=\|EVENTS DROPPED')
say "recording: $events events, $(stat -c %s "$file") bytes"
say "machine: $(nproc) CPUs, load $(cut -d ' ' -f 1-3 /proc/loadavg), $runs runs each"
say ""
say "report > /dev/null                   wall       CPU  Mevents/s       peak"
i=0
while [ $i -lt "$runs" ]; do
	measure theirs trace-cmd report -i "$file"
	measure ours "$build/tc-report" --no-flags -i "$file"
	i=$((i + 1))
done
row "trace-cmd report" theirs "$events"
row "tc-report" ours "$events"
say ""
say "trace-cmd / tc-report"
ratio "wall time" ours theirs 1
ratio "CPU time" ours theirs 2
ratio "peak memory" ours theirs 3

[ "$(id -u)" = 0 ] || exit 0
# What recording costs: without a COMMAND, the CPU time is the recorder's alone; the load runs beside.
say ""
say "recording (syscalls, sched; 3 s)     wall       CPU  Mevents/s       peak"
for codec in zstd none; do
	i=0
	while [ $i -lt 3 ]; do
		load &
		load_pid=$!
		measure "record-$codec" "$build/tc-record" -e syscalls -e sched -b 16M --duration 3 \
			--compression $codec -o "$dir/r.dat"
		kill $load_pid
		wait $load_pid 2>/dev/null || :
		i=$((i + 1))
	done
	row "tc-record --compression $codec" "record-$codec" "$(count "$dir/r.dat")"
done
