#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How soon tc-trace shows a call: the time from the call to its line on a pipe, by default and with --immediate, and
# the CPU time that tc-trace takes for it; from its start to the first line; from Ctrl-C to its end;
# how many events a second it takes without a loss. Needs root.
#
#   TC_BENCH_RUNS      5; runs, of which medians are printed
#   TC_BENCH_CALLS     5000; calls of each run of the first table
#   TC_BENCH_SECONDS   60; how long events come at TC_BENCH_RATE (1000000) a second

set -eu
# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
calls=${TC_BENCH_CALLS:-5000}
seconds=${TC_BENCH_SECONDS:-60}
rate=${TC_BENCH_RATE:-1000000}
trace=$build/tc-trace

[ "$(id -u)" = 0 ] || { say "bench: tracing needs root"; exit 77; }
# shellcheck disable=SC2086 # "ccache gcc" is two words
${CC:-cc} -D_GNU_SOURCE -O2 -o "$dir/latency" "$source/tests/bench/latency.c"

# again NAME MODE ARG...: $runs times; what it prints goes to $dir/NAME
again() {
	again_name=$1
	shift
	for _ in $(seq "$runs"); do
		"$dir/latency" "$@" >>"$dir/$again_name" 2>>"$dir/errors" || say "# $again_name fails: $(tail -n 1 "$dir/errors")"
	done
}

# figures LABEL NAME COLUMN...: medians
figures() {
	[ -s "$dir/$2" ] || return 0
	printf '%-30s' "$1"
	figures_of=$2
	shift 2
	for column; do
		printf ' %9s' "$(median "$figures_of" "$column")"
	done
	printf '\n'
}

say_machine
say "ms from a call to its line          p50       p95       p99       max     CPU %"
for gap in 1000 20; do
	for option in "" --immediate; do
		name=lines-$gap$option
		# shellcheck disable=SC2086 # no word if empty
		again "$name" lines "$calls" $gap "$trace" -qq $option -e trace=lseek
		figures "${option:-default}, a call each $gap us" "$name" 1 2 3 4 5
	done
done
again first first "$trace" true
figures "ms to the first line" first 1
again stop stop "$trace" -qq -e trace=lseek
figures "ms from Ctrl-C to the end" stop 1

# Two events a call
for option in -c "-o $dir/lines"; do
	# shellcheck disable=SC2086 # words
	"$trace" $option -- "$dir/latency" calls "$seconds" $((rate / 2)) >"$dir/made" 2>"$dir/errors"
	lost=$(sed -n 's/^tc-trace: \([0-9]*\) events.* were lost.*/\1/p' "$dir/errors")
	say "$(awk -v s="$seconds" '{ printf "%.0f", 2 * $1 / s }' "$dir/made") events/s for $seconds s," \
		"${option%% *}: ${lost:-0} lost"
	rm -f "$dir/lines"
done
