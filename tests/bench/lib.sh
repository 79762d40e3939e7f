# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Shared by the benchmarks, which source it: a folder of their own ($dir), measured runs, medians.
# $build and $source are the trees.

LC_ALL=C
export LC_ALL
# shellcheck disable=SC2034 # for who sources this
build=${TC_BUILDDIR:-$PWD}
source=${TC_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
runs=${TC_BENCH_RUNS:-5}
# shellcheck disable=SC2034
old=${TC_BENCH_OLD:-}
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/tc-bench.XXXXXX")
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
# shellcheck disable=SC2086 # "ccache gcc" is two words
${CC:-cc} -O2 -o "$dir/measure" "$source/tests/bench/measure.c"

say() {
	printf '%s\n' "$*"
}

# Figures of a busy machine are worth little: the load is printed, and CPU seconds suffer less than wall.
say_machine() {
	say "machine: $(nproc) CPUs, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
		"load $(cut -d ' ' -f 1-3 /proc/loadavg), $runs runs each"
}

# measure NAME COMMAND...: append "wall-seconds cpu-seconds peak-KiB user-seconds" to $dir/NAME
measure() {
	measure_name=$1
	shift
	"$dir/measure" "$dir/$measure_name" "$@"
}

# median NAME COLUMN
median() {
	sort -n -k "$2,$2" "$dir/$1" | awk -v c="$2" '{ v[NR] = $c } END { print v[int((NR + 1) / 2)] }'
}

# paired NAME OTHER COLUMN: the median, over the rounds, of NAME's figure by OTHER's in the same round
paired() {
	paste -d ' ' "$dir/$1" "$dir/$2" |
		awk -v c="$3" '{ n = NF / 2; print($(n + c) > 0 ? $c / $(n + c) : 1) }' | sort -n |
		awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }'
}

# row LABEL NAME EVENTS
row() {
	awk -v label="$1" -v wall="$(median "$2" 1)" -v cpu="$(median "$2" 2)" \
		-v peak="$(median "$2" 3)" -v n="$3" 'BEGIN {
		printf "  %-30s %8.2f s  %8.2f s  %9.2f  %8.1f MiB\n", label, wall, cpu,
			n / wall / 1e6, peak / 1024 }'
}

# Much of everything: system calls, page faults, allocations, forks, switches
load() {
	while :; do
		dd if=/dev/zero bs=64 count=100000 2>/dev/null | cat >/dev/null
		find /usr/include /etc -type f -name '*.h' 2>/dev/null | head -n 2000 | xargs cat >/dev/null 2>&1 || :
		for _ in 1 2 3 4 5 6 7 8; do sh -c :; done
	done
}

# under_load COMMAND...: its status; the load runs beside it
under_load() {
	load &
	load_pid=$!
	load_status=0
	"$@" || load_status=$?
	kill $load_pid
	wait $load_pid 2>/dev/null || :
	return $load_status
}

# count FILE: its records, as trace-cmd counts them
count() {
	trace-cmd report --stat -i "$1" 2>/dev/null |
		awk '/^(read events|entries):/ { n += $NF } END { print n + 0 }'
}
